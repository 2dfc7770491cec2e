package api

import (
	"context"
	"io"
	"sync"
	"time"
)

// How long an operation may take, from when the last of its body has arrived, where [Options] say nothing. A client is waited for as
// long as it moves, see patience.go, so the time in which a body arrives does not count, and neither does that in which a file is
// taken by the client.
const (
	defaultAnswerTimeout = 5 * time.Second // what reads or writes a record
	defaultWorkTimeout   = 2 * time.Minute // what reads a file, signs, or asks other machines
)

// timeLimit says which of them holds for an endpoint.
type timeLimit uint8

const (
	brief     timeLimit = iota // Options.AnswerWithin
	lengthy                    // Options.WorkWithin
	delayed                    // Options.AnswerWithin and LoginDelay: it may be held up on purpose
	receiving                  // Options.WorkWithin, UploadWait and ConvertWait
	endless                    // it ends with the client, or by itself
)

// timeoutOf returns how long an endpoint may take; 0: as long as it wants.
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

// deadline ends the context of a call when its time is up. It stands still while the client is waited for. The cause of the
// context's end is [context.DeadlineExceeded].
type deadline struct {
	mu     sync.Mutex // guards all below
	time   time.Duration
	timer  *time.Timer // nil: there is none
	lifted bool
}

// newDeadline returns a context that ends after that time; 0: never before its parent.
func newDeadline(parent context.Context, after time.Duration) (context.Context, *deadline, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	d := &deadline{time: after}
	if after > 0 {
		d.timer = time.AfterFunc(after, func() { cancel(context.DeadlineExceeded) })
	}
	return ctx, d, func() { d.suspend(); cancel(nil) }
}

// suspend has the time stand still.
func (d *deadline) suspend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
}

// restart gives the whole time again.
func (d *deadline) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.lifted {
		d.timer.Reset(d.time)
	}
}

// removeLimit ends the deadline for good: what follows takes as long as the client.
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

// timedBody is a body during whose reads the time stands still.
type timedBody struct {
	io.ReadCloser
	deadline *deadline
}

func (b timedBody) Read(p []byte) (int, error) {
	b.deadline.suspend()
	defer b.deadline.restart()
	return b.ReadCloser.Read(p)
}
