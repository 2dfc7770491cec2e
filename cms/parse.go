// Package cms builds, parses and verifies CMS SignedData (RFC 5652) as PAdES and RFC 3161 use it: one signer, signed
// attributes, certificates included, DER throughout.
//
// Building is split for remote keys. [NewSignature] fixes what is signed; [Signature.Digest] is what the key signs;
// [Signature.Finish] builds the container from the signature value. The attributes are encoded only once, so the
// container holds exactly the bytes that were signed.
package cms

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"segel/der"
	"segel/memo"
)

// Limits for parsing. They are checked before memory is allocated.
const (
	MaxSize         = 4 << 20 // bytes of one container
	MaxCertificates = 64
	MaxSigners      = 64
	MaxAttributes   = 64 // of one signer, and values of one attribute
)

// ClockSkew is the tolerated difference between the local clock and that of an authority that makes timestamps or revocation data.
const ClockSkew = 5 * time.Minute

// ErrMalformed is input that is not a SignedData that this package supports.
var ErrMalformed = errors.New("malformed CMS")

func newMalformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

// ErrTrailing is a container followed by bytes other than zero. It is ErrMalformed too.
var ErrTrailing = fmt.Errorf("%w: bytes after the container", ErrMalformed)

// ErrNoCertificate is a signer whose certificate is missing from the container or cannot be used.
var ErrNoCertificate = errors.New("the signer's certificate is not included")

// newMissingCertificate returns ErrNoCertificate with the reasons why certificates were refused.
func (sd *SignedData) newMissingCertificate() error {
	return errors.Join(append([]error{ErrNoCertificate}, sd.Refused...)...)
}

// SignedData is a parsed container.
type SignedData struct {
	ContentType  asn1.ObjectIdentifier
	Content      []byte // encapsulated content; nil when detached
	Certificates []*x509.Certificate
	// Refused are the reasons why certificates in the container are not in Certificates: they cannot be parsed, or
	// their keys are too costly to verify with.
	Refused []error
	CRLs    [][]byte // DER CertificateLists in the container, not parsed
	Signers []Signer
	Size    int // bytes of the container itself, without trailing bytes
}

// Signer is a SignerInfo.
type Signer struct {
	Issuer           []byte   // DER name; empty if the signer is identified by key identifier
	Serial           *big.Int // nil if the signer is identified by key identifier
	KeyID            []byte
	Digest           crypto.Hash
	DigestID         pkix.AlgorithmIdentifier
	SignatureID      pkix.AlgorithmIdentifier
	Signed, Unsigned []Attribute
	SignedDER        []byte // as signed: DER SET OF; nil without signed attributes
	Signature        []byte
}

// Parse parses a container. Trailing zeros, as in /Contents of a PDF file, are ignored; any other trailing byte is an
// error.
func Parse(b []byte) (*SignedData, error) {
	if len(b) > MaxSize {
		return nil, newMalformed(fmt.Sprintf("more than %d bytes", MaxSize))
	}
	whole := der.NewReader(b)
	info := whole.ReadSequence()
	contentType, content := readOID(&info), info.ReadExplicit(0)
	if info.Failed() || !contentType.Equal(OIDSignedData) {
		return nil, newMalformed("no SignedData")
	}
	if len(bytes.Trim(whole.Rest(), "\x00")) > 0 {
		return nil, ErrTrailing
	}
	body := der.NewReader(content.Bytes)
	sd := body.ReadSequence()
	sd.ReadInt() // version
	sd.ReadContent(der.TagSet)
	encapsulated := sd.ReadSequence()
	// Sets are split later: decoded at once, four megabytes of them would take hundreds.
	certificates, lists, infos := sd.ReadContext(0), sd.ReadContext(1), sd.ReadContent(der.TagSet)
	out := &SignedData{ContentType: readOID(&encapsulated), Size: len(b) - len(whole.Rest())}
	inner := encapsulated.ReadExplicit(0)
	if sd.Failed() || encapsulated.Failed() || !body.Complete() {
		return nil, newMalformed("SignedData")
	}
	if len(inner.FullBytes) > 0 {
		octets := der.NewReader(inner.Bytes)
		if out.Content = octets.ReadContent(der.TagOctetString); !octets.Complete() {
			return nil, newMalformed("encapsulated content")
		}
	}
	var err error
	if out.Certificates, out.Refused, err = parseCertificates(certificates.Bytes); err != nil {
		return nil, err
	}
	crls, err := splitSet(lists.Bytes, MaxCertificates, "revocation lists")
	if err != nil {
		return nil, err
	}
	for _, raw := range crls {
		if raw.Class == asn1.ClassUniversal { // other choices are tagged
			out.CRLs = append(out.CRLs, raw.FullBytes)
		}
	}
	signers, err := splitSet(infos, MaxSigners, "signer infos")
	if err != nil {
		return nil, err
	}
	for _, raw := range signers {
		s, err := parseSigner(raw.FullBytes)
		if err != nil {
			return nil, err
		}
		out.Signers = append(out.Signers, s)
	}
	return out, nil
}

// splitSet splits the content of a set into at most that many elements.
func splitSet(content []byte, most int, what string) ([]asn1.RawValue, error) {
	return appendSet(nil, content, most, what)
}

// appendSet appends the elements of splitSet.
func appendSet(all []asn1.RawValue, content []byte, most int, what string) ([]asn1.RawValue, error) {
	count := 0
	r := der.NewReader(content)
	for ; r.More(); count++ {
		if count == most {
			return nil, newMalformed("too many " + what)
		}
		r.ReadValue()
	}
	if r.Failed() {
		return nil, newMalformed(what)
	}
	all = slices.Grow(all, count)
	for r = der.NewReader(content); r.More(); {
		all = append(all, r.ReadValue())
	}
	return all, nil
}

func parseCertificates(content []byte) (certs []*x509.Certificate, refused []error, err error) {
	for count := 0; len(content) > 0; count++ {
		if count == MaxCertificates {
			return nil, nil, newMalformed("too many certificates")
		}
		e, rest, ok := parseElement(content)
		if !ok {
			return nil, nil, newMalformed("certificates")
		}
		content = rest
		if e.tag&0xc0 != asn1.ClassUniversal {
			continue // other choices than a plain certificate are tagged; they are not used
		}
		cert, err := ParseCertificate(e.full)
		if err == nil {
			err = CheckKey(cert.PublicKey)
		}
		if err != nil {
			refused = append(refused, fmt.Errorf("certificate: %w", err))
			continue
		}
		certs = append(certs, cert)
	}
	return certs, refused, nil
}

func parseSigner(b []byte) (Signer, error) {
	whole := der.NewReader(b)
	r := whole.ReadSequence()
	r.ReadInt() // version
	id := r.ReadValue()
	digest, ok1 := readAlgorithm(r.ReadSequence())
	signed := r.ReadContext(0)
	algorithm, ok2 := readAlgorithm(r.ReadSequence())
	signature := r.ReadContent(der.TagOctetString)
	unsigned := r.ReadContext(1)
	if !whole.Complete() || r.Failed() || !ok1 || !ok2 {
		return Signer{}, newMalformed("signer info")
	}
	s := Signer{DigestID: digest, SignatureID: algorithm, Signature: signature}
	var err error
	if s.Digest, err = parseHash(digest); err != nil {
		return Signer{}, err
	}
	switch {
	case id.Class == asn1.ClassUniversal && id.Tag == asn1.TagSequence:
		issuer, rest, ok1 := parseElement(id.Bytes)
		serial, rest, ok2 := parseElement(rest)
		if !ok1 || !ok2 || len(rest) > 0 || issuer.tag != tagSequence || serial.tag != asn1.TagInteger || len(serial.content) == 0 {
			return Signer{}, newMalformed("issuer and serial")
		}
		s.Issuer, s.Serial = issuer.full, parseInteger(serial.content)
	case id.Class == asn1.ClassContextSpecific && id.Tag == 0:
		s.KeyID = id.Bytes
	default:
		return Signer{}, newMalformed("signer identifier")
	}
	if len(signed.FullBytes) > 0 {
		s.SignedDER = append([]byte{der.TagSet}, signed.FullBytes[1:]...)
		if s.Signed, err = parseAttributes(signed.Bytes); err != nil {
			return Signer{}, err
		}
	}
	s.Unsigned, err = parseAttributes(unsigned.Bytes)
	return s, err
}

func parseAttributes(b []byte) ([]Attribute, error) {
	all, err := splitSet(b, MaxAttributes, "attributes")
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, nil
	}
	attrs := make([]Attribute, 0, len(all))
	values := make([]asn1.RawValue, 0, len(all)) // of all attributes: most have one
	for _, raw := range all {
		whole := der.NewReader(raw.FullBytes)
		r := whole.ReadSequence()
		id, set := readOID(&r), r.ReadContent(der.TagSet)
		if r.Failed() {
			return nil, newMalformed("attribute")
		}
		from := len(values)
		if values, err = appendSet(values, set, MaxAttributes, "values of an attribute"); err != nil {
			return nil, err
		}
		a := Attribute{Type: id}
		if from < len(values) {
			a.Values = slices.Clip(values[from:])
		}
		attrs = append(attrs, a)
	}
	return attrs, nil
}

// Certificate returns the signer's certificate from the container, or nil. A certificate with exactly the issuer's
// encoding is preferred to one with an equivalent name (RFC 5280 §7.1).
func (sd *SignedData) Certificate(s Signer) *x509.Certificate {
	for _, same := range []func(a, b []byte) bool{bytes.Equal, EqualNames} {
		for _, c := range sd.Certificates {
			if s.Serial != nil && c.SerialNumber.Cmp(s.Serial) == 0 && same(c.RawIssuer, s.Issuer) {
				return c
			}
			if s.KeyID != nil && bytes.Equal(c.SubjectKeyId, s.KeyID) {
				return c
			}
		}
	}
	return nil
}

// Verify verifies one signer mathematically: the signed attributes must have the content type and the digest of the
// content, match the certificate, and be signed by its key. Digest is the content's, by the signer's hash. Trust and
// time are not checked. MD5 is ErrAlgorithm: see VerifyLegacy.
func (sd *SignedData) Verify(s Signer, digest []byte) error {
	cert := sd.Certificate(s)
	if cert == nil {
		return sd.newMissingCertificate()
	}
	scheme, err := parseScheme(s.SignatureID, s.Digest, cert)
	if err != nil {
		return err
	}
	if s.Digest == crypto.MD5 || scheme.Hash == crypto.MD5 {
		return fmt.Errorf("%w: %v", ErrAlgorithm, crypto.MD5)
	}
	return sd.verifyAttributes(s, cert, scheme, digest)
}

func (sd *SignedData) verifyAttributes(s Signer, cert *x509.Certificate, scheme Scheme, digest []byte) error {
	if s.SignedDER == nil {
		return errors.New("no signed attributes")
	}
	// The signed attributes must be DER: another encoding of them would be another message (RFC 5652 §5.4).
	if !s.isSignedDER() {
		return newMalformed("signed attributes are not DER")
	}
	if err := sd.checkAttributes(s, digest); err != nil {
		return err
	}
	if _, err := checkSigningCertificate(s.Signed, cert); err != nil {
		return err
	}
	if err := checkAlgorithmProtection(s.Signed, s.DigestID, s.SignatureID); err != nil {
		return err
	}
	verify := func() error { return scheme.verifyMessage(cert.PublicKey, s.SignedDER, s.Signature) }
	return memo.VerifyOnce(verify, "CMS signature", cert.Raw, scheme.encode(), s.SignedDER, s.Signature)
}

// isSignedDER reports whether SignedDER is the only DER encoding of the signed attributes: sets are sorted, and nothing
// follows the last element of a sequence. Lengths and object identifiers were read as DER.
func (s Signer) isSignedDER() bool {
	whole := der.NewReader(s.SignedDER)
	set := der.NewReader(whole.ReadContent(der.TagSet))
	var last []byte
	for _, a := range s.Signed {
		element := set.ReadValue().FullBytes
		outer := der.NewReader(element)
		attribute := outer.ReadSequence()
		sorted := bytes.Compare(last, element) <= 0
		id, values := readOID(&attribute), der.NewReader(attribute.ReadContent(der.TagSet))
		if !sorted || !attribute.Complete() || !id.Equal(a.Type) || !isSorted(values, a.Values) {
			return false
		}
		last = element
	}
	return whole.Complete() && set.Complete()
}

// isSorted reports whether a reader reads exactly these values, in ascending order.
func isSorted(r der.Reader, values []asn1.RawValue) bool {
	var last []byte
	for _, v := range values {
		element := r.ReadValue().FullBytes
		if bytes.Compare(last, element) > 0 || !bytes.Equal(element, v.FullBytes) {
			return false
		}
		last = element
	}
	return r.Complete()
}

func (sd *SignedData) checkAttributes(s Signer, digest []byte) error {
	value, ok, err := FindAttributeValue(s.Signed, OIDContentType)
	if err != nil || !ok {
		return errors.New("content-type does not occur exactly once")
	}
	r := der.NewReader(value)
	if contentType := readOID(&r); !r.Complete() || !contentType.Equal(sd.ContentType) {
		return errors.New("content-type differs from the content's")
	}
	value, ok, err = FindAttributeValue(s.Signed, OIDMessageDigest)
	if err != nil || !ok {
		return errors.New("message-digest does not occur exactly once")
	}
	r = der.NewReader(value)
	if have := r.ReadContent(der.TagOctetString); !r.Complete() || !bytes.Equal(have, digest) {
		return errors.New("message-digest differs from the content's")
	}
	return nil
}

// NamesCertificate reports whether the signed attributes identify the signer's certificate, by signing-certificate-v2
// or the older attribute.
func (sd *SignedData) NamesCertificate(s Signer) bool {
	cert := sd.Certificate(s)
	if cert == nil {
		return false
	}
	present, err := checkSigningCertificate(s.Signed, cert)
	return present && err == nil
}
