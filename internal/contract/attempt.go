package contract

import "time"

// Attempt is one call to the stamp office that costs or cannot be undone. It is opened by the commit that comes before
// the call, and closed by the one that comes after it.
type Attempt struct {
	Document     DocumentID
	Organisation OrganisationID
	Stamp        int // index into Stamps
	Number       int // ascends from 1 for each stamp
	Call         AttemptCall
	Order        string
	Serial       string   // of a take: what was given
	Source       [32]byte // of a stamp: SHA-256 of what it was to stand on
	At           time.Time
	AnsweredAt   time.Time // zero: it is open
	Outcome      Outcome   // empty: it is open
	Code         string    // the office's
	Text         string    // what it said
	Evidence     File      // what came back and was not accepted; its Key is empty if nothing is kept
}

// AttemptCall is what the office was asked.
type AttemptCall string

// The calls.
const (
	CallBuy   AttemptCall = "take"  // for a serial
	CallStamp AttemptCall = "stamp" // to affix one
)

// Outcome is how an attempt ended: one of these, or the class of the problem, see [segel/internal/emeterai.Class].
type Outcome string

// The outcomes that are no problems of the office.
const (
	OutcomeOK         Outcome = "ok"
	OutcomeUnanswered Outcome = "unanswered" // we did not live to see the answer
	OutcomeNotCalled  Outcome = "not_asked"  // the office was left alone when it came to asking
)

// InDoubt reports whether nobody knows if the office carried the call out, or will: its answer was not seen, or was none
// of the protocol's. Unknown is the office's class for that.
func (a Attempt) InDoubt(unknown Outcome) bool {
	return a.Outcome == "" || a.Outcome == OutcomeUnanswered || a.Outcome == unknown
}

// openAttempt opens an attempt on stamp i.
func (c *Change) openAttempt(i int, call AttemptCall, now time.Time) {
	s := &c.After.Stamps[i]
	s.Attempts++
	s.AttemptedAt = now
	c.Attempts = append(c.Attempts, c.latestAttempt(i, call))
}

// latestAttempt is the newest attempt on stamp i.
func (c *Change) latestAttempt(i int, call AttemptCall) Attempt {
	s := c.After.Stamps[i]
	a := Attempt{
		Document: c.After.ID, Organisation: c.After.Organisation, Stamp: i, Number: s.Attempts,
		Call: call, Order: s.Order, At: s.AttemptedAt,
	}
	if call == CallStamp {
		a.Serial, a.Source = s.Serial, s.Source
	}
	return a
}

// closeAttempt closes the attempt on stamp i that is open, if one is. With fills in what it came to.
func (c *Change) closeAttempt(i int, outcome Outcome, now time.Time, with ...func(*Attempt)) {
	s := &c.After.Stamps[i]
	if s.AttemptedAt.IsZero() {
		return
	}
	call := CallBuy
	if s.State == StampBound {
		call = CallStamp
	}
	a := c.latestAttempt(i, call)
	a.AnsweredAt, a.Outcome = now, outcome
	for _, w := range with {
		w(&a)
	}
	s.AttemptedAt = time.Time{}
	c.Attempts = append(c.Attempts, a)
}

// ReopenAttempt opens another attempt on stamp i, before the office is asked again. One that a crash left open is closed as
// unanswered.
//
// Durable after its commit: that the office is asked once more, under the same order and serial.
func ReopenAttempt(d *Document, i int, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampRequested, StampBound); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.At = now
	c.closeAttempt(i, OutcomeUnanswered, now)
	call := CallBuy
	if d.Stamps[i].State == StampBound {
		call = CallStamp
	}
	c.openAttempt(i, call, now)
	return c, nil
}
