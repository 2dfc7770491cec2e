package tsp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// Skew is the default tolerance between a token's time and the local clock, and the maximum inaccuracy of a token.
const Skew = 5 * time.Minute

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
