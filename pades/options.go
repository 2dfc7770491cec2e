package pades

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"io"
	"time"

	"segel/cms"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/tsp"
)

// Options of a signature. Key, Chain, Time and one of Field and NewField are required.
type Options struct {
	Field    string     // fully qualified name of an empty signature field
	NewField *FieldSpec // added in the same update, instead of Field

	Key    crypto.Signer       // not needed by Prepare
	Chain  []*x509.Certificate // the signer's first, then its issuers
	Scheme cms.Scheme          // zero: the usual one of the key. For any hash but SHA-256 see Source.States.

	Timestamper tsp.Timestamper // nil makes level B-B
	Time        time.Time       // the claimed time, kept in /M with its zone
	Clock       Clock           // what the times of the signature have to fit, see [Check]

	Name, Reason, Location, Contact string // as the signature dictionary states them; may be empty

	Appearance Appearance            // nil leaves the widget as it is
	Marks      map[string]Appearance // pictures for fields that were added as marks

	// Certify, from 1 to 3, makes a certification: 1 permits no further change, 2 filling in and signing, 3
	// annotations too (ISO 32000-2 §12.8.2.2). Zero is an ordinary signature.
	Certify int

	// LockFields are the fully qualified names of fields that the signature locks (ISO 32000-2 §12.8.2.4), beside those
	// that the /Lock of its field names: fields that came after it. A name stands for those below it too. Their appearances
	// are written again with the signature, up to 4 MiB, so that all validators agree that nothing changed them later.
	LockFields []string

	// ReservedSize is the least number of bytes to reserve for the container; 0 is what is computed. A RoomError says how many
	// it took; the next signature and timestamp may take some bytes more.
	ReservedSize int

	Random io.Reader // for the key and the file identifier; nil is crypto/rand
}

// Appearance puts a picture into an update as a form XObject that fills a frame. An *appearance.Drawing is one.
type Appearance interface {
	Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error)
}

func (o Options) randomReader() io.Reader {
	if o.Random == nil {
		return rand.Reader
	}
	return o.Random
}
