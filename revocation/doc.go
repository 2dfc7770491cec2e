// Package revocation obtains and judges proof about certificates: OCSP responses (RFC 6960) and CRLs (RFC 5280), both
// DER.
//
// [ReadOCSP] and [ReadCRL] tell what an authentic proof says, as a [Status], whenever that was. [JudgeOCSP] and
// [JudgeCRL] demand on top that it is current at a time and that the certificate was good then. A [Fetcher] asks the
// addresses that a certificate names and keeps the answers for a while, [Sources] puts several sources in a row, and
// an [Archive] finds proof in what a file carries.
//
// Times are UTC and whole seconds, as both protocols have them. A certificate that was revoked by the time in question
// is a [*RevokedError], which is ErrRevoked; what says nothing that can be relied on is [ErrUnfit]; anything else is
// the network's. Nothing is called good for want of an answer.
//
// All bytes may be a stranger's. Lengths are bounded before anything is read, keys that are too costly are refused
// before anything is verified with them, and long lists are walked where they are.
package revocation

import (
	"context"
	"crypto/x509"
	"time"
)

// Data is proof about one certificate. At least one member is set.
type Data struct {
	OCSP []byte // DER OCSPResponse
	CRL  []byte // DER CertificateList
}

// Verify returns what the material says about a certificate, whenever that was; see [ReadOCSP] and [ReadCRL].
func (m Data) Verify(cert, issuer *x509.Certificate) (Status, error) {
	if m.OCSP != nil {
		return VerifyOCSP(m.OCSP, cert, issuer)
	}
	return VerifyCRL(m.CRL, cert, issuer)
}

// validateAt reads the material and checks it at a time.
func (m Data) validateAt(cert, issuer *x509.Certificate, at time.Time) (Status, error) {
	s, err := m.Verify(cert, issuer)
	if err != nil {
		return s, err
	}
	return s, s.Check(cert, at)
}

// Source obtains proof that a certificate is good now, judged before it is returned. Issuer is the certificate that
// signed cert. Of a certificate that was revoked the error is a [*RevokedError], and the material that says so is
// returned beside it: it is proof too, of signatures that were made before. Any number of callers may ask at once.
type Source interface {
	Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Data, error)
}

// IssuerSource is a Source that finds issuers too. A [Fetcher] is one.
type IssuerSource interface {
	Source
	// Issuer obtains the certificate whose key signed cert, verified.
	Issuer(ctx context.Context, cert *x509.Certificate) (*x509.Certificate, error)
}
