package revocation

import (
	"crypto/x509"
	encodingasn1 "encoding/asn1"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidDelta             = encodingasn1.ObjectIdentifier{2, 5, 29, 27}
	oidDistributionPoint = encodingasn1.ObjectIdentifier{2, 5, 29, 28}
)

// checkScope refuses a list that does not speak of cert, or not of every reason for which it may be revoked: a
// delta, one whose issuing distribution point leaves cert out, or one with a critical extension that is not known
// here (RFC 5280 §5.2).
func checkScope(l *x509.RevocationList, cert *x509.Certificate) error {
	for _, e := range l.Extensions {
		switch {
		case e.Id.Equal(oidDelta):
			return newUnusable("CRL is a delta, not complete")
		case e.Id.Equal(oidDistributionPoint):
			if err := checkDistributionPoint(e.Value, cert); err != nil {
				return err
			}
		case e.Critical:
			return newUnusable("CRL has the critical extension %v", e.Id)
		}
	}
	return nil
}

// checkDistributionPoint reads an IssuingDistributionPoint and compares it with cert (RFC 5280 §5.2.5, §6.3.3).
func checkDistributionPoint(der []byte, cert *x509.Certificate) error {
	all := cryptobyte.String(der)
	var body cryptobyte.String
	if !all.ReadASN1(&body, asn1.SEQUENCE) || !all.Empty() {
		return newUnusable("issuing distribution point of the CRL cannot be read")
	}
	for !body.Empty() {
		var value cryptobyte.String
		var tag asn1.Tag
		if !body.ReadAnyASN1(&value, &tag) {
			return newUnusable("issuing distribution point of the CRL cannot be read")
		}
		switch tag {
		case asn1.Tag(0).Constructed().ContextSpecific():
			if !hasCommonPoint(value, cert) {
				return newUnusable("CRL is of another distribution point")
			}
		case asn1.Tag(1).ContextSpecific(): // onlyContainsUserCerts; DER leaves out what is false
			if cert.IsCA {
				return newUnusable("CRL leaves authorities out")
			}
		case asn1.Tag(2).ContextSpecific(): // onlyContainsCACerts
			if !cert.IsCA {
				return newUnusable("CRL is about authorities only")
			}
		default: // onlySomeReasons, indirectCRL, onlyContainsAttributeCerts, or something new
			return newUnusable("CRL does not speak of every reason, issuer or certificate")
		}
	}
	return nil
}

// hasCommonPoint reports whether a DistributionPointName is a full name with an address that cert names too.
func hasCommonPoint(name cryptobyte.String, cert *x509.Certificate) bool {
	var names cryptobyte.String
	if !name.ReadASN1(&names, asn1.Tag(0).Constructed().ContextSpecific()) || !name.Empty() {
		return false
	}
	for !names.Empty() {
		var value cryptobyte.String
		var tag asn1.Tag
		if !names.ReadAnyASN1(&value, &tag) {
			return false
		}
		const uri = 6
		if tag == asn1.Tag(uri).ContextSpecific() && slices.Contains(cert.CRLDistributionPoints, string(value)) {
			return true
		}
	}
	return false
}
