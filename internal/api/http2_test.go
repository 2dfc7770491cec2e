package api

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

// serveHTTP2 runs a server with TLS. The returned function sends a request of the owner over HTTP/2; ended has an element for each handler
// that has returned.
func serveHTTP2(t *testing.T, b *bench) (ask func(method, path string, body io.Reader) (*http.Response, error), ended <-chan struct{}) {
	t.Helper()
	done := make(chan struct{}, 16)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { done <- struct{}{} }()
		b.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return func(method, path string, body io.Reader) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Access-Token", b.fill("owner"))
		a, err := server.Client().Do(r)
		if err == nil && a.ProtoMajor != 2 {
			t.Fatalf("%s: %s", path, a.Proto)
		}
		return a, err
	}, done
}

func await(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatal(what)
	}
}

// largeBench has a completed document that is more than what a client of HTTP/2 receives without reading.
func largeBench(t *testing.T, standstill time.Duration) (b *bench, size int64) {
	t.Helper()
	d := draft()
	d.State = contract.Completed
	b = newBench(t, contract.Document{}, func(o *Options) { o.Standstill = standstill })
	return b, b.insert(d, bytes.Repeat([]byte("more than all buffers between us hold"), 1<<20)).Original.Size
}

func TestOverHTTP2AnAnswerThatIsNotTakenEndsItsStreamAndNoOther(t *testing.T) {
	t.Parallel()
	b, _ := largeBench(t, 50*time.Millisecond)
	ask, ended := serveHTTP2(t, b)
	a, err := ask("GET", dBase+"download/1207", nil)
	if err != nil {
		t.Fatal(err)
	}
	await(t, ended, "the handler still writes")
	if n, err := io.Copy(io.Discard, a.Body); err == nil {
		t.Errorf("%d bytes came, and the answer looks complete", n)
	}
	other, err := ask("GET", dBase+"status/1207", nil)
	if err != nil || other.StatusCode != http.StatusOK {
		t.Errorf("the next request: %v %v", other, err)
	}
}

func TestOverHTTP2AnAnswerThatIsTakenSlowlyComesWhole(t *testing.T) {
	t.Parallel()
	b, size := largeBench(t, 500*time.Millisecond)
	ask, _ := serveHTTP2(t, b)
	a, err := ask("GET", dBase+"download/1207", nil)
	if err != nil {
		t.Fatal(err)
	}
	piece := time.NewTicker(50 * time.Millisecond)
	defer piece.Stop()
	taken := int64(0)
	for err == nil { // in about two seconds
		<-piece.C
		var n int64
		n, err = io.CopyN(io.Discard, a.Body, 1<<20)
		taken += n
	}
	if err != io.EOF || taken < size {
		t.Errorf("%d bytes of %d came: %v", taken, size, err)
	}
}

func TestOverHTTP2ABodyThatStandsStillIsCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Standstill = 50 * time.Millisecond })
	ask, ended := serveHTTP2(t, b)
	body, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, "{") }()
	a, err := ask("POST", sBase+"upload-docs-base64", body)
	if err == nil && a.StatusCode == http.StatusOK {
		t.Error("half a body was accepted")
	}
	await(t, ended, "the handler still reads")
}

// The deadline for taking the answer must not run while the body arrives: on a stream of HTTP/2 it would end both.
func TestOverHTTP2ABodyMayTakeLongerThanAStandstill(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing(), func(o *Options) { o.Standstill, o.MinRate = time.Second, 10 })
	ask, _ := serveHTTP2(t, b)
	body, w := io.Pipe()
	go func() {
		piece := time.NewTicker(70 * time.Millisecond)
		defer piece.Stop()
		const text = `{"document_id":1207}`
		for i := range len(text) { // in 1.4 seconds
			<-piece.C
			_, _ = io.WriteString(w, text[i:i+1])
		}
		_ = w.Close()
	}()
	a, err := ask("POST", sBase+"remind-docs", body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(a.Body); err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %v", a.Status, text, err)
	}
}

func TestOverHTTP2AStreamOfEventsTellsEveryVersionAlsoAfterAStandstill(t *testing.T) {
	t.Parallel()
	const standstill = 50 * time.Millisecond
	streams := NewStreams()
	t.Cleanup(streams.Close)
	b := newBench(t, processing(), withStreams(streams), func(o *Options) { o.Standstill = standstill })
	waited := 0
	b.beforeWait(func(ctx context.Context) error {
		switch waited++; waited {
		case 1: // nothing happens for longer than a client may take for an answer
			quiet := time.NewTimer(4 * standstill)
			defer quiet.Stop()
			select {
			case <-quiet.C:
			case <-ctx.Done():
			}
			b.change(func(d *contract.Document) { d.RemindedAt = now })
		case 2:
			b.change(complete)
		default:
			panic("asked after the final state")
		}
		return nil
	})
	ask, _ := serveHTTP2(t, b)
	a, err := ask("GET", dBase+"events/1207", nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	lines := bufio.NewScanner(a.Body)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			ids = append(ids, id)
		}
	}
	if got := fmt.Sprint(ids); lines.Err() != nil || got != "[1 2 3]" || a.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Errorf("versions %s, %v, %v", got, lines.Err(), a.Header)
	}
}
