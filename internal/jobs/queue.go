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
)

// Source is a store that keeps jobs.
type Source interface{ Jobs() Backend }

// Backend is the part of a store that keeps them: a [Queue] over the transactions of one driver.
type Backend interface {
	newClient(*river.Config) (client, error)
	riverExecutor() riverdriver.Executor
	fetchedByProcess() *fetchedJobs
	wakeQueue(queue string)
}

// client is what a [Runner] needs of River, whatever the driver's transactions are.
type client interface {
	Start(context.Context) error
	Stop(context.Context) error
	StopAndCancel(context.Context) error
}

// Queue adds jobs within transactions of one database. Tx is that of its driver.
type Queue[Tx any] struct {
	driver   riverdriver.Driver[Tx]
	insert   *river.Client[Tx]
	notifier *notifier

	fetched *fetchedJobs
}

// notifyEvery is how far apart two wake-ups of one process are at least. A job in between rides on the one
// before; were it much longer, that one could be over before the job is committed.
const notifyEvery = time.Millisecond

// NewQueue returns the queue of a database whose tables [Queue.Migrate] has made.
func NewQueue[Tx any](driver riverdriver.Driver[Tx]) (*Queue[Tx], error) {
	insert, err := river.NewClient(driver, &river.Config{FetchCooldown: notifyEvery, Logger: discardLogger})
	if err != nil {
		return nil, fmt.Errorf("open job queue: %w", err)
	}
	b := &notifier{listeners: map[*wakeListener]bool{}}
	f := newFetchedJobs()
	return &Queue[Tx]{driver: wakingDriver[Tx]{driver, b, fairSQL(driver.DatabaseName()), &turns{}, f}, insert: insert, notifier: b, fetched: f}, nil
}

// Migrate makes or renews River's tables. The caller holds the lock that keeps others from it.
func (q *Queue[Tx]) Migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: discardLogger})
	if err != nil {
		return fmt.Errorf("open migrations of the job queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate job queue: %w", err)
	}
	if err := q.driver.GetExecutor().Exec(ctx, turnIndex); err != nil {
		return fmt.Errorf("make the index by which organisations take turns: %w", err)
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

// Add orders jobs in a transaction that makes them necessary. One that waits already stands for its equal, and
// one that waits for its next try is tried at once, since what it failed on may be over.
func (q *Queue[Tx]) Add(ctx context.Context, tx Tx, jobs ...contract.Job) error {
	for _, j := range jobs {
		waits, err := q.insertJob(ctx, tx, j, anySlot)
		if err != nil {
			return fmt.Errorf("order %s of document %d: %w", j.Kind, j.Document, err)
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

// Ensure orders jobs that may have been lost, in a transaction that changes nothing else. One that waits stands
// for its equal and keeps its time. One at work may be that of a process that died, so it is doubled, but once
// only: were it merely slow, the doubles would keep all workers waiting for it.
func (q *Queue[Tx]) Ensure(ctx context.Context, tx Tx, jobs ...contract.Job) error {
	for _, j := range jobs {
		if _, err := q.insertJob(ctx, tx, j, 1); err != nil {
			return fmt.Errorf("order %s of document %d again: %w", j.Kind, j.Document, err)
		}
	}
	return nil
}

// anySlot is no limit: there are never more jobs of a document at work than there are workers.
const anySlot = 1 << 30

// insertJob inserts a job, or returns the equal one that stands for it.
//
// One at work may have read the document before this transaction changes it, so it does not stand for the new
// one; River however must count it as an equal. Each job at work therefore leaves its slot, and the new one
// takes the first in which nothing runs. The equal that is returned stays locked until the transaction ends:
// no worker starts it before what this transaction changed can be seen.
func (q *Queue[Tx]) insertJob(ctx context.Context, tx Tx, j contract.Job, lastSlot int) (*rivertype.JobRow, error) {
	for slot := 0; ; slot++ {
		args, err := newArgs(j, slot)
		if err != nil {
			return nil, err
		}
		opts, err := insertOptsOf(j)
		if err != nil {
			return nil, err
		}
		r, err := q.insert.InsertTx(ctx, tx, args, opts)
		switch {
		case err != nil:
			return nil, err
		case !r.UniqueSkippedAsDuplicate:
			return nil, nil
		case r.Job.State != rivertype.JobStateRunning || slot == lastSlot:
			return r.Job, nil
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

// insertOptsOf are insertOpts with whose turn the job takes.
func insertOptsOf(j contract.Job) (*river.InsertOpts, error) {
	o := insertOpts(j.Kind)
	if j.Organisation == "" {
		return o, nil
	}
	o.Priority = waitingPriority
	metadata, err := json.Marshal(turnMetadata{j.Organisation})
	o.Metadata = metadata
	return o, err
}

func (q *Queue[Tx]) newClient(c *river.Config) (client, error) { return river.NewClient(q.driver, c) }

func (q *Queue[Tx]) riverExecutor() riverdriver.Executor { return q.driver.GetExecutor() }

func (q *Queue[Tx]) fetchedByProcess() *fetchedJobs { return q.fetched }

func (q *Queue[Tx]) wakeQueue(queue string) { q.notifier.notifyQueue(queue) }
