package revocation

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"

	"segel/cms"
)

// MaxSize bounds a list in bytes. The largest that public authorities publish for persons have some ten million.
const MaxSize = 32 << 20

// ValidateCRL checks a list about cert at a moment: all that [ReadCRL] checks, current, and not naming cert by then. A
// certificate that was revoked by then is a [*RevokedError], everything else ErrUnfit; the status tells what was
// read.
func ValidateCRL(der []byte, cert, issuer *x509.Certificate, at time.Time) (Status, error) {
	s, err := VerifyCRL(der, cert, issuer)
	if err != nil {
		return s, err
	}
	return s, s.Check(cert, at)
}

// VerifyCRL reads what a DER CertificateList says about cert: signed by issuer, complete and speaking of cert. Time is
// not looked at: see [Status.Current]. The error is ErrUnfit. Whoever asks one list about many certificates opens it
// first: see [OpenList].
func VerifyCRL(der []byte, cert, issuer *x509.Certificate) (Status, error) {
	l, err := ParseList(der)
	if err != nil {
		return Status{}, err
	}
	return l.Verify(cert, issuer)
}

// List is a CertificateList that is asked about many certificates. Its signature is verified once for each issuer, and
// its entries are indexed when it is asked a second time. It is not safe for use by several goroutines at once.
type List struct {
	head    *x509.RevocationList // everything but the entries, with the signature over all
	entries cryptobyte.String    // content of revokedCertificates; nil if there are none

	signed  map[[sha256.Size]byte]error // by the issuer's certificate
	queried bool
	index   *index // nil until the list is asked for the second time
}

// maxIssuers bounds the certificates that one list is held against: all of those bear the name of its issuer.
const maxIssuers = 16

// Verify returns what [ReadCRL] does.
//
// The entries, of which there may be a million, are walked in place: a list costs its own bytes, one pass of a hash
// and one of the walk. Name, scope and key are checked before either.
func (l *List) Verify(cert, issuer *x509.Certificate) (Status, error) {
	if !bytes.Equal(l.head.RawIssuer, issuer.RawSubject) || !bytes.Equal(cert.RawIssuer, issuer.RawSubject) {
		return Status{}, newUnusable("CRL is of another issuer")
	}
	if err := cms.CheckKey(issuer.PublicKey); err != nil {
		return Status{}, newUnusable("key of the issuer: %w", err)
	}
	if err := checkScope(l.head, cert); err != nil {
		return Status{}, err
	}
	if err := l.checkSignature(issuer); err != nil {
		return Status{}, err
	}
	s := Status{CertStatus: Good, ThisUpdate: l.head.ThisUpdate.UTC(), NextUpdate: toUTC(l.head.NextUpdate), Responder: issuer}
	return s, l.findStatus(cert.SerialNumber, &s)
}

func (l *List) checkSignature(issuer *x509.Certificate) error {
	id := sha256.Sum256(issuer.Raw)
	if err, known := l.signed[id]; known {
		return err
	}
	if len(l.signed) == maxIssuers {
		return newUnusable("CRL of more than %d issuers of one name", maxIssuers)
	}
	var err error
	if bad := l.head.CheckSignatureFrom(issuer); bad != nil {
		err = newUnusable("CRL: %w", bad)
	}
	l.signed[id] = err
	return err
}

// findStatus makes s what the list says of a serial.
func (l *List) findStatus(serial *big.Int, s *Status) error {
	if !l.queried || serial.Sign() < 0 {
		l.queried = true
		return l.scanEntries(l.entries, serial, s)
	}
	if l.index == nil {
		l.index = newIndex(l)
	}
	return l.index.findStatus(l, serial, s)
}

// ParseList takes a list apart (RFC 5280 §5.1) and keeps der. The error is ErrUnfit. Package crypto/x509 reads it with
// its entries left out, of each of which it would make some hundred bytes on the heap.
func ParseList(der []byte) (*List, error) {
	if len(der) > MaxSize {
		return nil, newUnusable("list of %d bytes", len(der))
	}
	whole := cryptobyte.String(der)
	var outer, signed, body, before, entries, element cryptobyte.String
	if !whole.ReadASN1(&outer, asn1.SEQUENCE) || !whole.Empty() || !outer.ReadASN1Element(&signed, asn1.SEQUENCE) {
		return nil, newUnusable("CRL cannot be read")
	}
	behind := outer // signatureAlgorithm and signatureValue
	body = signed
	if !body.ReadASN1(&body, asn1.SEQUENCE) {
		return nil, newUnusable("CRL cannot be read")
	}
	all := body
	body.SkipOptionalASN1(asn1.INTEGER)
	for range 2 { // signature, issuer
		if !body.SkipASN1(asn1.SEQUENCE) {
			return nil, newUnusable("CRL cannot be read")
		}
	}
	for body.PeekASN1Tag(asn1.UTCTime) || body.PeekASN1Tag(asn1.GeneralizedTime) { // thisUpdate, nextUpdate
		var tag asn1.Tag
		if !body.ReadAnyASN1(&element, &tag) {
			return nil, newUnusable("CRL cannot be read")
		}
	}
	before = all[:len(all)-len(body)]
	if body.PeekASN1Tag(asn1.SEQUENCE) && !body.ReadASN1(&entries, asn1.SEQUENCE) {
		return nil, newUnusable("CRL cannot be read")
	}
	var b cryptobyte.Builder
	b.AddASN1(asn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(asn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddBytes(before)
			b.AddBytes(body) // extensions
		})
		b.AddBytes(behind)
	})
	short, err := b.Bytes()
	if err != nil {
		return nil, newUnusable("CRL: %w", err)
	}
	head, err := x509.ParseRevocationList(short)
	if err != nil {
		return nil, newUnusable("CRL: %w", err)
	}
	head.RawTBSRevocationList = signed
	return &List{head: head, entries: entries, signed: map[[sha256.Size]byte]error{}}, nil
}

// scanEntries walks entries and makes s what they say of a serial. Every entry is looked at: one that is not understood makes
// the list unfit.
func (l *List) scanEntries(rest cryptobyte.String, serial *big.Int, s *Status) error {
	for !rest.Empty() {
		var entry, number cryptobyte.String
		if !rest.ReadASN1(&entry, asn1.SEQUENCE) || !entry.ReadASN1(&number, asn1.INTEGER) {
			return newUnusable("entry of the CRL cannot be read")
		}
		ours := isSameSerial(number, serial)
		var at time.Time
		if ours {
			if err := readTime(&entry, &at); err != nil {
				return err
			}
		} else if !skipTime(&entry) {
			return newUnusable("entry of the CRL cannot be read")
		}
		reason, err := readEntry(entry)
		if err != nil {
			return err
		}
		if ours && (s.CertStatus != Revoked || at.Before(s.At)) {
			s.CertStatus, s.At, s.Reason = Revoked, at, reason // the earliest, should there be several
		}
	}
	return nil
}

// isSameSerial compares the content of an INTEGER with a serial.
func isSameSerial(content []byte, serial *big.Int) bool {
	if len(content) == 0 {
		return false
	}
	if content[0] == 0 && len(content) > 1 {
		content = content[1:]
	} else if content[0]&0x80 != 0 {
		return serial.Sign() < 0 && serial.Cmp(parseNegative(content)) == 0
	}
	if serial.Sign() < 0 || len(content) != max(1, (serial.BitLen()+7)/8) {
		return false
	}
	var room [64]byte
	if len(content) > len(room) {
		return bytes.Equal(content, serial.Bytes())
	}
	return bytes.Equal(content, serial.FillBytes(room[:len(content)]))
}

// parseNegative reads the content of an INTEGER below zero, which no serial should be and some are.
func parseNegative(content []byte) *big.Int {
	n := new(big.Int).SetBytes(content)
	return n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(content))))
}

func readTime(s *cryptobyte.String, at *time.Time) error {
	ok := false
	if s.PeekASN1Tag(asn1.UTCTime) {
		ok = s.ReadASN1UTCTime(at)
	} else {
		ok = s.ReadASN1GeneralizedTime(at)
	}
	if !ok {
		return newUnusable("time of the CRL's entry cannot be read")
	}
	*at = at.UTC()
	return nil
}

// skipTime reads over either form; a failing read of one would have taken the other.
func skipTime(s *cryptobyte.String) bool {
	if s.PeekASN1Tag(asn1.UTCTime) {
		return s.SkipASN1(asn1.UTCTime)
	}
	return s.SkipASN1(asn1.GeneralizedTime)
}

// reasonCode is the content of its identifier, 2.5.29.21.
var reasonCode = []byte{0x55, 29, 21}

// readEntry reads the extensions of an entry and returns its reason. A critical one, such as the name of another
// issuer whose certificate it is, means that nothing in the list can be relied on (RFC 5280 §5.3).
func readEntry(entry cryptobyte.String) (Reason, error) {
	if entry.Empty() {
		return Unspecified, nil
	}
	var extensions cryptobyte.String
	if !entry.ReadASN1(&extensions, asn1.SEQUENCE) || !entry.Empty() {
		return 0, newUnusable("extensions of the CRL's entry cannot be read")
	}
	reason := Unspecified
	for !extensions.Empty() {
		var x, id, value cryptobyte.String
		var isCritical bool
		if !extensions.ReadASN1(&x, asn1.SEQUENCE) || !x.ReadASN1(&id, asn1.OBJECT_IDENTIFIER) ||
			!x.ReadOptionalASN1Boolean(&isCritical, asn1.BOOLEAN, false) || !x.ReadASN1(&value, asn1.OCTET_STRING) {
			return 0, newUnusable("extension of the CRL's entry cannot be read")
		}
		if isCritical {
			return 0, newUnusable("CRL has an entry with a critical extension")
		}
		if bytes.Equal(id, reasonCode) {
			var n int
			if !value.ReadASN1Enum(&n) {
				return 0, newUnusable("reason of the CRL's entry cannot be read")
			}
			reason = Reason(n)
		}
	}
	return reason, nil
}
