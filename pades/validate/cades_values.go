package validate

import (
	"crypto/x509"
	encodingasn1 "encoding/asn1"

	"segel/cms"
)

// Attributes in which CAdES signatures carry validation data: certificate-values and revocation-values (RFC 5126
// §6.3.4).
var (
	oidCertificateValues = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 23}
	oidRevocationValues  = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 24}
	oidRevocationArchive = encodingasn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}
	oidBasicOCSP         = encodingasn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
)

// certificateValues returns the certificates among the unsigned attributes, without unreadable ones.
func certificateValues(s cms.Signer) (certs []*x509.Certificate) {
	var values []encodingasn1.RawValue
	if !unmarshalAttribute(s.Unsigned, oidCertificateValues, &values) {
		return nil
	}
	for _, raw := range values[:min(len(values), cms.MaxCertificates)] {
		if c, err := cms.ParseCertificate(raw.FullBytes); err == nil {
			certs = append(certs, c)
		}
	}
	return certs
}

// revocationValues returns the CRLs and OCSP responses among the unsigned attributes, the basic responses wrapped again
// (RFC 5126 §6.3.4). The signature does not prove their age.
func revocationValues(s cms.Signer) (crls, responses [][]byte) {
	crls, basic := revocationAttribute(s.Unsigned, oidRevocationValues)
	for _, b := range basic {
		if der, err := wrapBasicResponse(b); err == nil {
			responses = append(responses, der)
		}
	}
	return crls, responses
}

// revocationArchive returns the CRLs and OCSP responses in the attribute adbe-revocationInfoArchival (ISO 32000-1
// §12.8.3.3.2), in which older forms hold revocation data.
func revocationArchive(s cms.Signer) (crls, responses [][]byte) {
	return revocationAttribute(s.Signed, oidRevocationArchive)
}

// revocationAttribute reads the structure that both attributes have.
func revocationAttribute(attributes []cms.Attribute, oid encodingasn1.ObjectIdentifier) (crls, responses [][]byte) {
	var v struct {
		CRLs      []encodingasn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []encodingasn1.RawValue `asn1:"optional,explicit,tag:1"`
		Other     encodingasn1.RawValue   `asn1:"optional,explicit,tag:2"`
	}
	if !unmarshalAttribute(attributes, oid, &v) {
		return nil, nil
	}
	for _, c := range v.CRLs {
		crls = append(crls, c.FullBytes)
	}
	for _, r := range v.Responses {
		responses = append(responses, r.FullBytes)
	}
	return crls, responses
}

func unmarshalAttribute(attributes []cms.Attribute, oid encodingasn1.ObjectIdentifier, into any) bool {
	der, ok, err := cms.FindAttributeValue(attributes, oid)
	if err != nil || !ok {
		return false
	}
	_, err = encodingasn1.Unmarshal(der, into)
	return err == nil
}

// wrapBasicResponse wraps a BasicOCSPResponse in an OCSPResponse: the attribute holds only the former.
func wrapBasicResponse(basic []byte) ([]byte, error) {
	type bytes struct {
		Type     encodingasn1.ObjectIdentifier
		Response []byte
	}
	return encodingasn1.Marshal(struct {
		Status encodingasn1.Enumerated
		Bytes  bytes `asn1:"explicit,tag:0"`
	}{0, bytes{oidBasicOCSP, basic}})
}
