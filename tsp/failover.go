package tsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Failover asks several authorities, the next when the one before gave no token. It remembers who is out of order, so
// that a dead authority does not cost its deadline each time:
//
//   - after one failure it is asked last for five seconds;
//   - after further ones it is not asked at all for half a minute, and twice as long each time up to five minutes;
//   - when that time is over one caller tries it, while the others do without.
//
// Nothing is ever made without trusted time: where none answers, each one's reason is in the error.
//
// An authority whose time is far from the local clock gave no token either, and the next is asked. Once two that are
// independent agree with each other and not with the local clock, it is the local clock that is wrong: no further one is
// asked, since a third that agreed with it would prove no more, and the error is a [*LocalClockError].
type Failover struct {
	clock   func() time.Time
	members []*failoverMember
}

type failoverMember struct {
	Timestamper

	mu          sync.Mutex    // guards the rest; never held while the authority is asked
	failures    int           // since the last token
	pausedUntil time.Time     // of the rest after them
	pause       time.Duration // the length of that rest
	probing     bool          // somebody asks it after its rest
	lastError   error         // why the last one failed
}

const (
	firstPause   = 5 * time.Second
	secondPause  = 30 * time.Second
	longestPause = 5 * time.Minute
)

// NewFailover asks the authorities in the order given. A nil clock is time.Now.
func NewFailover(clock func() time.Time, all ...Timestamper) *Failover {
	if clock == nil {
		clock = time.Now
	}
	o := &Failover{clock: clock}
	for _, t := range all {
		o.members = append(o.members, &failoverMember{Timestamper: t})
	}
	return o
}

// TokenSize returns the largest that is known, or 0 when one is not known.
func (o *Failover) TokenSize() int {
	largest := 0
	for _, m := range o.members {
		n := m.TokenSize()
		if n == 0 {
			return 0
		}
		largest = max(largest, n)
	}
	return largest
}

// Timestamp returns the first token that is obtained.
func (o *Failover) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	errs := []error{errors.New("no time-stamp authority gave a token")}
	var later []*failoverMember
	for _, m := range o.members {
		ready, last := m.admitQuery(o.clock(), false)
		switch {
		case ready:
		case last == nil:
			later = append(later, m)
			continue
		default:
			errs = append(errs, last)
			continue
		}
		token, err := o.queryMember(ctx, m, digest)
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
		if ready, last := m.admitQuery(o.clock(), true); !ready {
			errs = append(errs, last)
			continue
		}
		token, err := o.queryMember(ctx, m, digest)
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

// admitQuery reports whether the authority is to be asked now. Where it is not, the error says why; nil means that it is
// to be asked after all others.
func (m *failoverMember) admitQuery(now time.Time, last bool) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A clock that was set back must not prolong a rest that the wrong clock began.
	resting := now.Before(m.pausedUntil) && m.pausedUntil.Sub(now) <= m.pause
	switch {
	case m.failures == 0:
		return true, nil
	case m.failures == 1 && resting && !last:
		return false, nil
	case m.failures > 1 && resting:
		return false, fmt.Errorf("not asked before %s: %w", m.pausedUntil.UTC().Format(time.RFC3339), m.lastError)
	case m.failures > 1 && m.probing:
		return false, fmt.Errorf("being tried again: %w", m.lastError)
	}
	m.probing = true
	return true, nil
}

func (o *Failover) queryMember(ctx context.Context, m *failoverMember, digest []byte) ([]byte, error) {
	token, err := m.Timestamp(ctx, digest)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.probing = false
	switch {
	case err == nil:
		m.failures, m.pausedUntil, m.pause, m.lastError = 0, time.Time{}, 0, nil
	case ctx.Err() != nil:
		// The caller went away; that says nothing about the authority.
	default:
		m.failures++
		m.lastError, m.pause = err, computePause(m.failures)
		var wrong *ClockError
		if errors.As(err, &wrong) {
			m.pause = firstPause // it answers at once; only the clocks differ, and which is to be set right is not known here
		}
		m.pausedUntil = o.clock().Add(m.pause)
	}
	return token, err
}

// computePause is how long an authority is left alone after that many failures in a row.
func computePause(failures int) time.Duration {
	if failures == 1 {
		return firstPause
	}
	return min(longestPause, secondPause<<min(failures-2, 10))
}
