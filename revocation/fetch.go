package revocation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Fetcher asks the addresses that certificates name: OCSP first, then CRLs.
type Fetcher struct {
	HTTP  *http.Client // its transport decides where connections may go
	Clock func() time.Time
}

// Revocation obtains and judges proof about cert.
func (f *Fetcher) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Material, error) {
	errs := []error{fmt.Errorf("no proof about certificate %x", cert.SerialNumber)}
	for _, url := range cert.OCSPServer {
		der, err := f.ocsp(ctx, url, cert, issuer)
		if err == nil {
			return Material{OCSP: der}, nil
		}
		if errors.Is(err, ErrRevoked) {
			return Material{}, err
		}
		errs = append(errs, err)
	}
	for _, url := range cert.CRLDistributionPoints {
		der, err := f.crl(ctx, url, cert, issuer)
		if err == nil {
			return Material{CRL: der}, nil
		}
		if errors.Is(err, ErrRevoked) {
			return Material{}, err
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
	der, err := f.do(r)
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
	der, err := f.do(r)
	if err != nil {
		return nil, err
	}
	_, err = JudgeCRL(der, cert, issuer, f.Clock())
	return der, err
}

func (f *Fetcher) do(r *http.Request) ([]byte, error) {
	answer, err := f.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("fetch revocation proof: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.URL.Host, answer.Status)
	}
	der, err := io.ReadAll(io.LimitReader(answer.Body, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read revocation proof: %w", err)
	}
	if len(der) > MaxSize {
		return nil, unfit("more than %d bytes", MaxSize)
	}
	return der, nil
}

// Cache remembers proof for a while, by certificate. It judges nothing anew: Keep has to be shorter than the
// proof is good for.
type Cache struct {
	Source Source
	Keep   time.Duration
	Clock  func() time.Time
	Size   int // how many certificates are remembered; 0: 1,000

	mu    sync.Mutex // guards known; never held while the source is asked
	known map[[32]byte]kept
}

type kept struct {
	m  Material
	at time.Time
}

// Revocation returns what is remembered, or asks the source.
func (c *Cache) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Material, error) {
	key, now := sha256.Sum256(cert.Raw), c.Clock()
	c.mu.Lock()
	k, ok := c.known[key]
	c.mu.Unlock()
	if ok && now.Sub(k.at) < c.Keep {
		return k.m, nil
	}
	m, err := c.Source.Revocation(ctx, cert, issuer)
	if err != nil {
		return Material{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := c.Size
	if limit == 0 {
		limit = 1000
	}
	if c.known == nil || len(c.known) >= limit {
		c.known = map[[32]byte]kept{} // forgetting all is rare and costs one question each
	}
	c.known[key] = kept{m, now}
	return m, nil
}
