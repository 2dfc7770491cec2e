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

	"segel/memo"
)

// Limits for parsing. They are checked before memory is allocated.
const (
	MaxSize         = 4 << 20 // bytes of one container
	MaxCertificates = 64
	MaxSigners      = 64
	MaxAttributes   = 64 // of one signer, and values of one attribute
)

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
func Parse(der []byte) (*SignedData, error) {
	if len(der) > MaxSize {
		return nil, newMalformed(fmt.Sprintf("more than %d bytes", MaxSize))
	}
	var ci contentInfo
	rest, err := asn1.Unmarshal(der, &ci)
	if err != nil || !ci.ContentType.Equal(OIDSignedData) {
		return nil, newMalformed("no SignedData")
	}
	if len(bytes.Trim(rest, "\x00")) > 0 {
		return nil, ErrTrailing
	}
	// Sets are kept raw: decoded as slices, four megabytes of them would take hundreds.
	var sd struct {
		Version          int
		DigestAlgorithms asn1.RawValue
		EncapContent     encapsulated
		Certificates     asn1.RawValue `asn1:"optional,tag:0"`
		CRLs             asn1.RawValue `asn1:"optional,tag:1"`
		SignerInfos      asn1.RawValue
	}
	if rest, err := asn1.Unmarshal(ci.Content.Bytes, &sd); err != nil || len(rest) > 0 || !isSet(sd.DigestAlgorithms) || !isSet(sd.SignerInfos) {
		return nil, newMalformed("SignedData")
	}
	out := &SignedData{ContentType: sd.EncapContent.ContentType, Size: len(der) - len(rest)}
	if c := sd.EncapContent.Content; len(c.FullBytes) > 0 {
		var octets []byte
		if rest, err := asn1.Unmarshal(c.Bytes, &octets); err != nil || len(rest) > 0 {
			return nil, newMalformed("encapsulated content")
		}
		out.Content = append([]byte{}, octets...)
	}
	if out.Certificates, out.Refused, err = parseCertificates(sd.Certificates.Bytes); err != nil {
		return nil, err
	}
	lists, err := splitSet(sd.CRLs.Bytes, MaxCertificates, "revocation lists")
	if err != nil {
		return nil, err
	}
	for _, raw := range lists {
		if raw.Class == asn1.ClassUniversal { // other choices are tagged
			out.CRLs = append(out.CRLs, raw.FullBytes)
		}
	}
	infos, err := splitSet(sd.SignerInfos.Bytes, MaxSigners, "signer infos")
	if err != nil {
		return nil, err
	}
	for _, raw := range infos {
		s, err := parseSigner(raw.FullBytes)
		if err != nil {
			return nil, err
		}
		out.Signers = append(out.Signers, s)
	}
	return out, nil
}

func isSet(v asn1.RawValue) bool {
	return v.Class == asn1.ClassUniversal && v.Tag == asn1.TagSet && v.IsCompound
}

// splitSet splits the content of a set into at most that many elements.
func splitSet(der []byte, most int, what string) ([]asn1.RawValue, error) {
	var all []asn1.RawValue
	for len(der) > 0 {
		if len(all) == most {
			return nil, newMalformed("too many " + what)
		}
		var raw asn1.RawValue
		rest, err := asn1.Unmarshal(der, &raw)
		if err != nil {
			return nil, newMalformed(what)
		}
		all, der = append(all, raw), rest
	}
	return all, nil
}

func parseCertificates(der []byte) (certs []*x509.Certificate, refused []error, err error) {
	for count := 0; len(der) > 0; count++ {
		if count == MaxCertificates {
			return nil, nil, newMalformed("too many certificates")
		}
		e, rest, ok := parseElement(der)
		if !ok {
			return nil, nil, newMalformed("certificates")
		}
		der = rest
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

func parseSigner(der []byte) (Signer, error) {
	var v struct {
		Version   int
		ID        asn1.RawValue
		Digest    pkix.AlgorithmIdentifier
		Attrs     asn1.RawValue `asn1:"optional,tag:0"`
		Algorithm pkix.AlgorithmIdentifier
		Signature []byte
		Unsigned  asn1.RawValue `asn1:"optional,tag:1"`
	}
	if rest, err := asn1.Unmarshal(der, &v); err != nil || len(rest) > 0 {
		return Signer{}, newMalformed("signer info")
	}
	s := Signer{DigestID: v.Digest, SignatureID: v.Algorithm, Signature: v.Signature}
	var err error
	if s.Digest, err = parseHash(v.Digest); err != nil {
		return Signer{}, err
	}
	switch {
	case v.ID.Class == asn1.ClassUniversal && v.ID.Tag == asn1.TagSequence:
		id := splitElements(v.ID.Bytes, 3)
		if len(id) != 2 || id[0].tag != tagSequence || id[1].tag != asn1.TagInteger || len(id[1].content) == 0 {
			return Signer{}, newMalformed("issuer and serial")
		}
		s.Issuer, s.Serial = id[0].full, parseInteger(id[1].content)
	case v.ID.Class == asn1.ClassContextSpecific && v.ID.Tag == 0:
		s.KeyID = v.ID.Bytes
	default:
		return Signer{}, newMalformed("signer identifier")
	}
	if len(v.Attrs.FullBytes) > 0 {
		s.SignedDER = append([]byte{0x31}, v.Attrs.FullBytes[1:]...)
		if s.Signed, err = parseAttributes(v.Attrs.Bytes); err != nil {
			return Signer{}, err
		}
	}
	s.Unsigned, err = parseAttributes(v.Unsigned.Bytes)
	return s, err
}

func parseAttributes(der []byte) ([]Attribute, error) {
	all, err := splitSet(der, MaxAttributes, "attributes")
	if err != nil {
		return nil, err
	}
	var attrs []Attribute
	for _, raw := range all {
		var a struct {
			Type   asn1.ObjectIdentifier
			Values asn1.RawValue
		}
		if _, err := asn1.Unmarshal(raw.FullBytes, &a); err != nil || !isSet(a.Values) {
			return nil, newMalformed("attribute")
		}
		values, err := splitSet(a.Values.Bytes, MaxAttributes, "values of an attribute")
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, Attribute{a.Type, values})
	}
	return attrs, nil
}

// Certificate returns the signer's certificate from the container, or nil. A certificate with exactly the issuer's
// encoding is preferred to one with an equivalent name (RFC 5280 §7.1).
func (sd *SignedData) Certificate(s Signer) *x509.Certificate {
	for _, same := range []func(a, b []byte) bool{bytes.Equal, sameName} {
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
	if der, err := encodeSet(s.Signed); err != nil || !bytes.Equal(der, s.SignedDER) {
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

func (sd *SignedData) checkAttributes(s Signer, digest []byte) error {
	der, ok, err := FindAttributeValue(s.Signed, OIDContentType)
	if err != nil || !ok {
		return errors.New("content-type does not occur exactly once")
	}
	var contentType asn1.ObjectIdentifier
	if rest, err := asn1.Unmarshal(der, &contentType); err != nil || len(rest) > 0 || !contentType.Equal(sd.ContentType) {
		return errors.New("content-type differs from the content's")
	}
	der, ok, err = FindAttributeValue(s.Signed, OIDMessageDigest)
	if err != nil || !ok {
		return errors.New("message-digest does not occur exactly once")
	}
	var have []byte
	if rest, err := asn1.Unmarshal(der, &have); err != nil || len(rest) > 0 || !bytes.Equal(have, digest) {
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
