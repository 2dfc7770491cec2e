package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"segel/internal/contract"
)

const (
	DefaultQueue  = river.QueueDefault
	EvidenceQueue = evidenceQueue
)

// WithPoll returns options with which waiting jobs are polled that often. Between polls only a notification starts them.
func WithPoll(o Options, every time.Duration) Options {
	o.poll = every
	return o
}

// FetchOne fetches at most one job of a queue, as a runner does, and returns how many there were.
func FetchOne(ctx context.Context, s Source, queue string) (int, error) {
	got, err := s.Jobs().riverExecutor().JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: "test", MaxAttemptedBy: 1, MaxToLock: 1, Queue: queue})
	return len(got), err
}

// Backdate lets the jobs of a queue wait since long ago.
func Backdate(ctx context.Context, s Source, queue string) error {
	return s.Jobs().riverExecutor().Exec(ctx, `UPDATE river_job SET scheduled_at = '2026-01-01 00:00:00.000' WHERE queue = $1`, queue)
}

// CopyJobs adds n copies of the only job that waits.
func CopyJobs(ctx context.Context, s Source, n int) error {
	return s.Jobs().riverExecutor().Exec(ctx, fmt.Sprintf(`INSERT INTO river_job (args, kind, max_attempts, metadata, priority, queue, scheduled_at, state, created_at)
		WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < %d)
		SELECT j.args, j.kind, j.max_attempts, j.metadata, j.priority, j.queue, j.scheduled_at, j.state, j.created_at FROM river_job j, number`, n))
}

// AnalyzeJobs updates the statistics of the table.
func AnalyzeJobs(ctx context.Context, s Source) error {
	return s.Jobs().riverExecutor().Exec(ctx, `ANALYZE river_job`)
}

// DeleteRunning deletes the jobs that were fetched.
func DeleteRunning(ctx context.Context, s Source) error {
	return s.Jobs().riverExecutor().Exec(ctx, `DELETE FROM river_job WHERE state = 'running'`)
}

// JobsOfKind returns the jobs of a kind.
func JobsOfKind(ctx context.Context, s Source, kind contract.JobKind) ([]*rivertype.JobRow, error) {
	return s.Jobs().riverExecutor().JobGetByKindMany(ctx, &riverdriver.JobGetByKindManyParams{Kind: []string{string(kind)}})
}
