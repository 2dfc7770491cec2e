package revocation

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	encodingasn1 "encoding/asn1"
	"hash/maphash"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"

	"segel/cms"
	"segel/memo"
)

// MaxSize limits a list in bytes. The largest lists for persons from public authorities have some ten million.
const MaxSize = 32 << 20

// VerifyCRL returns the status of cert in a DER CertificateList, which must be signed by issuer, complete, and cover
// cert. Time is not checked: see [Status.Current]. The error is ErrUnusable. To query one list for many certificates,
// parse it once: see [ParseList].
func VerifyCRL(der []byte, cert, issuer *x509.Certificate) (Status, error) {
	l, err := ParseList(der)
	if err != nil {
		return Status{}, err
	}
	return l.Verify(cert, issuer)
}

// List is a CertificateList for queries about many certificates. Its signature is verified once for each issuer, and
// the entries are indexed at the second query. It is not safe for concurrent use.
type List struct {
	head    *x509.RevocationList // everything except the entries, with the signature over all
	entries cryptobyte.String    // content of revokedCertificates; nil if there are none

	signed  map[[sha256.Size]byte]error // by the issuer's certificate
	queried bool
	index   *index // nil until the second query
	work    int    // how often more was done than a lookup in the index
}

// Limits of what counts as a lookup. A list can be made so that one costs as much as reading it.
const (
	maxLookupEntries = 16       // of one serial
	maxLookupScope   = 16 << 10 // of all extensions, in bytes
)

// maxIssuers limits how many certificates with the issuer's name one list is verified with.
const maxIssuers = 16

// Verify is [VerifyCRL] for a parsed list.
//
// There may be a million entries; they are scanned in place, so a list costs its own bytes, one hash pass and one scan.
// Name, scope and key are checked first.
func (l *List) Verify(cert, issuer *x509.Certificate) (Status, error) {
	if !bytes.Equal(l.head.RawIssuer, issuer.RawSubject) || !bytes.Equal(cert.RawIssuer, issuer.RawSubject) {
		return Status{}, newUnusable("CRL is of another issuer")
	}
	if err := cms.CheckKey(issuer.PublicKey); err != nil {
		return Status{}, newUnusable("key of the issuer: %w", err)
	}
	scope := 0
	for _, e := range l.head.Extensions {
		scope += len(e.Value)
	}
	if scope > maxLookupScope {
		l.work++
	}
	if err := checkScope(l.head, cert); err != nil {
		return Status{}, err
	}
	if err := l.checkSignature(issuer); err != nil {
		return Status{}, err
	}
	s := Status{CertStatus: Good, ThisUpdate: l.head.ThisUpdate.UTC(), NextUpdate: toUTC(l.head.NextUpdate), Responder: issuer, Algorithm: l.head.SignatureAlgorithm}
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
	l.work++
	var err error
	if bad := l.verifySignature(issuer); bad != nil {
		err = newUnusable("CRL: %w", bad)
	}
	l.signed[id] = err
	return err
}

// maxRemembered is the largest list whose verified signature is remembered: the key of a result takes a second pass over the list.
const maxRemembered = 1 << 20

func (l *List) verifySignature(issuer *x509.Certificate) error {
	verify := func() error { return l.head.CheckSignatureFrom(issuer) }
	if len(l.head.RawTBSRevocationList) > maxRemembered {
		return verify()
	}
	// Not head.Raw, which lacks the entries.
	return memo.VerifyOnce(verify, "CRL", l.head.RawTBSRevocationList, []byte(l.head.SignatureAlgorithm.String()), l.head.Signature, issuer.Raw)
}

// findStatus sets s to the status of a serial.
func (l *List) findStatus(serial *big.Int, s *Status) error {
	if !l.queried || serial.Sign() < 0 {
		l.queried = true
		l.work++
		return l.scanEntries(l.entries, serial, s)
	}
	if l.index == nil {
		l.work++
		l.index = newIndex(l)
	}
	return l.index.findStatus(l, serial, s)
}

// ParseList parses a list (RFC 5280 §5.1) and keeps der. The error is ErrUnusable. It lets crypto/x509 parse the list
// without its entries, because that package would allocate some hundred bytes for each.
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

// scanEntries reads all entries and sets s to the status of a serial. An entry that is not understood makes the list
// unusable.
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
			s.CertStatus, s.At, s.Reason = Revoked, at, reason // the earliest, if there are several
		}
	}
	return nil
}

// isSameSerial compares the content of an INTEGER with a serial. It may be longer than necessary, as in certificates
// that package cms accepts.
func isSameSerial(content []byte, serial *big.Int) bool {
	if len(content) == 0 {
		return false
	}
	if content[0]&0x80 != 0 {
		return serial.Sign() < 0 && serial.Cmp(parseNegative(content)) == 0
	}
	content = trimZeros(content)
	if serial.Sign() < 0 || len(content) != max(1, (serial.BitLen()+7)/8) {
		return false
	}
	var buffer [64]byte
	if len(content) > len(buffer) {
		return bytes.Equal(content, serial.Bytes())
	}
	return bytes.Equal(content, serial.FillBytes(buffer[:len(content)]))
}

// trimZeros removes the leading zeros of an INTEGER that is not negative.
func trimZeros(content []byte) []byte {
	for len(content) > 1 && content[0] == 0 {
		content = content[1:]
	}
	return content
}

// parseNegative parses the content of a negative INTEGER; serials should not be negative, but some are.
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

// skipTime skips a time of either type; a failed read of one type would have consumed the other.
func skipTime(s *cryptobyte.String) bool {
	if s.PeekASN1Tag(asn1.UTCTime) {
		return s.SkipASN1(asn1.UTCTime)
	}
	return s.SkipASN1(asn1.GeneralizedTime)
}

// reasonCode is the content of the identifier 2.5.29.21.
var reasonCode = []byte{0x55, 29, 21}

// readEntry reads the extensions of an entry and returns its reason. A critical extension, such as another certificate
// issuer, makes the whole list unusable (RFC 5280 §5.3).
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

// index maps a serial to its entries. It takes eight bytes for each entry, about a fifth of the list.
type index struct {
	seed maphash.Seed
	err  error    // an entry is not understood, so the whole list is unusable
	rows []uint64 // sorted: 32 bits of the serial's hash, and the offset of the entry in the list
}

// newIndex reads every entry once, like [List.scanEntries] for one serial.
func newIndex(l *List) *index {
	x := &index{seed: maphash.MakeSeed()}
	at := 0
	for rest := l.entries; !rest.Empty(); at = len(l.entries) - len(rest) {
		var whole, entry, number cryptobyte.String
		if !rest.ReadASN1Element(&whole, asn1.SEQUENCE) || !whole.ReadASN1(&entry, asn1.SEQUENCE) ||
			!entry.ReadASN1(&number, asn1.INTEGER) || !skipTime(&entry) {
			x.err = newUnusable("entry of the CRL cannot be read")
			return x
		}
		if _, x.err = readEntry(entry); x.err != nil {
			return x
		}
		x.rows = append(x.rows, x.hashSerial(trimZeros(number))<<32|uint64(at))
	}
	slices.Sort(x.rows)
	return x
}

func (x *index) hashSerial(number []byte) uint64 { return maphash.Bytes(x.seed, number) >> 32 }

// findStatus sets s to the status of a serial, which must not be negative.
func (x *index) findStatus(l *List, serial *big.Int, s *Status) error {
	if x.err != nil {
		return x.err
	}
	number := serial.Bytes()
	if len(number) == 0 {
		number = []byte{0}
	}
	wanted := x.hashSerial(number)
	first, _ := slices.BinarySearch(x.rows, wanted<<32)
	for i, row := range x.rows[first:] {
		if row>>32 != wanted {
			break
		}
		if i == maxLookupEntries {
			l.work++
		}
		one := l.entries[uint32(row):]
		var entry cryptobyte.String
		if !one.ReadASN1Element(&entry, asn1.SEQUENCE) {
			return newUnusable("entry of the CRL cannot be read")
		}
		if err := l.scanEntries(entry, serial, s); err != nil {
			return err
		}
	}
	return nil
}

var (
	oidDelta             = encodingasn1.ObjectIdentifier{2, 5, 29, 27}
	oidDistributionPoint = encodingasn1.ObjectIdentifier{2, 5, 29, 28}
)

// checkScope refuses a list that does not cover cert, or not all reasons: a delta list, one whose issuing distribution
// point excludes cert, or one with an unknown critical extension (RFC 5280 §5.2).
func checkScope(l *x509.RevocationList, cert *x509.Certificate) error {
	for _, e := range l.Extensions {
		switch {
		case e.Id.Equal(oidDelta):
			return newUnusable("CRL is a delta, not complete")
		case e.Id.Equal(oidDistributionPoint):
			if err := checkDistributionPoint(e.Value, cert); err != nil {
				return err
			}
		case e.Critical:
			return newUnusable("CRL has the critical extension %v", e.Id)
		}
	}
	return nil
}

// checkDistributionPoint compares an IssuingDistributionPoint with cert (RFC 5280 §5.2.5, §6.3.3).
func checkDistributionPoint(der []byte, cert *x509.Certificate) error {
	all := cryptobyte.String(der)
	var body cryptobyte.String
	if !all.ReadASN1(&body, asn1.SEQUENCE) || !all.Empty() {
		return newUnusable("issuing distribution point of the CRL cannot be read")
	}
	for !body.Empty() {
		var value cryptobyte.String
		var tag asn1.Tag
		if !body.ReadAnyASN1(&value, &tag) {
			return newUnusable("issuing distribution point of the CRL cannot be read")
		}
		switch tag {
		case asn1.Tag(0).Constructed().ContextSpecific():
			if !hasCommonPoint(value, cert) {
				return newUnusable("CRL is of another distribution point")
			}
		case asn1.Tag(1).ContextSpecific(): // onlyContainsUserCerts; DER omits false values
			if cert.IsCA {
				return newUnusable("CRL excludes CA certificates")
			}
		case asn1.Tag(2).ContextSpecific(): // onlyContainsCACerts
			if !cert.IsCA {
				return newUnusable("CRL covers CA certificates only")
			}
		default: // onlySomeReasons, indirectCRL, onlyContainsAttributeCerts, or an unknown field
			return newUnusable("CRL does not cover every reason, issuer or certificate")
		}
	}
	return nil
}

// hasCommonPoint reports whether a DistributionPointName is a full name with an address that is also in cert.
func hasCommonPoint(name cryptobyte.String, cert *x509.Certificate) bool {
	var names cryptobyte.String
	if !name.ReadASN1(&names, asn1.Tag(0).Constructed().ContextSpecific()) || !name.Empty() {
		return false
	}
	for !names.Empty() {
		var value cryptobyte.String
		var tag asn1.Tag
		if !names.ReadAnyASN1(&value, &tag) {
			return false
		}
		const uri = 6
		if tag == asn1.Tag(uri).ContextSpecific() && slices.Contains(cert.CRLDistributionPoints, string(value)) {
			return true
		}
	}
	return false
}
