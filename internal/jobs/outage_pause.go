package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"segel/internal/outage"
)

// outagePause has jobs wait while a part that they need does not answer. A job that has met an outage keeps its place and waits; so it
// goes on within a second of the end of the outage, and a hundred of them cost no more than one question a second.
type outagePause struct {
	working func(context.Context) error // nil: nothing waits
	longest time.Duration               // that a job may wait before it gives its place back for a while
	log     *slog.Logger
	running context.Context // ends by stop
	end     func()
	asking  sync.WaitGroup

	mu   sync.Mutex    // guards over
	over chan struct{} // closed when the outage is over; nil: there is none
}

const (
	pauseInterval  = time.Second     // how often it is asked whether an outage is over
	pauseTimeout   = 5 * time.Second // how long the answer may take
	maxOutageTries = 3               // how often a job is tried that meets an outage over and over
)

func newOutagePause(working func(context.Context) error, longest time.Duration, log *slog.Logger) *outagePause {
	p := &outagePause{working: working, longest: longest, log: log}
	p.running, p.end = context.WithCancel(context.Background())
	return p
}

// endPause has jobs that wait give their places back.
func (p *outagePause) endPause() {
	p.mu.Lock()
	p.end() // within the lock, so that nothing begins to ask behind it
	p.mu.Unlock()
	p.asking.Wait()
}

// errPaused is why a job that waited for the end of an outage is tried later.
var errPaused = errors.New("a part that it needs does not answer")

// runWithPause calls do, once no outage is known, and again after the end of one that it met. An outage that only this job meets is an error
// like any other in the end.
func (p *outagePause) runWithPause(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		if err := p.waitWorking(ctx); err != nil {
			return err
		}
		err := do()
		if outage.Of(err) == nil || p.working == nil || try == maxOutageTries || ctx.Err() != nil {
			return err
		}
		p.beginPause(err)
	}
}

// waitWorking returns when there is no outage. A [*Later] gives the place back: because the runner stops, or the wait was long.
func (p *outagePause) waitWorking(ctx context.Context) error {
	p.mu.Lock()
	over := p.over
	p.mu.Unlock()
	if over == nil {
		return nil
	}
	long := time.NewTimer(p.longest)
	defer long.Stop()
	select {
	case <-over:
		return nil
	case <-p.running.Done():
		return &Later{Err: errPaused}
	case <-long.C:
		return &Later{After: pauseInterval, Err: errPaused}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginPause has jobs wait from now on, and asks until the outage is over.
func (p *outagePause) beginPause(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over != nil || p.running.Err() != nil {
		return
	}
	p.over = make(chan struct{})
	p.log.Warn("jobs wait: a part that they need does not answer", "error", cause)
	p.asking.Go(func() { p.pollWorking(time.Now()) })
}

func (p *outagePause) pollWorking(since time.Time) {
	next := time.NewTicker(pauseInterval)
	defer next.Stop()
	for {
		select {
		case <-p.running.Done():
			return
		case <-next.C:
		}
		ctx, cancel := context.WithTimeout(p.running, pauseTimeout)
		err := p.working(ctx)
		cancel()
		if err == nil {
			break
		}
		p.log.Debug("jobs go on waiting", "error", err)
	}
	p.log.Info("jobs go on", "after", time.Since(since))
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.over)
	p.over = nil
}
