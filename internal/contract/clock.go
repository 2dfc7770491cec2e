package contract

import (
	"fmt"
	"time"
)

// ClockTolerance is how far other clocks may be from the local one where nothing else is configured. Clocks that are kept by
// NTP differ by less than a second, and an answer from the network is late by some seconds at most. Beyond two minutes
// something is wrong.
const ClockTolerance = 2 * time.Minute

// MaxClockTolerance is the largest tolerance that can be configured. Certificates begin so long before they are made that a
// timestamp within it falls into their validity.
const MaxClockTolerance = 5 * time.Minute

// aheadTolerance is how far a signature may lie in the future before the next signer has to wait. Two processes whose clocks
// are both tolerated differ by no more.
const aheadTolerance = 2 * MaxClockTolerance

// ClosingPatience is how long a document waits for the time of a signature that lies in the future, because the clock was
// ahead when it was made. A clock in a wrong time zone is wrong by at most 14 hours, so that such a document is sealed within
// the day. Beyond that the date was wrong, and people are told to begin again rather than to wait for weeks or years.
const ClosingPatience = 24 * time.Hour

// clockRetryAfter is after how long a request that was refused for the clock may be tried again.
const clockRetryAfter = time.Minute

// Why a document waits for a clock, or failed by it: problems of a closing or of a stamp. Behind all but the first stands ": "
// and a moment in RFC 3339.
const (
	WaitsForClock   = "closing.clock_in_doubt" // the service's clock is being checked
	WaitsForTime    = "closing.clock"          // a signature lies in the future; it waits until then
	FailedForFuture = "closing.clock_far"      // a signature lies further in the future than ClosingPatience
)

// ErrClock refuses what needs the time while the service's clock is in doubt: signing, stamping, sealing, certificates.
var ErrClock = Refuse(Unavailable, "server.clock").WithRetry()

// Refusals of a signature on a document whose newest signature lies in the future: the file would prove that it came before
// its own time. One waits until then; a far one ends only by the owner's cancel.
var (
	ErrSignedAhead    = Refuse(Conflict, "document.signed_ahead").WithRetry()
	ErrSignedFarAhead = Refuse(Conflict, "document.signed_far_ahead")
)

// TrustedTime is the time of a timestamp token by an authority that is trusted.
type TrustedTime struct {
	At       time.Time // zero: there is none
	Accuracy time.Duration
}

// earliestTime returns the earliest moment at which the token may have been made.
func (t TrustedTime) earliestTime() time.Time {
	if t.At.IsZero() {
		return t.At
	}
	return t.At.Add(-t.Accuracy)
}

// ClockReading is what clocks, and what was recorded by them, say at one moment.
type ClockReading struct {
	Local     time.Time
	Database  time.Time   // by the database server's own clock; zero: it has none, as SQLite
	LastEvent time.Time   // the latest of the audit log, of those since the clock was confirmed last; zero: there is none
	Timestamp TrustedTime // the latest in a committed document, of those since then
}

// ClockState is what follows from a reading.
type ClockState string

// The states of the clock.
const (
	ClockFine        ClockState = "fine"
	ClockDisagrees   ClockState = "disagrees"   // with the database or with time-stamp authorities: one of them has to be set right
	ClockUnconfirmed ClockState = "unconfirmed" // something recorded lies in the future: an operator has to confirm the clock
)

// ClockFinding is a reading with what follows from it.
type ClockFinding struct {
	ClockReading
	State ClockState
	// Ahead is by how much the local clock is ahead of what it disagrees with; negative: behind.
	Ahead time.Duration
	// With names what it disagrees with: "database", "timestamps" or "events".
	With string
}

// CheckClock decides whether the local clock can be relied on. A clock that is ahead makes certificates and timestamps that are
// valid for nobody until their time comes, and one that is behind makes the next ones contradict those before. The local clock
// alone cannot tell, so it is compared with every other clock there is.
//
// The database's clock comes first: confirming does not help while two clocks disagree. What was recorded can only show that
// the clock is behind, or was ahead: then one of the two times was wrong, and which one, a person has to say. When time has
// passed what was recorded, nothing contradicts any more, and the state is fine without being confirmed.
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

// Err returns nil where the clock is fine, else [ErrClock] with the details as its cause, for the log.
func (f ClockFinding) Err() error {
	if f.State == ClockFine {
		return nil
	}
	return ErrClock.With("retry_after", int(clockRetryAfter.Seconds())).WithCause(f)
}

// Error tells operators what is wrong.
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

// describeReference names what the clock disagrees with, and its time.
func (f ClockFinding) describeReference() string {
	switch f.With {
	case "database":
		return "database's clock (" + f.Database.UTC().Format(time.RFC3339) + ")"
	case "events":
		return "last recorded event (" + f.LastEvent.UTC().Format(time.RFC3339) + ")"
	}
	return "time-stamp authorities"
}

// ConfirmClock returns the event by which an operator confirms that the local clock is right although something recorded lies
// in the future. Nothing before it counts any more when the clock is checked. ErrClock while the clock disagrees with another:
// then one of them has to be set right first.
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

// SignedAhead reports whether the document's newest signature or stamp lies in the future, and what follows: problem is
// empty, or why the document waits; far is true where it lies so far ahead that waiting is no answer.
func (d *Document) SignedAhead(now time.Time) (problem string, far bool) {
	if !d.LastSignedAt.After(now.Add(aheadTolerance)) {
		return "", false
	}
	return CheckNewestTime(d.LastSignedAt, now)
}

// CheckNewestTime decides what becomes of a document whose newest timestamp is of that time: it may go on (problem is empty), waits
// until then, or, where that is too far away, fails. A seal and a document timestamp before that time would prove the
// signature to be older than its own timestamp, and its certificate not to have begun: no reader would ever accept it.
func CheckNewestTime(newest, now time.Time) (problem string, far bool) {
	switch wait := newest.Sub(now); {
	case wait <= 0:
		return "", false
	case wait > ClosingPatience:
		return FailedForFuture + ": " + newest.UTC().Format(time.RFC3339), true
	}
	return WaitsForTime + ": " + newest.UTC().Format(time.RFC3339), false
}

// requireAfterLastSignature refuses a signature that would come before the one it follows.
func (d *Document) requireAfterLastSignature(now time.Time) error {
	problem, far := d.SignedAhead(now)
	switch {
	case problem == "":
		return nil
	case far:
		return ErrSignedFarAhead.With("until", d.LastSignedAt)
	}
	return ErrSignedAhead.With("until", d.LastSignedAt).With("retry_after", int(d.LastSignedAt.Sub(now).Seconds()))
}
