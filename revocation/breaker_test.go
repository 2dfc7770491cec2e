package revocation

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

func TestHostThatDoesNotAnswerIsLeftAloneForAllItsAddresses(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	good := buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.NextUpdate = now.Add(24 * time.Hour) })
	var silent atomic.Bool
	silent.Store(true)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if silent.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client gives up
			<-r.Context().Done()
			return
		}
		_, _ = w.Write(good)
	}))
	defer server.Close()
	cert := *newCertificate(t, "Leaf", 7, &ca).cert
	at := now
	f := &Fetcher{HTTP: server.Client(), Clock: func() time.Time { return at }, Timeout: 20 * time.Millisecond, CacheSize: -1}
	ask := func(path string) error {
		c := cert
		c.OCSPServer = []string{server.URL + path}
		_, err := f.Revocation(t.Context(), &c, ca.cert)
		return err
	}
	for _, path := range []string{"/a", "/b", "/c", "/d", "/e", "/f"} {
		if err := ask(path); err == nil {
			t.Fatal("an answer of a silent host")
		}
	}
	if n := asked.Load(); n != maxFailures {
		t.Errorf("asked %d times, want %d", n, maxFailures)
	}
	at = at.Add(firstPause)
	if err := ask("/g"); err == nil || errors.Is(err, errPaused) {
		t.Errorf("not asked again after a while: %v", err)
	}
	at = at.Add(firstPause)
	if err := ask("/h"); !errors.Is(err, errPaused) {
		t.Errorf("the second rest is no longer: %v", err)
	}
	silent.Store(false)
	at = at.Add(firstPause)
	if err := ask("/i"); err != nil {
		t.Errorf("a host that answers again: %v", err)
	}
	silent.Store(true)
	if err := ask("/j"); err == nil || errors.Is(err, errPaused) {
		t.Errorf("a host that answered is not given up at once: %v", err)
	}
}

func TestHostThatRefusesWithAnAnswerIsNotLeftAlone(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	s := newTestServer(t) // answers 503
	f := &Fetcher{HTTP: s.Client(), Clock: func() time.Time { return now }, CacheSize: -1}
	cert := newCertificate(t, "Leaf", 7, &ca).cert
	for range 2 * maxFailures {
		if _, err := f.Revocation(t.Context(), s.withAddresses(cert, []string{"/"}, nil), ca.cert); errors.Is(err, errPaused) {
			t.Fatal(err)
		}
	}
	if s.asked["/"] != 2*maxFailures {
		t.Errorf("asked %d times", s.asked["/"])
	}
}
