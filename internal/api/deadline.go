package api

import (
	"context"
	"io"
	"sync"
	"time"
)

// Default limits of an operation, from when its body has arrived completely. A client is waited for as long as it
// keeps sending or taking bytes, see standstill.go, so neither the time in which the body arrives counts nor that in
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
