package tsp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// Skew is how far a token's time may be from the local clock where nothing else is said, and how inaccurate it may say
// it is.
const Skew = 5 * time.Minute

// ClockError is a token whose time is further from the local clock than is tolerated. One of the two clocks is wrong.
type ClockError struct {
	Time      time.Time     // the token's, UTC
	Accuracy  time.Duration // that the token states
	Local     time.Time     // the local clock when the token had arrived
	Tolerance time.Duration
	Authority string // subject of the authority's certificate
	// Trusted reports whether the authority's certificate led to a root that the caller trusts, at the token's own time. Only
	// then does the token say something about the local clock.
	Trusted bool

	key [sha256.Size]byte // SHA-256 of the authority's SubjectPublicKeyInfo
}

// Offset returns what has to be added to the local clock to get the token's time.
func (e *ClockError) Offset() time.Duration { return e.Time.Sub(e.Local) }

func (e *ClockError) Error() string {
	return fmt.Sprintf("timestamp says %s, far from now: the local clock says %s", e.Time.Format(time.RFC3339), e.Local.UTC().Format(time.RFC3339))
}

// CheckClock compares the token's time with the local clock; a difference above the tolerance is a [*ClockError]. What the
// authority states as its accuracy does not widen the tolerance, else it could back-date at will.
func (t *Token) CheckClock(local time.Time, tolerance time.Duration) error {
	if t.Time.Before(local.Add(-tolerance)) || t.Time.After(local.Add(tolerance)) {
		return &ClockError{
			Time: t.Time, Accuracy: t.Accuracy, Local: local, Tolerance: tolerance, Authority: t.Authority.Subject.String(),
			key: sha256.Sum256(t.Authority.RawSubjectPublicKeyInfo),
		}
	}
	return nil
}

// LocalClockError says that the local clock is wrong: two independent authorities, with different keys, that are both trusted
// agree with each other and not with it. One alone proves nothing, since it may be wrong itself or lie.
type LocalClockError struct{ First, Second *ClockError }

// Offset returns what has to be added to the local clock, as the first of the two says.
func (e *LocalClockError) Offset() time.Duration { return e.First.Offset() }

func (e *LocalClockError) Error() string {
	return fmt.Sprintf("the local clock is wrong: %q and %q are both %s away from it", e.First.Authority, e.Second.Authority, e.Offset().Round(time.Second))
}

// Unwrap returns what the two authorities found.
func (e *LocalClockError) Unwrap() []error { return []error{e.First, e.Second} }

// findLocalClockError returns the finding of two that agree about the local clock, or nil where none do.
func findLocalClockError(errs []error) *LocalClockError {
	var all []*ClockError
	for _, err := range errs {
		var e *ClockError
		if !errors.As(err, &e) || !e.Trusted {
			continue
		}
		for _, other := range all {
			// Offsets are compared, not times: the two were asked at different moments.
			if apart := (e.Offset() - other.Offset()).Abs(); e.key != other.key && apart <= min(e.Tolerance, other.Tolerance) {
				return &LocalClockError{other, e}
			}
		}
		all = append(all, e)
	}
	return nil
}
