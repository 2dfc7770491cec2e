package validate

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"unicode/utf16"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// CertificatePolicy is a policy that a certificate states (RFC 5280 §4.2.1.4), and what it says of it. It is a
// statement of the certificate's issuer, and worth as much as that issuer.
type CertificatePolicy struct {
	OID    string `json:"oid" doc:"in dotted decimals"`
	CPS    string `json:"cps" doc:"where the issuer describes its practice; empty where the certificate does not tell"`
	Notice string `json:"notice" doc:"the text for relying parties; empty where there is none"`
}

// Bounds of the policies of one certificate; those beyond are left out.
const (
	maxPolicies   = 20
	maxQualifiers = 10
)

// anyPolicy in a certificate that issues leaves all policies valid (RFC 5280 §4.2.1.4).
const anyPolicy = "2.5.29.32.0"

var (
	oidCertificatePolicies = asn1.ObjectIdentifier{2, 5, 29, 32}
	oidCPS                 = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 1}
	oidUserNotice          = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 2}
)

var errPolicies = errors.New("certificate policies cannot be read")

// policiesOf returns the policies of a certificate; none where they cannot be read.
func policiesOf(c *x509.Certificate) []CertificatePolicy {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidCertificatePolicies) {
			if list, err := parsePolicies(e.Value); err == nil {
				return list
			}
		}
	}
	return []CertificatePolicy{}
}

// parsePolicies reads the value of the extension.
func parsePolicies(der []byte) ([]CertificatePolicy, error) {
	list := []CertificatePolicy{}
	whole, in := cryptobyte.String(der), cryptobyte.String(nil)
	if !whole.ReadASN1(&in, cbasn1.SEQUENCE) || !whole.Empty() {
		return nil, errPolicies
	}
	for !in.Empty() && len(list) < maxPolicies {
		var information, oid cryptobyte.String
		if !in.ReadASN1(&information, cbasn1.SEQUENCE) || !information.ReadASN1(&oid, cbasn1.OBJECT_IDENTIFIER) {
			return nil, errPolicies
		}
		var id x509.OID
		if err := id.UnmarshalBinary(oid); err != nil {
			return nil, errPolicies
		}
		p := CertificatePolicy{OID: id.String()}
		if !information.Empty() && !p.readQualifiers(&information) {
			return nil, errPolicies
		}
		list = append(list, p)
	}
	return list, nil
}

// readQualifiers keeps the first address and the first text of a policy.
func (p *CertificatePolicy) readQualifiers(information *cryptobyte.String) bool {
	var all cryptobyte.String
	if !information.ReadASN1(&all, cbasn1.SEQUENCE) || !information.Empty() {
		return false
	}
	for n := 0; !all.Empty() && n < maxQualifiers; n++ {
		var one, value cryptobyte.String
		var id asn1.ObjectIdentifier
		var tag cbasn1.Tag
		if !all.ReadASN1(&one, cbasn1.SEQUENCE) || !one.ReadASN1ObjectIdentifier(&id) {
			return false
		}
		switch {
		case id.Equal(oidCPS):
			if !one.ReadASN1(&value, cbasn1.IA5String) {
				return false
			}
			if p.CPS == "" {
				p.CPS = cleanText(string(value))
			}
		case id.Equal(oidUserNotice):
			if !one.ReadASN1(&value, cbasn1.SEQUENCE) {
				return false
			}
			// A reference to a notice elsewhere may stand before the text.
			if value.PeekASN1Tag(cbasn1.SEQUENCE) && !value.SkipASN1(cbasn1.SEQUENCE) {
				return false
			}
			var text cryptobyte.String
			if !value.Empty() && !value.ReadAnyASN1(&text, &tag) {
				return false
			}
			if p.Notice == "" {
				p.Notice = cleanText(displayText(text, tag))
			}
		}
	}
	return true
}

// bmpString is the one tag of a DisplayText whose characters are not UTF-8 or a part of it.
const bmpString = cbasn1.Tag(30)

// displayText is the text of a DisplayText of that tag.
func displayText(b []byte, tag cbasn1.Tag) string {
	if tag != bmpString {
		return string(b)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units))
}
