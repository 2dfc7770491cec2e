package validate

import (
	"crypto/x509"
	encodingasn1 "encoding/asn1"

	"segel/cms"
)

// Attributes in which signatures of CAdES bring along what it takes to validate them later: certificate-values, and
// revocation-values (RFC 5126 §6.3.4).
var (
	oidCertificateValues = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 23}
	oidRevocationValues  = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 24}
	oidBasicOCSP         = encodingasn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
)

// certificateValues are the certificates among the unsigned attributes. Those that cannot be read are left out.
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

// revocationValues are the lists and responses among the unsigned attributes, each response without what it was sent in
// (RFC 5126 §6.3.4). Nothing in the signature proves how old they are.
func revocationValues(s cms.Signer) (crls, responses [][]byte) {
	var values struct {
		CRLs      []encodingasn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []encodingasn1.RawValue `asn1:"optional,explicit,tag:1"`
		Other     encodingasn1.RawValue   `asn1:"optional,explicit,tag:2"`
	}
	if !unmarshalAttribute(s.Unsigned, oidRevocationValues, &values) {
		return nil, nil
	}
	for _, c := range values.CRLs {
		crls = append(crls, c.FullBytes)
	}
	for _, r := range values.Responses {
		if der, err := wrapBasicResponse(r.FullBytes); err == nil {
			responses = append(responses, der)
		}
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

// wrapBasicResponse puts around a basic response what the responder sent it in: the attribute has it without.
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
