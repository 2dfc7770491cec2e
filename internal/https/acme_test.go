package https

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/https/httpstest"
)

// memory is a storage that the nodes of a test share.
type memory struct {
	mu      sync.Mutex
	records map[string][]byte
	orders  int // locks that were taken
	locked  bool
}

func newMemory() *memory { return &memory{records: map[string][]byte{}} }

func (m *memory) Read(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.records[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return slices.Clone(b), nil
}

func (m *memory) Write(_ context.Context, name string, content []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records[name] = slices.Clone(content)
	return nil
}

func (m *memory) Lock(context.Context) (func(), bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locked {
		return nil, false, nil
	}
	m.locked = true
	m.orders++
	return func() { m.mu.Lock(); m.locked = false; m.mu.Unlock() }, true, nil
}

// cluster is an ACME server and nodes that share a storage and a clock.
type cluster struct {
	t      *testing.T
	pebble *httpstest.Pebble
	shared *memory
	log    bytes.Buffer
	mu     sync.Mutex // guards ahead
	ahead  time.Duration
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	return &cluster{t: t, pebble: httpstest.StartPebble(t), shared: newMemory()}
}

func (c *cluster) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *cluster) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

const clusterHost = "segel.example.test"

func (c *cluster) node(answersHTTP bool) *ACME {
	c.t.Helper()
	pem, err := os.ReadFile(c.pebble.CA)
	if err != nil {
		c.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return NewACME(ACMEOptions{
		Directory: c.pebble.Directory, Hosts: []string{clusterHost, "www.example.test"}, Email: "operator@example.test", HTTP01: answersHTTP,
		Client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}, Storage: c.shared, Clock: c.clock,
		Log: slog.New(slog.NewTextHandler(&lockedWriter{w: &c.log}, nil)),
	})
}

// lockedWriter lets nodes write one log.
type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// listen serves a node at the port that the ACME server connects to for TLS, or for plain HTTP.
func (c *cluster) listen(a *ACME, port int, withTLS bool) {
	c.t.Helper()
	l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
	if err != nil {
		c.t.Skip("another process has taken the port: ", err)
	}
	server := httptest.NewUnstartedServer(a.Challenges(http.NotFoundHandler()))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	_ = server.Listener.Close()
	server.Listener = l
	if withTLS {
		server.TLS = a.TLSConfig()
		server.StartTLS()
	} else {
		server.Start()
	}
	c.t.Cleanup(server.Close)
}

// serial returns the serial number of the certificate that a node serves, which is valid for its hosts.
func (c *cluster) serial(a *ACME) string {
	c.t.Helper()
	cert, err := a.TLSConfig().GetCertificate(&tls.ClientHelloInfo{ServerName: clusterHost})
	if err != nil {
		c.t.Fatalf("%v\n%s", err, &c.log)
	}
	others := x509.NewCertPool()
	for _, der := range cert.Certificate[1:] {
		other, err := x509.ParseCertificate(der)
		if err != nil {
			c.t.Fatal(err)
		}
		others.AddCert(other)
	}
	for _, host := range []string{clusterHost, "www.example.test"} {
		if _, err := cert.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: c.pebble.Roots(c.t), Intermediates: others, CurrentTime: cert.Leaf.NotBefore}); err != nil {
			c.t.Error(err)
		}
	}
	return cert.Leaf.SerialNumber.String()
}

func TestOneOfTwoNodesOrdersTheCertificateOfBothAndTheOtherAnswersItsChallenge(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	one, two := c.node(false), c.node(false)
	c.listen(two, c.pebble.TLSPort, true) // the server reaches only this one
	if err := one.orderIfDue(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &c.log)
	}
	first := c.serial(one)
	if err := two.orderIfDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.serial(two); got != first || c.shared.orders != 1 {
		t.Errorf("the other node serves %s instead of %s after %d orders", got, first, c.shared.orders)
	}
	// Before two thirds of the lifetime nothing is ordered. After them, one of two that find it due at the same time does.
	c.advance(59 * 24 * time.Hour)
	if err := one.orderIfDue(t.Context()); err != nil || c.serial(one) != first {
		t.Fatalf("renewed after 59 of 90 days: %v", err)
	}
	c.advance(2 * 24 * time.Hour)
	var both sync.WaitGroup
	for _, node := range []*ACME{one, two} {
		both.Go(func() {
			if err := node.orderIfDue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	for _, node := range []*ACME{one, two} {
		node.Reload(t.Context())
	}
	if a, b := c.serial(one), c.serial(two); a != b || a == first {
		t.Errorf("after the renewal: %s and %s, before %s", a, b, first)
	}
	if n := strings.Count(c.log.String(), "ordering a TLS certificate"); n != 2 {
		t.Errorf("%d orders, want 2:\n%s", n, &c.log)
	}
}

func TestAfterAFailureTheOtherChallengeIsTriedAndNotBeforeItsTime(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	a := c.node(true)
	c.listen(a, c.pebble.HTTPPort, false) // nothing answers TLS
	err := a.orderIfDue(t.Context())
	if err == nil || !strings.Contains(err.Error(), "tls-alpn-01") {
		t.Fatalf("over TLS: %v", err)
	}
	before := c.log.Len()
	if err := a.orderIfDue(t.Context()); err != nil || c.log.Len() != before {
		t.Fatalf("at once again: %v\n%s", err, &c.log)
	}
	c.advance(backoff[0] + time.Second)
	if err := a.orderIfDue(t.Context()); err != nil {
		t.Fatalf("over plain HTTP: %v", err)
	}
	c.serial(a)
	// Another name needs another certificate, and another server another account.
	other := c.node(true)
	other.o.Hosts = append(other.o.Hosts, "api.example.test")
	if err := other.orderIfDue(t.Context()); err == nil || !strings.Contains(err.Error(), "tls-alpn-01") {
		t.Errorf("with another name: %v", err)
	}
}

func TestACertificateIsOrderedInPlaceOfARecordThatCannotBeParsed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for name, record := range map[string]string{
		"no JSON":             `{"Version":1,`,
		"another type":        `{"Version":1,"Directory":7}`,
		"no certificate":      `{"Version":1,"Directory":"` + server.URL + `","Hosts":["` + clusterHost + `"],"Chain":"eA==","Key":"eA=="}`,
		"an empty record":     ``,
		"another record's":    `[{"Host":"` + clusterHost + `"}]`,
		"nothing but a value": `null`,
	} {
		shared := newMemory()
		shared.records[certificateRecord] = []byte(record)
		a := NewACME(ACMEOptions{Directory: server.URL, Hosts: []string{clusterHost}, Client: server.Client(), Storage: shared, Clock: time.Now, Log: slog.New(slog.DiscardHandler)})
		err := a.orderIfDue(t.Context())
		if err == nil || !strings.Contains(err.Error(), "account: ") { // it asked the server
			t.Errorf("%s: %v", name, err)
		}
		var tries attempt
		if err := a.readRecord(t.Context(), attemptRecord, &tries); err != nil || tries.Failures != 1 || shared.orders != 1 {
			t.Errorf("%s: the order is recorded as %+v, %v", name, tries, err)
		}
	}
}

func TestAChallengeIsAnsweredOnlyWithItsTokenAndItsHost(t *testing.T) {
	t.Parallel()
	shared := newMemory()
	a := NewACME(ACMEOptions{Storage: shared, Clock: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err := a.writeRecord(t.Context(), challengeRecord, []challenge{{Host: clusterHost, Token: "token", Response: "token.thumbprint"}}); err != nil {
		t.Fatal(err)
	}
	h := a.Challenges(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for request, want := range map[string]string{
		"GET /.well-known/acme-challenge/token":   "200 token.thumbprint",
		"GET /.well-known/acme-challenge/":        "404 404 page not found\n",
		"GET /.well-known/acme-challenge/other":   "404 404 page not found\n",
		"GET /.well-known/acme-challenge/../x":    "404 404 page not found\n",
		"POST /.well-known/acme-challenge/token":  "418 ",
		"GET /":                                   "418 ",
		"GET /x/.well-known/acme-challenge/token": "418 ",
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if got := fmt.Sprint(w.Code, " ", w.Body); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
	hello := &tls.ClientHelloInfo{ServerName: "lain.example.test", SupportedProtos: []string{"acme-tls/1"}}
	if cert, err := a.TLSConfig().GetCertificate(hello); err == nil {
		t.Errorf("a challenge of another host: %v", cert)
	}
}
