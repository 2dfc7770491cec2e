package store

import (
	"context"
	"time"
)

// TryKey is what tries are counted on.
type TryKey struct {
	Kind string   // which count, such as that of addresses
	Key  [32]byte // hash of what is counted, so that the table has no address that somebody typed
}

// Try is one try, of which one is free in each period Every, after so many at once that together they spend Limit.
type Try struct {
	TryKey
	Every time.Duration
	Limit time.Duration
	Keys  int // of this kind that are kept; those that were spent for the shortest time are forgotten first
}

// Next returns until when the count is spent after the try, if it was spent until a moment. A try that would spend more than Limit is not counted: ok is
// false, and the count stays. This is the generic cell rate algorithm: a bucket of tokens whose state is one time.
func (t Try) Next(spent, now time.Time) (next time.Time, ok bool) {
	if spent.Before(now) {
		spent = now
	}
	if next = spent.Add(t.Every); next.Sub(now) > t.Limit {
		return spent, false
	}
	return next, true
}

// Tries stores counts of tries, which all processes share.
type Tries interface {
	// CountTry counts a try, and returns until when the count is spent then, as [Try.Next] says. Of tries at the same moment, no more than the limit
	// allows are counted. Durable on return.
	CountTry(ctx context.Context, t Try, now time.Time) (spent time.Time, ok bool, err error)
	// PurgeTries deletes counts that are spent no longer.
	PurgeTries(ctx context.Context, now time.Time) error
}
