package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"segel/internal/contract"
	"segel/internal/process"
	"segel/internal/tracing"
)

// Source is a store that holds jobs.
type Source interface{ Jobs() Backend }

// Backend is the part of a store that holds jobs: a [Queue] over the transactions of one driver.
type Backend interface {
	newClient(c *river.Config, f *fetchedJobs, t *process.Term) (client, error)
	riverExecutor() riverdriver.Executor
	wakeQueue(queue string)
}

// client is the part of River's client that a [Runner] uses, for any type of transaction.
type client interface {
	Start(context.Context) error
	Stop(context.Context) error
	StopAndCancel(context.Context) error
}

// Queue adds jobs in transactions of one database. Tx is the driver's type of transaction.
type Queue[Tx any] struct {
	driver   wakingDriver[Tx]
	insert   *river.Client[Tx]
	notifier *notifier
}

// notifyEvery is the minimum interval between notifications of one process. A job in between relies on the previous
// notification; with a much longer interval, that fetch could be over before the job is committed.
const notifyEvery = time.Millisecond

// NewQueue returns the queue of a database whose tables [Queue.Migrate] has created.
func NewQueue[Tx any](driver riverdriver.Driver[Tx]) (*Queue[Tx], error) {
	b := &notifier{listeners: map[*wakeListener]bool{}}
	waking := wakingDriver[Tx]{driver, b, fairSQL(driver.DatabaseName()), &turns{}, newFetchedJobs(), nil}
	insert, err := river.NewClient(waking, &river.Config{FetchCooldown: notifyEvery, Logger: discardLogger})
	if err != nil {
		return nil, fmt.Errorf("open job queue: %w", err)
	}
	return &Queue[Tx]{driver: waking, insert: insert, notifier: b}, nil
}

// Migrate creates or updates River's tables. The caller holds the lock that excludes other migrations.
func (q *Queue[Tx]) Migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: discardLogger})
	if err != nil {
		return fmt.Errorf("open migrations of the job queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate job queue: %w", err)
	}
	if err := q.driver.GetExecutor().Exec(ctx, turnIndex); err != nil {
		return fmt.Errorf("create the index for turns of organisations: %w", err)
	}
	return nil
}

// Outdated reports whether [Queue.Migrate] has something to do.
func (q *Queue[Tx]) Outdated(ctx context.Context) (bool, error) {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: discardLogger})
	if err != nil {
		return false, fmt.Errorf("open migrations of the job queue: %w", err)
	}
	v, err := m.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("check the tables of the job queue: %w", err)
	}
	return !v.OK, nil
}

// Add enqueues jobs in the transaction that makes them necessary. If an equal job already waits, none is added. If an
// equal job waits for its next try, it is tried at once, because the cause of its failure may be gone.
func (q *Queue[Tx]) Add(ctx context.Context, tx Tx, jobs ...contract.Job) error {
	params, err := insertParamsOf(ctx, jobs)
	if err != nil || len(jobs) == 0 {
		return err
	}
	if q.driver.DatabaseName() == sqliteName {
		// Most jobs have no equal. River's driver for SQLite leaves out those that have one, and reading back what it inserted takes longer
		// than inserting it. On PostgreSQL an equal job would end the transaction.
		inserted, err := q.insert.InsertManyFastTx(ctx, tx, params)
		if err != nil {
			return fmt.Errorf("enqueue jobs of document %d: %w", jobs[0].Document, err)
		}
		if inserted == len(jobs) {
			return nil
		}
		// Below, a job that was inserted is found as an equal one that waits.
	}
	together, err := q.insertTogether(ctx, tx, jobs, params)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		var waits *rivertype.JobRow // the equal job that waits; nil: this one was inserted
		switch {
		case together != nil && !together[i].UniqueSkippedAsDuplicate:
		case together != nil && together[i].Job.State != rivertype.JobStateRunning:
			waits = together[i].Job
		default:
			row, inserted, err := q.insertJob(ctx, tx, j, anySlot)
			if err != nil {
				return fmt.Errorf("enqueue %s of document %d: %w", j.Kind, j.Document, err)
			}
			if !inserted {
				waits = row
			}
		}
		if waits == nil || waits.State == rivertype.JobStateAvailable {
			continue
		}
		if _, err := q.insert.JobRetryTx(ctx, tx, waits.ID); err != nil {
			return fmt.Errorf("bring %s of document %d forward: %w", j.Kind, j.Document, err)
		}
	}
	return nil
}

// Ensure enqueues jobs that may have been lost, in a transaction that changes nothing else. An equal job that waits
// keeps its time, and none is added. An equal job at work may belong to a dead process, so one duplicate is added, but
// only one: if the job is merely slow, more duplicates would occupy all workers.
//
// A completion is not added while the job of the document's last stamp waits, which completes it too: both would be tried, each with its own waits, also if the
// completion ends the process.
func (q *Queue[Tx]) Ensure(ctx context.Context, tx Tx, jobs ...contract.Job) error {
	for _, j := range jobs {
		if j.Kind == contract.JobComplete {
			waits, err := q.isWaiting(ctx, tx, contract.Job{Kind: contract.JobStamp, Document: j.Document})
			if err != nil {
				return fmt.Errorf("find the stamp job of document %d: %w", j.Document, err)
			}
			if waits {
				continue
			}
		}
		if _, _, err := q.insertJob(ctx, tx, j, 1); err != nil {
			return fmt.Errorf("enqueue %s of document %d again: %w", j.Kind, j.Document, err)
		}
	}
	return nil
}

// isWaiting reports whether an equal job waits. Only an insert finds equal jobs by River's index, so one that is inserted is deleted again, unseen by others.
func (q *Queue[Tx]) isWaiting(ctx context.Context, tx Tx, j contract.Job) (bool, error) {
	row, inserted, err := q.insertJob(ctx, tx, j, anySlot)
	if err != nil || !inserted {
		return err == nil, err
	}
	_, err = q.insert.JobDeleteTx(ctx, tx, row.ID)
	return false, err
}

// anySlot does not limit: at most as many jobs of a document run as there are workers.
const anySlot = 1 << 30

// insertParamsOf returns the parameters that insert each job in its first slot.
func insertParamsOf(ctx context.Context, jobs []contract.Job) (all []river.InsertManyParams, err error) {
	all = make([]river.InsertManyParams, len(jobs))
	for i, j := range jobs {
		if all[i].Args, err = newArgs(j, 0); err != nil {
			return nil, err
		}
		if all[i].InsertOpts, err = insertOptsOf(ctx, j); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// insertTogether inserts several jobs of different kinds in one round trip, with the parameters of insertParamsOf, and returns the results in their
// order. It returns nil, and inserts nothing, for jobs that have to be inserted one by one.
func (q *Queue[Tx]) insertTogether(ctx context.Context, tx Tx, jobs []contract.Job, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error) {
	kinds := map[contract.JobKind]bool{}
	for _, j := range jobs {
		kinds[j.Kind] = true
	}
	if len(jobs) < 2 || len(kinds) < len(jobs) { // PostgreSQL refuses equal rows in one statement
		return nil, nil
	}
	results, err := q.insert.InsertManyTx(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("enqueue jobs of document %d: %w", jobs[0].Document, err)
	}
	return results, nil
}

// insertJob inserts a job and returns it, or returns the equal one that waits.
//
// A running job may have read the document before this transaction changes it, so it cannot replace the new job; but
// River counts it as equal. Therefore each running job keeps its slot, and the new job takes the first slot without a
// running job. The returned equal job stays locked until the transaction ends: no worker starts it before this
// transaction's changes are visible.
func (q *Queue[Tx]) insertJob(ctx context.Context, tx Tx, j contract.Job, lastSlot int) (row *rivertype.JobRow, inserted bool, err error) {
	for slot := 0; ; slot++ {
		args, err := newArgs(j, slot)
		if err != nil {
			return nil, false, err
		}
		opts, err := insertOptsOf(ctx, j)
		if err != nil {
			return nil, false, err
		}
		r, err := q.insert.InsertTx(ctx, tx, args, opts)
		switch {
		case err != nil:
			return nil, false, err
		case !r.UniqueSkippedAsDuplicate:
			return r.Job, true, nil
		case r.Job.State != rivertype.JobStateRunning || slot == lastSlot:
			return r.Job, false, nil
		}
	}
}

func insertOpts(k contract.JobKind) *river.InsertOpts {
	return &river.InsertOpts{
		Queue:       queueOf(k),
		MaxAttempts: maxAttempts,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
			rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}},
	}
}

// insertOptsOf returns insertOpts with the organisation for taking turns, and the trace that the job continues.
func insertOptsOf(ctx context.Context, j contract.Job) (*river.InsertOpts, error) {
	o, m := insertOpts(j.Kind), jobMetadata{j.Organisation, tracing.Traceparent(ctx)}
	if m == (jobMetadata{}) {
		return o, nil
	}
	if j.Organisation != "" {
		o.Priority = waitingPriority
	}
	metadata, err := json.Marshal(m)
	o.Metadata = metadata
	return o, err
}

// newClient returns a client that records what it fetches, and works in a term; nil: in none.
func (q *Queue[Tx]) newClient(c *river.Config, f *fetchedJobs, t *process.Term) (client, error) {
	driver := q.driver
	driver.fetched, driver.term = f, t
	return river.NewClient(driver, c)
}

// TakeOver requeues the jobs of a process that ended and ends its leadership, in a transaction. Now is by the clock that decides when jobs are due: a
// process whose own clock is wrong puts back what it has begun. All runners are notified
// of the commit, on SQLite by their next poll.
func (q *Queue[Tx]) TakeOver(ctx context.Context, tx Tx, name string, now time.Time) error {
	e := q.driver.UnwrapExecutor(tx)
	if err := takeOver(ctx, e, name, now); err != nil {
		return err
	}
	if q.driver.DatabaseName() == sqliteName {
		return nil
	}
	n := &riverdriver.NotifyManyParams{Topic: insertTopic}
	for _, queue := range queues {
		n.Payload = append(n.Payload, insertNotification(queue).Payload)
	}
	if err := e.NotifyMany(ctx, n); err != nil {
		return fmt.Errorf("notify of requeued jobs: %w", err)
	}
	return nil
}

func (q *Queue[Tx]) riverExecutor() riverdriver.Executor { return q.driver.GetExecutor() }

func (q *Queue[Tx]) wakeQueue(queue string) { q.notifier.notifyQueue(queue) }

// args is a job as River stores it. Jobs are duplicates if all fields are equal.
type args struct {
	Document contract.DocumentID `json:"document"`
	Keys     []string            `json:"keys,omitempty"`
	Slot     int                 `json:"slot,omitempty"` // see [Queue.insertJob]
}

// One type for each kind of work, because River distinguishes kinds by type. The names are stored.
type (
	convertArgs  struct{ args }
	stampArgs    struct{ args }
	completeArgs struct{ args }
	sweepArgs    struct{ args }
	notifyArgs   struct{ args }
	evidenceArgs struct{ args }
	periodicArgs struct {
		Name string `json:"name"`
	}
)

// Kind returns the stored name of the kind of work.
func (convertArgs) Kind() string { return string(contract.JobConvert) }

// Kind returns the stored name of the kind of work.
func (stampArgs) Kind() string { return string(contract.JobStamp) }

// Kind returns the stored name of the kind of work.
func (completeArgs) Kind() string { return string(contract.JobComplete) }

// Kind returns the stored name of the kind of work.
func (sweepArgs) Kind() string { return string(contract.JobSweep) }

// Kind returns the stored name of the kind of work.
func (notifyArgs) Kind() string { return string(contract.JobNotify) }

// Kind returns the stored name of the kind of work.
func (evidenceArgs) Kind() string { return string(contract.JobEvidence) }

// Kind returns the stored name of the kind of work.
func (periodicArgs) Kind() string { return "periodic" }

func newArgs(j contract.Job, slot int) (river.JobArgs, error) {
	a := args{Document: j.Document, Keys: j.Keys, Slot: slot}
	switch j.Kind {
	case contract.JobConvert:
		return convertArgs{a}, nil
	case contract.JobStamp:
		return stampArgs{a}, nil
	case contract.JobComplete:
		return completeArgs{a}, nil
	case contract.JobSweep:
		return sweepArgs{a}, nil
	case contract.JobNotify:
		return notifyArgs{a}, nil
	case contract.JobEvidence:
		return evidenceArgs{a}, nil
	}
	return nil, fmt.Errorf("unknown kind of work %q", j.Kind)
}
