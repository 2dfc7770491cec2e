package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"segel/internal/blob/blobtest"
	"segel/internal/contract"
)

// drip sends the beginning of a request whose body never ends.
func (b *bench) drip(server *httptest.Server, path, header string) net.Conn {
	b.t.Helper()
	return b.dial(server, "POST "+path+" HTTP/1.1\r\nHost: x\r\n"+header+"Content-Length: 100000\r\n\r\n{")
}

func TestUploadsThatNeverEndLeaveOtherOrganisationsTheirPlaces(t *testing.T) {
	t.Parallel()
	staged := make(chan struct{}, 100)
	b := newBench(t, contract.Document{}, func(o *Options) {
		o.MaxUploads, o.MaxUploadsPerOrganisation, o.UploadWait = 3, 2, time.Millisecond
	})
	b.onBlob = func(op blobtest.Op) blobtest.Fault {
		if op == blobtest.OpCreate {
			staged <- struct{}{}
		}
		return blobtest.NoFault
	}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	for range 2 {
		b.drip(server, sBase+"upload-docs-base64", "X-Access-Token: owner\r\n")
		<-staged
	}
	w := b.ask("POST", sBase+"upload-docs-base64", uploadBody)
	refused(t, w, 503, "server.unavailable")
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	for range 2 { // one after the other, in the one slot that is left
		if w := b.ask("POST", sBase+"upload-docs-base64", plainUpload, "X-Access-Token", "elsewhere"); w.Code != 200 {
			t.Errorf("the other organisation: %d %s", w.Code, w.Body)
		}
	}
}

// by returns the headers of a request that a proxy forwards for a client.
func by(address string) []string { return []string{"X-Access-Token", "", "X-Forwarded-For", address} }

func proxied(o *Options) {
	o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}
}

func TestVerificationsThatNeverEndLeaveMembersAndOtherAddressesTheirPlaces(t *testing.T) {
	t.Parallel()
	taken := make(chan struct{}, 100)
	b := newBench(t, draft(), proxied, func(o *Options) {
		o.MaxUploads, o.MaxVerifyUploads, o.MaxVerifyUploadsPerAddress, o.UploadWait = 1, 3, 2, time.Millisecond
	})
	b.onScratch = func() error { taken <- struct{}{}; return nil }
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	for i := range 2 {
		b.drip(server, "/v1/verify", fmt.Sprintf("X-Forwarded-For: 2001:db8::%d\r\n", i+1))
		<-taken
	}
	refused(t, b.ask("POST", "/v1/verify", verifyBase64, by("2001:db8::ffff")...), 503, "server.unavailable")
	if w := b.ask("POST", "/v1/verify", verifyBase64, by("2001:db8:0:1::1")...); w.Code != 200 {
		t.Errorf("another address: %d %s", w.Code, w.Body)
	}
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody); w.Code != 200 {
		t.Errorf("a member: %d %s", w.Code, w.Body)
	}
}

func TestAnAddressNeverHasAllSlotsOfVerification(t *testing.T) {
	t.Parallel()
	inside, release := make(chan struct{}, 100), make(chan struct{}) // the verifier may ask again
	b := newBench(t, draft(), proxied, func(o *Options) { o.MaxVerifies, o.VerifyWait = 2, time.Millisecond })
	b.onVerify = func(context.Context) { inside <- struct{}{}; <-release }
	answers := make(chan int, 2)
	body := bodyOfSignedFile(t)
	verify := func(address string) { answers <- b.ask("POST", "/v1/verify", body, by(address)...).Code }
	go verify("198.51.100.1")
	<-inside
	refused(t, b.ask("POST", "/v1/verify", verifyBase64, by("198.51.100.1")...), 503, "server.unavailable")
	go verify("198.51.100.2")
	<-inside
	close(release)
	if a, b := <-answers, <-answers; a != 200 || b != 200 {
		t.Errorf("%d and %d", a, b)
	}
}

// lateReader takes an answer only after a delay.
type lateReader struct {
	*httptest.ResponseRecorder
	first func()
}

func (w *lateReader) Write(p []byte) (int, error) {
	if do := w.first; do != nil {
		w.first = nil
		do()
	}
	return w.ResponseRecorder.Write(p)
}

func TestNothingIsHeldWhileAnAnswerIsWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) {
		o.MaxVerifies, o.MaxVerifyUploads, o.MaxUploads = 1, 1, 1
	})
	for path, body := range map[string]string{"/v1/verify": verifyBase64, sBase + "upload-docs-base64": uploadBody} {
		next := 0
		w := &lateReader{httptest.NewRecorder(), func() { next = b.ask("POST", path, body).Code }}
		b.ServeHTTP(w, b.request("POST", path, strings.NewReader(body)))
		if w.Code != 200 || next != 200 {
			t.Errorf("%s: %d, and %d for a request while the answer was not taken", path, w.Code, next)
		}
	}
}

func TestDiskSpaceForUploadsIsSharedAndReleased(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) {
		o.Limits.FileSize = 1 << 20
		o.MaxSpool, o.MaxSpoolPerOrganisation = 4<<20, 2<<20
	})
	ask := func(token string) int {
		return b.ask("POST", sBase+"upload-docs-base64", plainUpload, "X-Access-Token", token).Code
	}
	var own, other []int
	b.store.on(func(_ context.Context, call string) error {
		if call != "Commit" {
			return nil
		}
		switch len(own) {
		case 0:
			own = append(own, 0)
			own[0] = ask("owner") // the second at a time: the organisation has space for two steps
		case 1:
			own = append(own, 0)
			own[1] = ask("owner")
			b.store.refuse(nil)
			other = append(other, ask("elsewhere"))
		}
		return nil
	})
	if code := ask("owner"); code != 200 || own[0] != 200 || own[1] != 503 || other[0] != 200 {
		t.Errorf("%d, %v, the other organisation %v", code, own, other)
	}
	if code := ask("owner"); code != 200 {
		t.Errorf("after all have ended: %d", code)
	}
}

// forbidden is a body that is not read.
type forbidden struct{ t *testing.T }

func (f forbidden) Read([]byte) (int, error) {
	f.t.Error("the body was read")
	return 0, io.EOF
}

func TestBodiesOfCallersWithoutAnAccountAreTiny(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, path := range []string{"login", "refresh", "logout", "forgot-password", "guest", "session", "password"} {
		path = "/v1/auth/" + path
		r := b.request("POST", path, forbidden{t})
		r.ContentLength = tinyBody + 1
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		refused(t, w, 413, "body.too_large")
		body := &countingReader{r: io.LimitReader(zeros{}, 1<<30)}
		r = b.request("POST", path, body)
		r.ContentLength = -1
		w = httptest.NewRecorder()
		b.ServeHTTP(w, r)
		refused(t, w, 413, "body.too_large")
		if body.n > 2*tinyBody {
			t.Errorf("%s: %d bytes were read", path, body.n)
		}
	}
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestLoginsThatNeverEndLeaveOtherAddressesTheirs(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), proxied, func(o *Options) { o.MaxAnonymous, o.MaxAnonymousPerAddress = 2, 1 })
	const login = `{"email":"andi@contoh.id","password":"benar"}`
	inside := make(chan struct{})
	first := httptest.NewRequest("POST", "/v1/auth/login", io.MultiReader(&signal{inside}, blocked{t.Context()}))
	first.Header.Set("X-Forwarded-For", "198.51.100.1")
	go b.ServeHTTP(httptest.NewRecorder(), first)
	<-inside
	refused(t, b.ask("POST", "/v1/auth/login", login, by("198.51.100.1")...), 503, "server.unavailable")
	if w := b.ask("POST", "/v1/auth/login", login, by("198.51.100.2")...); w.Code != 200 {
		t.Errorf("another address: %d %s", w.Code, w.Body)
	}
	if w := b.ask("GET", dBase+"detail/1207", "", "X-Forwarded-For", "198.51.100.1"); w.Code != 200 {
		t.Errorf("a member at the same address: %d", w.Code)
	}
}

// signal is an empty reader that signals when it is read.
type signal struct{ read chan struct{} }

func (s *signal) Read([]byte) (int, error) { close(s.read); return 0, io.EOF }

// blocked is a reader that blocks until the test ends.
type blocked struct{ ctx context.Context }

func (b blocked) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, io.ErrUnexpectedEOF }

func TestStreamsAreSharedByPersonAndByOrganisation(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing(), func(o *Options) { o.MaxStreams, o.MaxStreamsPerOrganisation, o.MaxStreamsPerPerson = 0, 2, 1 })
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	follow := func(token string) {
		c := b.dial(server, "GET "+dBase+"events/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: "+token+"\r\n\r\n")
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: %v %v", token, a, err)
		}
	}
	follow("owner")
	refused(t, b.ask("GET", dBase+"events/1207", ""), 429, "rate.limited")
	follow("signer")
	refused(t, b.ask("GET", dBase+"events/1207", "", "X-Access-Token", "guest"), 503, "server.unavailable")
	if w := b.ask("GET", dBase+"detail/1207", ""); w.Code != 200 {
		t.Errorf("other requests: %d", w.Code)
	}
}

func TestRequestsOfOnePersonAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing(), func(o *Options) { o.MaxRequestsPerPerson = 1 })
	b.store.once("Commit", func() {
		refused(t, b.ask("GET", dBase+"detail/1207", ""), 429, "rate.limited")
		if w := b.ask("GET", dBase+"detail/1207", "", "X-Access-Token", "signer"); w.Code != 200 {
			t.Errorf("another person: %d", w.Code)
		}
	})
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
	if w := b.ask("GET", dBase+"detail/1207", ""); w.Code != 200 {
		t.Errorf("afterwards: %d", w.Code)
	}
}

func TestABodyThatComesTooSlowlyIsCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Standstill, o.MinRate = 300*time.Millisecond, 1<<20 })
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	c := b.drip(server, sBase+"upload-docs-base64", "X-Access-Token: owner\r\n")
	go func() { // never idle for long
		for piece := time.NewTicker(20 * time.Millisecond); ; <-piece.C {
			if _, err := io.WriteString(c, " "); err != nil {
				return
			}
		}
	}()
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || a.StatusCode != 400 {
		t.Errorf("%v %v", a, err)
	}
}
