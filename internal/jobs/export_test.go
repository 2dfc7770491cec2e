package jobs

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

const (
	DefaultQueue  = river.QueueDefault
	EvidenceQueue = evidenceQueue
)

// FetchOne fetches at most one job of a queue, as a runner does, and returns how many there were.
func FetchOne(ctx context.Context, s Source, queue string) (int, error) {
	got, err := s.Jobs().riverExecutor().JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: "test", MaxAttemptedBy: 1, MaxToLock: 1, Queue: queue})
	return len(got), err
}

// Backdate lets the jobs of a queue wait since long ago.
func Backdate(ctx context.Context, s Source, queue string) error {
	return s.Jobs().riverExecutor().Exec(ctx, `UPDATE river_job SET scheduled_at = '2026-01-01 00:00:00.000' WHERE queue = $1`, queue)
}
