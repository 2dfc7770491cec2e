package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

// worker passes jobs of one kind to their handler.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do    func(context.Context, T) error
	log   *slog.Logger
	pause *outagePause
}

func (w *worker[T]) Work(ctx context.Context, j *river.Job[T]) error {
	err := w.pause.runWithPause(ctx, func() error { return w.do(ctx, j.Args) })
	if err == nil {
		return nil
	}
	log := w.log.With("job", j.Kind, "args", string(j.EncodedArgs), "try", j.Attempt)
	if d, ok := waitOf(err); ok {
		log.InfoContext(ctx, "job waits", "wait", d, "reason", err)
		return river.JobSnooze(d)
	}
	wait := backoff(j.Attempt, j.ID)
	log.WarnContext(ctx, "job failed, will be retried", "wait", wait, "error", err)
	if j.Attempt >= recordedTries {
		return river.JobSnooze(wait)
	}
	return err
}

// periodicWorker runs periodic work. A failed run is not retried: the next one is due soon.
type periodicWorker struct {
	river.WorkerDefaults[periodicArgs]
	do  map[string]Periodic
	log *slog.Logger
}

func (w *periodicWorker) Work(ctx context.Context, j *river.Job[periodicArgs]) error {
	p, known := w.do[j.Args.Name]
	if !known { // enqueued by another release
		return nil
	}
	start := time.Now()
	if err := p.Run(ctx); err != nil {
		w.log.WarnContext(ctx, "periodic work failed", "work", p.Name, "took", time.Since(start), "error", err)
	}
	return nil
}
