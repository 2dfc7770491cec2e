package validate

import (
	"crypto/x509"
	"fmt"
	"strings"
)

// describe puts a certificate into words.
func describe(c *x509.Certificate) Certificate {
	return Certificate{
		Subject: c.Subject.String(), Name: name(c), Issuer: c.Issuer.String(), Serial: strings.ToLower(c.SerialNumber.Text(16)),
		SHA256: fingerprint(c), NotBefore: Time{c.NotBefore}, NotAfter: Time{c.NotAfter}, Key: keyName(c), Revocation: "unknown",
	}
}

// name is what a person calls the holder of a certificate.
func name(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	parts := []string{c.Subject.CommonName}
	parts = append(parts, c.Subject.Organization...)
	parts = append(parts, c.EmailAddresses...)
	for _, p := range append(parts, c.Subject.String()) {
		if p != "" {
			return p
		}
	}
	return strings.ToLower(c.SerialNumber.Text(16))
}

// keyName tells the kind and the strength of a certificate's key.
func keyName(c *x509.Certificate) string {
	kind, bits := keySize(c.PublicKey)
	if kind == "Ed25519" {
		return kind
	}
	return fmt.Sprintf("%s-%d", kind, bits)
}
