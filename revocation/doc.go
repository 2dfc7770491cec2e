// Package revocation obtains and judges proof that certificates are not revoked: OCSP responses (RFC 6960) and
// CRLs (RFC 5280).
package revocation

import (
	"context"
	"crypto/x509"
	"time"
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

// judge reads the material and checks it at a time.
func (m Material) judge(cert, issuer *x509.Certificate, at time.Time) (Status, error) {
	s, err := m.Read(cert, issuer)
	if err != nil {
		return s, err
	}
	return s, s.Check(cert, at)
}

// Source obtains proof that a certificate is good now, judged before it is returned. Issuer is the certificate that
// signed cert. Of a certificate that was revoked the error is a [*RevokedError], and the material that says so is
// returned beside it: it is proof too, of signatures that were made before.
type Source interface {
	Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Material, error)
}

// IssuerSource is a Source that finds issuers too. A [Fetcher] is one.
type IssuerSource interface {
	Source
	// Issuer obtains the certificate whose key signed cert, verified.
	Issuer(ctx context.Context, cert *x509.Certificate) (*x509.Certificate, error)
}
