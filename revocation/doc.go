// Package revocation obtains and judges proof that certificates are not revoked: OCSP responses (RFC 6960) and
// CRLs (RFC 5280).
package revocation

import (
	"context"
	"crypto/x509"
)

// Material is proof about one certificate. At least one member is set.
type Material struct {
	OCSP []byte // DER OCSPResponse
	CRL  []byte // DER CertificateList
}

// Source obtains proof that a certificate is good, judged before it is returned. Issuer is the certificate that
// signed cert.
type Source interface {
	Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Material, error)
}
