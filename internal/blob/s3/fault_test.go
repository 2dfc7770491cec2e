package s3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/blob/s3/s3test"
	"segel/internal/outage"
)

// fault handles a request in place of the server, or returns false after it has changed the request, which then goes on.
type fault func(w http.ResponseWriter, r *http.Request) (handled bool)

// proxy stands between a store and its server.
type proxy struct {
	url      *url.URL
	server   *url.URL
	next     *httputil.ReverseProxy
	requests atomic.Int64

	mu    sync.Mutex
	fault fault // nil: none
}

func startProxy(t *testing.T, server *url.URL) *proxy {
	t.Helper()
	transport := &http.Transport{}
	p := &proxy{server: server}
	p.next = &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.requests.Add(1)
		p.mu.Lock()
		f := p.fault
		p.mu.Unlock()
		if f == nil || !f(w, r) {
			p.next.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		s.Close()
		transport.CloseIdleConnections()
	})
	var err error
	if p.url, err = url.Parse(s.URL); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *proxy) set(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
}

// sign signs a request that was changed.
func (p *proxy) sign(r *http.Request) {
	signed := *r
	signed.URL = &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	r.Header = signer.SignV4(signed, s3test.AccessKey, s3test.SecretKey, "", s3test.Region).Header
}

// Requests by what they ask for.
func isPut(r *http.Request) bool { return r.Method == http.MethodPut && r.URL.RawQuery == "" }
func isPart(r *http.Request) bool {
	return r.Method == http.MethodPut && r.URL.Query().Has("partNumber")
}
func isBegin(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploads")
}
func isComplete(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
}
func isGet(r *http.Request) bool  { return r.Method == http.MethodGet && r.URL.RawQuery == "" }
func isHead(r *http.Request) bool { return r.Method == http.MethodHead }

// reset ends the connection without an answer.
func reset(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// refuse answers as a busy server does.
func refuse(w http.ResponseWriter, _ *http.Request) bool {
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, "<Error><Code>SlowDown</Code><Message>slow down</Message></Error>")
	return true
}

// hang never answers.
func hang(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body) // the server notices only then that the client has gone
	<-r.Context().Done()
	return true
}

// loseAnswer lets the server do what it was asked to, and then ends the connection.
func (p *proxy) loseAnswer(_ http.ResponseWriter, r *http.Request) bool {
	p.next.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// cutAnswer sends half of the answer.
func (p *proxy) cutAnswer(w http.ResponseWriter, r *http.Request) bool {
	answer := httptest.NewRecorder()
	p.next.ServeHTTP(answer, r)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	return true // the handler returns with less than was announced: the connection is ended
}

// cutBody sends half of the request on, and ends the connection.
func cutBody(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
	panic(http.ErrAbortHandler)
}

// when returns a fault that meets the first requests of a kind.
func when(kind func(*http.Request) bool, times int64, f fault) fault {
	var met atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) bool {
		return kind(r) && met.Add(1) <= times && f(w, r)
	}
}

const always = 1 << 20

func TestAWriteThatMeetsFaultsEndsWholeOrAbsent(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	direct := newStore(t, p.server, "", 0)
	s := newStore(t, p.url, direct.prefix, 0)
	hasty := newStore(t, p.url, direct.prefix, 2*time.Second)
	small, large := blobtest.Content(1, 70_000), blobtest.Content(2, partSize+70_000)
	for i, c := range []struct {
		name    string
		store   *Store
		content []byte
		fault   fault
		whole   bool // nil error, and the blob is there; else an outage, and it is not
	}{
		{"one request: reset once", s, small, when(isPut, 1, reset), true},
		{"one request: reset always", s, small, when(isPut, always, reset), false},
		{"one request: 503 twice", s, small, when(isPut, 2, refuse), true},
		{"one request: 503 always", s, small, when(isPut, always, refuse), false},
		{"one request: body cut once", s, small, when(isPut, 1, cutBody), true},
		{"one request: no answer in time, once", hasty, small, when(isPut, 1, hang), true},
		{"one request: answer lost once", s, small, when(isPut, 1, p.loseAnswer), true},
		{"one request: answer lost always", s, small, when(isPut, always, p.loseAnswer), true},
		{"upload: begin reset once", s, large, when(isBegin, 1, reset), true},
		{"upload: begin lost once", s, large, when(isBegin, 1, p.loseAnswer), true},
		{"upload: begin 503 always", s, large, when(isBegin, always, refuse), false},
		{"upload: part cut once", s, large, when(isPart, 1, cutBody), true},
		{"upload: answer to a part lost once", s, large, when(isPart, 1, p.loseAnswer), true},
		{"upload: part 503 always", s, large, when(isPart, always, refuse), false},
		{"upload: completion reset once", s, large, when(isComplete, 1, reset), true},
		{"upload: completion 503 always", s, large, when(isComplete, always, refuse), false},
		{"upload: answer to the completion lost once", s, large, when(isComplete, 1, p.loseAnswer), true},
		{"upload: answer to the completion lost always", s, large, when(isComplete, always, p.loseAnswer), true},
		{"upload: answer to the completion cut once", s, large, when(isComplete, 1, p.cutAnswer), true},
	} {
		key := blobtest.Key(i)
		p.set(c.fault)
		err := writeBlob(t.Context(), c.store, key, c.content)
		p.set(nil)
		if c.whole {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if got, err := readWhole(t.Context(), direct, key); err != nil || !bytes.Equal(got, c.content) {
				t.Errorf("%s: %d other bytes are there, %v", c.name, len(got), err)
			}
			continue
		}
		if e := outage.Of(err); e == nil || e.Part != outage.Blobs {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := direct.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: the blob is there, %v", c.name, err)
		}
	}
	if n, err := direct.abortUploads(t.Context(), inAnHour); n != 1 || err != nil {
		t.Errorf("%d uploads are left, %v; only one began without that its writer knew it", n, err)
	}
}

func TestAWriteThatMeetsFaultsNeverTakesAnothersBlobForItsOwn(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	s := newStore(t, p.url, "", 0)
	// The other one has the same bytes: it is another blob all the same.
	for i, content := range [][]byte{blobtest.Content(1, 70_000), blobtest.Content(2, partSize+70_000)} {
		for j, f := range []fault{nil, when(isPut, 1, p.loseAnswer), when(isComplete, 1, p.loseAnswer), when(isPut, 1, refuse), when(isComplete, 1, refuse)} {
			key := blobtest.Key(10*i + j)
			blobtest.CommitBlob(t, s, key, content)
			p.set(f)
			if err := writeBlob(t.Context(), s, key, content); !errors.Is(err, blob.ErrExists) {
				t.Errorf("%d bytes, fault %d: %v", len(content), j, err)
			}
			p.set(nil)
		}
	}
}

func TestAWriteOfWhichNothingIsKnownIsAnOutage(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	s := newStore(t, p.url, "", 0)
	p.set(func(w http.ResponseWriter, r *http.Request) bool {
		if isPut(r) {
			return p.loseAnswer(w, r)
		}
		return isHead(r) && refuse(w, r)
	})
	if err := writeBlob(t.Context(), s, blobtest.Key(1), []byte("whole, and not known to be")); outage.Of(err) == nil {
		t.Errorf("%v", err)
	}
}

func TestReadsThatMeetFaultsReturnTheBytesOrAnOutage(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	writer := newStore(t, p.server, "", 0)
	content, key := blobtest.Content(1, rangeSize+70_000), blobtest.Key(1)
	blobtest.CommitBlob(t, writer, key, content)
	if err := writer.SetMark(t.Context(), []byte("mark")); err != nil {
		t.Fatal(err)
	}
	ignoreRange := func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Range")
		p.sign(r)
		return false
	}
	for _, c := range []struct {
		name  string
		fault fault
		whole bool
	}{
		{"size: reset once", when(isHead, 1, reset), true},
		{"size: 503 always", when(isHead, always, refuse), false},
		{"bytes: reset once", when(isGet, 1, reset), true},
		{"bytes: cut once", when(isGet, 1, p.cutAnswer), true},
		{"bytes: cut always", when(isGet, always, p.cutAnswer), false},
		{"bytes: 503 always", when(isGet, always, refuse), false},
		{"bytes: others than asked for", when(isGet, always, ignoreRange), false},
	} {
		s := newStore(t, p.url, writer.prefix, 0) // nothing in memory
		p.set(c.fault)
		got, err := readWhole(t.Context(), s, key)
		p.set(nil)
		if c.whole && (err != nil || !bytes.Equal(got, content)) || !c.whole && (outage.Of(err) == nil || errors.Is(err, blob.ErrNotFound)) {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
	s := newStore(t, p.url, writer.prefix, 0)
	for name, ask := range map[string]func() error{
		"list":   func() (err error) { return listError(t.Context(), s) },
		"mark":   func() error { _, err := s.Mark(t.Context()); return err },
		"check":  func() error { return s.Check(t.Context()) },
		"remove": func() error { return s.Remove(t.Context(), blobtest.Key(9)) },
	} {
		p.set(when(func(*http.Request) bool { return true }, 1, reset))
		if err := ask(); err != nil {
			t.Errorf("%s, reset once: %v", name, err)
		}
		s.written = time.Time{}
		p.set(refuse)
		if err := ask(); outage.Of(err) == nil {
			t.Errorf("%s, 503: %v", name, err)
		}
		p.set(nil)
	}
}

func TestABucketThatIsMissingAndAKeyThatIsRefusedAreOutages(t *testing.T) {
	t.Parallel()
	at := s3test.StartServer(t).URL
	none, refused := newStore(t, at, "", 0), newStore(t, at, "", 0)
	none.bucket = "missing"
	o, err := New(Options{
		Endpoint: at, Region: s3test.Region, Bucket: s3test.Bucket, AccessKey: s3test.AccessKey, SecretKey: "rahasia-lain", Transport: newTransport(t, at),
	})
	if err != nil {
		t.Fatal(err)
	}
	refused.core = o.core
	for name, s := range map[string]*Store{"missing": none, "refused": refused} {
		_, opened := s.Open(t.Context(), blobtest.Key(1))
		_, mark := s.Mark(t.Context())
		for what, err := range map[string]error{
			"open": opened, "mark": mark, "check": s.Check(t.Context()), "prepare": s.Prepare(t.Context()), "list": listError(t.Context(), s),
			"write": writeBlob(t.Context(), s, blobtest.Key(1), []byte("x")),
		} {
			if outage.Of(err) == nil || errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrNoMark) || strings.Contains(err.Error(), "rahasia") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

func TestACallerWhoGivesUpWaitsForNoServer(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	s := newStore(t, p.url, "", 0)
	reached := make(chan struct{}, 100)
	p.set(func(w http.ResponseWriter, r *http.Request) bool {
		reached <- struct{}{}
		return hang(w, r)
	})
	for name, ask := range map[string]func(context.Context) error{
		"write": func(ctx context.Context) error { return writeBlob(ctx, s, blobtest.Key(1), []byte("x")) },
		"open":  func(ctx context.Context) error { _, err := s.Open(ctx, blobtest.Key(1)); return err },
		"list":  func(ctx context.Context) error { return listError(ctx, s) },
		"check": func(ctx context.Context) error {
			_, err := s.Mark(ctx)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- ask(ctx) }()
		<-reached
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) || outage.Of(err) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACallerWhoseTimeEndsMeetsAnOutage(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	s := newStore(t, p.url, "", 0)
	p.set(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Mark(ctx); outage.Of(err) == nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func writeBlob(ctx context.Context, s *Store, key blob.Key, content []byte) error {
	w, err := s.Create(ctx, key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(content); err != nil {
		return err
	}
	return w.Commit()
}

func readWhole(ctx context.Context, s *Store, key blob.Key) ([]byte, error) {
	b, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
}

func listError(ctx context.Context, s *Store) error {
	for _, err := range s.List(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}
