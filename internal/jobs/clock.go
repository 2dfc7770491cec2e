package jobs

import (
	"time"

	"github.com/riverqueue/river/rivertype"
)

// steadyClock is the clock of a term with a lease: the time at its start, and what the monotonic clock has counted since. A term begins only
// when the clock of the process agrees with the database's, which decides when jobs are due. A clock that is set hours ahead during the term would
// otherwise put a job off by as much before the term ends.
type steadyClock struct{ start time.Time }

var _ rivertype.TimeGenerator = steadyClock{}

// newSteadyClock returns the clock that starts with the current time, with its monotonic reading.
func newSteadyClock() steadyClock { return steadyClock{time.Now()} }

// Now implements [rivertype.TimeGenerator].
func (c steadyClock) Now() time.Time { return c.start.Add(time.Since(c.start)) }

// NowOrNil implements [rivertype.TimeGenerator]: statements use the time of the database.
func (c steadyClock) NowOrNil() *time.Time { return nil }
