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
	const batch = 1000
	for after := int64(0); ; {
		running, err := e.JobGetStuck(ctx, &riverdriver.JobGetStuckParams{AfterID: after, Max: batch, StuckHorizon: now})
		if err != nil {
			return fmt.Errorf("read jobs at work: %w", err)
		}
		back := &riverdriver.JobRescueManyParams{StuckHorizon: now}
		for _, j := range running {
			after = j.ID
			if n := len(j.AttemptedBy); n == 0 || j.AttemptedBy[n-1] != name {
				continue
			}
			why, err := json.Marshal(rivertype.AttemptError{At: now, Attempt: max(j.Attempt, 0), Error: "the process died over it"})
			if err != nil {
				return err
			}
			back.ID, back.Error = append(back.ID, j.ID), append(back.Error, why)
			back.FinalizedAt, back.ScheduledAt = append(back.FinalizedAt, nil), append(back.ScheduledAt, now)
			back.State = append(back.State, string(rivertype.JobStateAvailable))
		}
		if len(back.ID) > 0 {
			if _, err := e.JobRescueMany(ctx, back); err != nil {
				return fmt.Errorf("put jobs back: %w", err)
			}
		}
		if len(running) < batch {
			break
		}
	}
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
