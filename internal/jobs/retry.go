package jobs

import (
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// A failed try is followed by another after firstWait, twice that, and so on up to longestWait.
const (
	firstWait   = time.Second
	longestWait = 5 * time.Minute
)

// recordedTries is after how many failed tries a job stops adding to its record in the database: it goes on
// at the longest wait, and neither its row grows nor its attempts run out. The failures stay in the log.
const recordedTries = 25

// maxAttempts is beyond recordedTries by as many crashes in the middle of the work as one job may live through,
// since those count as attempts too. The sweep of stuck documents is behind it.
const maxAttempts = 10_000

// Later is an error with which a handler asks to be called again after a while. It does not count as a try.
type Later struct {
	After time.Duration
	Err   error // why, for the log; may be nil
}

func (e *Later) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("again in %s", e.After)
	}
	return fmt.Sprintf("again in %s: %v", e.After, e.Err)
}

func (e *Later) Unwrap() error { return e.Err }

// waitOf returns the wait that an error asks for.
func waitOf(err error) (time.Duration, bool) {
	var e *Later
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.After, true
}

// backoff returns how long to wait after failed try n, from 1. Jobs that failed together are spread by their
// number over a fifth of it, so that they do not all come back to a service in the same moment.
func backoff(n int, id int64) time.Duration {
	wait := longestWait
	if n < 10 { // firstWait << 9 is above longestWait
		wait = min(firstWait<<max(n-1, 0), longestWait)
	}
	return wait + wait/5*time.Duration(id%16)/16
}

// retryPolicy is backoff as River asks for it.
type retryPolicy struct{ now func() time.Time }

func (p retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return p.now().Add(backoff(job.Attempt, job.ID))
}
