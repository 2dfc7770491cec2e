package revocation

import (
	"encoding/asn1"
	"encoding/hex"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cryptoasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Subject is what an OCSP response or a CRL states that it is about, unverified: a certificate by its serial number, or all
// certificates of an issuer. Two with the same subject have the same ID.
type Subject struct {
	ID string
	At time.Time // thisUpdate, UTC
}

// OCSPSubjects reads which certificates a DER OCSPResponse, or the BasicOCSPResponse within one, is about. The error is
// ErrUnfit.
func OCSPSubjects(der []byte) ([]Subject, error) {
	basic, err := parseOCSP(der)
	if err != nil {
		basic = &basicResponse{}
		if rest, bad := asn1.Unmarshal(der, basic); len(der) > maxOCSP || bad != nil || len(rest) > 0 || len(basic.Data.Responses) > maxAnswers {
			return nil, err
		}
	}
	if len(basic.Data.Responses) == 0 {
		return nil, newUnusable("OCSP response about no certificate")
	}
	var all []Subject
	for _, r := range basic.Data.Responses {
		all = append(all, Subject{"serial " + r.ID.Serial.String(), r.ThisUpdate.UTC()})
	}
	return all, nil
}

// CRLSubject reads which issuer's certificates a DER CertificateList is about. Its entries and extensions are not looked
// at. The error is ErrUnfit.
func CRLSubject(der []byte) (Subject, error) {
	bad := newUnusable("CRL cannot be read")
	whole := cryptobyte.String(der)
	var outer, body, issuer, element cryptobyte.String
	var tag cryptoasn1.Tag
	if len(der) > MaxSize || !whole.ReadASN1(&outer, cryptoasn1.SEQUENCE) || !whole.Empty() || !outer.ReadASN1(&body, cryptoasn1.SEQUENCE) ||
		!outer.SkipASN1(cryptoasn1.SEQUENCE) || !outer.SkipASN1(cryptoasn1.BIT_STRING) || !outer.Empty() {
		return Subject{}, bad
	}
	if !body.SkipOptionalASN1(cryptoasn1.INTEGER) || !body.SkipASN1(cryptoasn1.SEQUENCE) || !body.ReadASN1(&issuer, cryptoasn1.SEQUENCE) {
		return Subject{}, bad
	}
	s := Subject{ID: "issuer " + hex.EncodeToString(issuer)}
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
