// Package process identifies the processes that share an installation, and detects which of them have ended.
//
// Two implementations fulfil the contract [Process]: [Folder] for processes that share a data folder, by locked files,
// and [Node] for processes that share a database server, by leases in it. The suite in processtest defines the
// behaviour of both.
package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Process is the current process among those that share an installation. It is safe for concurrent use.
type Process interface {
	// Name returns the name of the current term, or of the last one. Names are unique among living processes.
	Name() string

	// Term returns the current term, or the last one if it has ended and the process has not joined again yet.
	Term() *Term

	// NextTerm waits for a term other than former.
	NextTerm(ctx context.Context, former *Term) (*Term, error)

	// IfEnded runs do if the process with that name has ended, and reports whether it has. No process can take the name
	// while do runs. A name that is unknown here does not count as ended, nor may one whose lease
	// has just ended.
	IfEnded(ctx context.Context, name string, do func() error) (ended bool, err error)

	// CheckClock returns contract.ErrClock while the clock of this process differs from that of what the processes share by more
	// than is tolerated. It reads no other clock, and notices a clock that is set at once.
	CheckClock() error

	// Leave ends the term, so that others need not wait to continue what was recorded under the name. Call it after the
	// last work. It may be called again.
	Leave() error
}

// ErrEnded means that the term of a process has ended: other processes continue its work, so this one must not.
var ErrEnded = errors.New("this process lost its lease, and its work goes on elsewhere")

// Term is a time in which a process has one name. Work that is recorded under the name belongs to the term: it must stop
// when the term ends. It is safe for concurrent use.
type Term struct {
	name   string
	fenced bool
	clock  func() error // [Process.CheckClock]; nil: nothing to compare with
	over   context.Context
	end    context.CancelFunc

	mu    sync.Mutex // guards the fields below
	until time.Time  // by the monotonic clock; zero: no limit
	timer *time.Timer
}

// newTerm returns a term. Its lease lasts until then unless it is extended; zero: it has no lease, and lasts until it is ended. It ends
// when clock returns an error.
func newTerm(name string, until time.Time, clock func() error) *Term {
	t := &Term{name: name, fenced: !until.IsZero(), clock: clock}
	t.over, t.end = context.WithCancel(context.Background())
	if t.fenced {
		t.until = until
		t.timer = time.AfterFunc(time.Until(until), t.endIfDue)
	}
	return t
}

// Name returns the name of the process in this term.
func (t *Term) Name() string { return t.name }

// IsFenced reports whether transactions have to check that the database knows of no end of the term. Otherwise the term
// lasts as long as the process.
func (t *Term) IsFenced() bool { return t.fenced }

// Done is closed when the term has ended.
func (t *Term) Done() <-chan struct{} { return t.over.Done() }

// Check returns [ErrEnded] if the term has ended, and ends it if the clock of the process is in doubt. It compares the lease with the
// monotonic clock: after a process was suspended, work may run before the timer of the term does. The monotonic clock of some systems
// stands still while the whole machine is suspended; then only the check in the database notices.
func (t *Term) Check() error {
	t.endIfDue()
	if t.over.Err() != nil {
		return ErrEnded
	}
	if t.clock == nil {
		return nil
	}
	if err := t.clock(); err != nil {
		t.end()
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	return nil
}

func (t *Term) endIfDue() {
	t.mu.Lock()
	due := t.fenced && !time.Now().Before(t.until)
	t.mu.Unlock()
	if due {
		t.end()
	}
}

// extend moves the end of the lease, unless the term has ended.
func (t *Term) extend(until time.Time) {
	if t.Check() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = until
	t.timer.Reset(time.Until(until))
}

func (t *Term) deadline() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.until
}

// close ends the term.
func (t *Term) close() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.end()
}

type termKey struct{}

// Begin returns the context of work that belongs to the term: it ends with the term, and [Of] finds the term in it. Call
// cancel when the work is done. A nil term leaves the context as it is.
func (t *Term) Begin(ctx context.Context) (working context.Context, cancel func()) {
	if t == nil {
		return ctx, func() {}
	}
	working, end := context.WithCancelCause(context.WithValue(ctx, termKey{}, t))
	unwatch := context.AfterFunc(t.over, func() { end(ErrEnded) })
	return working, func() { unwatch(); end(nil) }
}

// RunInTerms calls run with a context of each term of p, one after the other, until ctx ends. Run returns when its context ends.
func RunInTerms(ctx context.Context, p Process, run func(context.Context)) {
	for term := p.Term(); ctx.Err() == nil; {
		working, cancel := term.Begin(ctx)
		if Check(working) == nil {
			run(working)
		}
		cancel()
		next, err := p.NextTerm(ctx, term)
		if err != nil { // ctx has ended
			return
		}
		term = next
	}
}

// Of returns the term that work with this context belongs to; nil: none.
func Of(ctx context.Context) *Term {
	t, _ := ctx.Value(termKey{}).(*Term)
	return t
}

// Check returns [ErrEnded] if work with this context belongs to a term that has ended. Call it right before what cannot
// be taken back and no database decides.
func Check(ctx context.Context) error {
	if t := Of(ctx); t != nil {
		return t.Check()
	}
	return nil
}
