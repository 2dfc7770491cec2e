// Package breaker is a circuit breaker: it stops calls to an address that fails repeatedly, so that an address that
// accepts connections but never answers costs its timeout a few times, not once for each call.
package breaker

import (
	"fmt"
	"sync"
	"time"
)

// Breaker counts the consecutive failures of calls to one address. After Threshold failures it refuses calls for a
// pause and then allows one call, which probes the address. If that succeeds, all calls are allowed; if it fails, the
// next pause is twice as long, up to LongestPause. Set the fields before the first call. It is safe for concurrent use.
type Breaker struct {
	Threshold                int
	FirstPause, LongestPause time.Duration

	mu       sync.Mutex // guards the fields below
	failures int        // consecutive
	until    time.Time  // when the next call is allowed; zero: all calls are allowed
	probing  bool       // that call is running
	reason   string     // of the last failure
}

// OpenError is the error of a call that is not allowed.
type OpenError struct {
	Until  time.Time // when the next call is allowed; zero while a call probes the address
	Reason string    // of the last failure
}

func (e *OpenError) Error() string {
	if e.Until.IsZero() {
		return "does not answer, and is being probed"
	}
	return fmt.Sprintf("does not answer, not called again before %s", e.Until.UTC().Format(time.RFC3339))
}

// Check returns nil if a call is allowed now.
func (b *Breaker) Check(now time.Time) *OpenError {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check(now)
}

func (b *Breaker) check(now time.Time) *OpenError {
	switch {
	case b.until.IsZero():
		return nil
	case now.Before(b.until):
		return &OpenError{Until: b.until, Reason: b.reason}
	case b.probing:
		return &OpenError{Reason: b.reason}
	}
	return nil
}

// Acquire allows a call, which must end in Succeed, Fail or Cancel, or returns why not.
func (b *Breaker) Acquire(now time.Time) *OpenError {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.check(now)
	if err == nil && !b.until.IsZero() {
		b.probing = true
	}
	return err
}

// Succeed ends a call that the address answered. It reports whether calls were refused until now.
func (b *Breaker) Succeed() (reopened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	reopened = !b.until.IsZero()
	b.failures, b.until, b.probing, b.reason = 0, time.Time{}, false, ""
	return reopened
}

// Fail ends a call that failed. It returns the number of consecutive failures, and the pause that begins; 0 if calls are
// still allowed.
func (b *Breaker) Fail(now time.Time, reason string) (failures int, pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.probing, b.reason = false, reason
	if doublings := b.failures - b.Threshold; doublings >= 0 {
		longest := max(b.FirstPause, b.LongestPause)
		pause = b.FirstPause
		for range min(doublings, 63) { // no more doublings fit in a Duration
			pause += min(pause, longest-pause) // twice as long, without overflow
		}
		b.until = now.Add(pause)
	}
	return b.failures, pause
}

// Cancel ends a call that says nothing about the address, because its caller gave up. The next call probes the address.
func (b *Breaker) Cancel() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}
