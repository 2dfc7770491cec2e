package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"segel/internal/contract"
)

// dial sends the beginning of a request. Names of users in its header are replaced by their tokens.
func (b *bench) dial(server *httptest.Server, text string) net.Conn {
	b.t.Helper()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		b.t.Fatal(err)
	}
	if _, err := io.WriteString(c, tokenHeader.ReplaceAllStringFunc(text, b.fill)); err != nil {
		b.t.Fatal(err)
	}
	return c
}

func TestABodyThatStandsStillIsCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Standstill = 50 * time.Millisecond })
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	for name, request := range map[string]string{
		"of a login":          "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
		"of an upload":        "POST " + sBase + "upload-docs-base64 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\nContent-Length: 1000\r\n\r\n{",
		"for an unknown path": "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	} {
		c := b.dial(server, request)
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("a body %s: %v", name, err)
		}
	}
}

func TestAnswerThatIsNotTakenIsCut(t *testing.T) {
	t.Parallel()
	d := draft()
	d.State = contract.Completed
	b := newBench(t, contract.Document{}, func(o *Options) { o.Standstill = 50 * time.Millisecond })
	b.insert(d, bytes.Repeat([]byte("more than all buffers between us hold"), 1<<20))
	server := httptest.NewUnstartedServer(b)
	cut := make(chan struct{}, 1)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			cut <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	b.dial(server, "GET "+dBase+"download/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\n\r\n")
	select {
	case <-cut:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still open")
	}
}

func TestAnAnswerThatIsTakenSlowlyComesWhole(t *testing.T) {
	t.Parallel()
	d := draft()
	d.State = contract.Completed
	b := newBench(t, contract.Document{}, func(o *Options) { o.Standstill = 500 * time.Millisecond })
	size := b.insert(d, bytes.Repeat([]byte("more than all buffers between us hold"), 1<<20)).Original.Size
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	c := b.dial(server, "GET "+dBase+"download/1207 HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\nConnection: close\r\n\r\n")
	piece := time.NewTicker(50 * time.Millisecond)
	defer piece.Stop()
	taken := int64(0)
	for { // in about two seconds
		<-piece.C
		n, err := io.CopyN(io.Discard, c, 1<<20)
		taken += n
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if taken < size {
		t.Errorf("%d bytes of %d came", taken, size)
	}
}

func TestABodyThatComesSlowlyIsWaitedForAndSoIsTheNextRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing(), func(o *Options) { o.Standstill, o.MinRate = time.Second, 10 })
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	const body = `{"document_id":1207}`
	head := fmt.Sprintf("POST %sremind-docs HTTP/1.1\r\nHost: x\r\nX-Access-Token: owner\r\nContent-Length: %d\r\n\r\n", sBase, len(body))
	c := b.dial(server, head)
	answers := bufio.NewReader(c)
	for round := range 2 {
		if round > 0 {
			if _, err := io.WriteString(c, tokenHeader.ReplaceAllStringFunc(head, b.fill)); err != nil {
				t.Fatal(err)
			}
		}
		// All pieces together take longer than any one may: 20 times 60 ms.
		piece := time.NewTicker(60 * time.Millisecond)
		for i := range len(body) {
			<-piece.C
			if _, err := io.WriteString(c, body[i:i+1]); err != nil {
				t.Fatal(err)
			}
		}
		piece.Stop()
		w, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, w.Body); err != nil || w.StatusCode != 200 {
			t.Errorf("request %d: %s %v", round, w.Status, err)
		}
	}
}

// tokenHeader matches a header with the name of a user in place of a token.
var tokenHeader = regexp.MustCompile(`X-Access-Token: \w+`)
