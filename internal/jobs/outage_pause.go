package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"segel/internal/outage"
)

// outagePause makes jobs wait while a part that they need does not answer. A job that has met an outage keeps its
// worker and waits, so it continues within a second after the outage ends, and a hundred waiting jobs cause one check
// per second.
type outagePause struct {
	working func(context.Context) error // nil: jobs never wait
	longest time.Duration               // how long a job may wait before it frees its worker for a while
	log     *slog.Logger
	running context.Context // ended by endPause
	end     func()
	asking  sync.WaitGroup

	mu   sync.Mutex    // guards over
	over chan struct{} // closed at the end of the outage; nil: no outage
}

const (
	pauseInterval  = time.Second     // interval between checks whether an outage is over
	pauseTimeout   = 5 * time.Second // limit of one check
	maxOutageTries = 3               // tries of a job that meets an outage each time
)

func newOutagePause(working func(context.Context) error, longest time.Duration, log *slog.Logger) *outagePause {
	p := &outagePause{working: working, longest: longest, log: log}
	p.running, p.end = context.WithCancel(context.Background())
	return p
}

// endPause makes waiting jobs free their workers.
func (p *outagePause) endPause() {
	p.mu.Lock()
	p.end() // within the lock, so that no check starts after it
	p.mu.Unlock()
	p.asking.Wait()
}

// errPaused is the reason why a job that waited for the end of an outage is retried later.
var errPaused = errors.New("a required part does not answer")

// runWithPause calls do as soon as no outage is known, and again after the end of an outage that it met. If only this
// job keeps meeting an outage, that becomes an ordinary error.
// A job that asks to be run later delays no others, whatever outage it met.
func (p *outagePause) runWithPause(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		if err := p.waitWorking(ctx); err != nil {
			return err
		}
		err := do()
		if _, waits := waitOf(err); waits || outage.Of(err) == nil || p.working == nil || try == maxOutageTries || ctx.Err() != nil {
			return err
		}
		p.beginPause(err)
	}
}

// waitWorking returns when there is no outage. It returns a [*Later], which frees the worker, if the runner stops or
// the wait was long.
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

// beginPause makes jobs wait and starts checking whether the outage is over.
func (p *outagePause) beginPause(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over != nil || p.running.Err() != nil {
		return
	}
	p.over = make(chan struct{})
	p.log.Warn("jobs wait: a required part does not answer", "error", cause)
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
		p.log.Debug("jobs still wait", "error", err)
	}
	p.log.Info("jobs continue", "after", time.Since(since))
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.over)
	p.over = nil
}
