package api

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

// followed runs a server that takes its streams from net/http. The returned function follows a document and returns
// the answer and the connection.
func followed(t *testing.T, b *bench, streams *Streams) (follow func() (*http.Response, io.Closer)) {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(func() { server.Close(); streams.Close() })
	return func() (*http.Response, io.Closer) {
		c := dial(t, server, "GET "+dBase+"events/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\n\r\n")
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		return a, c
	}
}

// withStreams is an option with streams that are closed when the test ends.
func withStreams(s *Streams) func(*Options) { return func(o *Options) { o.Streams = s } }

// waiting is a workflow in which nothing happens.
func waiting(ctx context.Context, _ int64) (contract.Document, error) {
	<-ctx.Done()
	return contract.Document{}, ctx.Err()
}

func TestAStreamThatLeftNetHTTPTellsEveryVersionAndEnds(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	b := newBench(t, processing(), withStreams(streams))
	versions := []contract.Document{processing(), completed()}
	versions[0].Version, versions[1].Version = 8, 9
	b.next = func(_ context.Context, after int64) (contract.Document, error) {
		for _, d := range versions {
			if d.Version > after {
				return d, nil
			}
		}
		panic("asked after the final state")
	}
	follow := followed(t, b, streams)
	a, _ := follow()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"id: 8\n", "id: 9\n", `"signing_status"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	h := a.Header
	if a.StatusCode != 200 || !a.Close || h.Get("Content-Type") != "text/event-stream; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Request-Id") == "" || h.Get("Date") == "" {
		t.Errorf("%s %v", a.Status, h)
	}
}

func TestClosingStreamsEndsThoseThatWait(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	b := newBench(t, processing(), withStreams(streams))
	b.next = waiting
	follow := followed(t, b, streams)
	a, _ := follow()
	streams.Close()
	if _, err := io.ReadAll(a.Body); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestAStreamWhoseClientLeftGivesItsShareBack(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	streams.beat = time.Millisecond
	b := newBench(t, processing(), withStreams(streams), func(o *Options) { o.MaxStreamsPerPerson = 1 })
	b.next = waiting
	follow := followed(t, b, streams)
	_, first := follow()
	if a, _ := follow(); a.StatusCode != 429 {
		t.Fatalf("the second at a time: %s", a.Status)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	streams.running.Wait() // it has noticed that the client left
	if a, _ := follow(); a.StatusCode != 200 {
		t.Errorf("after the first has left: %s", a.Status)
	}
}

func TestAPanicInAStreamThatLeftNetHTTPEndsThatStreamAlone(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	b := newBench(t, processing(), withStreams(streams))
	b.next = func(context.Context, int64) (contract.Document, error) { panic("trouble") }
	follow := followed(t, b, streams)
	for range 2 {
		a, _ := follow()
		if _, err := io.ReadAll(a.Body); a.StatusCode != 200 || err != nil {
			t.Errorf("%s, %v", a.Status, err)
		}
	}
}
