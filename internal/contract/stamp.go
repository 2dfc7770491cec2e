package contract

import (
	"cmp"
	"fmt"
	"time"
)

// Stamp is one duty stamp of a document and how far it has come.
type Stamp struct {
	Placement    int // index into Placements
	State        StampState
	Order        string    // our own identifier of the order for a serial, chosen before the office is asked
	Serial       string    // empty until bound, and after it was let go of
	Source       [32]byte  // digest of the revision the serial was bound to
	ReleaseCount int       // how many documents had let go of the serial before it was bound here
	Attempts     int       // how many were made; the number of the last
	AttemptedAt  time.Time // when the attempt that is open was; zero: none is open
	Failures     int       // how many attempts in a row failed
	Problem      string    // what it waits for or was refused for: a code of ours such as [OfficeDown], the office's words behind ": "
	AffixedAt    time.Time
}

// What a stamp waits for that the office is not asked for.
const (
	OfficeDown  = "stamp.office_down"  // the office does not answer and is left alone for now
	FileMissing = "stamp.file_missing" // bytes of the document are not in the store
	FileChanged = "stamp.file_changed" // bytes of the document are not those that were recorded
)

// StampState is where a duty stamp stands.
type StampState string

// The states of a stamp. Each step is committed before the next call to the office.
const (
	StampOrdered   StampState = "ordered"   // quota is reserved, nothing was asked of the office
	StampRequested StampState = "requested" // the order's identifier is durable; the office may have spent a unit for it
	StampBound     StampState = "bound"     // the serial is durable and belongs to this placement and source
	StampAffixed   StampState = "affixed"   // it stands in a committed revision
	StampRefused   StampState = "refused"   // the office refused for good; a restamp tries the same serial again

	// StampQuarantined: what came back was not what was ordered. A restamp tries the same serial again.
	StampQuarantined StampState = "quarantined"
)

// NextStamp returns the index into Stamps of the one to be affixed next, or -1 when none is left.
func (d *Document) NextStamp() int { return d.findNextStamp() }

func (d *Document) findNextStamp() int {
	for i, s := range d.Stamps {
		if s.State != StampAffixed {
			return i
		}
	}
	return -1
}

// requireStampState checks that the stamp is the next one and that it is its time: after the last signature.
func (d *Document) requireStampState(i int, want ...StampState) error {
	if d.State != Processing || !d.FullySigned() {
		return ErrNotActive
	}
	if i < 0 || i >= len(d.Stamps) || i != d.findNextStamp() {
		return ErrNotInTurn
	}
	for _, s := range want {
		if d.Stamps[i].State == s {
			return nil
		}
	}
	return ErrRace
}

// OrderSerial records the intention to take a serial for stamp i under an identifier of our own.
//
// Durable after its commit: that the office may be asked, and under which identifier. Not yet: a serial. After
// a crash the same identifier is asked for again; a second order is never placed.
func OrderSerial(d *Document, i int, order string, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.orderSerial(i, order, now)
	return c, nil
}

// OrderNextSerial adds to what [Affix] made of a document what OrderSerial would make of the stamp behind it, so that both
// need one commit. It changes nothing where none is left to be ordered.
func (c *Change) OrderNextSerial(order string, now time.Time) {
	if i := c.After.findNextStamp(); i >= 0 && c.After.Stamps[i].State == StampOrdered {
		c.orderSerial(i, order, now)
	}
}

func (c *Change) orderSerial(i int, order string, now time.Time) {
	s := &c.After.Stamps[i]
	s.State, s.Order, s.Failures, s.Problem = StampRequested, order, 0, ""
	c.addEvent(EventSerialOrdered, Actor{}, now, "order", order)
	c.openAttempt(i, CallBuy, now)
}

// BindSerial records the serial the office gave, and the revision that it will be affixed to. Known is the serial as
// the register has it: one that is not there has no State. One that another document has, or had, is refused.
//
// Durable after its commit: the serial is this placement's for life. Not yet: the stamp in the file. After a
// crash the office is asked about this serial and stamps the same bytes again, which costs nothing.
func BindSerial(d *Document, i int, known StampSerial, specimen bool, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampRequested); err != nil {
		return Change{}, err
	}
	stranger := known.Organisation != "" && known.Organisation != d.Organisation
	if known.State != "" && known.State != SerialBought || known.ReleaseCount > 0 || stranger {
		return Change{}, ErrSerialElsewhere
	}
	c := newChange(d)
	c.closeAttempt(i, OutcomeOK, now, func(a *Attempt) { a.Serial = known.Serial })
	c.bindSerial(i, known, specimen, now)
	return c, nil
}

// AffixStamp records the revision in which stamp i stands, spends its unit and orders what follows.
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
	c.addEvent(EventStamped, Actor{}, now, "serial", s.Serial, "digest", fmt.Sprintf("%x", r.Digest))
	c.addQuotaMove(UnitStamp, QuotaSpend, 1)
	if c.After.findNextStamp() < 0 {
		c.After.Restamping = false
		c.addJob(JobComplete)
	}
	return c, nil
}

// Failure is what a call to the office came to instead of what was asked.
type Failure struct {
	Class      Outcome
	Code       string
	Text       string // in the words of the office, or of what lies on the way to it
	Reason     string // what people are told: a code of ours, the office's own words behind ": " where they help; empty: Text
	Final      bool   // trying again by itself is of no use
	Quarantine bool   // what came back is not what was ordered
	Evidence   File   // what came back; its Key is empty if it is not kept
}

// RecordStampFailure records a failed try. A final one fails the document until the owner restamps; any other
// leaves it processing, to be tried again with the same serial.
func RecordStampFailure(d *Document, i int, f Failure, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered, StampRequested, StampBound); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.closeAttempt(i, f.Class, now, func(a *Attempt) { a.Code, a.Text, a.Evidence = f.Code, f.Text, f.Evidence })
	s := &c.After.Stamps[i]
	s.Failures++
	s.Problem = cmp.Or(f.Reason, f.Text)
	c.addEvent(EventStampFailed, Actor{}, now, "serial", s.Serial, "problem", s.Problem, "permanent", fmt.Sprint(f.Final))
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
		c.After.State, c.After.Reason, c.After.Restamping = Failed, s.Problem, false
	}
	return c, nil
}

// RecordStampWait records that a stamp waits for that problem, [OfficeDown], [FileMissing] or [FileChanged]. Nobody asked the office, so that
// there is no attempt and no event. An attempt that is open, because of a crash or because it was opened before this was
// known, is closed with that outcome. Saying the same twice changes nothing.
func RecordStampWait(d *Document, i int, problem string, open Outcome, now time.Time) (c Change, changed bool, err error) {
	if err := d.requireStampState(i, StampOrdered, StampRequested, StampBound); err != nil {
		return Change{}, false, err
	}
	if s := d.Stamps[i]; s.Problem == problem && s.AttemptedAt.IsZero() {
		return Change{}, false, nil
	}
	c = newChange(d)
	c.At = now
	c.closeAttempt(i, open, now)
	c.After.Stamps[i].Problem = problem
	return c, true, nil
}

// DelayClosing records why the closing has to wait. The document stays processing and the job tries again; saying the
// same twice changes nothing. There is no event about a clock in doubt, whose own time would be in doubt.
func DelayClosing(d *Document, problem string, now time.Time) (c Change, changed bool, err error) {
	if d.State != Processing || !d.FullySigned() || d.findNextStamp() >= 0 {
		return Change{}, false, ErrNotActive
	}
	if d.Reason == problem {
		return Change{}, false, nil
	}
	c = newChange(d)
	c.At, c.After.Reason = now, problem
	if problem != WaitsForClock {
		c.addEvent(EventClosingDelayed, Actor{}, now, "problem", problem)
	}
	return c, true, nil
}

// FailClosing records that the document cannot be closed as it is, such as one that was signed with a certificate
// that had been revoked. What stands in the file stays. A restamp tries again; the owner may cancel instead.
func FailClosing(d *Document, problem string, now time.Time) (Change, error) {
	if d.State != Processing || !d.FullySigned() || d.findNextStamp() >= 0 {
		return Change{}, ErrNotActive
	}
	c := newChange(d)
	c.After.State, c.After.Reason, c.After.Restamping = Failed, problem, false
	c.addEvent(EventClosingFailed, Actor{}, now, "problem", problem)
	return c, nil
}

// Complete records the closing revisions: seal, validation data, document timestamp.
func Complete(d *Document, closing []Revision, now time.Time) (Change, error) {
	if d.State != Processing || !d.FullySigned() || d.findNextStamp() >= 0 {
		return Change{}, ErrNotActive
	}
	c := newChange(d)
	for _, r := range closing {
		r.At = now
		if err := c.AppendRevision(r); err != nil {
			return Change{}, err
		}
	}
	c.After.State, c.After.EndedAt, c.After.Restamping, c.After.Reason = Completed, now, false, ""
	c.addEvent(EventCompleted, Actor{}, now, "digest", fmt.Sprintf("%x", c.After.Current().Digest))
	return c, nil
}
