package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"segel/internal/contract"
	"segel/internal/process"
	"segel/internal/tracing"
)

// workerParts is what all workers of a runner share.
type workerParts struct {
	log     *slog.Logger
	tracer  trace.Tracer
	observe func(kind, outcome string, took time.Duration)
	pause   *outagePause
	term    *process.Term // nil: none
}

// beginSpan begins the span of a try, in the trace of what ordered the job.
func (p workerParts) beginSpan(ctx context.Context, name string, j *rivertype.JobRow) (context.Context, trace.Span) {
	var m jobMetadata
	_ = json.Unmarshal(j.Metadata, &m) // that of another release has no trace
	return p.tracer.Start(tracing.WithTraceparent(ctx, m.Traceparent), "job "+name, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("segel.job", name), attribute.Int("segel.try", j.Attempt)))
}

func endSpan(span trace.Span, outcome string) {
	span.SetAttributes(attribute.String("segel.outcome", outcome))
	if outcome == "failed" {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// worker passes jobs of one kind to their handler.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	workerParts
	do func(context.Context, T) error
}

func (w *worker[T]) Work(ctx context.Context, j *river.Job[T]) error {
	began, outcome := time.Now(), "failed" // also after a panic
	ctx, span := w.beginSpan(ctx, j.Kind, j.JobRow)
	defer func() {
		w.observe(j.Kind, outcome, time.Since(began))
		endSpan(span, outcome)
	}()
	ctx, cancel := w.term.Begin(ctx)
	defer cancel()
	err := process.Check(ctx)
	if err == nil {
		err = w.pause.runWithPause(ctx, func() error { return w.do(ctx, j.Args) })
	}
	if err == nil {
		outcome = "done"
		return nil
	}
	log := w.log.With("job", j.Kind, "args", string(j.EncodedArgs), "try", j.Attempt)
	if process.Check(ctx) != nil { // what River stores of it is dropped
		outcome = "stopped"
		log.WarnContext(ctx, "job stopped: this process lost its lease", "error", err)
		return err
	}
	if d, ok := waitOf(err); ok {
		outcome = "later"
		log.InfoContext(ctx, "job waits", "wait", d, "reason", err)
		return river.JobSnooze(d)
	}
	if ctx.Err() != nil { // the runner is stopped, or the job took too long
		outcome = "stopped"
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
	workerParts
	do map[string]Periodic
}

func (w *periodicWorker) Work(ctx context.Context, j *river.Job[periodicArgs]) error {
	p, known := w.do[j.Args.Name]
	if !known { // enqueued by another release
		return nil
	}
	ctx, cancel := w.term.Begin(ctx)
	defer cancel()
	if err := process.Check(ctx); err != nil {
		return err
	}
	start, outcome := time.Now(), "failed" // also after a panic
	ctx, span := w.beginSpan(ctx, p.Name, j.JobRow)
	defer func() {
		w.observe(p.Name, outcome, time.Since(start))
		endSpan(span, outcome)
	}()
	err := p.Run(ctx)
	if err == nil {
		outcome = "done"
		return nil
	}
	if ctx.Err() != nil {
		outcome = "stopped"
	}
	w.log.WarnContext(ctx, "periodic work failed", "work", p.Name, "took", time.Since(start), "error", err)
	return nil
}

// A failed try is followed by another after firstWait, then twice that, and so on up to longestWait.
const (
	firstWait   = time.Second
	longestWait = 5 * time.Minute
)

// recordedTries is the number of failed tries after which a job stops recording them in the database. It continues at
// the longest interval; its row stays small and its attempts do not run out. Failures are still logged.
const recordedTries = 25

// maxAttempts leaves room for many crashes during the work of one job, because River counts them as attempts too. If it
// is ever exceeded, the search for stuck documents enqueues the job again.
const maxAttempts = 10_000

// Later is the error by which a handler requests a later call.
type Later = contract.Later

// waitOf returns the delay that an error requests.
func waitOf(err error) (time.Duration, bool) {
	var e *Later
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.After, true
}

// backoff returns the delay after failed try n, counted from 1. Up to a fifth is added by the job's number, so that
// jobs that failed together do not all retry at the same moment.
func backoff(n int, id int64) time.Duration {
	wait := longestWait
	if n < 10 { // firstWait << 9 is above longestWait
		wait = min(firstWait<<max(n-1, 0), longestWait)
	}
	return wait + wait/5*time.Duration(id%16)/16
}

// WaitAfterCrash returns how long work waits whose process ended while it ran for the n-th time, up to longest. The first time it does not wait: something else
// ended the process, as a rule. If the work itself does, other work goes on meanwhile.
func WaitAfterCrash(n int, longest time.Duration) time.Duration {
	const first = 5 * time.Second
	switch {
	case n <= 1:
		return 0
	case n > 10: // first << 18 is above two weeks
		return longest
	}
	return min(first<<(2*(n-2)), longest)
}

// retryPolicy implements River's retry policy with backoff.
type retryPolicy struct{ now func() time.Time }

func (p retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return p.now().Add(backoff(job.Attempt, job.ID))
}

var discardLogger = slog.New(slog.DiscardHandler)

// warningHandler passes River's warnings on. This package logs the results of jobs itself.
type warningHandler struct{ slog.Handler }

func (h warningHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle drops records about cancelled contexts: when a runner stops, River logs one for each of its parts.
func (h warningHandler) Handle(ctx context.Context, r slog.Record) error {
	cut := false
	r.Attrs(func(a slog.Attr) bool {
		// River passes errors as text, sometimes as errors.
		cut = strings.Contains(a.Value.String(), context.Canceled.Error())
		return !cut
	})
	if cut {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h warningHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return warningHandler{h.Handler.WithAttrs(a)}
}
func (h warningHandler) WithGroup(name string) slog.Handler {
	return warningHandler{h.Handler.WithGroup(name)}
}
