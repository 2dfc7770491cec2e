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

// Read returns what the material says about a certificate, whenever that was; see [ReadOCSP] and [ReadCRL].
func (m Material) Read(cert, issuer *x509.Certificate) (Status, error) {
	if m.OCSP != nil {
		return ReadOCSP(m.OCSP, cert, issuer)
	}
	return ReadCRL(m.CRL, cert, issuer)
}

// Source obtains proof that a certificate is good now, judged before it is returned. Issuer is the certificate that
// signed cert. Of a certificate that was revoked the error is a [*RevokedError], and the material that says so is
// returned beside it: it is proof too, of signatures that were made before.
type Source interface {
	Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Material, error)
}
