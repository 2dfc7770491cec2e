package revocation

import (
	"context"
	"crypto/x509"
	"errors"
)

// Sources asks one source after the other until one has proof, that a certificate is good or that it was revoked.
type Sources []Source

// Revocation returns the first proof. Where there is none, the error has each one's reason.
func (all Sources) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Data, error) {
	errs := []error{errors.New("no source has proof")}
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

// Issuer returns the first issuer that one of the sources finds.
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
