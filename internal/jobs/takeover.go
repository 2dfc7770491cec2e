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

// takeOver puts back to work what a process died over that had this name before, and ends its term as the one that
// brings jobs forward whose time has come. River would do the first after Options.Timeout, since it cannot know a job
// whose process is dead from one that takes long, and the second after a quarter of a minute.
func takeOver(ctx context.Context, e riverdriver.Executor, name string, now time.Time) error {
	if err := requeueJobs(ctx, e, name, now, "the process died over it", func(int64) bool { return false }); err != nil {
		return err
	}
	return resignLeader(ctx, e, name)
}

// maxClockDifference is by how much the database's clock, which says when a job was fetched, may be ahead of ours.
const maxClockDifference = 10 * time.Minute

// requeueJobs puts back to work the jobs that are at work in a process of that name, but those that are spared.
func requeueJobs(ctx context.Context, e riverdriver.Executor, name string, now time.Time, why string, spared func(id int64) bool) error {
	const batch = 1000
	horizon := now.Add(maxClockDifference)
	for after := int64(0); ; {
		running, err := e.JobGetStuck(ctx, &riverdriver.JobGetStuckParams{AfterID: after, Max: batch, StuckHorizon: horizon})
		if err != nil {
			return fmt.Errorf("read jobs at work: %w", err)
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
				return fmt.Errorf("put jobs back: %w", err)
			}
		}
		if len(running) < batch {
			return nil
		}
	}
}

// resignLeader ends the term of a process of that name as the leader.
func resignLeader(ctx context.Context, e riverdriver.Executor, name string) error {
	leader, err := e.LeaderGetElectedLeader(ctx, &riverdriver.LeaderGetElectedLeaderParams{})
	if errors.Is(err, rivertype.ErrNotFound) || err == nil && leader.LeaderID != name {
		return nil
	}
	if err == nil {
		_, err = e.LeaderResign(ctx, &riverdriver.LeaderResignParams{ElectedAt: leader.ElectedAt, LeaderID: name, LeadershipTopic: "river_leadership"})
	}
	if err != nil {
		return fmt.Errorf("end the term of a process that died: %w", err)
	}
	return nil
}
