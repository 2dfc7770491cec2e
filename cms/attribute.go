package cms

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
)

// Attribute is an attribute of a signer info with its values, each a complete DER element.
type Attribute struct {
	Type   asn1.ObjectIdentifier
	Values []asn1.RawValue `asn1:"set"`
}

// NewAttribute returns an attribute with one DER value.
func NewAttribute(t asn1.ObjectIdentifier, der []byte) Attribute {
	return Attribute{Type: t, Values: []asn1.RawValue{{FullBytes: der}}}
}

// FindAttributeValue returns the only value of the attribute with that type. Ok is false if there is no such attribute;
// several attributes of one type, or several values, are an error.
func FindAttributeValue(attrs []Attribute, t asn1.ObjectIdentifier) (der []byte, ok bool, err error) {
	for _, a := range attrs {
		if !a.Type.Equal(t) {
			continue
		}
		if ok || len(a.Values) != 1 {
			return nil, true, fmt.Errorf("attribute %v does not occur exactly once", t)
		}
		der, ok = a.Values[0].FullBytes, true
	}
	return der, ok, nil
}

// encodeSet encodes attributes as a DER SET OF with the universal tag, which is the form that is hashed and signed (RFC
// 5652 §5.4). The elements are sorted by their encoding.
func encodeSet(attrs []Attribute) ([]byte, error) {
	elements := make([][]byte, len(attrs))
	for i, a := range attrs {
		der, err := asn1.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("encode attribute %v: %w", a.Type, err)
		}
		elements[i] = der
	}
	slices.SortFunc(elements, bytes.Compare)
	return asn1.Marshal(asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: bytes.Join(elements, nil)})
}

type essCertIDv2 struct {
	HashAlgorithm pkix.AlgorithmIdentifier `asn1:"optional"` // omitted for SHA-256, the default (RFC 5035 §4)
	CertHash      []byte
	IssuerSerial  issuerSerial `asn1:"optional"`
}

type issuerSerial struct {
	Issuer []asn1.RawValue
	Serial asn1.RawValue
}

type signingCertificateV2 struct {
	Certs    []essCertIDv2
	Policies asn1.RawValue `asn1:"optional"`
}

func newSigningCertificateAttribute(cert *x509.Certificate) (Attribute, error) {
	h := crypto.SHA256.New()
	h.Write(cert.Raw)
	serial, err := asn1.Marshal(cert.SerialNumber)
	if err != nil {
		return Attribute{}, err
	}
	der, err := asn1.Marshal(signingCertificateV2{Certs: []essCertIDv2{{
		CertHash: h.Sum(nil),
		IssuerSerial: issuerSerial{
			// GeneralNames with one directoryName, which is [4] EXPLICIT Name.
			Issuer: []asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: cert.RawIssuer}},
			Serial: asn1.RawValue{FullBytes: serial},
		},
	}}})
	if err != nil {
		return Attribute{}, fmt.Errorf("encode signing certificate: %w", err)
	}
	return NewAttribute(OIDSigningCertificateV2, der), nil
}

// checkSigningCertificate compares the attribute, version 2 or 1, with the certificate. The first identifier must be
// the signer's (RFC 5035 §3).
func checkSigningCertificate(attrs []Attribute, cert *x509.Certificate) (present bool, err error) {
	der, ok, err := FindAttributeValue(attrs, OIDSigningCertificateV2)
	if err != nil {
		return true, err
	}
	if !ok {
		return checkSigningCertificateV1(attrs, cert)
	}
	var sc signingCertificateV2
	if rest, err := asn1.Unmarshal(der, &sc); err != nil || len(rest) > 0 || len(sc.Certs) == 0 {
		return true, fmt.Errorf("signing-certificate-v2 cannot be read")
	}
	h := crypto.SHA256
	if alg := sc.Certs[0].HashAlgorithm; len(alg.Algorithm) > 0 {
		if h, err = HashOf(alg); err != nil {
			return true, err
		}
	}
	return true, sc.Certs[0].checkCertificate(h, cert)
}

type essCertID struct {
	CertHash     []byte
	IssuerSerial issuerSerial `asn1:"optional"`
}

func checkSigningCertificateV1(attrs []Attribute, cert *x509.Certificate) (bool, error) {
	der, ok, err := FindAttributeValue(attrs, OIDSigningCertificate)
	if err != nil || !ok {
		return ok, err
	}
	var sc struct {
		Certs    []essCertID
		Policies asn1.RawValue `asn1:"optional"`
	}
	if rest, err := asn1.Unmarshal(der, &sc); err != nil || len(rest) > 0 || len(sc.Certs) == 0 {
		return true, fmt.Errorf("signing-certificate cannot be read")
	}
	return true, essCertIDv2{CertHash: sc.Certs[0].CertHash, IssuerSerial: sc.Certs[0].IssuerSerial}.checkCertificate(crypto.SHA1, cert)
}

func (id essCertIDv2) checkCertificate(h crypto.Hash, cert *x509.Certificate) error {
	sum := h.New()
	sum.Write(cert.Raw)
	if !bytes.Equal(sum.Sum(nil), id.CertHash) {
		return fmt.Errorf("signing-certificate names another certificate")
	}
	if len(id.IssuerSerial.Serial.FullBytes) == 0 {
		return nil
	}
	serial := id.IssuerSerial.Serial
	if serial.Tag != asn1.TagInteger || parseInteger(serial.Bytes).Cmp(cert.SerialNumber) != 0 || len(id.IssuerSerial.Issuer) != 1 || !sameName(id.IssuerSerial.Issuer[0].Bytes, cert.RawIssuer) {
		return fmt.Errorf("signing-certificate names another issuer or serial")
	}
	return nil
}

// algorithmProtection is CMSAlgorithmProtection of RFC 6211 §2.
type algorithmProtection struct {
	Digest    pkix.AlgorithmIdentifier
	Signature pkix.AlgorithmIdentifier `asn1:"optional,tag:1"`
}

func newAlgorithmProtectionAttribute(digest, signature pkix.AlgorithmIdentifier) (Attribute, error) {
	der, err := asn1.Marshal(algorithmProtection{digest, signature})
	if err != nil {
		return Attribute{}, fmt.Errorf("encode algorithm protection: %w", err)
	}
	return NewAttribute(OIDAlgorithmProtection, der), nil
}

func checkAlgorithmProtection(attrs []Attribute, digest, signature pkix.AlgorithmIdentifier) error {
	der, ok, err := FindAttributeValue(attrs, OIDAlgorithmProtection)
	if err != nil || !ok {
		return err
	}
	want, err := newAlgorithmProtectionAttribute(digest, signature)
	if err != nil {
		return err
	}
	if !bytes.Equal(der, want.Values[0].FullBytes) {
		return fmt.Errorf("algorithm-protection names other algorithms")
	}
	return nil
}

// Object identifiers of content types, attributes and algorithms.
var (
	OIDData       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	OIDSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	OIDTSTInfo    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}

	OIDContentType          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	OIDMessageDigest        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	OIDAlgorithmProtection  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 52}
	OIDSigningCertificate   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	OIDSigningCertificateV2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	OIDSignatureTimestamp   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 14}

	oidMD5    = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 5}
	oidSHA1   = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidSHA384 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}
	oidSHA512 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}
	oidSHA224 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 4}

	oidSHA3_256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 8}
	oidSHA3_384 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 9}
	oidSHA3_512 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 10}

	oidRSA         = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidRSAMD5      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 4}
	oidRSASHA1     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5}
	oidRSASHA256   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}
	oidRSASHA384   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 12}
	oidRSASHA512   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 13}
	oidMGF1        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
	oidPSS         = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
	oidECDSASHA1   = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}
	oidECDSASHA256 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
	oidECDSASHA384 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 3}
	oidECDSASHA512 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 4}
	oidEd25519     = asn1.ObjectIdentifier{1, 3, 101, 112}

	oidRSASHA224     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 14}
	oidRSASHA3_256   = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 14}
	oidRSASHA3_384   = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 15}
	oidRSASHA3_512   = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 16}
	oidECDSASHA224   = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 1}
	oidECDSASHA3_256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 10}
	oidECDSASHA3_384 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 11}
	oidECDSASHA3_512 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 12}
	oidDSASHA1       = asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 3}
	oidDSASHA256     = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 2}
)
