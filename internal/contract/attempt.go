package contract

import "time"

// Attempt is one call to the stamp office that costs money or cannot be undone. The commit before the call opens it,
// and the commit after the call closes it.
type Attempt struct {
	Document     DocumentID
	Organisation OrganisationID
	Stamp        int // index into Stamps
	Number       int // ascends from 1 for each stamp
	Call         AttemptCall
	Order        string
	Serial       string   // of a purchase: the serial that the office gave
	Source       [32]byte // of a stamp: SHA-256 of the file to be stamped
	At           time.Time
	AnsweredAt   time.Time // zero: the attempt is open
	Outcome      Outcome   // empty: the attempt is open
	Code         string    // the office's code
	Text         string    // the office's words
	Evidence     File      // the returned file that was not accepted; its Key is empty if none is stored
}

// AttemptCall is the kind of call.
type AttemptCall string

// The kinds of call.
const (
	CallBuy   AttemptCall = "take"  // buy a serial
	CallStamp AttemptCall = "stamp" // affix a stamp
)

// Outcome is how an attempt ended: one of these, or the class of the problem (see [segel/internal/emeterai.Class]).
type Outcome string

// The outcomes that are not problems of the stamp office.
const (
	OutcomeOK         Outcome = "ok"
	OutcomeUnanswered Outcome = "unanswered" // this process ended before the answer arrived
	OutcomeNotCalled  Outcome = "not_asked"  // the call was not made, because the office was unavailable
)

// IsInDoubt reports whether it is unknown if the office carried the call out, or still will: no answer was received, or
// one that is not of the protocol. Unknown is the office's class for that.
func (a Attempt) IsInDoubt(unknown Outcome) bool {
	return a.Outcome == "" || a.Outcome == OutcomeUnanswered || a.Outcome == unknown
}

func (c *Change) openAttempt(i int, call AttemptCall, now time.Time) {
	s := &c.After.Stamps[i]
	s.Attempts++
	s.AttemptedAt = now
	c.Attempts = append(c.Attempts, c.latestAttempt(i, call))
}

// latestAttempt returns the newest attempt on stamp i.
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

// closeAttempt closes the open attempt on stamp i, if there is one. The functions in with set members of the result.
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

// ReopenAttempt opens another attempt on stamp i before the office is called again. An attempt that a crash left open
// is closed as unanswered.
//
// Durable after its commit: that the office is called once more, with the same order and serial.
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
