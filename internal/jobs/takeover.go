package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// takeOver requeues the jobs during which a process with this name died, and ends its leadership. River would do the
// first after Options.Timeout, because it cannot tell a job of a dead process from a slow one, and the second after 15
// seconds.
func takeOver(ctx context.Context, e riverdriver.Executor, name string, now time.Time) error {
	if err := requeueJobs(ctx, e, name, now, "the process died during the job", func(int64) bool { return false }); err != nil {
		return err
	}
	return resignLeader(ctx, e, name)
}

// maxClockDifference is how far the database's clock, which sets the time of a fetch, may be ahead of ours.
const maxClockDifference = 10 * time.Minute

// requeueJobs requeues the running jobs of a process with that name, except the spared ones.
func requeueJobs(ctx context.Context, e riverdriver.Executor, name string, now time.Time, why string, spared func(id int64) bool) error {
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
			back.FinalizedAt, back.ScheduledAt = append(back.FinalizedAt, nil), append(back.ScheduledAt, now)
			back.State = append(back.State, string(rivertype.JobStateAvailable))
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
