package cms

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"

	"segel/der"
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

// encodeSet encodes attributes as a DER SET OF with that tag. The universal one is hashed and signed (RFC 5652 §5.4).
func encodeSet(tag byte, attrs []Attribute) ([]byte, error) {
	elements := make([][]byte, len(attrs))
	for i, a := range attrs {
		id, err := der.EncodeOID(a.Type)
		if err != nil {
			return nil, fmt.Errorf("encode attribute %v: %w", a.Type, err)
		}
		values := make([][]byte, len(a.Values))
		for j, v := range a.Values {
			values[j] = der.EncodeValue(v)
		}
		elements[i] = der.EncodeElement(der.TagSequence, id, der.EncodeSetOf(der.TagSet, values))
	}
	return der.EncodeSetOf(tag, elements), nil
}

// newSigningCertificateAttribute identifies a certificate by its SHA-256, which is the default and not stated (RFC 5035
// §4), and by its issuer and serial number.
func newSigningCertificateAttribute(cert *x509.Certificate) Attribute {
	sum := sha256.Sum256(cert.Raw)
	issuer := der.EncodeElement(der.TagSequence, der.EncodeElement(der.TagContext|4, cert.RawIssuer)) // one directoryName
	id := der.EncodeElement(der.TagSequence,
		der.EncodeElement(der.TagOctetString, sum[:]),
		der.EncodeElement(der.TagSequence, issuer, der.EncodeInteger(cert.SerialNumber)))
	list := der.EncodeElement(der.TagSequence, id)
	return NewAttribute(OIDSigningCertificateV2, der.EncodeElement(der.TagSequence, list))
}

// checkSigningCertificate compares the attributes of both versions with the certificate. Each that is there has to name it
// (RFC 5035 §2), as its first certificate (§3).
func checkSigningCertificate(attrs []Attribute, cert *x509.Certificate) (present bool, err error) {
	presentV2, err := checkSigningCertificateV2(attrs, cert)
	if err != nil {
		return true, err
	}
	presentV1, err := checkSigningCertificateV1(attrs, cert)
	return presentV1 || presentV2, err
}

func checkSigningCertificateV2(attrs []Attribute, cert *x509.Certificate) (present bool, err error) {
	value, ok, err := FindAttributeValue(attrs, OIDSigningCertificateV2)
	if err != nil || !ok {
		return ok, err
	}
	id, ok := parseCertID(value, true)
	if !ok {
		return true, fmt.Errorf("signing-certificate-v2 cannot be read")
	}
	h := crypto.SHA256
	if len(id.hash.Algorithm) > 0 {
		if h, err = HashOf(id.hash); err != nil {
			return true, err
		}
	}
	return true, id.checkCertificate(h, cert)
}

func checkSigningCertificateV1(attrs []Attribute, cert *x509.Certificate) (present bool, err error) {
	value, ok, err := FindAttributeValue(attrs, OIDSigningCertificate)
	if err != nil || !ok {
		return ok, err
	}
	id, ok := parseCertID(value, false)
	if !ok {
		return true, fmt.Errorf("signing-certificate cannot be read")
	}
	return true, id.checkCertificate(crypto.SHA1, cert)
}

// certID is an ESSCertIDv2, or an ESSCertID, which has no hash algorithm.
type certID struct {
	hash   pkix.AlgorithmIdentifier // zero: the default
	digest []byte
	// The issuer and serial number are optional. Without them the serial number is zero.
	issuer  []byte // content of the first name
	issuers int
	serial  asn1.RawValue
}

// parseCertID parses a signing-certificate attribute and returns its first certificate identifier (RFC 5035 §3).
func parseCertID(b []byte, statesHash bool) (first certID, ok bool) {
	whole := der.NewReader(b)
	attribute := whole.ReadSequence()
	list := attribute.ReadSequence()
	count := 0
	for ; list.More(); count++ {
		id, ok := readCertID(list.ReadSequence(), statesHash)
		list.Require(ok)
		if count == 0 {
			first = id
		}
	}
	if attribute.More() {
		attribute.ReadValue() // policies
	}
	return first, whole.Complete() && !attribute.Failed() && !list.Failed() && count > 0
}

func readCertID(r der.Reader, statesHash bool) (id certID, ok bool) {
	if statesHash && r.NextIs(der.TagSequence) {
		id.hash, ok = readAlgorithm(r.ReadSequence())
		r.Require(ok)
	}
	id.digest = r.ReadContent(der.TagOctetString)
	if r.NextIs(der.TagSequence) {
		both := r.ReadSequence()
		names := both.ReadSequence()
		for ; names.More(); id.issuers++ {
			if name := names.ReadValue(); id.issuers == 0 {
				id.issuer = name.Bytes
			}
		}
		id.serial = both.ReadValue()
		r.Require(!names.Failed() && !both.Failed())
	}
	return id, !r.Failed()
}

// computeFingerprint hashes a certificate.
func computeFingerprint(h crypto.Hash, cert *x509.Certificate) []byte {
	if h == crypto.SHA256 {
		sum := sha256.Sum256(cert.Raw)
		return sum[:]
	}
	sum := h.New()
	sum.Write(cert.Raw)
	return sum.Sum(nil)
}

func (id certID) checkCertificate(h crypto.Hash, cert *x509.Certificate) error {
	if !bytes.Equal(computeFingerprint(h, cert), id.digest) {
		return fmt.Errorf("signing-certificate names another certificate")
	}
	if len(id.serial.FullBytes) == 0 {
		return nil
	}
	if id.serial.Tag != asn1.TagInteger || parseInteger(id.serial.Bytes).Cmp(cert.SerialNumber) != 0 || id.issuers != 1 || !EqualNames(id.issuer, cert.RawIssuer) {
		return fmt.Errorf("signing-certificate names another issuer or serial")
	}
	return nil
}

// newAlgorithmProtectionAttribute returns CMSAlgorithmProtection of RFC 6211 §2.
func newAlgorithmProtectionAttribute(digest, signature pkix.AlgorithmIdentifier) (Attribute, error) {
	digestID, err := der.EncodeAlgorithm(der.TagSequence, digest)
	if err != nil {
		return Attribute{}, fmt.Errorf("encode algorithm protection: %w", err)
	}
	signatureID, err := der.EncodeAlgorithm(der.TagContext|1, signature)
	if err != nil {
		return Attribute{}, fmt.Errorf("encode algorithm protection: %w", err)
	}
	return NewAttribute(OIDAlgorithmProtection, der.EncodeElement(der.TagSequence, digestID, signatureID)), nil
}

func checkAlgorithmProtection(attrs []Attribute, digest, signature pkix.AlgorithmIdentifier) error {
	value, ok, err := FindAttributeValue(attrs, OIDAlgorithmProtection)
	if err != nil || !ok {
		return err
	}
	whole := der.NewReader(value)
	both := whole.ReadSequence()
	digestID, signatureID := both.ReadContent(der.TagSequence), both.ReadContent(der.TagContext|1)
	if !whole.Complete() || !both.Complete() || !isAlgorithm(digestID, digest) || !isAlgorithm(signatureID, signature) {
		return fmt.Errorf("algorithm-protection names other algorithms")
	}
	return nil
}

// isAlgorithm reports whether the content of an AlgorithmIdentifier has exactly that algorithm and these parameters.
func isAlgorithm(content []byte, want pkix.AlgorithmIdentifier) bool {
	var parameters []byte
	if v := want.Parameters; len(v.FullBytes) > 0 || v.Class != 0 || v.Tag != 0 {
		parameters = der.EncodeValue(v)
	}
	r := der.NewReader(content)
	return readOID(&r).Equal(want.Algorithm) && !r.Failed() && bytes.Equal(r.Rest(), parameters)
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

// derSignedData is the content type of a SignedData in DER.
var derSignedData, _ = der.EncodeOID(OIDSignedData)

// knownOIDs are the object identifiers of containers by the contents of their encodings.
var knownOIDs = indexOIDs()

func indexOIDs() map[string]asn1.ObjectIdentifier {
	all := []asn1.ObjectIdentifier{
		OIDData, OIDSignedData, OIDTSTInfo, OIDContentType, OIDMessageDigest, OIDAlgorithmProtection, OIDSigningCertificate,
		OIDSigningCertificateV2, OIDSignatureTimestamp, oidRSA, oidMGF1, oidPSS, oidEd25519,
	}
	for _, h := range hashes {
		all = append(all, h.oid, h.rsa)
		if h.ecdsa != nil {
			all = append(all, h.ecdsa)
		}
	}
	known := map[string]asn1.ObjectIdentifier{}
	for _, id := range all {
		encoded, _ := der.EncodeOID(id)
		r := der.NewReader(encoded)
		known[string(r.ReadContent(der.TagOID))] = id
	}
	return known
}
