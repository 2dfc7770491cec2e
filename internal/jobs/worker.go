package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"segel/internal/contract"
)

// busyWait is how long a job waits for another of its kind that is at work on the same document.
const busyWait = time.Second

// worker hands jobs of one kind to their handler.
type worker[T interface {
	river.JobArgs
	job(contract.JobKind) contract.Job
}] struct {
	river.WorkerDefaults[T]
	do   func(context.Context, contract.Job) error
	log  *slog.Logger
	busy *busy
}

func (w *worker[T]) Work(ctx context.Context, j *river.Job[T]) error {
	job := j.Args.job(contract.JobKind(j.Kind))
	if !w.busy.enter(job) {
		return river.JobSnooze(busyWait)
	}
	defer w.busy.leave(job)
	err := w.do(ctx, job)
	if err == nil {
		return nil
	}
	log := w.log.With("job", j.Kind, "document", job.Document, "try", j.Attempt)
	if d, ok := later(err); ok {
		log.InfoContext(ctx, "job waits", "wait", d, "reason", err)
		return river.JobSnooze(d)
	}
	wait := backoff(j.Attempt, j.ID)
	log.WarnContext(ctx, "job failed, will be tried again", "wait", wait, "error", err)
	if j.Attempt >= recordedTries {
		return river.JobSnooze(wait)
	}
	return err
}

// busy knows what this process is at work on, so that two jobs of a kind do not do the same work at the same
// time. Other processes are kept apart by the commits alone.
type busy struct {
	mu   sync.Mutex // guards on, for a moment only
	on   map[place]bool
}

type place struct {
	kind     contract.JobKind
	document contract.DocumentID
}

func (b *busy) enter(j contract.Job) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := place{j.Kind, j.Document}
	if b.on[p] {
		return false
	}
	b.on[p] = true
	return true
}

func (b *busy) leave(j contract.Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.on, place{j.Kind, j.Document})
}

// periodic calls what is due. A failed call is not tried again: the next one is due soon.
type periodicWorker struct {
	river.WorkerDefaults[periodicArgs]
	do  map[string]Periodic
	log *slog.Logger
}

func (w *periodicWorker) Work(ctx context.Context, j *river.Job[periodicArgs]) error {
	p, known := w.do[j.Args.Name]
	if !known { // left by another release
		return nil
	}
	start := time.Now()
	if err := p.Do(ctx); err != nil {
		w.log.WarnContext(ctx, "periodic work failed", "work", p.Name, "took", time.Since(start), "error", err)
	}
	return nil
}
