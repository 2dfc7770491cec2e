package tsp

import (
	"context"
	"crypto/sha256"
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

// ClockError is a token whose time differs from the local clock by more than the tolerance. One of the two clocks is
// wrong.
type ClockError struct {
	Time      time.Time     // the token's, UTC
	Accuracy  time.Duration // stated by the token
	Local     time.Time     // the local clock when the token arrived
	Tolerance time.Duration
	Authority string // subject of the authority's certificate
	// Trusted reports whether the authority's certificate leads to a trusted root, at the token's own time. Only then
	// is the token evidence about the local clock.
	Trusted bool

	key [sha256.Size]byte // SHA-256 of the authority's SubjectPublicKeyInfo
}

// Offset is the correction of the local clock that would give the token's time.
func (e *ClockError) Offset() time.Duration { return e.Time.Sub(e.Local) }

func (e *ClockError) Error() string {
	return fmt.Sprintf("timestamp says %s, far from now: the local clock says %s", e.Time.Format(time.RFC3339), e.Local.UTC().Format(time.RFC3339))
}

// CheckClock compares the token's time with the local clock; a difference above the tolerance is a [*ClockError]. The
// accuracy that the authority states does not widen the tolerance; otherwise it could back-date at will.
func (t *Token) CheckClock(local time.Time, tolerance time.Duration) error {
	if t.Time.Before(local.Add(-tolerance)) || t.Time.After(local.Add(tolerance)) {
		return &ClockError{
			Time: t.Time, Accuracy: t.Accuracy, Local: local, Tolerance: tolerance, Authority: t.Authority.Subject.String(),
			key: sha256.Sum256(t.Authority.RawSubjectPublicKeyInfo),
		}
	}
	return nil
}

// LocalClockError says that the local clock is wrong: two independent trusted authorities, with different keys, agree
// with each other and not with it. One authority alone is not enough, since it may be wrong itself.
type LocalClockError struct{ First, Second *ClockError }

// Offset is the correction of the local clock according to the first authority.
func (e *LocalClockError) Offset() time.Duration { return e.First.Offset() }

func (e *LocalClockError) Error() string {
	return fmt.Sprintf("the local clock is wrong: %q and %q are both %s away from it", e.First.Authority, e.Second.Authority, e.Offset().Round(time.Second))
}

// Unwrap returns the errors of the two authorities.
func (e *LocalClockError) Unwrap() []error { return []error{e.First, e.Second} }

// findLocalClockError returns an error if two authorities agree that the local clock is wrong, else nil.
func findLocalClockError(errs []error) *LocalClockError {
	var all []*ClockError
	for _, err := range errs {
		var e *ClockError
		if !errors.As(err, &e) || !e.Trusted {
			continue
		}
		for _, other := range all {
			// Offsets are compared, not times: the two were queried at different times.
			if apart := (e.Offset() - other.Offset()).Abs(); e.key != other.key && apart <= min(e.Tolerance, other.Tolerance) {
				return &LocalClockError{other, e}
			}
		}
		all = append(all, e)
	}
	return nil
}
