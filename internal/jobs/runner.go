package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"go.opentelemetry.io/otel/trace"

	"segel/internal/contract"
	"segel/internal/process"
	"segel/internal/tracing"
)

// Handlers do the work. All fields except Periodic are required. A handler may be called more than once for one job,
// and concurrently for one document.
type Handlers struct {
	Convert  func(context.Context, contract.DocumentID) error
	Stamp    func(context.Context, contract.DocumentID) error
	Complete func(context.Context, contract.DocumentID) error
	Sweep    func(ctx context.Context, keys []string) error
	Notify   func(context.Context, contract.DocumentID) error
	Evidence func(context.Context, contract.DocumentID) error
	Periodic []Periodic
}

// Periodic is work that runs at an interval, and once at the start. If several processes share a database, it runs in
// one of them at a time.
type Periodic struct {
	Name  string // stored; unique
	Every time.Duration
	Run   func(context.Context) error
}

// Tasks are kinds of jobs.
type Tasks uint8

// The kinds of jobs. Periodic work belongs to all that are not conversions.
const (
	Conversions Tasks = 1 << iota
	AllButConversions
)

// queueConfig returns the queues of the tasks, with how many jobs of each run at the same time.
func (o Options) queueConfig() map[string]river.QueueConfig {
	all := map[string]river.QueueConfig{}
	if o.Tasks == 0 || o.Tasks&Conversions != 0 {
		all[convertQueue] = river.QueueConfig{MaxWorkers: o.Waiting}
	}
	if o.Tasks == 0 || o.Tasks&AllButConversions != 0 {
		all[river.QueueDefault] = river.QueueConfig{MaxWorkers: o.Workers}
		all[notifyQueue] = river.QueueConfig{MaxWorkers: notifyWorkers}
		all[evidenceQueue] = river.QueueConfig{MaxWorkers: 1}
		all[periodicQueue] = river.QueueConfig{MaxWorkers: 1}
	}
	return all
}

// Options bound the work. Zero values select the defaults.
type Options struct {
	Tasks   Tasks         // jobs that are run; 0: all
	Workers int           // jobs that run at the same time; default 4
	Waiting int           // conversions that run or wait for their turn; default 256
	Timeout time.Duration // limit of one handler call; default 10 minutes
	Log     *slog.Logger  // default: no logging

	// Working reports whether the parts that handlers need answer. After a handler meets an outage, jobs wait until
	// Working returns nil, instead of each retrying without success. If nil, each job retries after a delay, as after other
	// errors.
	Working func(context.Context) error

	// Observe records one try of a job: its kind, or the name of periodic work; how it ended (done, later, failed or stopped); and how long it
	// took, with the wait for the end of an outage. Nil: tries are not recorded.
	Observe func(kind, outcome string, took time.Duration)

	// Tracer makes a span of each try of a job, in the trace of the request that ordered it. Nil: there are none.
	Tracer trace.Tracer

	// Process is this process. In a term without a lease, Start takes over the jobs during which an earlier process of the
	// same name died. If nil, those jobs wait until Timeout has passed. The caller leaves the process after Stop, unless
	// Stop failed: then a job may still run.
	Process process.Process

	poll time.Duration // how often waiting jobs are polled, without a notification; default pollEvery
}

const (
	fetchEvery = 10 * time.Millisecond // shortest interval, while there are jobs
	pollEvery  = time.Second           // for jobs whose time has come, and for lost notifications
)

// Separate queues.
const (
	periodicQueue = "periodic" // hanging periodic work must not delay documents
	convertQueue  = "convert"  // conversions take turns among themselves and must not delay stamps
	notifyQueue   = "notify"   // a mail server that answers slowly must not delay stamps
	evidenceQueue = "evidence" // evidence certificates draw pages and wait for everything else
)

// notifyWorkers is how many documents' notices are delivered at the same time.
const notifyWorkers = 4

// Runner runs jobs until it is stopped.
type Runner struct {
	source   Source
	handlers Handlers
	options  Options

	endFollowing context.CancelFunc
	following    sync.WaitGroup // the goroutine that follows the terms of the process
	abandoned    sync.WaitGroup // runners of terms that have ended

	mu      sync.Mutex // guards current
	current *termRunner
}

// termRunner runs jobs in one term of the process.
type termRunner struct {
	term     *process.Term // nil: no term limits it
	client   client
	pause    *outagePause
	recovery *jobRecovery
}

// Start starts to run the jobs of a database. [Runner.Stop] ends it; the end of ctx does not. Handlers receive the
// values of ctx. If the term of the process ends, all jobs are cancelled at once; they go on elsewhere, or here in the
// next term.
func Start(ctx context.Context, s Source, h Handlers, o Options) (*Runner, error) {
	if o.Workers == 0 {
		o.Workers = 4
	}
	if o.Waiting == 0 {
		o.Waiting = 256
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Log == nil {
		o.Log = discardLogger
	}
	if o.Observe == nil {
		o.Observe = func(string, string, time.Duration) {}
	}
	if o.Tracer == nil {
		o.Tracer = tracing.Off
	}
	r := &Runner{source: s, handlers: h, options: o}
	var term *process.Term
	if o.Process != nil {
		term = o.Process.Term()
	}
	var err error
	if r.current, err = r.startTerm(ctx, term); err != nil {
		return nil, err
	}
	following, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.endFollowing = cancel
	if term != nil {
		r.following.Go(func() { r.followTerms(following, term) })
	}
	return r, nil
}

// startTerm starts to run jobs in a term; nil: without one.
func (r *Runner) startTerm(ctx context.Context, term *process.Term) (*termRunner, error) {
	o := r.options
	t := &termRunner{term: term, pause: newOutagePause(o.Working, o.Timeout/2, o.Log)}
	workers, err := r.handlers.riverWorkers(workerParts{slog.New(tracing.NewLogHandler(o.Log.Handler())), o.Tracer, o.Observe, t.pause, term})
	if err != nil {
		return nil, err
	}
	id := "" // River generates one
	if term != nil {
		id = term.Name()
	}
	clock := time.Now
	var test river.TestConfig // the only way to set River's clock
	if term != nil && term.IsFenced() {
		steady := newSteadyClock()
		clock, test.Time = steady.Now, steady
	}
	if term != nil && !term.IsFenced() { // an earlier process had the name
		if err := takeOver(ctx, r.source.Jobs().riverExecutor(), id, time.Now()); err != nil {
			return nil, fmt.Errorf("take over jobs of an earlier process: %w", err)
		}
	}
	fetched := newFetchedJobs()
	t.client, err = r.source.Jobs().newClient(&river.Config{
		ID:                   id,
		Queues:               o.queueConfig(),
		Workers:              workers,
		PeriodicJobs:         r.handlers.periodicJobs(),
		FetchCooldown:        fetchEvery,
		FetchPollInterval:    cmp.Or(o.poll, pollEvery),
		JobTimeout:           o.Timeout,
		RescueStuckJobsAfter: o.Timeout + time.Minute, // no handler runs that long, so the process must have died
		RetryPolicy:          retryPolicy{clock},
		Test:                 test,
		MaxAttempts:          maxAttempts,
		Logger:               slog.New(warningHandler{o.Log.Handler()}),

		CompletedJobRetentionPeriod: time.Hour,
	}, fetched, term)
	if err != nil {
		return nil, fmt.Errorf("set up job runner: %w", err)
	}
	if err := t.client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("start job runner: %w", err)
	}
	t.recovery = startRecovery(context.WithoutCancel(ctx), r.source.Jobs(), fetched, id, clock, o.Log)
	return t, nil
}

// followTerms abandons the runner of a term when it ends, and starts one in the next.
func (r *Runner) followTerms(ctx context.Context, term *process.Term) {
	for {
		select {
		case <-term.Done():
		case <-ctx.Done():
			return
		}
		if former := r.swapCurrent(nil); former != nil {
			r.abandoned.Go(func() { r.abandonTerm(ctx, former) })
		}
		var err error
		if term, err = r.options.Process.NextTerm(ctx, term); err != nil {
			return
		}
		for {
			next, err := r.startTerm(ctx, term)
			if err == nil {
				r.swapCurrent(next)
				break
			}
			r.options.Log.WarnContext(ctx, "jobs do not run yet in the new term of this process", "error", err)
			select {
			case <-time.After(pollEvery):
				continue
			case <-term.Done():
			case <-ctx.Done():
			}
			break
		}
	}
}

func (r *Runner) swapCurrent(next *termRunner) (former *termRunner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	former, r.current = r.current, next
	return former
}

// abandonTerm stops the runner of a term that has ended. The jobs of the term were put back with its end, except those
// that were fetched after it, before this process noticed; they are put back here. If the process dies before, River
// finds them after Options.Timeout.
func (r *Runner) abandonTerm(ctx context.Context, t *termRunner) {
	t.recovery.stop()
	t.pause.endPause()
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
	defer cancel()
	if err := t.client.StopAndCancel(hard); err != nil {
		r.options.Log.WarnContext(ctx, "jobs of a term that has ended still run", "error", err)
	}
	if _, err := r.options.Process.NextTerm(ctx, t.term); err != nil {
		return
	}
	within, cancel := context.WithTimeout(ctx, recoveryTimeout)
	defer cancel()
	if err := takeOver(within, r.source.Jobs().riverExecutor(), t.term.Name(), time.Now()); err != nil {
		r.options.Log.WarnContext(ctx, "put back the jobs of a term that has ended", "error", err)
	}
}

// cancelWait is how long handlers may take to return after their contexts are cancelled.
const cancelWait = 10 * time.Second

// Stop fetches no more jobs and waits for running ones. If ctx ends first, it cancels them; the next start continues
// their work.
func (r *Runner) Stop(ctx context.Context) error {
	r.endFollowing()
	r.following.Wait()
	defer r.abandoned.Wait()
	t := r.swapCurrent(nil)
	if t == nil { // the term has ended, or it was stopped before
		return nil
	}
	t.recovery.stop()
	t.pause.endPause()
	err := t.client.Stop(ctx)
	if err == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
	defer cancel()
	if err := t.client.StopAndCancel(hard); err != nil {
		return fmt.Errorf("stop running jobs: %w", err)
	}
	return nil
}

func (h Handlers) riverWorkers(p workerParts) (*river.Workers, error) {
	w := river.NewWorkers()
	do := map[string]Periodic{}
	for _, periodic := range h.Periodic {
		do[periodic.Name] = periodic
	}
	err := errors.Join(
		addWorker(w, p, func(ctx context.Context, a convertArgs) error { return h.Convert(ctx, a.Document) }),
		addWorker(w, p, func(ctx context.Context, a stampArgs) error { return h.Stamp(ctx, a.Document) }),
		addWorker(w, p, func(ctx context.Context, a completeArgs) error { return h.Complete(ctx, a.Document) }),
		addWorker(w, p, func(ctx context.Context, a sweepArgs) error { return h.Sweep(ctx, a.Keys) }),
		addWorker(w, p, func(ctx context.Context, a notifyArgs) error { return h.Notify(ctx, a.Document) }),
		addWorker(w, p, func(ctx context.Context, a evidenceArgs) error { return h.Evidence(ctx, a.Document) }),
		river.AddWorkerSafely(w, &periodicWorker{do: do, workerParts: p}),
	)
	if err != nil {
		return nil, fmt.Errorf("register handlers: %w", err)
	}
	return w, nil
}

func addWorker[T river.JobArgs](w *river.Workers, p workerParts, do func(context.Context, T) error) error {
	return river.AddWorkerSafely(w, &worker[T]{do: do, workerParts: p})
}

func (h Handlers) periodicJobs() []*river.PeriodicJob {
	var all []*river.PeriodicJob
	for _, p := range h.Periodic {
		order := func() (river.JobArgs, *river.InsertOpts) {
			o := insertOpts("")
			o.Queue, o.MaxAttempts = periodicQueue, 1
			return periodicArgs{Name: p.Name}, o
		}
		all = append(all, river.NewPeriodicJob(river.PeriodicInterval(p.Every), order, &river.PeriodicJobOpts{RunOnStart: true}))
	}
	return all
}

var _ river.ClientRetryPolicy = retryPolicy{}
