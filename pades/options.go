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
	Chain  []*x509.Certificate // the signer's certificate first, then its issuers
	Scheme cms.Scheme          // zero: the default scheme of the key. For hashes other than SHA-256 see Source.States.

	Timestamper tsp.Timestamper // nil: level B-B
	Time        time.Time       // claimed signing time, stored in /M with its zone
	Clock       Clock           // reference for the signature's times, see [Check]

	Name, Reason, Location, Contact string // entries of the signature dictionary; may be empty

	Appearance Appearance            // nil: the widget stays unchanged
	Marks      map[string]Appearance // appearances of fields that were added as marks, by field name

	// Certify, from 1 to 3, makes a certification: 1 permits no further change, 2 filling in and signing, 3
	// annotations too (ISO 32000-2 §12.8.2.2). Zero is an ordinary signature.
	Certify int

	// LockFields are the fully qualified names of fields that the signature locks (ISO 32000-2 §12.8.2.4) in addition
	// to the /Lock of its field: fields that were added later. A name includes the fields below it. Their appearances
	// are written again with the signature, up to 4 MiB, so that all validators agree that they did not change later.
	LockFields []string

	// ReservedSize is the minimum number of bytes to reserve for the container; 0 is the estimate. A ContainerSizeError
	// states the size that was needed; the next signature and timestamp may be some bytes larger.
	ReservedSize int

	Random io.Reader // for the key and the file identifier; nil is crypto/rand
}

// Appearance adds a drawing to an update as a form XObject that fills a frame. An *appearance.Drawing is one.
type Appearance interface {
	Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error)
}

func (o Options) randomReader() io.Reader {
	if o.Random == nil {
		return rand.Reader
	}
	return o.Random
}
