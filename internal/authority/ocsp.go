package authority

import (
	"crypto"
	"crypto/rand"
	"encoding/asn1"
	"fmt"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/cms"
	"segel/der"
)

// oidBasicOCSP is the type of a BasicOCSPResponse (RFC 6960 §4.2.1).
var oidBasicOCSP = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}

// signOCSPResponse returns what [ocsp.CreateResponse] returns, with the responder's certificate, and without reflection:
// every signed document needs a response. Of r it states the status, the serial number and the times.
func signOCSPResponse(by generation, r ocsp.Response, producedAt time.Time) ([]byte, error) {
	scheme, err := cms.SchemeFor(by.ocsp.key.Public())
	if err != nil {
		return nil, err
	}
	algorithmID, err := scheme.BuildIdentifier(by.ocsp.key.Public())
	if err != nil {
		return nil, err
	}
	algorithm, err := der.EncodeAlgorithm(der.TagSequence, algorithmID)
	if err != nil {
		return nil, err
	}
	certificate, err := encodeCertID(by, r)
	if err != nil {
		return nil, err
	}
	basic, err := der.EncodeOID(oidBasicOCSP)
	if err != nil {
		return nil, err
	}
	data := der.EncodeElement(der.TagSequence, // ResponseData
		der.EncodeElement(der.TagContext|1, by.ocsp.cert.RawSubject),
		der.EncodeTime(producedAt),
		der.EncodeElement(der.TagSequence, der.EncodeElement(der.TagSequence, // SingleResponse
			certificate,
			encodeCertStatus(r),
			der.EncodeTime(r.ThisUpdate),
			der.EncodeElement(der.TagContext, der.EncodeTime(r.NextUpdate)))))
	h := scheme.Hash.New()
	h.Write(data)
	signature, err := by.ocsp.key.Sign(rand.Reader, h.Sum(nil), scheme.Hash)
	if err != nil {
		return nil, fmt.Errorf("sign OCSP response: %w", err)
	}
	response := der.EncodeElement(der.TagSequence, // BasicOCSPResponse
		data,
		algorithm,
		der.EncodeElement(der.TagBitString, []byte{0}, signature),
		der.EncodeElement(der.TagContext, der.EncodeElement(der.TagSequence, by.ocsp.cert.Raw)))
	return der.EncodeElement(der.TagSequence, // OCSPResponse
		[]byte{der.TagEnumerated, 1, byte(ocsp.Success)},
		der.EncodeElement(der.TagContext, der.EncodeElement(der.TagSequence, basic, der.EncodeElement(der.TagOctetString, response)))), nil
}

// encodeCertID encodes a CertID (RFC 6960 §4.1.1): the hashes of the issuer's name and key, and the serial number.
func encodeCertID(by generation, r ocsp.Response) ([]byte, error) {
	id, err := cms.HashIdentifier(r.IssuerHash)
	if err != nil {
		return nil, err
	}
	id.Parameters = asn1.NullRawValue
	hash, err := der.EncodeAlgorithm(der.TagSequence, id)
	if err != nil {
		return nil, err
	}
	whole := der.NewReader(by.id.cert.RawSubjectPublicKeyInfo)
	info := whole.ReadSequence()
	info.ReadSequence() // algorithm
	key := info.ReadContent(der.TagBitString)
	if info.Failed() || len(key) == 0 || key[0] != 0 {
		return nil, fmt.Errorf("the issuer's key cannot be read")
	}
	return der.EncodeElement(der.TagSequence,
		hash,
		der.EncodeElement(der.TagOctetString, computeHash(r.IssuerHash, by.id.cert.RawSubject)),
		der.EncodeElement(der.TagOctetString, computeHash(r.IssuerHash, key[1:])),
		der.EncodeInteger(r.SerialNumber)), nil
}

func computeHash(hash crypto.Hash, b []byte) []byte {
	h := hash.New()
	h.Write(b)
	return h.Sum(nil)
}

// encodeCertStatus encodes a CertStatus (RFC 6960 §4.2.1). The reason unspecified is left out.
func encodeCertStatus(r ocsp.Response) []byte {
	const good, revoked, unknown = 0, 1, 2
	primitive := func(number byte) []byte { return []byte{asn1.ClassContextSpecific<<6 | number, 0} }
	switch r.Status {
	case ocsp.Good:
		return primitive(good)
	case ocsp.Unknown:
		return primitive(unknown)
	}
	var reason []byte
	if r.RevocationReason != ocsp.Unspecified {
		reason = der.EncodeElement(der.TagContext, []byte{der.TagEnumerated, 1, byte(r.RevocationReason)})
	}
	return der.EncodeElement(der.TagContext|revoked, der.EncodeTime(r.RevokedAt), reason)
}
