package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/internal/https/httpstest"
	"segel/pdf/pdftest"
)

// oneProtocol fails a test whose answer came by another version of HTTP, or without TLS.
type oneProtocol struct {
	t     *testing.T
	major int
	next  *http.Transport
}

func (o oneProtocol) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := o.next.RoundTrip(r)
	if err == nil && (a.ProtoMajor != o.major || a.TLS == nil) {
		o.t.Errorf("%s %s was answered by %s", r.Method, r.URL.Path, a.Proto)
	}
	return a, err
}

// tlsClient returns a client that trusts an authority and uses one version of HTTP.
func tlsClient(t *testing.T, roots *x509.CertPool, major int) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: &http.Protocols{}}
	transport.Protocols.SetHTTP1(major == 1)
	transport.Protocols.SetHTTP2(major == 2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: oneProtocol{t, major, transport}}
}

// follow reads the events of a document until it has a state.
func (c *client) follow(id int64, state string) error {
	r, err := http.NewRequest("GET", c.url+documentPath+fmt.Sprint("events/", id), nil)
	if err != nil {
		return err
	}
	r.Header.Set("x-access-token", c.token)
	a, err := c.httpClient().Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"status":"`+state+`"`) {
			return nil
		}
	}
	return fmt.Errorf("the stream of events ended before document %d was %s: %w", id, state, lines.Err())
}

// A self-signed authority and the real program: from the first login to the finished file, with an upload of 12 MB and a stream of events.
func TestAContractIsSignedOverHTTPS(t *testing.T) {
	t.Parallel()
	for major := 1; major <= 2; major++ {
		t.Run(fmt.Sprint("HTTP ", major), func(t *testing.T) {
			t.Parallel()
			ca := httpstest.NewCA(t)
			cert, key := ca.Files("127.0.0.1")
			p := serve(t, newDataFolder(t), "SEGEL_TLS_CERT="+cert, "SEGEL_TLS_KEY="+key)
			if !strings.HasPrefix(p.url, "https://127.0.0.1:") {
				t.Fatal(p.url)
			}
			p.http = tlsClient(t, ca.Pool(), major)
			signOwnContract(t, p)
		})
	}
}

// signOwnContract has the first admin upload, sign and download a contract.
func signOwnContract(t *testing.T, p *process) {
	t.Helper()
	owner := p.login(t, p.email, p.password)
	if h := owner.do("GET", "/v1/auth/me", nil).ok().header.Get("Strict-Transport-Security"); h == "" {
		t.Error("no Strict-Transport-Security")
	}
	large := pdftest.NewLarge(12<<20, 3)
	file, err := io.ReadAll(io.NewSectionReader(large, 0, large.Size()))
	if err != nil {
		t.Fatal(err)
	}
	owner.name = "Administrator"
	id := owner.upload(file, owner.as("signer", 1))
	owner.place(id, owner.at("sign", 100, 100, 260, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	completed := make(chan error, 1)
	go func() { completed <- owner.follow(id, "completed") }()
	owner.verb("sign-docs", id).ok()
	if err := <-completed; err != nil {
		t.Fatal(err)
	}
	if signed := owner.download(id); !bytes.HasPrefix(signed, file) {
		t.Errorf("%d bytes were downloaded, %d uploaded", len(signed), len(file))
	} else if n := soundSignatures(t, signed); n != 3 {
		t.Errorf("%d signatures, want the signer's, the seal and the document timestamp", n)
	}
}

func TestPlainHTTPLeadsToHTTPSAndARenewedCertificateIsServed(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	cert, key := ca.Files("127.0.0.1")
	p := serve(t, newDataFolder(t), "SEGEL_TLS_CERT="+cert, "SEGEL_TLS_KEY="+key, "SEGEL_LISTEN_HTTP=127.0.0.1:0", "SEGEL_PUBLIC_URL=https://segel.example.test", "SEGEL_METRICS_TOKEN=token")
	p.http = tlsClient(t, ca.Pool(), 2)
	// Plain HTTP leads to the public address, whatever the request calls the service.
	plain := regexp.MustCompile(`redirects (http://\S+) to https://segel.example.test`).FindStringSubmatch(p.stdout.String())
	if plain == nil {
		t.Fatal(p.stdout.String())
	}
	once := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := once.Get(plain[1] + "/inbox?page=2")
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Body.Close()
	if to := a.Header.Get("Location"); a.StatusCode != http.StatusPermanentRedirect || to != "https://segel.example.test/inbox?page=2" {
		t.Errorf("plain HTTP: %s %s", a.Status, to)
	}

	until := time.Now().Add(48 * time.Hour).Truncate(time.Second)
	renewed, renewedKey := ca.Issue(until, "127.0.0.1")
	for name, content := range map[string][]byte{cert: renewed, key: renewedKey} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	awaitCertificate(t, p.url, ca.Pool(), func(c *x509.Certificate) bool { return c.NotAfter.Equal(until) })
	metrics := &client{service: p.service, t: t}
	if m := string(metrics.do("GET", "/metrics", nil, "Authorization", "Bearer token").ok().body); !strings.Contains(m, fmt.Sprintf("segel_tls_certificate_expiry_timestamp_seconds %g\n", float64(until.Unix()))) {
		t.Errorf("metrics do not say when the certificate expires, %d", until.Unix())
	}
}

// awaitCertificate connects until a service presents a certificate that is wanted.
func awaitCertificate(t *testing.T, address string, roots *x509.CertPool, wanted func(*x509.Certificate) bool) {
	t.Helper()
	awaitCertificateOf(t, address, "127.0.0.1", roots, wanted)
}

// awaitCertificateOf is awaitCertificate for a name. Until there is a certificate, handshakes fail.
func awaitCertificateOf(t *testing.T, address, host string, roots *x509.CertPool, wanted func(*x509.Certificate) bool) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		var c *tls.Conn
		if c, err = tls.Dial("tcp", strings.TrimPrefix(address, "https://"), &tls.Config{RootCAs: roots, ServerName: host}); err != nil {
			continue
		}
		leaf := c.ConnectionState().PeerCertificates[0]
		_ = c.Close()
		if wanted(leaf) {
			return
		}
	}
	t.Fatal("the certificate is not served: ", err)
}

func TestAServiceDoesNotStartWithoutItsCertificate(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	cert, key := ca.Files("127.0.0.1")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	p, err := launch(filepath.Join(t.TempDir(), "data"), "SEGEL_TLS_CERT="+cert, "SEGEL_TLS_KEY="+key)
	if err == nil {
		_ = p.end()
		t.Fatal("it listens")
	}
	if !strings.Contains(err.Error(), key) {
		t.Error(err)
	}
}
