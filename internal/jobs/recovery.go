package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// jobRecovery makes up for what an outage of the database leaves behind in River.
//
// River's leader brings jobs forward whose time has come. After an outage it is elected again only after a wait that grows to more than
// a minute; until then each keeper brings them forward. And a job that was fetched by a statement whose answer was lost runs nowhere
// until River takes it for stuck, after more than ten minutes; the keeper puts it back at once.
type jobRecovery struct {
	fetched *fetchedJobs
	exec    riverdriver.Executor
	name    string // of this process as the one that fetched; empty: River chose it, and nothing is put back
	notify  func(queue string)
	log     *slog.Logger
	stop    func()
}

// keepEvery is how often the keeper looks, and keepWithin how long it may take.
const (
	recoveryInterval = 2 * time.Second
	recoveryTimeout  = 10 * time.Second
)

// startRecovery starts a keeper, which ends by stop.
func startRecovery(ctx context.Context, b Backend, name string, log *slog.Logger) *jobRecovery {
	ctx, cancel := context.WithCancel(ctx)
	k := &jobRecovery{fetched: b.fetchedByProcess(), exec: b.riverExecutor(), name: name, notify: b.wakeQueue, log: log}
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
			k.log.DebugContext(ctx, "look after the jobs", "error", err)
		}
	}
}

// bringForward does what the leader does every five seconds, while there is none.
func (k *jobRecovery) bringForward(ctx context.Context) error {
	leader, err := k.exec.LeaderGetElectedLeader(ctx, &riverdriver.LeaderGetElectedLeaderParams{})
	if err == nil && leader.ExpiresAt.After(time.Now()) {
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

// requeueLost puts back to work what this process fetched without learning of it.
func (k *jobRecovery) requeueLost(ctx context.Context) error {
	if k.name == "" || !k.fetched.hasLostAnswer() {
		return nil
	}
	// While nothing is being fetched: what is at work in the database and not handed to a worker is lost.
	done := k.fetched.stopFetching()
	defer done()
	if err := requeueJobs(ctx, k.exec, k.name, time.Now(), "its process did not learn that it had fetched it", k.fetched.isHandedOut); err != nil {
		return err
	}
	k.fetched.clearLost()
	return nil
}

// fetchedJobs knows which jobs this process has been handed and has not finished, and whether the answer to a fetch was lost.
type fetchedJobs struct {
	fetching sync.RWMutex // held while jobs are fetched, alone while lost ones are put back

	mu   sync.Mutex // guards all below
	jobs map[int64]bool
	lost bool
}

func newFetchedJobs() *fetchedJobs { return &fetchedJobs{jobs: map[int64]bool{}} }

func (f *fetchedJobs) stopFetching() (done func()) {
	f.fetching.Lock()
	return f.fetching.Unlock
}

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

// recordingExecutor is an executor that notes what is fetched and what is finished.
type recordingExecutor struct {
	riverdriver.Executor
	fetched *fetchedJobs
}

// JobGetAvailable fetches jobs.
func (n recordingExecutor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	n.fetched.fetching.RLock()
	defer n.fetched.fetching.RUnlock()
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

// JobSetStateIfRunningMany finishes jobs, whatever came of them.
func (n recordingExecutor) JobSetStateIfRunningMany(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	rows, err := n.Executor.JobSetStateIfRunningMany(ctx, p)
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
