package validate

import (
	"crypto/x509"
	"fmt"
	"strings"

	"segel/cms"
)

// cachedDescription describes a certificate once: the same authorities are above every signature.
func (v *validation) cachedDescription(c *x509.Certificate) Certificate {
	id := v.paths.Hash(c)
	d, known := v.descriptions[id]
	if !known {
		d = describeCertificate(c)
		v.descriptions[id] = d
	}
	return d
}

func describeCertificate(c *x509.Certificate) Certificate {
	return Certificate{
		Subject: c.Subject.String(), Name: holderName(c), Issuer: c.Issuer.String(), Serial: strings.ToLower(c.SerialNumber.Text(16)),
		SHA256: certificateFingerprint(c), NotBefore: Time{c.NotBefore}, NotAfter: Time{c.NotAfter}, Key: keyName(c), Revocation: "unknown",
		Policies: policiesOf(c),
	}
}

// encodingFault is the error of crypto/x509 without prefixes.
func encodingFault(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "certificate: "), "x509: ")
}

// holderName returns a readable name of a certificate's holder.
func holderName(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	for _, list := range [][]string{{c.Subject.CommonName}, c.Subject.Organization, c.EmailAddresses} {
		for _, p := range list {
			if p != "" {
				return p
			}
		}
	}
	if p := c.Subject.String(); p != "" {
		return p
	}
	return strings.ToLower(c.SerialNumber.Text(16))
}

// keyName returns the type and size of a certificate's key.
func keyName(c *x509.Certificate) string {
	kind, bits := cms.KeySize(c.PublicKey)
	if kind == "Ed25519" || bits == 0 {
		return kind
	}
	return fmt.Sprintf("%s-%d", kind, bits)
}
