package revocation

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"segel/cms"
)

const (
	// maxAddresses bounds how many addresses of each kind are asked, whatever a certificate names.
	maxAddresses = 4
	// defaultTimeout is how long one address may take.
	defaultTimeout = 10 * time.Second
	// maxCertificate bounds an issuer's certificate in bytes.
	maxCertificate = 64 << 10
)

// How long an answer is given again: as long as it says, and no longer than this. A failure is remembered too, so
// that an address where nobody answers does not cost its deadline each time.
const (
	cacheOCSP        = 5 * time.Minute
	cacheList        = time.Hour
	cacheCertificate = 24 * time.Hour
	cacheFailure     = 30 * time.Second
)

// Fetcher asks the addresses that certificates name, each kind in their order: OCSP first, then CRLs. What it gets
// it keeps in memory for a while; callers that want the same at the same time wait for one request. Its members
// are not changed once it is in use; any number of callers may ask at once.
type Fetcher struct {
	HTTP      *http.Client // its transport decides where connections may go
	Clock     func() time.Time
	Timeout   time.Duration // of one address; 0 is 10 seconds
	CacheSize int64         // bytes kept; 0 is 64 MiB, negative is nothing

	cache   cache
	breaker breaker
}

// Revocation obtains and judges proof about cert.
func (f *Fetcher) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Data, error) {
	errs := []error{fmt.Errorf("no proof about certificate %x", cert.SerialNumber)}
	try := func(m Data, err error) (Data, error, bool) {
		if err == nil {
			_, err = m.validateAt(cert, issuer, f.Clock())
		}
		if err == nil || errors.Is(err, ErrRevoked) {
			return m, err, true
		}
		errs = append(errs, err)
		return Data{}, nil, ctx.Err() != nil
	}
	for _, address := range cert.OCSPServer[:min(len(cert.OCSPServer), maxAddresses)] {
		der, err := f.fetchOCSP(ctx, address, cert, issuer)
		if m, err, done := try(Data{OCSP: der}, err); done {
			return m, errors.Join(err, ctx.Err())
		}
	}
	for _, address := range cert.CRLDistributionPoints[:min(len(cert.CRLDistributionPoints), maxAddresses)] {
		der, err := f.fetchList(ctx, address, cert, issuer)
		if m, err, done := try(Data{CRL: der}, err); done {
			return m, errors.Join(err, ctx.Err())
		}
	}
	return Data{}, errors.Join(errs...)
}

// Issuer obtains the certificate that signed cert from the addresses that cert names: a certificate, or a container
// of certificates only (RFC 5280 §4.2.2.1), both DER. It proves nothing but that its key signed cert.
func (f *Fetcher) Issuer(ctx context.Context, cert *x509.Certificate) (*x509.Certificate, error) {
	errs := []error{fmt.Errorf("no issuer of certificate %x", cert.SerialNumber)}
	for _, address := range cert.IssuingCertificateURL[:min(len(cert.IssuingCertificateURL), maxAddresses)] {
		der, err := f.fetchCached(ctx, address, maxCertificate, func([]byte, time.Time) time.Duration { return cacheCertificate })
		if err == nil {
			var issuer *x509.Certificate
			if issuer, err = findIssuerIn(der, cert); err == nil {
				return issuer, nil
			}
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func findIssuerIn(der []byte, cert *x509.Certificate) (*x509.Certificate, error) {
	all, err := parseCertificates(der)
	if err != nil {
		return nil, fmt.Errorf("issuer of certificate %x: %w", cert.SerialNumber, err)
	}
	// Of several of that name the key decides, and who filled the container chose how often it has to.
	looks := 0
	err = fmt.Errorf("issuer of certificate %x: another name", cert.SerialNumber)
	for _, c := range all {
		if !bytes.Equal(c.RawSubject, cert.RawIssuer) || looks == maxCandidates {
			continue
		}
		looks++
		if err = verifyIssuedBy(cert, c); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// parseCertificates reads a certificate, or a container of some.
func parseCertificates(der []byte) ([]*x509.Certificate, error) {
	c, err := cms.ParseCertificate(der)
	if err == nil {
		return []*x509.Certificate{c}, nil
	}
	sd, bad := cms.Parse(der)
	if bad != nil {
		return nil, err
	}
	return sd.Certificates, nil
}

// verifyIssuedBy checks that the key of issuer signed cert.
func verifyIssuedBy(cert, issuer *x509.Certificate) error {
	if err := cms.CheckKey(issuer.PublicKey); err != nil {
		return fmt.Errorf("issuer of certificate %x: %w", cert.SerialNumber, err)
	}
	if err := cert.CheckSignatureFrom(issuer); err != nil {
		return fmt.Errorf("issuer of certificate %x: %w", cert.SerialNumber, err)
	}
	return nil
}

// fetchOCSP is kept by certificate and issuer: of a response nobody else's is taken.
func (f *Fetcher) fetchOCSP(ctx context.Context, address string, cert, issuer *x509.Certificate) ([]byte, error) {
	request, err := Request(cert, issuer)
	if err != nil {
		return nil, fmt.Errorf("make OCSP request: %w", err)
	}
	id := sha256.New()
	id.Write(cert.Raw)
	id.Write(issuer.Raw)
	return f.cache.getOrFetch(ctx, f, address+" "+string(id.Sum(nil)), func(now time.Time) ([]byte, time.Duration, error) {
		r, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(request))
		if err != nil {
			return nil, 0, errors.New("address of OCSP responder cannot be read")
		}
		r.Header.Set("Content-Type", "application/ocsp-request")
		r.Header.Set("Accept", "application/ocsp-response")
		der, err := f.sendRequest(ctx, r, maxOCSP)
		if err != nil {
			return nil, 0, err
		}
		s, err := VerifyOCSP(der, cert, issuer)
		if err != nil {
			return nil, 0, err
		}
		return der, computeCacheTime(s.NextUpdate, now, cacheOCSP), nil
	})
}

// fetchList is kept by its address: it speaks of many.
func (f *Fetcher) fetchList(ctx context.Context, address string, cert, issuer *x509.Certificate) ([]byte, error) {
	return f.fetchCached(ctx, address, MaxSize, func(der []byte, now time.Time) time.Duration {
		// What does not fit this certificate may fit another, and is judged for each.
		s, err := VerifyCRL(der, cert, issuer)
		if err != nil {
			return cacheFailure
		}
		return computeCacheTime(s.NextUpdate, now, cacheList)
	})
}

// computeCacheTime is how long something is kept that is good until a time, if it says so.
func computeCacheTime(next, now time.Time, most time.Duration) time.Duration {
	if next.IsZero() {
		return most
	}
	return max(0, min(most, next.Sub(now)))
}

func (f *Fetcher) fetchCached(ctx context.Context, address string, most int64, keep func(der []byte, now time.Time) time.Duration) ([]byte, error) {
	return f.cache.getOrFetch(ctx, f, address, func(now time.Time) ([]byte, time.Duration, error) {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			return nil, 0, errors.New("address of a list or certificate cannot be read")
		}
		der, err := f.sendRequest(ctx, r, most)
		if err != nil {
			return nil, 0, err
		}
		return der, keep(der, now), nil
	})
}

// sendRequest sends a request and reads a DER answer, as far as it may be right: nothing longer than the limit, than the
// length that it states, or than what it says of itself in its first bytes is read to its end.
func (f *Fetcher) sendRequest(ctx context.Context, r *http.Request, most int64) ([]byte, error) {
	host := r.URL.Host
	if err := f.breaker.allowQuery(host, f.Clock()); err != nil {
		return nil, fmt.Errorf("ask %s: %w", host, err)
	}
	der, err := f.readAnswer(ctx, r, most)
	switch {
	case ctx.Err() != nil:
		f.breaker.cancelQuery(host) // the caller went away, which says nothing about the host
	case errors.Is(err, errNoAnswer):
		f.breaker.recordFailure(host, f.Clock())
	default:
		f.breaker.recordAnswer(host)
	}
	return der, err
}

// errNoAnswer is a host that did not answer, or not in time.
var errNoAnswer = errors.New("no answer")

func (f *Fetcher) readAnswer(ctx context.Context, r *http.Request, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.Timeout, defaultTimeout))
	defer cancel()
	answer, err := f.HTTP.Do(r.WithContext(ctx))
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, fmt.Errorf("ask %s: %w: %w", r.URL.Host, errNoAnswer, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.URL.Host, answer.Status)
	}
	if t, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); t == "text/html" {
		return nil, newUnusable("%s answers with a page", r.URL.Host)
	}
	if answer.ContentLength > most {
		return nil, newUnusable("%s answers with more than %d bytes", r.URL.Host, most)
	}
	der, err := readDER(answer.Body, most)
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return der, err
}

// readDER reads one DER SEQUENCE of at most that many bytes, and nothing behind it. What begins as something else
// or says that it is longer is left unread.
func readDER(r io.Reader, most int64) ([]byte, error) {
	var head [6]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if head[0] != 0x30 {
		return nil, newUnusable("answer is no DER")
	}
	n, size := 0, int64(head[1])
	if head[1] >= 0x80 {
		if n = int(head[1] & 0x7f); n == 0 || n > 4 {
			return nil, newUnusable("answer is no DER, or more than %d bytes", most)
		}
		if _, err := io.ReadFull(r, head[2:2+n]); err != nil {
			return nil, fmt.Errorf("read answer: %w", err)
		}
		size = 0
		for _, b := range head[2 : 2+n] {
			size = size<<8 | int64(b)
		}
	}
	whole := int64(2+n) + size
	if whole > most {
		return nil, newUnusable("answer of %d bytes, more than %d", whole, most)
	}
	var b bytes.Buffer // grows with what arrives, not with what was announced
	b.Write(head[:2+n])
	if _, err := io.Copy(&b, io.LimitReader(r, size+1)); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if int64(b.Len()) != whole {
		return nil, newUnusable("answer of another length than it says")
	}
	return b.Bytes(), nil
}
