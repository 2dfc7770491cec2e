package revocation

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/breaker"
)

func isPaused(err error) bool {
	_, open := errors.AsType[*breaker.OpenError](err)
	return open
}

func TestHostThatDoesNotAnswerIsLeftAloneForAllItsAddresses(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	good := buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.NextUpdate = now.Add(24 * time.Hour) })
	var silent atomic.Bool
	silent.Store(true)
	var queries atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		queries.Add(1)
		if silent.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client gives up
			<-r.Context().Done()
			return
		}
		_, _ = w.Write(good)
	}))
	defer server.Close()
	cert := *newCertificate(t, "Leaf", 7, &ca).cert
	at := now
	f := &Fetcher{HTTP: server.Client(), Clock: func() time.Time { return at }, Timeout: 100 * time.Millisecond, CacheSize: -1}
	query := func(path string) error {
		c := cert
		c.OCSPServer = []string{server.URL + path}
		_, err := f.Revocation(t.Context(), &c, ca.cert)
		return err
	}
	for _, path := range []string{"/a", "/b", "/c", "/d", "/e", "/f"} {
		if err := query(path); err == nil {
			t.Fatal("an answer of a silent host")
		}
	}
	if n := queries.Load(); n != maxFailures {
		t.Errorf("%d queries, want %d", n, maxFailures)
	}
	at = at.Add(firstPause)
	if err := query("/g"); err == nil || isPaused(err) {
		t.Errorf("not queried again after a while: %v", err)
	}
	at = at.Add(firstPause)
	if err := query("/h"); !isPaused(err) {
		t.Errorf("the second pause is not longer: %v", err)
	}
	silent.Store(false)
	at = at.Add(firstPause)
	if err := query("/i"); err != nil {
		t.Errorf("a host that answers again: %v", err)
	}
	silent.Store(true)
	if err := query("/j"); err == nil || isPaused(err) {
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
		if _, err := f.Revocation(t.Context(), s.withAddresses(cert, []string{"/"}, nil), ca.cert); isPaused(err) {
			t.Fatal(err)
		}
	}
	if s.queries["/"] != 2*maxFailures {
		t.Errorf("%d queries", s.queries["/"])
	}
}

func TestPausedHostKeepsItsPauseBesideManyOthers(t *testing.T) {
	t.Parallel()
	at := now
	f := &Fetcher{Clock: func() time.Time { return at }}
	fail := func(host string) {
		for range maxFailures {
			f.hostBreaker(host).Fail(at, "no answer")
		}
	}
	fail("paused.test")
	for i := range 2 * maxHosts {
		f.hostBreaker(fmt.Sprintf("healthy%d.test", i)).Succeed()
	}
	if err := f.hostBreaker("paused.test").Check(at); err == nil {
		t.Error("healthy hosts end the pause of another")
	}
	for i := range 2 * maxHosts {
		fail(fmt.Sprintf("silent%d.test", i))
	}
	if err := f.hostBreaker("paused.test").Check(at); err == nil {
		t.Error("paused hosts end the pause of another")
	}
	if n := len(f.hosts); n > maxHosts {
		t.Errorf("%d hosts", n)
	}
	at = at.Add(longestPause)
	fail("later.test")
	if err := f.hostBreaker("later.test").Check(at); err == nil {
		t.Error("hosts whose pauses are over leave no space for another")
	}
}
