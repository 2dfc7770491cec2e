package contract

import (
	"fmt"
	"time"
)

// Stamp is one duty stamp of a document and how far it has come.
type Stamp struct {
	Placement int // index into Placements
	State     StampState
	Order     string   // our own identifier of the order for a serial, chosen before the office is asked
	Serial    string   // empty until bound; one for life
	Source    [32]byte // digest of the revision the serial was bound to
	Attempts  int
	Problem   string // what the office said last, in words
	AffixedAt time.Time
}

// StampState is where a duty stamp stands.
type StampState string

// The states of a stamp. Each step is committed before the next call to the office.
const (
	StampOrdered   StampState = "ordered"   // quota is reserved, nothing was asked of the office
	StampRequested StampState = "requested" // the order's identifier is durable; the office may have spent a unit for it
	StampBound     StampState = "bound"     // the serial is durable and belongs to this placement and source
	StampAffixed   StampState = "affixed"   // it stands in a committed revision
	StampRefused   StampState = "refused"   // the office refused for good; a restamp tries the same serial again
)

// NextStamp returns the index into Stamps of the one to be affixed next, or -1 when none is left.
func (d *Document) NextStamp() int { return d.nextStamp() }

func (d *Document) nextStamp() int {
	for i, s := range d.Stamps {
		if s.State != StampAffixed {
			return i
		}
	}
	return -1
}

// mayStamp checks that the stamp is the next one and that it is its time: after the last signature.
func (d *Document) mayStamp(i int, want ...StampState) error {
	if d.State != Processing || !d.FullySigned() {
		return ErrNotActive
	}
	if i < 0 || i >= len(d.Stamps) || i != d.nextStamp() {
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
	if err := d.mayStamp(i, StampOrdered); err != nil {
		return Change{}, err
	}
	c := change(d)
	s := &c.After.Stamps[i]
	s.State, s.Order = StampRequested, order
	c.note(EventSerialOrdered, Actor{}, now, "order", order)
	return c, nil
}

// BindSerial records the serial the office gave, and the revision that it will be affixed to.
//
// Durable after its commit: the serial is this placement's for life. Not yet: the stamp in the file. After a
// crash the office is asked about this serial and stamps the same bytes again, which costs nothing.
func BindSerial(d *Document, i int, serial string, specimen bool, now time.Time) (Change, error) {
	if err := d.mayStamp(i, StampRequested); err != nil {
		return Change{}, err
	}
	c := change(d)
	s := &c.After.Stamps[i]
	s.State, s.Serial, s.Source = StampBound, serial, d.Current().Digest
	c.After.Specimen = d.Specimen || specimen
	c.note(EventSerialBound, Actor{}, now, "serial", serial, "source", fmt.Sprintf("%x", s.Source))
	return c, nil
}

// Affix records the revision in which stamp i stands, spends its unit and orders what follows.
func Affix(d *Document, i int, r Revision, now time.Time) (Change, error) {
	if err := d.mayStamp(i, StampBound); err != nil {
		return Change{}, err
	}
	c := change(d)
	s := &c.After.Stamps[i]
	s.State, s.AffixedAt, s.Problem = StampAffixed, now, ""
	s.Attempts++
	c.After.LastSignedAt = now
	r.Kind, r.At = RevisionStamp, now
	if err := c.Append(r); err != nil {
		return Change{}, err
	}
	c.note(EventStamped, Actor{}, now, "serial", s.Serial, "digest", fmt.Sprintf("%x", r.Digest))
	c.quota(UnitStamp, QuotaSpend, 1)
	if c.After.nextStamp() < 0 {
		c.After.Restamping = false
		c.work(JobComplete)
	}
	return c, nil
}

// StampProblem records a failed try. A permanent one fails the document until the owner restamps; any other
// leaves it processing, to be tried again with the same serial.
func StampProblem(d *Document, i int, problem string, permanent bool, now time.Time) (Change, error) {
	if err := d.mayStamp(i, StampOrdered, StampRequested, StampBound); err != nil {
		return Change{}, err
	}
	c := change(d)
	s := &c.After.Stamps[i]
	s.Attempts++
	s.Problem = problem
	if permanent {
		if s.State == StampBound {
			s.State = StampRefused
		}
		c.After.State, c.After.Reason, c.After.Restamping = Failed, problem, false
	}
	c.note(EventStampFailed, Actor{}, now, "serial", s.Serial, "problem", problem, "permanent", fmt.Sprint(permanent))
	return c, nil
}

// Restamp leads a failed document back to processing, with the serials it has.
func Restamp(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRestamp); err != nil {
		return Change{}, err
	}
	if d.State != Failed {
		return Change{}, ErrNotFailed
	}
	c := change(d)
	c.After.State, c.After.Reason, c.After.Restamping = Processing, "", true
	for i := range c.After.Stamps {
		if s := &c.After.Stamps[i]; s.State == StampRefused {
			s.State = StampBound
		}
	}
	c.note(EventRestamp, by, now)
	c.finish()
	return c, nil
}

// Delay records why the closing has to wait. The document stays processing and the job tries again; saying the
// same twice changes nothing.
func Delay(d *Document, problem string, now time.Time) (c Change, changed bool, err error) {
	if d.State != Processing || !d.FullySigned() || d.nextStamp() >= 0 {
		return Change{}, false, ErrNotActive
	}
	if d.Reason == problem {
		return Change{}, false, nil
	}
	c = change(d)
	c.After.Reason = problem
	c.note(EventClosingDelayed, Actor{}, now, "problem", problem)
	return c, true, nil
}

// FailClosing records that the document cannot be closed as it is, such as one that was signed with a certificate
// that had been revoked. What stands in the file stays. A restamp tries again; the owner may cancel instead.
func FailClosing(d *Document, problem string, now time.Time) (Change, error) {
	if d.State != Processing || !d.FullySigned() || d.nextStamp() >= 0 {
		return Change{}, ErrNotActive
	}
	c := change(d)
	c.After.State, c.After.Reason, c.After.Restamping = Failed, problem, false
	c.note(EventClosingFailed, Actor{}, now, "problem", problem)
	return c, nil
}

// Complete records the closing revisions: seal, validation data, document timestamp.
func Complete(d *Document, closing []Revision, now time.Time) (Change, error) {
	if d.State != Processing || !d.FullySigned() || d.nextStamp() >= 0 {
		return Change{}, ErrNotActive
	}
	c := change(d)
	for _, r := range closing {
		r.At = now
		if err := c.Append(r); err != nil {
			return Change{}, err
		}
	}
	c.After.State, c.After.EndedAt, c.After.Restamping, c.After.Reason = Completed, now, false, ""
	c.note(EventCompleted, Actor{}, now, "digest", fmt.Sprintf("%x", c.After.Current().Digest))
	return c, nil
}
