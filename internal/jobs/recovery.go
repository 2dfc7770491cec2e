package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"segel/internal/process"
)

// jobRecovery repairs what an outage of the database leaves behind in River.
//
// River's leader makes jobs available when their time has come. After an outage, electing a leader can take more than a
// minute; until then each jobRecovery does it. And if the answer to a fetch was lost, the fetched jobs run nowhere
// until River considers them stuck after more than ten minutes; jobRecovery requeues them at once.
type jobRecovery struct {
	fetched *fetchedJobs
	exec    riverdriver.Executor
	name    string // River's client ID of this process; empty: River chose it, and nothing is requeued
	notify  func(queue string)
	clock   func() time.Time
	log     *slog.Logger
	stop    func()
}

// The recovery loop runs every recoveryInterval, for at most recoveryTimeout. A fetch may take fetchWithin: River sets no limit, and
// the recovery, which waits for it, could otherwise not be stopped before a lost connection is noticed.
const (
	recoveryInterval = 2 * time.Second
	recoveryTimeout  = 10 * time.Second
	fetchWithin      = 5 * time.Second
)

// startRecovery starts the recovery loop. Its stop function ends it.
func startRecovery(ctx context.Context, b Backend, f *fetchedJobs, name string, clock func() time.Time, log *slog.Logger) *jobRecovery {
	ctx, cancel := context.WithCancel(ctx)
	k := &jobRecovery{fetched: f, exec: b.riverExecutor(), name: name, notify: b.wakeQueue, clock: clock, log: log}
	var working sync.WaitGroup
	working.Go(func() { k.runLoop(ctx) })
	k.stop = func() { cancel(); working.Wait() }
	return k
}

func (k *jobRecovery) runLoop(ctx context.Context) {
	tick := time.NewTicker(recoveryInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		within, cancel := context.WithTimeout(ctx, recoveryTimeout)
		err := errors.Join(k.requeueLost(within), k.bringForward(within))
		cancel()
		if err != nil && ctx.Err() == nil {
			k.log.DebugContext(ctx, "recover jobs", "error", err)
		}
	}
}

// bringForward makes due jobs available while there is no leader to do it.
func (k *jobRecovery) bringForward(ctx context.Context) error {
	leader, err := k.exec.LeaderGetElectedLeader(ctx, &riverdriver.LeaderGetElectedLeaderParams{})
	if err == nil && leader.ExpiresAt.After(k.clock()) {
		return nil
	}
	if err != nil && !errors.Is(err, rivertype.ErrNotFound) {
		return err
	}
	due, err := k.exec.JobSchedule(ctx, &riverdriver.JobScheduleParams{Max: 1000})
	for _, j := range due {
		k.notify(j.Job.Queue)
	}
	return err
}

// requeueLost requeues jobs that this process fetched without receiving the answer.
func (k *jobRecovery) requeueLost(ctx context.Context) error {
	if k.name == "" || !k.fetched.hasLostAnswer() {
		return nil
	}
	// While nothing is fetched, a job that is running in the database and not handed to a worker is lost.
	k.fetched.fetching.Lock()
	defer k.fetched.fetching.Unlock()
	atOnce := func(*rivertype.JobRow) time.Duration { return 0 }
	if err := requeueJobs(ctx, k.exec, k.name, k.clock(), "the answer to its fetch was lost", atOnce, k.fetched.isHandedOut); err != nil {
		return err
	}
	k.fetched.clearLost()
	return nil
}

// fetchedJobs records which jobs this process has fetched and not finished, and whether the answer to a fetch was lost.
type fetchedJobs struct {
	fetching sync.RWMutex // read-locked while jobs are fetched, locked while lost ones are requeued

	mu   sync.Mutex // guards the fields below
	jobs map[int64]bool
	lost bool
}

func newFetchedJobs() *fetchedJobs { return &fetchedJobs{jobs: map[int64]bool{}} }

func (f *fetchedJobs) isHandedOut(id int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.jobs[id]
}

func (f *fetchedJobs) hasLostAnswer() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

func (f *fetchedJobs) clearLost() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lost = false
}

// recordingExecutor records which jobs are fetched and finished.
type recordingExecutor struct {
	riverdriver.Executor
	fetched *fetchedJobs
	term    *process.Term // nil: none
}

// JobGetAvailable fetches jobs and records them.
func (n recordingExecutor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	n.fetched.fetching.RLock()
	defer n.fetched.fetching.RUnlock()
	if n.term != nil && n.term.Check() != nil { // what is fetched now would be put back when the runner of the term has stopped
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	jobs, err := n.Executor.JobGetAvailable(ctx, p)
	n.fetched.mu.Lock()
	defer n.fetched.mu.Unlock()
	for _, j := range jobs {
		n.fetched.jobs[j.ID] = true
	}
	if err != nil {
		n.fetched.lost = true
	}
	return jobs, err
}

// JobSetStateIfRunningMany stores the results of jobs and removes them from the record.
//
// After the end of the term the jobs belong to others, which may be working on them: nothing is stored.
func (n recordingExecutor) JobSetStateIfRunningMany(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) (rows []*rivertype.JobRow, err error) {
	if n.term != nil && n.term.Check() != nil {
		return nil, nil
	}
	if n.term != nil && n.term.IsFenced() {
		rows, err = n.setStateFenced(ctx, p)
	} else {
		rows, err = n.Executor.JobSetStateIfRunningMany(ctx, p)
	}
	if err != nil {
		return rows, err
	}
	n.fetched.mu.Lock()
	defer n.fetched.mu.Unlock()
	for _, id := range p.ID {
		delete(n.fetched.jobs, id)
	}
	return rows, nil
}

// lockNode locks the row of a node against its end, until the transaction ends.
const lockNode = `SELECT name FROM node WHERE name = $1 AND ended_at = 0 FOR KEY SHARE`

// setStateFenced stores the results of jobs, unless the database knows that the term has ended.
func (n recordingExecutor) setStateFenced(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	tx, err := n.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to store the results of jobs: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // has no effect after the commit
	var name string
	switch err := tx.QueryRow(ctx, lockNode, n.term.Name()).Scan(&name); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("check the lease: %w", err)
	}
	rows, err := tx.JobSetStateIfRunningMany(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, fmt.Errorf("store the results of jobs: %w", err)
	}
	return rows, nil
}

// takeOver requeues the jobs during which a process with this name died, and ends its leadership. River would do the
// first after Options.Timeout, because it cannot tell a job of a dead process from a slow one, and the second after 15
// seconds.
func takeOver(ctx context.Context, e riverdriver.Executor, name string, now time.Time) error {
	if err := requeueJobs(ctx, e, name, now, "the process died during the job", waitAfterDeath, func(int64) bool { return false }); err != nil {
		return err
	}
	return resignLeader(ctx, e, name)
}

// waitAfterDeath returns how long a job waits during which a process died: longer each time, because the job itself may be what ends the process. River counts in the
// metadata how often it was requeued. Jobs that ran together wait for different times, from the second wait on by more than the 5 s in which River looks for jobs
// that are due: one of them may end the process again, and the others are done meanwhile.
func waitAfterDeath(j *rivertype.JobRow) time.Duration {
	var m struct {
		Requeued float64 `json:"river:rescue_count"`
	}
	_ = json.Unmarshal(j.Metadata, &m) // without metadata it was not requeued
	wait := WaitAfterCrash(int(m.Requeued)+1, longestWait)
	return wait/2 + wait/2*time.Duration(j.ID%16+1)/16
}

// queues are those in which requeued jobs may be.
var queues = []string{river.QueueDefault, convertQueue, notifyQueue, evidenceQueue, periodicQueue}

// maxClockDifference is how far the database's clock, which sets the time of a fetch, may be ahead of ours.
const maxClockDifference = 10 * time.Minute

// requeueJobs requeues the running jobs of a process with that name, except the spared ones. A job is due
// after the wait that waitAfter returns.
func requeueJobs(ctx context.Context, e riverdriver.Executor, name string, now time.Time, why string, waitAfter func(*rivertype.JobRow) time.Duration, spared func(id int64) bool) error {
	const batch = 1000
	horizon := now.Add(maxClockDifference)
	for after := int64(0); ; {
		running, err := e.JobGetStuck(ctx, &riverdriver.JobGetStuckParams{AfterID: after, Max: batch, StuckHorizon: horizon})
		if err != nil {
			return fmt.Errorf("read running jobs: %w", err)
		}
		back := &riverdriver.JobRescueManyParams{StuckHorizon: horizon}
		for _, j := range running {
			after = j.ID
			if n := len(j.AttemptedBy); n == 0 || j.AttemptedBy[n-1] != name || spared(j.ID) {
				continue
			}
			cause, err := json.Marshal(rivertype.AttemptError{At: now, Attempt: max(j.Attempt, 0), Error: why})
			if err != nil {
				return err
			}
			back.ID, back.Error = append(back.ID, j.ID), append(back.Error, cause)
			wait, state := waitAfter(j), rivertype.JobStateAvailable
			if wait > 0 {
				state = rivertype.JobStateRetryable
			}
			back.FinalizedAt, back.ScheduledAt = append(back.FinalizedAt, nil), append(back.ScheduledAt, now.Add(wait))
			back.State = append(back.State, string(state))
		}
		if len(back.ID) > 0 {
			if _, err := e.JobRescueMany(ctx, back); err != nil {
				return fmt.Errorf("requeue jobs: %w", err)
			}
		}
		if len(running) < batch {
			return nil
		}
	}
}

// resignLeader ends the leadership of the process with that name.
func resignLeader(ctx context.Context, e riverdriver.Executor, name string) error {
	leader, err := e.LeaderGetElectedLeader(ctx, &riverdriver.LeaderGetElectedLeaderParams{})
	if errors.Is(err, rivertype.ErrNotFound) || err == nil && leader.LeaderID != name {
		return nil
	}
	if err == nil {
		_, err = e.LeaderResign(ctx, &riverdriver.LeaderResignParams{ElectedAt: leader.ElectedAt, LeaderID: name, LeadershipTopic: "river_leadership"})
	}
	if err != nil {
		return fmt.Errorf("end the leadership of a dead process: %w", err)
	}
	return nil
}
