package jobs

import (
	"errors"
	"segel/internal/contract"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// A failed try is followed by another after firstWait, then twice that, and so on up to longestWait.
const (
	firstWait   = time.Second
	longestWait = 5 * time.Minute
)

// recordedTries is the number of failed tries after which a job stops recording them in the database. It continues at
// the longest interval; its row stays small and its attempts do not run out. Failures are still logged.
const recordedTries = 25

// maxAttempts leaves room for many crashes during the work of one job, because River counts them as attempts too. If it
// is ever exceeded, the search for stuck documents enqueues the job again.
const maxAttempts = 10_000

// Later is the error by which a handler requests a later call.
type Later = contract.Later

// waitOf returns the delay that an error requests.
func waitOf(err error) (time.Duration, bool) {
	var e *Later
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.After, true
}

// backoff returns the delay after failed try n, counted from 1. Up to a fifth is added by the job's number, so that
// jobs that failed together do not all retry at the same moment.
func backoff(n int, id int64) time.Duration {
	wait := longestWait
	if n < 10 { // firstWait << 9 is above longestWait
		wait = min(firstWait<<max(n-1, 0), longestWait)
	}
	return wait + wait/5*time.Duration(id%16)/16
}

// retryPolicy implements River's retry policy with backoff.
type retryPolicy struct{ now func() time.Time }

func (p retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return p.now().Add(backoff(job.Attempt, job.ID))
}
