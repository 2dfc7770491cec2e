package revocation

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// testServer serves bodies by path and counts the requests for each.
type testServer struct {
	*httptest.Server
	mu      sync.Mutex // guards the rest
	bodies  map[string][]byte
	queries map[string]int
}

func newTestServer(t *testing.T) *testServer {
	s := &testServer{bodies: map[string][]byte{}, queries: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queries[r.URL.Path]++
		b, ok := s.bodies[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write(b)
	}))
	t.Cleanup(s.Close)
	return s
}

// withAddresses returns a certificate with addresses on the server.
func (s *testServer) withAddresses(cert *x509.Certificate, ocsps, lists []string) *x509.Certificate {
	c := *cert
	for _, p := range ocsps {
		c.OCSPServer = append(c.OCSPServer, s.URL+p)
	}
	for _, p := range lists {
		c.CRLDistributionPoints = append(c.CRLDistributionPoints, s.URL+p)
	}
	return &c
}

func buildEmptyList(t *testing.T, ca identity, next time.Time) []byte {
	t.Helper()
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now.Add(-time.Hour), NextUpdate: next}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestAnswerIsGivenAgainAsLongAsItIsGood(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca).cert
	for name, c := range map[string]struct {
		next     time.Duration // until the next answer is due
		lifetime time.Duration // how long it is cached
		list     bool
	}{
		"a response":                {time.Hour, cacheOCSP, false},
		"a response that soon ends": {time.Minute, time.Minute, false},
		"a list":                    {24 * time.Hour, cacheList, true},
		"a list that soon ends":     {time.Minute, time.Minute, true},
	} {
		s := newTestServer(t)
		s.bodies["/"] = buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.NextUpdate = now.Add(c.next) })
		cert := s.withAddresses(leaf, []string{"/"}, nil)
		if c.list {
			s.bodies["/"], cert = buildEmptyList(t, ca, now.Add(c.next)), s.withAddresses(leaf, nil, []string{"/"})
		}
		at := now
		f := &Fetcher{HTTP: s.Client(), Clock: func() time.Time { return at }}
		for _, step := range []struct {
			at      time.Duration
			queries int
		}{{0, 1}, {0, 1}, {c.lifetime - time.Second, 1}, {c.lifetime, 2}} {
			at = now.Add(step.at)
			_, _ = f.Revocation(t.Context(), cert, ca.cert)
			if s.queries["/"] != step.queries {
				t.Errorf("%s: %d queries after %s, want %d", name, s.queries["/"], step.at, step.queries)
			}
		}
	}
}

func TestOneListServesAllItSpeaksOfAndAResponseOnlyOne(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	one, two := newCertificate(t, "One", 7, &ca).cert, newCertificate(t, "Two", 8, &ca).cert
	s := newTestServer(t)
	s.bodies["/list"] = buildEmptyList(t, ca, now.Add(time.Hour))
	s.bodies["/ocsp"] = buildResponse(t, ca.cert, ca, func(*ocsp.Response) {}) // about serial 7
	f := &Fetcher{HTTP: s.Client(), Clock: func() time.Time { return now }}
	for _, c := range []*x509.Certificate{one, two} {
		if m, err := f.Revocation(t.Context(), s.withAddresses(c, []string{"/ocsp"}, []string{"/list"}), ca.cert); err != nil || (m.OCSP != nil) != (c == one) {
			t.Errorf("%s: %v", c.Subject.CommonName, err)
		}
		if _, err := f.Revocation(t.Context(), s.withAddresses(c, nil, []string{"/list"}), ca.cert); err != nil {
			t.Errorf("%s: %v", c.Subject.CommonName, err)
		}
	}
	if s.queries["/list"] != 1 || s.queries["/ocsp"] != 2 {
		t.Errorf("queries: %v", s.queries)
	}
}

func TestAddressThatFailedIsLeftAloneForAWhile(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	s := newTestServer(t)
	cert := s.withAddresses(newCertificate(t, "Leaf", 7, &ca).cert, []string{"/ocsp"}, nil)
	at := now
	f := &Fetcher{HTTP: s.Client(), Clock: func() time.Time { return at }}
	for range 3 {
		if _, err := f.Revocation(t.Context(), cert, ca.cert); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("the reason is missing: %v", err)
		}
	}
	s.bodies["/ocsp"] = buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	at = at.Add(cacheFailure)
	if _, err := f.Revocation(t.Context(), cert, ca.cert); err != nil || s.queries["/ocsp"] != 2 {
		t.Errorf("%v, %d queries", err, s.queries["/ocsp"])
	}
}

func TestCallersAtOnceShareOneRequestEvenIfTheFirstGoesAway(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	good := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	queries, arrived, hold := atomic.Int64{}, make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		queries.Add(1)
		arrived <- struct{}{}
		<-hold
		_, _ = w.Write(good)
	}))
	defer server.Close()
	cert := *newCertificate(t, "Leaf", 7, &ca).cert
	cert.OCSPServer = []string{server.URL}
	f := &Fetcher{HTTP: server.Client(), Clock: func() time.Time { return now }}
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := f.Revocation(ctx, &cert, ca.cert)
		first <- err
	}()
	<-arrived
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if _, err := f.Revocation(t.Context(), &cert, ca.cert); err != nil {
				t.Error(err)
			}
		})
	}
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who went away: %v", err)
	}
	<-arrived // one of the other five fetches instead
	close(hold)
	all.Wait()
	if n := queries.Load(); n != 2 {
		t.Errorf("%d queries", n)
	}
}

// panickingTransport panics at the first requests.
type panickingTransport struct {
	http.RoundTripper
	left atomic.Int64
}

func (p *panickingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.left.Add(-1) >= 0 {
		panic("unexpected answer")
	}
	return p.RoundTripper.RoundTrip(r)
}

func TestPanicInAQueryIsAnErrorOfThatQueryAlone(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	s := newTestServer(t)
	s.bodies["/ocsp"] = buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	cert := s.withAddresses(newCertificate(t, "Leaf", 7, &ca).cert, []string{"/ocsp"}, nil)
	transport := &panickingTransport{RoundTripper: s.Client().Transport}
	at := now
	f := &Fetcher{HTTP: &http.Client{Transport: transport}, Clock: func() time.Time { return at }}
	host := f.hostBreaker(strings.TrimPrefix(s.URL, "http://"))
	for range maxFailures {
		host.Fail(now, "no answer")
	}
	at = at.Add(firstPause) // the query that panics probes the host
	transport.left.Store(1)
	_, err := f.Revocation(t.Context(), cert, ca.cert)
	var p *PanicError
	if !errors.As(err, &p) || p.Value != "unexpected answer" || !strings.Contains(string(p.Stack), "RoundTrip") || !strings.Contains(err.Error(), "unexpected answer") {
		t.Errorf("%v", err)
	}
	if _, err := f.Revocation(t.Context(), cert, ca.cert); err != nil {
		t.Errorf("the next query: %v", err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var c cache
	f := &Fetcher{Clock: func() time.Time { return now }, CacheSize: 100_000}
	for i := range 100 {
		for _, size := range []int{5000, 30_000} {
			_, err := c.getOrFetch(t.Context(), f, fmt.Sprint(i, size), func(time.Time) ([]byte, time.Duration, error) { return make([]byte, size), time.Hour, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		if c.size > f.CacheSize || c.order.Len() != len(c.entries) {
			t.Fatalf("%d bytes in %d entries", c.size, len(c.entries))
		}
	}
	if len(c.entries) < 10 {
		t.Errorf("%d entries", len(c.entries))
	}
	f.CacheSize = -1
	queries := 0
	for range 2 { // no query is left behind that a later one would wait for
		_, err := c.getOrFetch(t.Context(), f, "none", func(time.Time) ([]byte, time.Duration, error) { queries++; return []byte{1}, time.Hour, nil })
		if err != nil || c.entries["none"] != nil {
			t.Errorf("cached although the cache is disabled: %v", err)
		}
	}
	if queries != 2 {
		t.Errorf("%d queries", queries)
	}
}

func TestIssuerIsFetchedAndHeldAgainstTheCertificate(t *testing.T) {
	t.Parallel()
	ca, twin, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "CA", 1, nil), newCertificate(t, "Other", 1, nil)
	s := newTestServer(t)
	s.bodies = map[string][]byte{"/ca": ca.cert.Raw, "/twin": twin.cert.Raw, "/other": other.cert.Raw, "/bytes": {0x30, 0}}
	s.bodies["/all"], s.bodies["/none"] = buildCertsOnly(t, other, twin, ca), buildCertsOnly(t, other, twin)
	leaf := newCertificate(t, "Leaf", 7, &ca).cert
	f := &Fetcher{HTTP: s.Client(), Clock: func() time.Time { return now }}
	for path, ok := range map[string]bool{"/ca": true, "/twin": false, "/other": false, "/bytes": false, "/gone": false, "/all": true, "/none": false} {
		cert := *leaf
		cert.IssuingCertificateURL = []string{s.URL + path}
		if got, err := f.Issuer(t.Context(), &cert); (err == nil) != ok || ok && !got.Equal(ca.cert) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// buildCertsOnly is a SignedData without content and signers.
func buildCertsOnly(t *testing.T, all ...identity) []byte {
	t.Helper()
	type content struct{ Type asn1.ObjectIdentifier }
	type container struct {
		Version      int
		Digests      []asn1.RawValue `asn1:"set"`
		Content      content
		Certificates []asn1.RawValue `asn1:"set,tag:0"`
		Signers      []asn1.RawValue `asn1:"set"`
	}
	c := container{Version: 1, Content: content{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}}}
	for _, i := range all {
		c.Certificates = append(c.Certificates, asn1.RawValue{FullBytes: i.cert.Raw})
	}
	der, err := asn1.Marshal(struct {
		Type asn1.ObjectIdentifier
		Data container `asn1:"explicit,tag:0"`
	}{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}, c})
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// A list of a hundred thousand entries is scanned in place: the allocations do not grow with it.
func TestLongListIsWalkedInPlace(t *testing.T) { // not in parallel: it counts allocations
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	long := func(n int) []byte {
		l := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(time.Hour)}
		for i := range n {
			l.RevokedCertificateEntries = append(l.RevokedCertificateEntries, x509.RevocationListEntry{
				SerialNumber: big.NewInt(int64(1000 + i)), RevocationTime: now, ReasonCode: i % 5,
			})
		}
		der, err := x509.CreateRevocationList(rand.Reader, l, ca.cert, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	allocated := func(der []byte) float64 {
		return testing.AllocsPerRun(2, func() {
			if _, err := validateCRL(der, leaf.cert, ca.cert, now); err != nil {
				t.Error(err)
			}
		})
	}
	short, many := allocated(long(1)), allocated(long(100_000))
	if many > short+1000 {
		t.Errorf("%v allocations for one entry, %v for a hundred thousand", short, many)
	}
	listed := newCertificate(t, "Listed", 1003, &ca)
	s, err := VerifyCRL(long(10), listed.cert, ca.cert)
	if err != nil || s.CertStatus != Revoked || s.Reason != AffiliationChanged || !s.At.Equal(now) {
		t.Errorf("%+v, %v", s, err)
	}
}
