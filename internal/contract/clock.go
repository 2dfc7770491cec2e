package contract

import (
	"fmt"
	"time"
)

// Jakarta is Western Indonesian Time, UTC+7 without daylight saving time: the zone of dates, of periods and of the stamp
// office's days. It is fixed, so that it does not depend on the machine's time zone database.
var Jakarta = time.FixedZone("WIB", 7*60*60)

// ClockTolerance is the default for how much other clocks may differ from the local one. Clocks kept by NTP differ by
// less than a second, and an answer from the network is late by a few seconds at most. More than two minutes means
// that something is wrong.
const ClockTolerance = 2 * time.Minute

// MaxClockTolerance is the largest tolerance that can be configured. Certificates begin to be valid this long before
// they are issued, so that a timestamp within the tolerance falls into their validity period.
const MaxClockTolerance = 5 * time.Minute

// aheadTolerance is how far a signature may lie in the future before the next signer has to wait. Two processes whose
// clocks are both within the tolerance differ by at most this much.
const aheadTolerance = 2 * MaxClockTolerance

// ClosingWait is how long a document waits for the time of a signature that lies in the future because the clock
// was ahead when it was made. A wrong time zone is an error of at most 14 hours, so such a document is sealed within a
// day. Beyond that the date was wrong, and people are told to start again instead of waiting for weeks or years.
const ClosingWait = 24 * time.Hour

// clockRetryAfter is when a request that was refused because of the clock may be retried.
const clockRetryAfter = time.Minute

// ErrClock refuses everything that needs the time while the service's clock is in doubt: signing, stamping, sealing,
// certificates.
var ErrClock = Refuse(Unavailable, "server.clock").WithRetry()

// Refusals of a signature on a document whose newest signature lies in the future: the file would prove that the new
// one was made before its own time. In the first case the signer waits until then; in the second only the owner can
// end the document by canceling it.
var (
	ErrSignedAhead    = Refuse(Conflict, "document.signed_ahead").WithRetry()
	ErrSignedFarAhead = Refuse(Conflict, "document.signed_far_ahead")
)

// TrustedTime is the time of a timestamp token by a trusted authority.
type TrustedTime struct {
	At       time.Time // zero: no timestamp
	Accuracy time.Duration
}

// earliestTime returns the earliest time at which the token may have been made.
func (t TrustedTime) earliestTime() time.Time {
	if t.At.IsZero() {
		return t.At
	}
	return t.At.Add(-t.Accuracy)
}

// ClockReading is what all known clocks, and the times recorded from them, say at one moment.
type ClockReading struct {
	Local     time.Time
	Database  time.Time   // the database server's clock; zero: it has none, as SQLite
	LastEvent time.Time   // the latest event of the audit log since the clock was last confirmed; zero: none
	Timestamp TrustedTime // the latest timestamp in a committed document since then
}

// ClockState is the conclusion from a reading.
type ClockState string

// The states of the clock.
const (
	ClockFine        ClockState = "fine"
	ClockDisagrees   ClockState = "disagrees"   // with the database or with time-stamp authorities: one of the clocks must be corrected
	ClockUnconfirmed ClockState = "unconfirmed" // a recorded time lies in the future: an operator must confirm the clock
)

// ClockFinding is a reading with its conclusion.
type ClockFinding struct {
	ClockReading
	State ClockState
	// Ahead is how far the local clock is ahead of the reference; negative: behind.
	Ahead time.Duration
	// With names the reference that the clock disagrees with: "database", "timestamps" or "events".
	With string
}

// CheckClock decides whether the local clock can be relied on. A clock that is ahead makes certificates and timestamps
// that are not valid until their time comes; a clock that is behind makes the next ones contradict the earlier ones.
// The local clock alone cannot show this, so it is compared with every other clock there is.
//
// The database's clock comes first: confirming does not help while two clocks disagree. Recorded times can only show
// that the clock is behind now or was ahead then; which of the two times was wrong, a person has to say. Once the
// local time has passed the recorded times, nothing contradicts it, and the state is fine without confirmation.
func CheckClock(r ClockReading, tolerance time.Duration) ClockFinding {
	f := ClockFinding{ClockReading: r, State: ClockFine}
	if ahead := r.Local.Sub(r.Database); !r.Database.IsZero() && ahead.Abs() > tolerance {
		f.State, f.Ahead, f.With = ClockDisagrees, ahead, "database"
		return f
	}
	for _, past := range []struct {
		what string
		at   time.Time
	}{{"events", r.LastEvent}, {"timestamps", r.Timestamp.earliestTime()}} {
		if ahead := r.Local.Sub(past.at); !past.at.IsZero() && -ahead > tolerance && ahead < f.Ahead {
			f.State, f.Ahead, f.With = ClockUnconfirmed, ahead, past.what
		}
	}
	return f
}

// Err returns nil if the clock is fine, else [ErrClock] with the details as its cause, for the log.
func (f ClockFinding) Err() error {
	if f.State == ClockFine {
		return nil
	}
	return ErrClock.With("retry_after", int(clockRetryAfter.Seconds())).WithCause(f)
}

// Error describes the problem for operators.
func (f ClockFinding) Error() string {
	direction := "ahead of"
	if f.Ahead < 0 {
		direction = "behind"
	}
	s := fmt.Sprintf("the local clock (%s) is %s %s the %s", f.Local.UTC().Format(time.RFC3339), f.Ahead.Abs().Round(time.Second), direction, f.describeReference())
	if f.State == ClockUnconfirmed {
		s += "; set it right if it is wrong, else confirm it: segel clock confirm"
	}
	return s
}

// describeReference names the reference that the clock disagrees with, and its time.
func (f ClockFinding) describeReference() string {
	switch f.With {
	case "database":
		return "database's clock (" + f.Database.UTC().Format(time.RFC3339) + ")"
	case "events":
		return "last recorded event (" + f.LastEvent.UTC().Format(time.RFC3339) + ")"
	}
	return "time-stamp authorities"
}

// ConfirmClock returns the event by which an operator confirms that the local clock is right although a recorded time
// lies in the future. Later checks ignore everything recorded before it. ErrClock while the clock disagrees with
// another clock: that must be corrected first.
func ConfirmClock(f ClockFinding, by Actor) (Event, error) {
	if f.State == ClockDisagrees {
		return Event{}, f.Err()
	}
	e := Event{Type: EventClockConfirmed, At: f.Local, Person: by.Person, IP: by.IP, Details: map[string]string{
		"by": by.Person.Name, "local": f.Local.UTC().Format(time.RFC3339),
	}}
	for name, at := range map[string]time.Time{"database": f.Database, "last_event": f.LastEvent, "timestamp": f.Timestamp.At} {
		if !at.IsZero() {
			e.Details[name] = at.UTC().Format(time.RFC3339)
		}
	}
	return e, nil
}

// SignedAhead decides whether the document goes on although its newest signature or stamp lies in the future, as [CheckNewestTime] does.
// Clocks that are both within the tolerance are not in conflict.
func (d *Document) SignedAhead(now time.Time) Problem {
	if !d.LastSignedAt.After(now.Add(aheadTolerance)) {
		return Problem{}
	}
	return CheckNewestTime(d.LastSignedAt, now)
}

// CheckNewestTime decides what happens to a document whose newest timestamp has that time: it goes on (no problem), waits
// until then ([ProblemSignedAhead]), or fails if that is too far away ([ProblemSignedFarAhead]). A seal and a document
// timestamp from before that time would prove that the signature is older than its own timestamp and that its certificate
// was not yet valid; no reader would ever accept it.
func CheckNewestTime(newest, now time.Time) Problem {
	switch wait := newest.Sub(now); {
	case wait <= 0:
		return Problem{}
	case wait > ClosingWait:
		return newTimeProblem(ProblemSignedFarAhead, newest)
	}
	return newTimeProblem(ProblemSignedAhead, newest)
}

// requireAfterLastSignature refuses a signature that would be dated before the one it follows.
func (d *Document) requireAfterLastSignature(now time.Time) error {
	switch d.SignedAhead(now).Code {
	case "":
		return nil
	case ProblemSignedFarAhead:
		return ErrSignedFarAhead.With("until", d.LastSignedAt)
	}
	return ErrSignedAhead.With("until", d.LastSignedAt).With("retry_after", int(d.LastSignedAt.Sub(now).Seconds()))
}
