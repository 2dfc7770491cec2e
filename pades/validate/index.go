package validate

import (
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"
)

// A file may bring revocation data about thousands of certificates. To query only what may have an answer, responses
// are indexed by serial number and CRLs by issuer. The index is not trusted: package revocation parses and verifies the
// data.

// crlIssuer returns the issuer's name of a CRL without parsing its entries (RFC 5280 §5.1); nil if there is none.
func crlIssuer(der []byte) []byte {
	outer := cryptobyte.String(der)
	var list, body, issuer cryptobyte.String
	if !outer.ReadASN1(&list, asn1.SEQUENCE) || !list.ReadASN1(&body, asn1.SEQUENCE) ||
		!body.SkipOptionalASN1(asn1.INTEGER) || !body.SkipASN1(asn1.SEQUENCE) || !body.ReadASN1Element(&issuer, asn1.SEQUENCE) {
		return nil
	}
	return issuer
}

// maxAnswers bounds the single responses examined in one OCSP response.
const maxAnswers = 64

// ocspSerials returns the serial numbers in an OCSP response (RFC 6960 §4.2.1); empty if it cannot be read.
func ocspSerials(der []byte) []string {
	explicit := func(n uint8) asn1.Tag { return asn1.Tag(n).Constructed().ContextSpecific() }
	outer := cryptobyte.String(der)
	var response, wrapped, bytes, basic, inner, data, answers cryptobyte.String
	if !outer.ReadASN1(&response, asn1.SEQUENCE) || !response.SkipASN1(asn1.ENUM) || !response.ReadASN1(&wrapped, explicit(0)) ||
		!wrapped.ReadASN1(&bytes, asn1.SEQUENCE) || !bytes.SkipASN1(asn1.OBJECT_IDENTIFIER) || !bytes.ReadASN1(&basic, asn1.OCTET_STRING) ||
		!basic.ReadASN1(&inner, asn1.SEQUENCE) || !inner.ReadASN1(&data, asn1.SEQUENCE) {
		return nil
	}
	// version, responder by name or by key, producedAt
	if !data.SkipOptionalASN1(explicit(0)) || !data.SkipOptionalASN1(explicit(1)) || !data.SkipOptionalASN1(explicit(2)) ||
		!data.SkipASN1(asn1.GeneralizedTime) || !data.ReadASN1(&answers, asn1.SEQUENCE) {
		return nil
	}
	var list []string
	for !answers.Empty() && len(list) < maxAnswers {
		var answer, id cryptobyte.String
		serial := new(big.Int)
		if !answers.ReadASN1(&answer, asn1.SEQUENCE) || !answer.ReadASN1(&id, asn1.SEQUENCE) || !id.SkipASN1(asn1.SEQUENCE) ||
			!id.SkipASN1(asn1.OCTET_STRING) || !id.SkipASN1(asn1.OCTET_STRING) || !id.ReadASN1Integer(serial) {
			return list
		}
		list = append(list, serial.String())
	}
	return list
}
