package revocation

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxAddresses bounds how many addresses of each kind are asked, whatever a certificate names.
const maxAddresses = 4

// Fetcher asks the addresses that certificates name: OCSP first, then CRLs.
type Fetcher struct {
	HTTP  *http.Client // its transport decides where connections may go
	Clock func() time.Time
}

// Revocation obtains and judges proof about cert.
func (f *Fetcher) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Material, error) {
	errs := []error{fmt.Errorf("no proof about certificate %x", cert.SerialNumber)}
	for _, url := range cert.OCSPServer[:min(len(cert.OCSPServer), maxAddresses)] {
		der, err := f.ocsp(ctx, url, cert, issuer)
		if err == nil {
			return Material{OCSP: der}, nil
		}
		if errors.Is(err, ErrRevoked) {
			return Material{OCSP: der}, err
		}
		errs = append(errs, err)
	}
	for _, url := range cert.CRLDistributionPoints[:min(len(cert.CRLDistributionPoints), maxAddresses)] {
		der, err := f.crl(ctx, url, cert, issuer)
		if err == nil {
			return Material{CRL: der}, nil
		}
		if errors.Is(err, ErrRevoked) {
			return Material{CRL: der}, err
		}
		errs = append(errs, err)
	}
	return Material{}, errors.Join(errs...)
}

func (f *Fetcher) ocsp(ctx context.Context, url string, cert, issuer *x509.Certificate) ([]byte, error) {
	request, err := Request(cert, issuer)
	if err != nil {
		return nil, fmt.Errorf("make OCSP request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(request))
	if err != nil {
		return nil, fmt.Errorf("address of OCSP responder: %w", err)
	}
	r.Header.Set("Content-Type", "application/ocsp-request")
	der, err := f.do(r, maxOCSP)
	if err != nil {
		return nil, err
	}
	_, err = JudgeOCSP(der, cert, issuer, f.Clock())
	return der, err
}

func (f *Fetcher) crl(ctx context.Context, url string, cert, issuer *x509.Certificate) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("address of CRL: %w", err)
	}
	der, err := f.do(r, MaxSize)
	if err != nil {
		return nil, err
	}
	_, err = JudgeCRL(der, cert, issuer, f.Clock())
	return der, err
}

func (f *Fetcher) do(r *http.Request, most int64) ([]byte, error) {
	answer, err := f.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("fetch revocation proof: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.URL.Host, answer.Status)
	}
	der, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("read revocation proof: %w", err)
	}
	if int64(len(der)) > most {
		return nil, unfit("more than %d bytes", most)
	}
	return der, nil
}
