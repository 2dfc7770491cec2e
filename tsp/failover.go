package tsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Failover queries several authorities in order until one gives a token. It remembers failures, so that an unreachable
// authority does not cost its timeout each time:
//
//   - after one failure an authority is queried last for five seconds;
//   - after further ones it is not queried for half a minute, and twice as long each time up to five minutes;
//   - then one caller tries it again, while the others skip it.
//
// If no authority answers, the error contains every reason.
//
// A token whose time is far from the local clock counts as a failure, and the next authority is queried. Once two
// independent authorities agree with each other and not with the local clock, the local clock is wrong: the error is a
// [*LocalClockError], and no further authority is queried, since one that agreed with the clock would prove nothing
// more.
type Failover struct {
	clock   func() time.Time
	members []*failoverMember
}

type failoverMember struct {
	Timestamper

	mu          sync.Mutex    // guards the rest; not held during a query
	failures    int           // since the last token
	pausedUntil time.Time     // end of the pause after them
	pause       time.Duration // length of that pause
	probing     bool          // a caller is querying it after its pause
	lastError   error         // the last failure
}

const (
	firstPause   = 5 * time.Second
	secondPause  = 30 * time.Second
	longestPause = 5 * time.Minute
)

// NewFailover returns a Failover that queries the authorities in this order. A nil clock is time.Now.
func NewFailover(clock func() time.Time, all ...Timestamper) *Failover {
	if clock == nil {
		clock = time.Now
	}
	f := &Failover{clock: clock}
	for _, t := range all {
		f.members = append(f.members, &failoverMember{Timestamper: t})
	}
	return f
}

// TokenSize returns the largest size, or 0 if one is unknown.
func (f *Failover) TokenSize() int {
	largest := 0
	for _, m := range f.members {
		n := m.TokenSize()
		if n == 0 {
			return 0
		}
		largest = max(largest, n)
	}
	return largest
}

// Timestamp returns the first token.
func (f *Failover) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	errs := []error{errors.New("no time-stamp authority gave a token")}
	var later []*failoverMember
	for _, m := range f.members {
		ready, last := m.admitQuery(f.clock(), false)
		switch {
		case ready:
		case last == nil:
			later = append(later, m)
			continue
		default:
			errs = append(errs, last)
			continue
		}
		token, err := f.queryMember(ctx, m, digest)
		if err == nil {
			return token, nil
		}
		errs = append(errs, err)
		if wrong := findLocalClockError(errs); wrong != nil {
			return nil, errors.Join(wrong, errors.Join(errs...))
		}
		if ctx.Err() != nil {
			return nil, errors.Join(errs...)
		}
	}
	for _, m := range later {
		if ready, last := m.admitQuery(f.clock(), true); !ready {
			errs = append(errs, last)
			continue
		}
		token, err := f.queryMember(ctx, m, digest)
		if err == nil {
			return token, nil
		}
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	if wrong := findLocalClockError(errs); wrong != nil {
		errs = append([]error{wrong}, errs...)
	}
	return nil, errors.Join(errs...)
}

// admitQuery reports whether the authority may be queried now. If not, the error says why; nil means that it is to be
// queried after all others.
func (m *failoverMember) admitQuery(now time.Time, last bool) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A clock that was set back must not extend a pause that started with the wrong clock.
	paused := now.Before(m.pausedUntil) && m.pausedUntil.Sub(now) <= m.pause
	switch {
	case m.failures == 0:
		return true, nil
	case m.failures == 1 && paused && !last:
		return false, nil
	case m.failures > 1 && paused:
		return false, fmt.Errorf("not queried before %s: %w", m.pausedUntil.UTC().Format(time.RFC3339), m.lastError)
	case m.failures > 1 && m.probing:
		return false, fmt.Errorf("being tried again: %w", m.lastError)
	}
	m.probing = true
	return true, nil
}

func (f *Failover) queryMember(ctx context.Context, m *failoverMember, digest []byte) ([]byte, error) {
	token, err := m.Timestamp(ctx, digest)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.probing = false
	switch {
	case err == nil:
		m.failures, m.pausedUntil, m.pause, m.lastError = 0, time.Time{}, 0, nil
	case ctx.Err() != nil:
		// The caller went away; this says nothing about the authority.
	default:
		m.failures++
		m.lastError, m.pause = err, computePause(m.failures)
		var wrong *ClockError
		if errors.As(err, &wrong) {
			m.pause = firstPause // it answers at once, and which clock is wrong is not known here
		}
		m.pausedUntil = f.clock().Add(m.pause)
	}
	return token, err
}

// computePause returns how long an authority is not queried after that many consecutive failures.
func computePause(failures int) time.Duration {
	if failures == 1 {
		return firstPause
	}
	return min(longestPause, secondPause<<min(failures-2, 10))
}
