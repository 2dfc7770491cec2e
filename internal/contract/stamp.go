package contract

import (
	"cmp"
	"fmt"
	"time"
)

// Stamp is one duty stamp of a document, with its progress.
type Stamp struct {
	Placement    int // index into Placements
	State        StampState
	Order        string    // our identifier of the order for a serial, chosen before the office is called
	Serial       string    // empty until bound, and after a release
	Source       [32]byte  // digest of the revision that the serial was bound to
	ReleaseCount int       // how many documents had released the serial before it was bound here
	Attempts     int       // number of attempts made; the number of the last one
	AttemptedAt  time.Time // when the open attempt was made; zero: none is open
	Failures     int       // number of consecutive failed attempts
	Problem      string    // what it waits for or why it was refused: the text of a [Problem]; empty: nothing
	AffixedAt    time.Time
}

// StampState is the state of a duty stamp.
type StampState string

// The states of a stamp. Each step is committed before the next call to the office.
const (
	StampOrdered   StampState = "ordered"   // quota is reserved; the office was not called
	StampRequested StampState = "requested" // the order's identifier is durable; the office may have spent a unit for it
	StampBound     StampState = "bound"     // the serial is durable and belongs to this placement and source
	StampAffixed   StampState = "affixed"   // it is in a committed revision
	StampRefused   StampState = "refused"   // the office refused permanently; a restamp tries the same serial again

	// The returned file was not what was ordered. A restamp tries the same serial again.
	StampQuarantined StampState = "quarantined"
)

// NextStamp returns the index into Stamps of the next stamp to be affixed, or -1 if none is left.
func (d *Document) NextStamp() int {
	for i, s := range d.Stamps {
		if s.State != StampAffixed {
			return i
		}
	}
	return -1
}

// requireStampState returns an error unless stamp i is the next one, in one of the wanted states, and all signatures
// are made.
func (d *Document) requireStampState(i int, want ...StampState) error {
	if d.State != Processing || !d.FullySigned() {
		return ErrNotActive
	}
	if i < 0 || i >= len(d.Stamps) || i != d.NextStamp() {
		return ErrNotInTurn
	}
	for _, s := range want {
		if d.Stamps[i].State == s {
			return nil
		}
	}
	return ErrRace
}

// OrderSerial records the intention to buy a serial for stamp i under an identifier of our own.
//
// Durable after its commit: that the office may be called, and with which identifier. Not yet: a serial. After a crash
// the same identifier is used again; a second order is never placed.
func OrderSerial(d *Document, i int, order string, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.orderSerial(i, order, now)
	return c, nil
}

// OrderNextSerial adds to the change of [AffixStamp] what OrderSerial would do for the next stamp, so that both need
// one commit. It does nothing if no stamp is left to be ordered.
func (c *Change) OrderNextSerial(order string, now time.Time) {
	if i := c.After.NextStamp(); i >= 0 && c.After.Stamps[i].State == StampOrdered {
		c.orderSerial(i, order, now)
	}
}

func (c *Change) orderSerial(i int, order string, now time.Time) {
	s := &c.After.Stamps[i]
	s.State, s.Order, s.Failures, s.Problem = StampRequested, order, 0, ""
	c.addEvent(EventSerialOrdered, Actor{}, now, "order", order)
	c.openAttempt(i, CallBuy, now)
}

// BindSerial records the serial that the office gave, and the revision that it will be affixed to. Known is the serial
// as the register has it; a serial that is not in the register has no State. A serial that another document has, or
// had, is refused.
//
// Durable after its commit: that the serial belongs to this placement. Not yet: the stamp in the file. After a crash
// the office is asked about this serial and stamps the same bytes again, which costs nothing.
func BindSerial(d *Document, i int, known StampSerial, specimen bool, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampRequested); err != nil {
		return Change{}, err
	}
	otherOwner := known.Organisation != "" && known.Organisation != d.Organisation
	if known.State != "" && known.State != SerialBought || known.ReleaseCount > 0 || otherOwner {
		return Change{}, ErrSerialElsewhere
	}
	c := newChange(d)
	c.closeAttempt(i, OutcomeOK, now, func(a *Attempt) { a.Serial = known.Serial })
	c.bindSerial(i, known, specimen, now)
	return c, nil
}

// AffixStamp records the revision that contains stamp i, and spends its unit. After the last stamp the job that affixed it goes on with the completion, so no
// other one is enqueued: the job ends only when the document is completed, and is repeated after a crash.
func AffixStamp(d *Document, i int, r Revision, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampBound); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.closeAttempt(i, OutcomeOK, now)
	c.addSerialMove(i, SerialBound, SerialAffixed, now)
	s := &c.After.Stamps[i]
	s.State, s.AffixedAt, s.Failures, s.Problem = StampAffixed, now, 0, ""
	c.After.LastSignedAt = now
	r.Kind, r.At = RevisionStamp, now
	if err := c.AppendRevision(r); err != nil {
		return Change{}, err
	}
	last := c.After.NextStamp() < 0
	details := []string{"serial", s.Serial, "digest", fmt.Sprintf("%x", r.Digest)}
	if last {
		details = append(details, detailLastStamp, "true")
	}
	c.addEvent(EventStamped, Actor{}, now, details...)
	c.addQuotaMove(UnitStamp, QuotaSpend, 1)
	if last {
		c.After.Restamping = false
	}
	return c, nil
}

// Failure is a failed call to the office.
type Failure struct {
	Class      Outcome
	Code       string
	Text       string  // in the words of the office, or of what is between it and us
	Problem    Problem // what people are told; zero: Text
	Final      bool    // retrying without a person does not help
	Quarantine bool    // the returned file is not what was ordered
	Evidence   File    // the returned file; its Key is empty if it is not stored
}

// RecordStampFailure records a failed attempt, which may be one that an earlier run left open. A final failure fails the
// document until the owner restamps it; any other leaves it processing, to be retried with the same serial.
func RecordStampFailure(d *Document, i int, f Failure, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered, StampRequested, StampBound); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.closeAttempt(i, f.Class, now, func(a *Attempt) { a.Code, a.Text, a.Evidence = f.Code, f.Text, f.Evidence })
	s := &c.After.Stamps[i]
	s.Failures++
	s.Problem = cmp.Or(f.Problem.String(), f.Text)
	c.addEvent(EventStampFailed, Actor{}, now, "serial", s.Serial, "problem", s.Problem, detailPermanent, fmt.Sprint(f.Final))
	switch {
	case s.State == StampBound && f.Quarantine:
		s.State = StampQuarantined
		m := c.addSerialMove(i, SerialBound, SerialQuarantined, now)
		m.To.Problem, m.To.Evidence = s.Problem, f.Evidence
		details := []string{"serial", s.Serial, "problem", s.Problem}
		if f.Evidence.Key != "" {
			details = append(details, "evidence", fmt.Sprintf("%x", f.Evidence.Digest))
		}
		c.addEvent(EventSerialQuarantined, Actor{}, now, details...)
	case s.State == StampBound && f.Final:
		s.State = StampRefused
	}
	if f.Final {
		c.failDocument(s.Problem)
	}
	return c, nil
}

// RecordStampWait records that a stamp waits because of that problem: [ProblemOfficeDown], [ProblemStampFileMissing],
// [ProblemStampFileChanged], [ProblemClockInDoubt] or [ProblemSignedAhead]. The office was not called, so there is no
// attempt and no event. An attempt that is still open, because of a crash or because it was opened before the problem was known, is
// closed with the given outcome. Recording the same problem twice changes nothing.
func RecordStampWait(d *Document, i int, p Problem, open Outcome, now time.Time) (c Change, changed bool, err error) {
	if err := d.requireStampState(i, StampOrdered, StampRequested, StampBound); err != nil {
		return Change{}, false, err
	}
	problem := p.String()
	if s := d.Stamps[i]; s.Problem == problem && s.AttemptedAt.IsZero() {
		return Change{}, false, nil
	}
	c = newChange(d)
	c.At = now
	c.closeAttempt(i, open, now)
	c.After.Stamps[i].Problem = problem
	return c, true, nil
}
