package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/text"
	"segel/internal/tracing"
)

const (
	heartbeat = 25 * time.Second // interval of comments on an idle stream: proxies close connections that are idle for a minute
	maxStream = 15 * time.Minute // after which the browser reconnects and presents its token again
)

// eventData is the data of each event.
type eventData struct {
	statusData
	SigningStatus contract.State `json:"signing_status" doc:"status of the signatures alone" example:"processing"`
}

func (c *call) streamEvents() error {
	id, err := c.pathDocumentID()
	if err != nil {
		return err
	}
	after, _ := parseInteger(c.r.Header.Get("Last-Event-ID"))
	return c.followDocument(id, after)
}

// followDocument sends the document at every version above after, until it cannot change any more.
func (c *call) followDocument(id contract.DocumentID, after int64) error {
	// The first read refuses before anything is sent, and never waits.
	d, err := c.Workflow.LoadAuthorised(c.r.Context(), c.by, contract.OpEvents, id)
	if err != nil {
		return err
	}
	if d.State.IsFinal() && d.Version <= after {
		c.w.WriteHeader(http.StatusNoContent) // tells the browser not to reconnect
		return nil
	}
	release, err := c.acquireStreamShare(d.Organisation)
	if err != nil {
		return err
	}
	c.deadline.removeLimit()
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	c.Streams.begin()
	if detached, out := c.detach(); detached != nil {
		go func() {
			defer c.Streams.finish()
			defer release()
			defer out.close() //nolint:errcheck // nothing is left to send
			defer detached.logStreamEnd(out)
			defer context.AfterFunc(detached.Streams.ctx, out.hurry)()
			detached.tellEvents(out, &d, after)
		}()
		return nil
	}
	c.Streams.finish()
	defer release()
	c.w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(c.w)
	out := &eventWriter{language: c.language, to: c.w, deadline: control.SetWriteDeadline}
	out.flush = func() error {
		out.extendDeadline() // each write to a stream of HTTP/2 removes it, see [responseRecorder.endDeadline]
		return control.Flush()
	}
	defer out.liftDeadline()
	c.tellEvents(out, &d, after)
	return nil
}

// tellEvents writes d, if its version is above after, and each later version.
//
//go:noinline
func (c *call) tellEvents(out *eventWriter, d *contract.Document, after int64) {
	id, final := d.ID, d.State.IsFinal()
	if d.Version > after {
		after = d.Version
		out.writeProgress(d.AsShownTo(c.by))
	} else {
		out.writeHeartbeat()
	}
	watched, unwatch := c.untilStopping()
	defer unwatch()
	for end := c.Clock().Add(maxStream); out.err == nil && !final && c.Clock().Before(end); {
		ctx, cancel := context.WithTimeout(watched, c.Streams.beatEvery())
		next, err := c.Workflow.WaitForChange(ctx, c.by, id, after)
		cancel()
		if watched.Err() != nil {
			return // the client has gone, or reconnects to another process because this one is stopping
		}
		// The holder of a revoked or expired token receives nothing more, not even heartbeats; one who has another role or other teams by now
		// receives what that role and those teams permit.
		by, again := c.authenticateAgain()
		if again != nil {
			c.cause = again // the answer has begun; the browser reconnects and gets the refusal then
			return
		}
		c.by = by
		if err == nil {
			err = next.Authorise(c.by, contract.OpEvents)
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			out.writeHeartbeat()
		case err != nil:
			c.cause = err // the answer has begun; the browser reconnects and gets the refusal then
			return
		default:
			after, final = next.Version, next.State.IsFinal()
			out.writeProgress(next.AsShownTo(c.by))
		}
	}
}

// mostAuthenticating bounds the streams that authenticate again at the same time: after a change all streams of a document do, and
// more would exhaust the bound on waiting transactions, for other requests too.
const mostAuthenticating = 32

// authenticateAgain returns the holder of the token of a stream as they are now, if it is still valid.
func (c *call) authenticateAgain() (contract.Actor, error) {
	select {
	case c.rechecks <- struct{}{}:
	case <-c.r.Context().Done():
		return contract.Actor{}, c.r.Context().Err()
	}
	defer func() { <-c.rechecks }()
	return c.authenticate()
}

// untilStopping returns the context of the request, which also ends when the service is told to stop.
func (c *call) untilStopping() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.r.Context())
	if c.Streams == nil {
		return ctx, cancel
	}
	unwatch := context.AfterFunc(c.Streams.ctx, cancel)
	return ctx, func() { unwatch(); cancel() }
}

// eventWriter writes a stream of events, each at once.
type eventWriter struct {
	language text.Language
	to       io.Writer
	flush    func() error // nil: writes are sent at once
	deadline func(time.Time) error
	gone     func() bool  // whether the client has closed the connection; nil: the request's context ends then
	close    func() error // nil: net/http closes the connection
	stopping func() bool  // whether the stream has to end now; nil: net/http cuts it off
	err      error        // set when the client has gone
	bytes    int64
}

func (o *eventWriter) writeProgress(d *contract.Document) {
	data, err := json.Marshal(eventData{statusDataOf(d, o.language), d.SigningState()})
	if err != nil {
		o.err = err
		return
	}
	o.writeEvent(fmt.Sprintf("event: progress\nid: %d\ndata: %s\n\n", d.Version, data))
}

// extendDeadline gives the client time for the next event. The server's write timeout is meant for answers that end. Some connections
// have no deadlines; then there is none to extend.
func (o *eventWriter) extendDeadline() { _ = o.deadline(time.Now().Add(2 * heartbeat)) }

// liftDeadline removes the deadline: the connection may carry other answers after this one.
func (o *eventWriter) liftDeadline() { _ = o.deadline(time.Time{}) }

// lastWrite bounds a write in progress when the service is told to stop.
const lastWrite = time.Second

// hurry bounds a write in progress by lastWrite. It may be called concurrently with a write.
func (o *eventWriter) hurry() { _ = o.deadline(time.Now().Add(lastWrite)) }

// writeHeartbeat keeps proxies from closing an idle stream and notices when the client has gone.
func (o *eventWriter) writeHeartbeat() {
	if o.gone != nil && o.gone() {
		o.err = errClientGone
		return
	}
	o.writeEvent(": still here\n\n")
}

// errClientGone ends a stream whose client has closed the connection.
var errClientGone = errors.New("the client has closed the connection")

func (o *eventWriter) writeEvent(s string) {
	if o.err != nil {
		return
	}
	o.extendDeadline()
	if o.stopping != nil && o.stopping() {
		o.hurry()
	}
	var n int
	n, o.err = io.WriteString(o.to, s)
	o.bytes += int64(n)
	if o.err == nil && o.flush != nil {
		o.err = o.flush()
	}
}

// Streams holds the streams of events that net/http has handed over. For an answer, net/http keeps two goroutines, 10
// KiB of buffers and the request; a stream, which is idle nearly all the time, then needs a connection and one
// goroutine with a small stack. A nil Streams leaves streams to net/http.
type Streams struct {
	ctx  context.Context // of all streams
	end  context.CancelFunc
	beat time.Duration // 0: heartbeat

	mu      sync.Mutex // guards running
	running int        // streams that have begun and not ended
	ended   *sync.Cond // signals that running is 0
}

// NewStreams returns Streams whose streams last until Stop or Close.
func NewStreams() *Streams {
	s := &Streams{}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.ended = sync.NewCond(&s.mu)
	return s
}

// Stop ends all streams, so that their clients reconnect to another process. Streams that begin afterwards end after
// their first event.
func (s *Streams) Stop() { s.end() }

// Close ends all streams and waits until they have ended. Call it after the server was shut down. A nil Streams has none.
func (s *Streams) Close() {
	if s != nil {
		s.end()
		s.wait()
	}
}

// wait waits until all streams that have begun have ended.
func (s *Streams) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running > 0 {
		s.ended.Wait()
	}
}

// begin counts a stream. Call it before net/http hands over the connection: from then on the server does not wait for the
// handler when it is shut down, so Close does.
func (s *Streams) begin() {
	if s != nil {
		s.mu.Lock()
		s.running++
		s.mu.Unlock()
	}
}

// finish ends what begin began.
func (s *Streams) finish() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running--; s.running == 0 {
		s.ended.Broadcast()
	}
}

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
	detached := &call{exchange: &x, r: r.WithContext(tracing.WithRequest(c.Streams.ctx, x.id)), by: c.by, server: c.server, endpoint: c.endpoint}
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
		c.Log.ErrorContext(c.r.Context(), "panic", "operation", c.operation, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
	attrs := []slog.Attr{slog.String("operation", c.operation), slog.Int64("bytes", out.bytes)}
	if c.cause != nil {
		attrs = append(attrs, slog.String("error", c.cause.Error()))
	}
	c.Log.LogAttrs(c.r.Context(), slog.LevelInfo, "stream ended", attrs...)
}
