package https

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"segel/internal/https/httpstest"
)

// pair is a certificate and its key in files.
type pair struct {
	t         *testing.T
	cert, key string
	log       bytes.Buffer
	files     *Files
}

func openPair(t *testing.T, ca *httpstest.CA, host string) *pair {
	t.Helper()
	p := &pair{t: t}
	p.cert, p.key = ca.Files("lama.example.test")
	var err error
	p.files, err = OpenFiles(FilesOptions{Certificate: p.cert, Key: p.key, Host: host, Clock: time.Now, Log: slog.New(slog.NewTextHandler(&p.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// replace replaces a file by another one, as renewal programs do.
func (p *pair) replace(file string, content []byte) {
	p.t.Helper()
	if err := os.WriteFile(file+".new", content, 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		p.t.Fatal(err)
	}
}

// served returns the name in the certificate that is served.
func (p *pair) served() string {
	p.t.Helper()
	c, err := p.files.TLSConfig().GetCertificate(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return c.Leaf.DNSNames[0]
}

func TestACertificateIsReadAgainWhenItsFilesChangeAndTheOneBeforeServesWhileTheyAreBroken(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	p := openPair(t, ca, "")
	ctx := t.Context()
	steps := []struct {
		name   string
		change func(cert, key []byte)
		want   string
		logged string // empty: nothing
	}{
		{"nothing", func(_, _ []byte) {}, "lama.example.test", ""},
		{"the certificate alone", func(cert, _ []byte) { p.replace(p.cert, cert) }, "lama.example.test", "the one before is served"},
		{"nothing again", func(_, _ []byte) {}, "lama.example.test", ""},
		{"the key too", func(_, key []byte) { p.replace(p.key, key) }, "baru.example.test", "TLS certificate read"},
		{"garbage", func(_, _ []byte) { p.replace(p.cert, []byte("garbage")) }, "baru.example.test", "the one before is served"},
		{"no file", func(_, _ []byte) {
			if err := os.Remove(p.cert); err != nil {
				t.Fatal(err)
			}
		}, "baru.example.test", "no such file"},
		{"an expired one", func(_, _ []byte) {
			cert, key := ca.Issue(time.Now().Add(-time.Minute), "habis.example.test")
			p.replace(p.cert, cert)
			p.replace(p.key, key)
		}, "baru.example.test", "has expired"},
	}
	cert, key := ca.Issue(time.Now().Add(24*time.Hour), "baru.example.test")
	for _, step := range steps {
		p.log.Reset()
		step.change(cert, key)
		p.files.follow(ctx, false)
		if got := p.served(); got != step.want {
			t.Errorf("%s: %s is served, want %s", step.name, got, step.want)
		}
		if (p.log.Len() == 0) != (step.logged == "") || !strings.Contains(p.log.String(), step.logged) {
			t.Errorf("%s: logged %q, want %q", step.name, &p.log, step.logged)
		}
	}
	p.replace(p.cert, cert)
	p.replace(p.key, key)
	p.log.Reset()
	p.files.Reload(ctx)
	if !strings.Contains(p.log.String(), "TLS certificate read") || p.files.NotAfter().Before(time.Now()) {
		t.Errorf("after SIGHUP: %s", &p.log)
	}
}

// The clock of the bubble begins in the year 2000, so its certificates are measured by another one.
func TestAChangeIsFoundWithoutASignalWithinSeconds(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	p := openPair(t, ca, "")
	cert, key := ca.Issue(time.Now().Add(24*time.Hour), "baru.example.test")
	p.replace(p.cert, cert)
	p.replace(p.key, key)
	began := time.Now()
	p.files.o.Clock = func() time.Time { return began }
	synctest.Test(t, func(t *testing.T) {
		go p.files.Run(t.Context())
		time.Sleep(lookEvery + time.Second)
		synctest.Wait()
		if got := p.served(); got != "baru.example.test" {
			t.Errorf("after %v: %s", lookEvery, got)
		}
	})
}

func TestTheExpiryOfACertificateIsLoggedBeforeAndAfterIt(t *testing.T) {
	t.Parallel()
	p := openPair(t, httpstest.NewCA(t), "lain.example.test")
	if !strings.Contains(p.log.String(), "not one of the public address") {
		t.Errorf("a certificate of another host: %q", &p.log)
	}
	for left, want := range map[time.Duration]string{12 * time.Hour: "", 2 * time.Hour: "level=WARN msg=\"the TLS certificate expires soon", -time.Hour: "level=ERROR msg=\"the TLS certificate has expired"} {
		p.log.Reset()
		p.files.warnOfExpiry(t.Context(), p.files.o.Log, p.files.NotAfter().Add(-left))
		if (p.log.Len() == 0) != (want == "") || !strings.Contains(p.log.String(), want) {
			t.Errorf("%v before it expires: %q", left, &p.log)
		}
	}
}

func TestOldVersionsOfTLSAreRefused(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	p := openPair(t, ca, "")
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = p.files.TLSConfig()
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	for version, accepted := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		c, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{RootCAs: ca.Pool(), ServerName: "lama.example.test", MinVersion: tls.VersionTLS10, MaxVersion: version, NextProtos: []string{"h2"}})
		if (err == nil) != accepted {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err != nil {
			continue
		}
		if p := c.ConnectionState().NegotiatedProtocol; p != "h2" {
			t.Errorf("%s: protocol %q", tls.VersionName(version), p)
		}
		_ = c.Close()
	}
}

func TestARedirectLeadsToThePublicAddressAlone(t *testing.T) {
	t.Parallel()
	h := Redirect(&url.URL{Scheme: "https", Host: "segel.example.test:8443", Path: "/dasar"})
	for request, want := range map[string]string{
		"GET / HTTP/1.1":                               "/",
		"POST /v1/auth/login?a=b%20c HTTP/1.1":         "/v1/auth/login?a=b%20c",
		"GET //jahat.example.test/x HTTP/1.1":          "//jahat.example.test/x",
		"GET http://jahat.example.test/x%2Fy HTTP/1.1": "/x%2Fy",
		"GET x:.jahat.example.test/ HTTP/1.1":          "/",
		"OPTIONS * HTTP/1.1":                           "/*",
	} {
		method, target, _ := strings.Cut(strings.TrimSuffix(request, " HTTP/1.1"), " ")
		r := httptest.NewRequest(method, target, nil)
		r.Host = "jahat.example.test"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); w.Code != http.StatusPermanentRedirect || got != "https://segel.example.test:8443"+want {
			t.Errorf("%s: %d %s", request, w.Code, got)
		}
	}
}
