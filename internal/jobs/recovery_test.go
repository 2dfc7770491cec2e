package jobs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// fakeExecutor is a database with running jobs whose answers can be lost.
type fakeExecutor struct {
	riverdriver.Executor
	running   map[int64]string // process by job number
	lose      bool
	hang      bool
	leader    *riverdriver.Leader
	rescued   []int64
	scheduled int
}

func (f *fakeExecutor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	if f.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	id := int64(len(f.running) + 1)
	f.running[id] = p.ClientID
	if f.lose {
		return nil, errors.New("connection lost")
	}
	return []*rivertype.JobRow{{ID: id}}, nil
}

func (f *fakeExecutor) JobSetStateIfRunningMany(_ context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	for _, id := range p.ID {
		delete(f.running, id)
	}
	return nil, nil
}

func (f *fakeExecutor) JobGetStuck(_ context.Context, p *riverdriver.JobGetStuckParams) (all []*rivertype.JobRow, _ error) {
	for id, name := range f.running {
		if id > p.AfterID {
			all = append(all, &rivertype.JobRow{ID: id, AttemptedBy: []string{name}})
		}
	}
	return all, nil
}

func (f *fakeExecutor) JobRescueMany(_ context.Context, p *riverdriver.JobRescueManyParams) (*struct{}, error) {
	f.rescued = append(f.rescued, p.ID...)
	return nil, nil
}

func (f *fakeExecutor) LeaderGetElectedLeader(context.Context, *riverdriver.LeaderGetElectedLeaderParams) (*riverdriver.Leader, error) {
	if f.leader == nil {
		return nil, rivertype.ErrNotFound
	}
	return f.leader, nil
}

func (f *fakeExecutor) JobSchedule(context.Context, *riverdriver.JobScheduleParams) ([]*riverdriver.JobScheduleResult, error) {
	f.scheduled++
	return []*riverdriver.JobScheduleResult{{Job: rivertype.JobRow{Queue: "default"}}}, nil
}

func TestJobThatWasFetchedUnseenIsPutBack(t *testing.T) {
	t.Parallel()
	db := &fakeExecutor{running: map[int64]string{}}
	f := newFetchedJobs()
	exec := recordingExecutor{db, f, nil}
	k := &jobRecovery{fetched: f, exec: exec, name: "we", clock: time.Now, log: discardLogger}
	ctx := t.Context()
	fetch := func(by string) error {
		_, err := exec.JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: by})
		return err
	}
	put := func(want ...int64) {
		t.Helper()
		db.rescued = nil
		if err := k.requeueLost(ctx); err != nil {
			t.Fatal(err)
		}
		if len(db.rescued) != len(want) || len(want) == 1 && db.rescued[0] != want[0] {
			t.Errorf("requeued %v, want %v", db.rescued, want)
		}
	}
	if err := fetch("we"); err != nil { // 1 runs here
		t.Fatal(err)
	}
	put()
	db.running[2] = "another" // runs in another process
	db.lose = true
	if err := fetch("we"); err == nil { // 3 runs nowhere
		t.Fatal("the answer was not lost")
	}
	db.lose = false
	put(3)
	delete(db.running, 3)
	put()
	if _, err := exec.JobSetStateIfRunningMany(ctx, &riverdriver.JobSetStateIfRunningManyParams{ID: []int64{1}}); err != nil {
		t.Fatal(err)
	}
	if f.isHandedOut(1) {
		t.Error("a finished job counts as running")
	}
}

func TestDueJobsAreBroughtForwardWhileThereIsNoLeader(t *testing.T) {
	t.Parallel()
	db := &fakeExecutor{leader: &riverdriver.Leader{ExpiresAt: time.Now().Add(time.Minute)}}
	var notified []string
	k := &jobRecovery{exec: db, notify: func(queue string) { notified = append(notified, queue) }, clock: time.Now, log: discardLogger}
	for _, c := range []struct {
		leader *riverdriver.Leader
		want   int
	}{{db.leader, 0}, {&riverdriver.Leader{ExpiresAt: time.Now().Add(-time.Second)}, 1}, {nil, 2}} {
		db.leader = c.leader
		if err := k.bringForward(t.Context()); err != nil || db.scheduled != c.want || len(notified) != c.want {
			t.Errorf("%v: %d, %v, %v", c.leader, db.scheduled, notified, err)
		}
	}
}

func TestFetchThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFetchedJobs()
		// As River does: without a limit, and not to be cancelled.
		_, err := recordingExecutor{&fakeExecutor{hang: true}, f, nil}.JobGetAvailable(context.Background(), &riverdriver.JobGetAvailableParams{})
		if !errors.Is(err, context.DeadlineExceeded) || !f.hasLostAnswer() {
			t.Errorf("%v", err)
		}
	})
}
