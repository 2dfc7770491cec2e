package api

import (
	"io"
	"net/http"
	"time"

	"segel/internal/admission"
)

// Defaults of [Options.Standstill] and [Options.MinRate].
const (
	standstill     = 30 * time.Second
	defaultMinRate = 1 << 10 // bytes per second
)

// limitStandstill bounds how slowly a client may send its body and take its answer. It does nothing where deadlines
// cannot be set, as in tests without a connection.
func (s *server) limitStandstill(w *responseRecorder, r *http.Request) (done func()) {
	pace := admission.Pace{Rate: s.MinRate, Grace: s.Standstill}
	w.control, w.allowance = http.NewResponseController(w.ResponseWriter), pace.Allow(0)
	w.extendDeadline() // also for what net/http writes by itself
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}
	}
	body := &standstillBody{ReadCloser: r.Body, control: w.control, allowance: pace.Allow(r.ContentLength)}
	r.Body = body
	return func() {
		if !body.ended { // the rest will be discarded, and may never arrive
			_ = body.control.SetReadDeadline(time.Now().Add(body.allowance.Left()))
		}
	}
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
		w.allowance.Spend(time.Since(began), n)
		w.bytes += int64(n)
		written += n
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			return written, err
		}
	}
}
