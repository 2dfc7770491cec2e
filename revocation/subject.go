package revocation

import (
	"encoding/asn1"
	"encoding/hex"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cryptoasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Subject is what an OCSP response or a CRL claims to be about, unverified: a certificate by its serial number, or all
// certificates of an issuer. Equal subjects have equal IDs.
type Subject struct {
	ID string
	At time.Time // thisUpdate, UTC
}

func serialSubject(serial *big.Int) string { return "serial " + serial.String() }

// issuerSubject takes the name in DER.
func issuerSubject(name []byte) string { return "issuer " + hex.EncodeToString(name) }

// OCSPSubjects returns the certificates that a DER OCSPResponse, or the BasicOCSPResponse in one, is about. The error
// is ErrUnusable.
func OCSPSubjects(der []byte) ([]Subject, error) {
	basic, err := parseOCSP(der)
	if err != nil {
		basic = &basicResponse{}
		if rest, bad := asn1.Unmarshal(der, basic); len(der) > maxOCSP || bad != nil || len(rest) > 0 || len(basic.Data.Responses) > maxAnswers {
			return nil, err
		}
	}
	return basic.listSubjects()
}

func (b *basicResponse) listSubjects() (all []Subject, err error) {
	if len(b.Data.Responses) == 0 {
		return nil, newUnusable("OCSP response about no certificate")
	}
	for _, r := range b.Data.Responses {
		all = append(all, Subject{serialSubject(r.ID.Serial), r.ThisUpdate.UTC()})
	}
	return all, nil
}

// CRLSubject returns the issuer whose certificates a DER CertificateList is about. Its entries and extensions are not
// read. The error is ErrUnusable.
func CRLSubject(der []byte) (Subject, error) {
	bad := newUnusable("CRL cannot be read")
	whole := cryptobyte.String(der)
	var outer, body, issuer, element cryptobyte.String
	var tag cryptoasn1.Tag
	if len(der) > MaxSize || !whole.ReadASN1(&outer, cryptoasn1.SEQUENCE) || !whole.Empty() || !outer.ReadASN1(&body, cryptoasn1.SEQUENCE) ||
		!outer.SkipASN1(cryptoasn1.SEQUENCE) || !outer.SkipASN1(cryptoasn1.BIT_STRING) || !outer.Empty() {
		return Subject{}, bad
	}
	if !body.SkipOptionalASN1(cryptoasn1.INTEGER) || !body.SkipASN1(cryptoasn1.SEQUENCE) || !body.ReadASN1Element(&issuer, cryptoasn1.SEQUENCE) {
		return Subject{}, bad
	}
	s := Subject{ID: issuerSubject(issuer)}
	if err := readTime(&body, &s.At); err != nil {
		return Subject{}, err
	}
	for !body.Empty() {
		if !body.ReadAnyASN1Element(&element, &tag) {
			return Subject{}, bad
		}
	}
	return s, nil
}
