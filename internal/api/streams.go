package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// Streams holds the streams of events that net/http has handed over. For an answer, net/http keeps two goroutines, 10
// KiB of buffers and the request; a stream, which is idle nearly all the time, then needs a connection and one
// goroutine with a small stack. A nil Streams leaves streams to net/http.
type Streams struct {
	ctx     context.Context // of all streams
	end     context.CancelFunc
	running sync.WaitGroup
	beat    time.Duration // 0: heartbeat
}

// NewStreams returns Streams whose streams last until Stop or Close.
func NewStreams() *Streams {
	s := &Streams{}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Stop ends all streams, so that their clients reconnect to another process. Streams that begin afterwards end after
// their first event.
func (s *Streams) Stop() { s.end() }

// Close ends all streams and waits until they have ended. Call it after the handler has ended. A nil Streams has
// none.
func (s *Streams) Close() {
	if s != nil {
		s.end()
		s.running.Wait()
	}
}

func (s *Streams) run(stream func()) { s.running.Go(stream) }

// beatEvery returns how often a heartbeat is sent while nothing happens.
func (s *Streams) beatEvery() time.Duration {
	if s == nil || s.beat == 0 {
		return heartbeat
	}
	return s.beat
}

// detach takes the connection over from net/http, writes the header of an answer that ends with the connection, and
// returns a call that refers to nothing that net/http keeps for the request. It returns nil where net/http cannot
// hand over the connection, as in tests without one.
func (c *call) detach() (*call, *eventWriter) {
	if c.Streams == nil || c.r.Method != http.MethodGet { // the answer to HEAD has no body
		return nil, nil
	}
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		return nil, nil
	}
	h := c.w.Header().Clone()
	h.Set("Date", c.Clock().UTC().Format(http.TimeFormat))
	h.Set("Connection", "close")
	head := bytes.NewBufferString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(head) // a bytes.Buffer returns no error
	head.WriteString("\r\n")

	x := *c.exchange
	r := &http.Request{Method: c.r.Method, Host: c.r.Host, URL: c.r.URL, Header: c.r.Header}
	detached := &call{exchange: &x, r: r.WithContext(c.Streams.ctx), by: c.by, server: c.server, endpoint: c.endpoint}
	out := &eventWriter{language: c.language, to: conn, deadline: conn.SetWriteDeadline, gone: func() bool { return gone(conn) }, close: conn.Close}
	out.stopping = func() bool { return detached.Streams.ctx.Err() != nil }
	out.writeEvent(head.String())
	return detached, out
}

// gone reports whether the client has closed the connection, or sent bytes, which it has no reason to do.
func gone(conn net.Conn) bool {
	if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return true
	}
	_, err := conn.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// logStreamEnd logs how a stream ended; its request was logged when it began. It is deferred, so that a panic ends
// this stream alone.
func (c *call) logStreamEnd(out *eventWriter) {
	if p := recover(); p != nil {
		c.Log.ErrorContext(c.r.Context(), "panic", "request_id", c.id, "operation", c.operation, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
	attrs := []slog.Attr{slog.String("request_id", c.id), slog.String("operation", c.operation), slog.Int64("bytes", out.bytes)}
	if c.cause != nil {
		attrs = append(attrs, slog.String("error", c.cause.Error()))
	}
	c.Log.LogAttrs(c.r.Context(), slog.LevelInfo, "stream ended", attrs...)
}
