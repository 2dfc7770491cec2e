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

// Attribute is one attribute of a signer info with its values, each a whole DER element.
type Attribute struct {
	Type   asn1.ObjectIdentifier
	Values []asn1.RawValue `asn1:"set"`
}

// NewAttribute makes an attribute with one value given as DER.
func NewAttribute(t asn1.ObjectIdentifier, der []byte) Attribute {
	return Attribute{Type: t, Values: []asn1.RawValue{{FullBytes: der}}}
}

// FindAttributeValue returns the only value of the attribute of that type. Absent is ok false; several attributes of one
// type, or several values, are an error.
func FindAttributeValue(attrs []Attribute, t asn1.ObjectIdentifier) (der []byte, ok bool, err error) {
	for _, a := range attrs {
		if !a.Type.Equal(t) {
			continue
		}
		if ok || len(a.Values) != 1 {
			return nil, true, fmt.Errorf("attribute %v is not there exactly once", t)
		}
		der, ok = a.Values[0].FullBytes, true
	}
	return der, ok, nil
}

// encodeSet encodes attributes as a DER SET OF, in the universal form that is hashed and signed (RFC 5652
// §5.4). The elements are sorted by their encoding.
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
	HashAlgorithm pkix.AlgorithmIdentifier `asn1:"optional"` // left out for SHA-256, its default (RFC 5035 §4)
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

// checkSigningCertificate holds the attribute, version 2 or the older one, against the certificate. The first
// identifier must be the signer's (RFC 5035 §3).
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

// algorithmProtection is RFC 6211 §2.
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
