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
	"maps"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"segel/breaker"
	"segel/certpath"
	"segel/cms"
)

const (
	// maxAddresses limits how many addresses of each kind are queried for one certificate.
	maxAddresses = 4
	// defaultTimeout limits the query of one address.
	defaultTimeout = 10 * time.Second
	// maxCertificate limits an issuer's certificate in bytes.
	maxCertificate = 64 << 10
)

// How long answers are cached: as long as they are current, but no longer than this. Failures are cached too, so that
// an address that does not answer does not cost its timeout each time.
const (
	cacheOCSP        = 5 * time.Minute
	cacheList        = time.Hour
	cacheCertificate = 24 * time.Hour
	cacheFailure     = 30 * time.Second
)

// Fetcher queries the addresses in certificates in their order: first OCSP, then CRLs. It caches answers in memory;
// concurrent callers with the same query share one request. Do not change its fields once it is in use. It is safe for
// concurrent use.
type Fetcher struct {
	HTTP      *http.Client // its transport restricts connections
	Clock     func() time.Time
	Timeout   time.Duration // of one address; 0 is 10 seconds
	CacheSize int64         // in bytes; 0 is 64 MiB, negative disables the cache

	cache cache

	hostsMu sync.Mutex // guards hosts
	hosts   map[string]*breaker.Breaker
}

// Revocation fetches and validates revocation data about cert.
func (f *Fetcher) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (Data, error) {
	errs := []error{fmt.Errorf("no revocation data for certificate %x", cert.SerialNumber)}
	try := func(m Data, err error) (Data, error, bool) {
		if err == nil {
			_, err = m.Validate(cert, issuer, f.Clock())
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

// Issuer fetches the certificate that signed cert from the addresses in cert: a certificate, or a certs-only container
// (RFC 5280 §4.2.2.1), both DER. It verifies only that the issuer's key signed cert.
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
	// Several certificates may have that name; the limit is for containers that an attacker filled with them.
	tries := 0
	err = fmt.Errorf("issuer of certificate %x: another name", cert.SerialNumber)
	for _, c := range all {
		if !bytes.Equal(c.RawSubject, cert.RawIssuer) || tries == maxCandidates {
			continue
		}
		tries++
		if err = certpath.CheckIssuedBy(cert, c); err == nil {
			return c, nil
		}
		err = fmt.Errorf("issuer of certificate %x: %w", cert.SerialNumber, err)
	}
	return nil, err
}

// parseCertificates parses a certificate, or a container of certificates.
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

// fetchOCSP caches by certificate and issuer: a response counts only for the certificate it was requested for.
func (f *Fetcher) fetchOCSP(ctx context.Context, address string, cert, issuer *x509.Certificate) ([]byte, error) {
	request, err := Request(cert, issuer)
	if err != nil {
		return nil, fmt.Errorf("build OCSP request: %w", err)
	}
	id := sha256.New()
	id.Write(cert.Raw)
	id.Write(issuer.Raw)
	return f.cache.getOrFetch(ctx, f, address+" "+string(id.Sum(nil)), func(now time.Time) ([]byte, time.Duration, error) {
		r, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(request))
		if err != nil {
			return nil, 0, errors.New("address of OCSP responder is invalid")
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

// fetchList caches by address: one list is about many certificates.
func (f *Fetcher) fetchList(ctx context.Context, address string, cert, issuer *x509.Certificate) ([]byte, error) {
	return f.fetchCached(ctx, address, MaxSize, func(der []byte, now time.Time) time.Duration {
		// A list that cannot be used for this certificate may be usable for another, so it is verified for each.
		s, err := VerifyCRL(der, cert, issuer)
		if err != nil {
			return cacheFailure
		}
		return computeCacheTime(s.NextUpdate, now, cacheList)
	})
}

// computeCacheTime returns how long data with that nextUpdate is cached.
func computeCacheTime(next, now time.Time, most time.Duration) time.Duration {
	if next.IsZero() {
		return most
	}
	return max(0, min(most, next.Sub(now)))
}

func (f *Fetcher) fetchCached(ctx context.Context, address string, most int64, lifetime func(der []byte, now time.Time) time.Duration) ([]byte, error) {
	return f.cache.getOrFetch(ctx, f, address, func(now time.Time) ([]byte, time.Duration, error) {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			return nil, 0, errors.New("address of a list or certificate is invalid")
		}
		der, err := f.sendRequest(ctx, r, most)
		if err != nil {
			return nil, 0, err
		}
		return der, lifetime(der, now), nil
	})
}

// sendRequest sends a request and reads a DER answer. It stops early at an answer that is longer than the limit, than
// its Content-Length, or than its DER length.
func (f *Fetcher) sendRequest(ctx context.Context, r *http.Request, most int64) ([]byte, error) {
	host := r.URL.Host
	b := f.hostBreaker(host)
	if open := b.Acquire(f.Clock()); open != nil {
		return nil, fmt.Errorf("query %s: %w", host, open)
	}
	endCall := b.Cancel // the caller went away, or a panic: neither says anything about the host
	defer func() { endCall() }()
	der, err := f.readAnswer(ctx, r, most)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, errNoAnswer):
		endCall = func() { b.Fail(f.Clock(), err.Error()) }
	default:
		endCall = func() { b.Succeed() }
	}
	return der, err
}

// A host that does not answer is not queried for a pause, at any of its addresses.
const (
	maxFailures  = 3 // consecutive queries without an answer
	firstPause   = 30 * time.Second
	longestPause = 10 * time.Minute
	maxHosts     = 1000
)

// hostBreaker returns the breaker of a host. Hosts that may be queried are forgotten when there are too many: names come
// from certificates, so a file can bring any number, and must not end the pauses of others.
func (f *Fetcher) hostBreaker(host string) *breaker.Breaker {
	f.hostsMu.Lock()
	defer f.hostsMu.Unlock()
	if b := f.hosts[host]; b != nil {
		return b
	}
	if f.hosts == nil {
		f.hosts = map[string]*breaker.Breaker{}
	}
	if len(f.hosts) >= maxHosts {
		now := f.Clock()
		maps.DeleteFunc(f.hosts, func(_ string, b *breaker.Breaker) bool { return b.Check(now) == nil })
	}
	b := &breaker.Breaker{Threshold: maxFailures, FirstPause: firstPause, LongestPause: longestPause}
	if len(f.hosts) < maxHosts { // else all are paused, and the failures of another are not counted until a pause ends
		f.hosts[host] = b
	}
	return b
}

// errNoAnswer is a host that did not answer in time.
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
		return nil, fmt.Errorf("query %s: %w: %w", r.URL.Host, errNoAnswer, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.URL.Host, answer.Status)
	}
	if t, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); t == "text/html" {
		return nil, newUnusable("%s answers with an HTML page", r.URL.Host)
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

// readDER reads one DER SEQUENCE of at most that many bytes, which must be the whole input. Other input, or a longer
// length, is refused after the header.
func readDER(r io.Reader, most int64) ([]byte, error) {
	var head [6]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if head[0] != 0x30 {
		return nil, newUnusable("answer is not DER")
	}
	n, size := 0, int64(head[1])
	if head[1] >= 0x80 {
		if n = int(head[1] & 0x7f); n == 0 || n > 4 {
			return nil, newUnusable("answer is not DER, or more than %d bytes", most)
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
	var b bytes.Buffer // grows with the data received, not with the announced length
	b.Write(head[:2+n])
	if _, err := io.Copy(&b, io.LimitReader(r, size+1)); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if int64(b.Len()) != whole {
		return nil, newUnusable("length of the answer differs from its DER length")
	}
	return b.Bytes(), nil
}
