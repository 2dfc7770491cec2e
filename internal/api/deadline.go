package api

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"segel/internal/admission"
)

// Default limits of an operation, from when its body has arrived completely. A client is waited for as long as it
// keeps sending or taking bytes, see [admission.Pace], so neither the time in which the body arrives counts nor that in
// which the client takes a file.
const (
	defaultAnswerTimeout = 5 * time.Second // endpoints that read or write a record
	defaultWorkTimeout   = 2 * time.Minute // endpoints that read a file, sign, or ask other machines
)

// timeLimit says which limit applies to an endpoint.
type timeLimit uint8

const (
	brief     timeLimit = iota // Options.AnswerTimeout
	lengthy                    // Options.WorkTimeout
	delayed                    // Options.AnswerTimeout and LoginDelay: it may be delayed on purpose
	receiving                  // Options.WorkTimeout, UploadWait and ConvertWait
	endless                    // it ends with the client, or by itself
)

// timeoutOf returns how long an endpoint may take; 0 means no limit.
func (s *server) timeoutOf(d timeLimit) time.Duration {
	switch d {
	case lengthy:
		return s.WorkTimeout
	case delayed:
		return s.AnswerTimeout + s.LoginDelay
	case receiving:
		return s.WorkTimeout + s.UploadWait + s.ConvertWait
	case endless:
		return 0
	}
	return s.AnswerTimeout
}

// deadline ends the context of a call when its time is up. It is suspended while the client is waited for. The cause
// of the context's end is [context.DeadlineExceeded].
type deadline struct {
	mu     sync.Mutex // guards the fields below
	time   time.Duration
	timer  *time.Timer // nil: no limit
	lifted bool
}

// newDeadline returns a context that ends after limit, and never by itself if limit is 0.
func newDeadline(parent context.Context, after time.Duration) (context.Context, *deadline, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	d := &deadline{time: after}
	if after > 0 {
		d.timer = time.AfterFunc(after, func() { cancel(context.DeadlineExceeded) })
	}
	return ctx, d, func() { d.suspend(); cancel(nil) }
}

// suspend stops the clock.
func (d *deadline) suspend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
}

// restart grants the whole time again.
func (d *deadline) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.lifted {
		d.timer.Reset(d.time)
	}
}

// removeLimit ends the deadline for good. What follows takes as long as the client does.
func (d *deadline) removeLimit() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lifted = true
	if d.timer != nil {
		d.timer.Stop()
	}
}

// timedBody suspends the deadline while the body is read.
type timedBody struct {
	io.ReadCloser
	deadline *deadline
}

func (b timedBody) Read(p []byte) (int, error) {
	b.deadline.suspend()
	defer b.deadline.restart()
	return b.ReadCloser.Read(p)
}

// Defaults of [Options.Standstill] and [Options.MinRate].
const (
	standstill     = 30 * time.Second
	defaultMinRate = 1 << 10 // bytes per second
)

// limitStandstill bounds how slowly a client may send its body and take its answer. It does nothing where deadlines
// cannot be set, as in tests without a connection.
func (s *server) limitStandstill(w *responseRecorder, r *http.Request) (done func()) {
	pace := admission.Pace{Rate: s.MinRate, Grace: s.Standstill}
	w.control, w.allowance, w.isStream = http.NewResponseController(w.ResponseWriter), pace.Allow(0), r.ProtoMajor >= 2
	endBody := func() {}
	if r.Body != nil && r.Body != http.NoBody {
		body := &standstillBody{ReadCloser: r.Body, control: w.control, allowance: pace.Allow(r.ContentLength)}
		r.Body = body
		endBody = func() {
			if !body.ended { // the rest will be discarded, and may never arrive
				_ = body.control.SetReadDeadline(time.Now().Add(body.allowance.Left()))
			}
		}
	}
	// What net/http writes by itself is bounded too: on a connection of HTTP/1 always, on a stream when the handler has ended.
	if !w.isStream {
		w.extendDeadline()
		return endBody
	}
	return func() { endBody(); w.extendDeadline() }
}

// standstillBody is a body that must arrive in time.
type standstillBody struct {
	io.ReadCloser
	control   *http.ResponseController
	allowance admission.Allowance
	ended     bool
}

// Read removes the deadline right after each read: once the body has ended, net/http reads on to notice that the
// client has gone, and would take a deadline for that.
func (b *standstillBody) Read(p []byte) (int, error) {
	began := time.Now()
	_ = b.control.SetReadDeadline(began.Add(b.allowance.Left()))
	n, err := b.ReadCloser.Read(p)
	_ = b.control.SetReadDeadline(time.Time{})
	b.allowance.Spend(time.Since(began), n)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// sendBufferSize is how much of an answer is written at a time. It distinguishes a client that takes a long answer
// slowly from one that takes nothing.
const sendBufferSize = 16 << 10

// extendDeadline sets the deadline for the next piece to the client's remaining time.
func (w *responseRecorder) extendDeadline() {
	if w.control != nil {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.allowance.Left()))
	}
}

// endDeadline removes the deadline of a stream of HTTP/2. One that passes while nothing is written, because the handler works or the
// body still arrives, would end the stream; on a connection of HTTP/1 it has no effect.
func (w *responseRecorder) endDeadline() {
	if w.control != nil && w.isStream {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}

// Write writes p piece by piece.
func (w *responseRecorder) Write(p []byte) (written int, err error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	for {
		piece := p[:min(len(p), sendBufferSize)]
		began := time.Now()
		w.extendDeadline()
		n, err := w.ResponseWriter.Write(piece)
		w.endDeadline()
		w.allowance.Spend(time.Since(began), n)
		w.bytes += int64(n)
		written += n
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			return written, err
		}
	}
}
