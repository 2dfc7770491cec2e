// Package revocation fetches, verifies and validates revocation data of certificates: OCSP responses (RFC 6960) and
// CRLs (RFC 5280), both DER.
//
// [VerifyOCSP] and [VerifyCRL] return the [Status] in authentic revocation data, whatever its age. [Data.Validate]
// also requires that it is current at a time and that the certificate was good then. A [Fetcher] queries the addresses in
// a certificate and caches the answers, [Sources] combines several sources, and a [Store] holds what one operation on a
// file uses.
//
// Times are UTC and whole seconds, as in both protocols. A certificate that was revoked by the time in question is a
// [*RevokedError], which is ErrRevoked; revocation data that cannot be used is [ErrUnusable]; any other error is the
// network's. A certificate without an answer is never good.
//
// All input is untrusted. Lengths are checked before anything is read, costly keys are refused before a signature is
// verified, and long lists are scanned in place.
package revocation

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"segel/certpath"
)

// Data is revocation data about one certificate. At least one field is set.
type Data struct {
	OCSP []byte // DER OCSPResponse
	CRL  []byte // DER CertificateList
}

// Verify returns the status of a certificate in the data, whatever its age; see [VerifyOCSP] and [VerifyCRL].
func (m Data) Verify(cert, issuer *x509.Certificate) (Status, error) {
	if m.OCSP != nil {
		return VerifyOCSP(m.OCSP, cert, issuer)
	}
	return VerifyCRL(m.CRL, cert, issuer)
}

// Validate verifies the data and requires that it is current at a time and that the certificate was good then. A
// certificate that was revoked by then is a [*RevokedError], everything else ErrUnusable; the status is returned in both
// cases.
func (m Data) Validate(cert, issuer *x509.Certificate, at time.Time) (Status, error) {
	s, err := m.Verify(cert, issuer)
	if err != nil {
		return s, err
	}
	return s, s.Check(cert, at)
}

// Source fetches revocation data and validates it as of now. Issuer is the certificate that signed cert. For a revoked
// certificate the error is a [*RevokedError], and the data is returned too: it is still validation data for signatures
// that are older than the revocation. Safe for concurrent use.
type Source interface {
	Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Data, error)
}

// BatchSource is a Source that can read at once what it needs to answer about several certificates.
type BatchSource interface {
	Source
	// ReadAhead returns a source for one operation. Its answers about these certificates are as of the call; it answers about others too.
	ReadAhead(ctx context.Context, certs ...*x509.Certificate) (Source, error)
}

// IssuerSource is a Source that also fetches issuers, like a [Fetcher].
type IssuerSource interface {
	Source
	certpath.IssuerSource
}

// Sources queries sources in order until one has revocation data, whether the certificate is good or revoked.
type Sources []Source

// Revocation returns the first revocation data. If there is none, the error contains the reasons of all sources.
func (all Sources) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Data, error) {
	errs := []error{errors.New("no source has revocation data")}
	for _, s := range all {
		m, err := s.Revocation(ctx, cert, issuer)
		if err == nil || errors.Is(err, ErrRevoked) {
			return m, err
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return Data{}, errors.Join(errs...)
}

// ReadAhead returns the sources with those that can read ahead having done so. One that fails is asked about each certificate instead.
func (all Sources) ReadAhead(ctx context.Context, certs ...*x509.Certificate) (Source, error) {
	ahead := slices.Clone(all)
	for i, s := range ahead {
		if batch, ok := s.(BatchSource); ok {
			if read, err := batch.ReadAhead(ctx, certs...); err == nil {
				ahead[i] = read
			}
		}
	}
	return ahead, nil
}

// Issuer returns the first issuer found.
func (all Sources) Issuer(ctx context.Context, cert *x509.Certificate) (*x509.Certificate, error) {
	errs := []error{errors.New("no source has the issuer")}
	for _, s := range all {
		finder, ok := s.(IssuerSource)
		if !ok {
			continue
		}
		issuer, err := finder.Issuer(ctx, cert)
		if err == nil {
			return issuer, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
