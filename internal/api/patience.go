package api

import (
	"io"
	"net/http"
	"time"
)

// standstill is how long a client may send nothing of its body, or take nothing of its answer, before the connection
// is cut. However slow, whoever moves at all is waited for.
const standstill = 30 * time.Second

// patient bounds how long a request may stand still. Where deadlines are not to be had, as in tests without a
// connection, it changes nothing.
func (s *server) patient(w *witness, r *http.Request) (done func()) {
	w.control, w.patience = http.NewResponseController(w.ResponseWriter), s.Standstill
	w.awaitClient() // what net/http writes by itself has a bound too
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}
	}
	body := &patientBody{ReadCloser: r.Body, control: w.control, patience: s.Standstill}
	r.Body = body
	return func() {
		if !body.ended { // the rest of it will be thrown away, and may never come
			_ = body.control.SetReadDeadline(time.Now().Add(body.patience))
		}
	}
}

// patientBody is a body of which every read has to end in time.
type patientBody struct {
	io.ReadCloser
	control  *http.ResponseController
	patience time.Duration
	ended    bool
}

// Read lifts the deadline again at once: once the body has ended, net/http reads on to see whether the client goes,
// and would take a deadline for that.
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.patience))
	n, err := b.ReadCloser.Read(p)
	_ = b.control.SetReadDeadline(time.Time{})
	b.ended = b.ended || err == io.EOF
	return n, err
}
