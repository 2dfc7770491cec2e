package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
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
		c := b.dial(server, "GET "+dBase+"events/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\n\r\n")
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		return a, c
	}
}

// withStreams is an option with streams that are closed when the test ends.
func withStreams(s *Streams) func(*Options) { return func(o *Options) { o.Streams = s } }

func TestAStreamThatLeftNetHTTPTellsEveryVersionAndEnds(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	b := newBench(t, processing(), withStreams(streams))
	waited := 0
	b.beforeWait(func(context.Context) error {
		switch waited++; waited {
		case 1:
			b.change(func(d *contract.Document) { d.RemindedAt = now })
		case 2:
			b.change(complete)
		default:
			panic("asked after the final state")
		}
		return nil
	})
	follow := followed(t, b, streams)
	a, _ := follow()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"id: 1\n", "id: 2\n", "id: 3\n", `"signing_status"`} {
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
	follow := followed(t, b, streams)
	began, first := follow()
	if _, err := began.Body.Read(make([]byte, 1)); err != nil { // now it is one of the streams that Wait waits for
		t.Fatal(err)
	}
	if a, _ := follow(); a.StatusCode != 429 {
		t.Fatalf("the second at a time: %s", a.Status)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	streams.wait() // it has noticed that the client left
	if a, _ := follow(); a.StatusCode != 200 {
		t.Errorf("after the first has left: %s", a.Status)
	}
}

// To notice that a client has left, a stream reads from its connection for a moment at each heartbeat. A connection of TLS must survive that.
func TestAStreamOverTLSAndHTTP1LastsAndNoticesThatItsClientLeft(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	streams.beat = time.Millisecond
	b := newBench(t, processing(), withStreams(streams))
	server := httptest.NewTLSServer(b)
	t.Cleanup(func() { server.Close(); streams.Close() })
	transport := server.Client().Transport.(*http.Transport)
	conn, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs, ServerName: "example.com", NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := tokenHeader.ReplaceAllStringFunc("GET "+dBase+"events/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\n\r\n", b.fill)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	beats := 0
	for lines := bufio.NewScanner(a.Body); beats < 20; {
		if !lines.Scan() {
			t.Fatalf("after %d heartbeats: %v", beats, lines.Err())
		}
		if lines.Text() == ": still here" {
			beats++
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	streams.wait() // it has noticed that the client left
}

func TestAPanicInAStreamThatLeftNetHTTPEndsThatStreamAlone(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	b := newBench(t, processing(), withStreams(streams))
	b.beforeWait(func(context.Context) error { panic("trouble") })
	follow := followed(t, b, streams)
	for range 2 {
		a, _ := follow()
		if _, err := io.ReadAll(a.Body); a.StatusCode != 200 || err != nil {
			t.Errorf("%s, %v", a.Status, err)
		}
	}
}

// gate tells how many authenticate at the same time, and holds them while it is closed.
type gate struct {
	closed atomic.Bool
	opened chan struct{}
	inside atomic.Int64
	full   chan struct{} // closed when as many are inside as may be
	most   atomic.Int64
}

func (g *gate) enter() {
	if g.closed.Load() {
		switch n := g.inside.Add(1); {
		case n == mostAuthenticating:
			close(g.full)
		case n > mostAuthenticating:
			g.most.Store(n)
		}
		<-g.opened
	}
}

func TestStreamsOfOneDocumentDoNotAuthenticateAllAtOnce(t *testing.T) {
	t.Parallel()
	const n = 3 * mostAuthenticating
	streams := NewStreams()
	g := &gate{opened: make(chan struct{}), full: make(chan struct{})}
	b := newBench(t, processing(), withStreams(streams))
	b.onToken = g.enter
	follow := followed(t, b, streams)
	answers := make([]*http.Response, n)
	for i := range answers {
		answers[i], _ = follow()
	}
	var read atomic.Int64
	woken := make(chan struct{}) // closed when all streams have read the change
	b.store.on(func(_ context.Context, call string) error {
		if call == "DocumentFor" && read.Add(1) == n {
			close(woken)
		}
		return nil
	})
	g.closed.Store(true)
	b.change(complete)
	<-g.full
	<-woken
	if most := g.most.Load(); most > 0 {
		t.Errorf("%d of %d at the same time", most, n)
	}
	g.closed.Store(false)
	close(g.opened)
	for _, a := range answers {
		if text, err := io.ReadAll(a.Body); err != nil || !strings.Contains(string(text), `"complete`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// stuckListener accepts connections whose clients take no more than the head of an answer.
type stuckListener struct {
	net.Listener
	stuck chan struct{} // closed when a write waits
}

func (l *stuckListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &stuckConn{Conn: c, stuck: l.stuck, cut: make(chan struct{})}, err
}

type stuckConn struct {
	net.Conn
	writes int
	stuck  chan struct{}
	once   sync.Once
	cut    chan struct{} // closed when a write may wait no longer than lastWrite
}

func (c *stuckConn) Write(p []byte) (int, error) {
	if c.writes++; c.writes == 1 {
		return c.Conn.Write(p)
	}
	close(c.stuck)
	<-c.cut
	return 0, os.ErrDeadlineExceeded
}

func (c *stuckConn) SetWriteDeadline(at time.Time) error {
	if c.writes > 0 && time.Until(at) <= lastWrite {
		c.once.Do(func() { close(c.cut) })
	}
	return nil
}

func TestAStreamWhoseClientTakesNothingEndsWithTheService(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	b := newBench(t, processing(), withStreams(streams))
	server := httptest.NewUnstartedServer(b)
	l := &stuckListener{server.Listener, make(chan struct{})}
	server.Listener = l
	server.Start()
	defer server.Close()
	b.dial(server, "GET "+dBase+"events/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\n\r\n")
	<-l.stuck
	streams.Close()
}

func TestTheFirstEventOfAStreamHidesAddressesAsTheLaterOnesDo(t *testing.T) {
	t.Parallel()
	d := processing()
	d.Delivery.HideAddresses, d.Parallel = true, true // so that it waits for all
	const address = "rahasia@contoh.id"
	for i := range d.Participants {
		d.Participants[i].SignedAt = time.Time{}
		if d.Participants[i].ID != siti.ID { // who reads
			d.Participants[i].Name, d.Participants[i].Email = address, address
		}
	}
	for token, want := range map[string]bool{"owner": true, "signer": false} {
		b := newBench(t, d)
		b.beforeWait(func(context.Context) error { b.change(complete); return nil })
		w := b.ask("GET", dBase+"events/1207", "", "X-Access-Token", token)
		said, _, _ := strings.Cut(w.Body.String(), "id: 2\n")
		if got := strings.Contains(said, address); w.Code != http.StatusOK || got != want || !want && !strings.Contains(said, contract.MaskAddress(address)) {
			t.Errorf("the %s is told %d %s", token, w.Code, said)
		}
	}
}
