package jobs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"segel/internal/outage"
)

var errGone = &outage.Error{Part: outage.Blobs, Err: errors.New("gone")}

// part is a dependency of jobs that can be unavailable.
type part struct {
	away  atomic.Bool
	asked atomic.Int64
}

func (p *part) working(context.Context) error {
	p.asked.Add(1)
	if p.away.Load() {
		return errGone
	}
	return nil
}

func (p *part) use() error {
	if p.away.Load() {
		return errGone
	}
	return nil
}

func TestJobsThatMeetAnOutageWaitForItsEndTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var needed part
		p := newOutagePause(needed.working, time.Hour, discardLogger)
		defer p.endPause()
		needed.away.Store(true)
		var tries, done atomic.Int64
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if err := p.runWithPause(t.Context(), func() error { tries.Add(1); return needed.use() }); err != nil {
					t.Error(err)
				}
				done.Add(1)
			})
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := tries.Load(); n > 100 || done.Load() != 0 {
			t.Errorf("%d tries of 100 jobs, %d done", n, done.Load())
		}
		if n := needed.asked.Load(); n > 600 {
			t.Errorf("it was checked %d times in ten minutes", n)
		}
		needed.away.Store(false)
		began := time.Now()
		all.Wait()
		if took := time.Since(began); took > pauseInterval {
			t.Errorf("the jobs continued after %v", took)
		}
	})
}

func TestOutageThatOneJobAloneMeetsIsItsErrorInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var needed part // it is available
		p := newOutagePause(needed.working, time.Hour, discardLogger)
		defer p.endPause()
		tries := 0
		err := p.runWithPause(t.Context(), func() error { tries++; return errGone })
		if !errors.Is(err, errGone) || tries != maxOutageTries {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

func TestJobsGiveTheirPlacesBackWhenTheRunnerStopsOrTheWaitIsLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var needed part
		needed.away.Store(true)
		p := newOutagePause(needed.working, time.Minute, discardLogger)
		results := make(chan error, 2)
		go func() { results <- p.runWithPause(t.Context(), needed.use) }()
		var later *Later
		if err := <-results; !errors.As(err, &later) || later.After != pauseInterval {
			t.Errorf("after a long wait: %v", err)
		}
		go func() { results <- p.runWithPause(t.Context(), needed.use) }()
		synctest.Wait()
		p.endPause()
		if err := <-results; !errors.As(err, &later) || later.After != 0 {
			t.Errorf("when the runner stops: %v", err)
		}
		if err := p.runWithPause(t.Context(), func() error { return errGone }); err == nil {
			t.Error("an outage after the end is not an error")
		}
	})
}

func TestOtherErrorsDoNotPauseTheJobs(t *testing.T) {
	t.Parallel()
	p := newOutagePause(func(context.Context) error { return nil }, time.Hour, discardLogger)
	defer p.endPause()
	broken := errors.New("broken")
	if err := p.runWithPause(t.Context(), func() error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if p.over != nil {
		t.Error("the jobs are paused")
	}
}

func TestJobThatAsksToBeCalledLaterKeepsNoOthersWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var needed part
		needed.away.Store(true)
		p := newOutagePause(needed.working, time.Hour, discardLogger)
		defer p.endPause()
		tries, began := 0, time.Now()
		err := p.runWithPause(t.Context(), func() error { tries++; return &Later{After: time.Minute, Err: errGone} })
		if wait, ok := waitOf(err); !ok || wait != time.Minute || tries != 1 {
			t.Errorf("%v after %d tries", err, tries)
		}
		if err := p.runWithPause(t.Context(), func() error { return nil }); err != nil || time.Since(began) != 0 {
			t.Errorf("another job: %v after %v", err, time.Since(began))
		}
	})
}
