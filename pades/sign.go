package pades

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"time"

	"segel/cms"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/tsp"
)

// Sign signs a field: level B-B, or B-T with a Timestamper. The result has passed VerifyTail.
//
// The key signs first, then the timestamp is fetched. If that fails there is no signature, although a remote key has
// been used. If a timestamp is larger than its Timestamper stated, the key signs again with more reserved space.
func Sign(ctx context.Context, src Source, o Options) (*Result, error) {
	if o.Key == nil {
		return nil, errors.New("no key to sign with")
	}
	return retryWithSize(o.ReservedSize, func(size int) (*Result, error) {
		o.ReservedSize = size
		return signOnce(ctx, src, o)
	})
}

// maxAttempts limits how often a signature is made again because its timestamps keep growing.
const maxAttempts = 3

// retryWithSize calls try, and again with a larger size if the container is too large. The next timestamp may differ
// by a few bytes.
func retryWithSize(size int, try func(size int) (*Result, error)) (*Result, error) {
	for attempt := 1; ; attempt++ {
		r, err := try(size)
		var small *ContainerSizeError
		if err == nil || attempt == maxAttempts || !errors.As(err, &small) {
			return r, err
		}
		size = small.Need + small.Need/8
	}
}

func signOnce(ctx context.Context, src Source, o Options) (*Result, error) {
	p, opened, err := prepare(src, o)
	if err != nil {
		return nil, err
	}
	src.Opened = opened
	value, err := p.Signature.Sign(o.randomReader(), o.Key)
	if err != nil {
		return nil, fmt.Errorf("sign with the key: %w", err)
	}
	var token []byte
	if o.Timestamper != nil {
		if token, err = p.Timestamp(ctx, o.Timestamper, value); err != nil {
			return nil, err
		}
	}
	r, _, err := p.fillIn(value, token)
	if err != nil {
		return nil, err
	}
	src.Midstate, src.Midstates = p.Midstate, p.midstates
	if r.Opened, err = openVerified(src, r.Tail, r.Field, o.Clock); err != nil {
		return nil, err
	}
	return r, nil
}

// Options of a signature. Key, Chain, Time and one of Field and NewField are required.
type Options struct {
	Field    string     // fully qualified name of an empty signature field
	NewField *FieldSpec // added in the same update, instead of Field

	Key    crypto.Signer       // not needed by Prepare
	Chain  []*x509.Certificate // the signer's certificate first, then its issuers
	Scheme cms.Scheme          // zero: the default scheme of the key. For hashes other than SHA-256 see Source.Midstates.

	Timestamper tsp.Timestamper // nil: level B-B
	Time        time.Time       // claimed signing time, stored in /M with its zone
	Clock       Clock           // reference for the signature's times, see [VerifyTail]

	Name, Reason, Location, Contact string // entries of the signature dictionary; may be empty

	Attributes []cms.Attribute // further signed attributes, of types that the signature does not have anyway

	Appearance Appearance            // nil: the widget stays unchanged
	Marks      map[string]Appearance // appearances of fields that were added as marks, by field name

	// Certify makes a certification. Zero is an ordinary signature.
	Certify pdf.Permission

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

// byteRangeLen has space for 16-digit offsets; the rest is padded with spaces.
const byteRangeLen = len("[0 ") + 3*16

// placeholders are the parts of a signature dictionary that are filled in once the tail is built.
type placeholders struct{ byteRange, contents *pdf.Hole }

// newPlaceholders reserves space for a container of that many bytes.
func newPlaceholders(size int) placeholders {
	return placeholders{&pdf.Hole{Len: byteRangeLen}, &pdf.Hole{Len: 2*size + len("<>"), Hex: true}}
}

// buildSignatureDictionary writes the entries that o states. It leaves out the other optional ones: /Cert must be
// absent from a PAdES signature, and the signing time belongs in /M rather than in the container.
func buildSignatureDictionary(o Options, h placeholders, references pdf.Array) pdf.Dict {
	dict := pdf.Dict{
		"Type": pdf.Name("Sig"), "Filter": pdf.Name(filterName), "SubFilter": pdf.Name(subFilterSignature),
		"ByteRange": h.byteRange, "Contents": h.contents, "M": pdf.TextString(formatDate(o.Time)),
	}
	for key, text := range map[pdf.Name]string{"Name": o.Name, "Reason": o.Reason, "Location": o.Location, "ContactInfo": o.Contact} {
		if text != "" {
			dict[key] = pdf.TextString(text)
		}
	}
	if len(references) > 0 {
		dict["Reference"] = references
	}
	return dict
}

// buildTimestampDictionary returns the value of a document timestamp field.
func buildTimestampDictionary(h placeholders) pdf.Dict {
	return pdf.Dict{
		"Type": pdf.Name("DocTimeStamp"), "Filter": pdf.Name(filterName), "SubFilter": pdf.Name(subFilterTimestamp),
		"ByteRange": h.byteRange, "Contents": h.contents,
	}
}

const (
	filterName         = "Adobe.PPKLite"
	subFilterSignature = "ETSI.CAdES.detached"
	subFilterTimestamp = "ETSI.RFC3161"
)

// formatDate formats a time with its zone (ISO 32000-2 §7.9.4).
func formatDate(t time.Time) string {
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("D:%s%c%02d'%02d'", t.Format("20060102150405"), sign, offset/3600, offset/60%60)
}

// fillByteRange writes /ByteRange: the whole file but /Contents with its brackets. It returns the position of /Contents
// in the tail.
func (h placeholders) fillByteRange(t *pdf.Tail) (at, length int, err error) {
	offset, length, err := t.Hole(h.contents)
	if err != nil {
		return 0, 0, err
	}
	end := offset + int64(length)
	stated := fmt.Sprintf("[0 %d %d %d]", offset, end, t.At+int64(len(t.Bytes))-end)
	return int(offset - t.At), length, t.Fill(h.byteRange, []byte(stated))
}
