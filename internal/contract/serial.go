package contract

import (
	"fmt"
	"time"
)

// StampSerial is one serial that was bought or found in the account, with its history. The register of serials proves
// that none is used twice and none is lost.
type StampSerial struct {
	Serial         string
	Organisation   OrganisationID // its owner; empty: none yet, it was found in the account
	State          SerialState
	Document       DocumentID // the document it is bound or affixed to, or was quarantined on; else 0
	Placement      int        // index into the Placements of Document; 0 if Document is 0
	Source         [32]byte   // SHA-256 of the revision that it was last bound to
	FormerDocument DocumentID // the document that released it last; 0: none
	ReleaseCount   int        // how many documents released it
	Problem        string     // why it was released or quarantined
	Evidence       File       // of a quarantined serial: the last returned file; its Key is empty if there is none
	RegisteredAt   time.Time  // when it became known
	ChangedAt      time.Time
}

// SerialState is the state of a serial in the register.
type SerialState string

// The states of a serial. Values are stored permanently.
const (
	SerialBought      SerialState = "taken"       // bought; not certain that it is unused
	SerialFree        SerialState = "free"        // released, and reported as unused by the office; used before another is bought
	SerialBound       SerialState = "bound"       // belongs to one placement of one document
	SerialAffixed     SerialState = "affixed"     // is in a committed revision
	SerialQuarantined SerialState = "quarantined" // never used for another document
)

// SerialMove moves a serial from one state to another. It is applied only if the serial is still in From, if it still
// belongs to the document that To names (as Document, or as FormerDocument after a release), where From belongs to a
// document, and if it has no owner or the one that To names: an owner never changes. RegisteredAt is set by the first move
// only. A zero FormerDocument and an Evidence without a Key leave the stored values.
type SerialMove struct {
	From SerialState // empty: the serial is new in the register
	To   StampSerial
}

// Holder returns the document that must have the serial for the move to be applied; 0: no document.
func (m SerialMove) Holder() DocumentID {
	switch {
	case m.From == "" || m.From == SerialBought || m.From == SerialFree:
		return 0
	case m.To.Document != 0:
		return m.To.Document
	}
	return m.To.FormerDocument
}

// maxReleases is how many documents may release a serial before it is assumed to be defective.
const maxReleases = 2

// addSerialMove adds a move of the serial of stamp i.
func (c *Change) addSerialMove(i int, from, to SerialState, now time.Time) *SerialMove {
	s := c.After.Stamps[i]
	c.Serials = append(c.Serials, SerialMove{From: from, To: StampSerial{
		Serial: s.Serial, Organisation: c.After.Organisation, State: to, Document: c.After.ID, Placement: s.Placement,
		Source: s.Source, ReleaseCount: s.ReleaseCount, RegisteredAt: now, ChangedAt: now,
	}})
	return &c.Serials[len(c.Serials)-1]
}

// releaseSerial separates stamp i from its serial, which gets the given state. A serial that was released before, or
// is quarantined, cannot be used any more: lost is then true.
func (c *Change) releaseSerial(i int, to SerialState, why string, by Actor, now time.Time) (lost bool) {
	s := &c.After.Stamps[i]
	from := SerialBound
	if s.State == StampQuarantined {
		from, to = SerialQuarantined, SerialQuarantined
	}
	m := c.addSerialMove(i, from, to, now)
	m.To.Document, m.To.Placement, m.To.FormerDocument, m.To.ReleaseCount, m.To.Problem = 0, 0, c.After.ID, s.ReleaseCount+1, why
	if m.To.ReleaseCount >= maxReleases || c.After.Test { // no document with value may ever get a specimen's serial
		m.To.State = SerialQuarantined
	}
	c.addEvent(EventSerialLetGo, by, now, "serial", s.Serial, "state", string(m.To.State), "problem", why)
	s.Serial, s.Source, s.ReleaseCount = "", [32]byte{}, 0
	return m.To.State == SerialQuarantined
}

// ClaimSerial binds a free serial to stamp i, instead of buying one.
//
// Durable after its commit: the same as for BindSerial. If two writers claim one serial, the store accepts one; the
// other gets ErrRace and looks again.
func ClaimSerial(d *Document, i int, free StampSerial, specimen bool, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered); err != nil {
		return Change{}, err
	}
	if free.State != SerialFree || free.Organisation != d.Organisation || free.FormerDocument == d.ID {
		return Change{}, ErrSerialElsewhere
	}
	c := newChange(d)
	c.bindSerial(i, free, specimen, now)
	return c, nil
}

// bindSerial binds a serial to stamp i and opens the attempt to affix it.
func (c *Change) bindSerial(i int, known StampSerial, specimen bool, now time.Time) {
	s := &c.After.Stamps[i]
	s.State, s.Serial, s.Source, s.ReleaseCount, s.Failures, s.Problem = StampBound, known.Serial, c.After.Current().Digest, known.ReleaseCount, 0, ""
	c.After.Specimen = c.After.Specimen || specimen
	c.addSerialMove(i, known.State, SerialBound, now)
	details := []string{"serial", s.Serial, "source", fmt.Sprintf("%x", s.Source)}
	if known.State == SerialFree {
		details = append(details, "reused", "true")
	}
	c.addEvent(EventSerialBound, Actor{}, now, details...)
	c.openAttempt(i, CallStamp, now)
}

// SuspendSerial takes a free serial out of use, for a reason that a person may be able to fix. The reconciliation
// checks it again.
func SuspendSerial(s StampSerial, why string, now time.Time) (SerialMove, Event) {
	m := SerialMove{From: s.State, To: s}
	m.To.State, m.To.Problem, m.To.ChangedAt = SerialBought, why, now
	return m, Event{Type: EventSerialLetGo, Document: s.FormerDocument, At: now, Details: map[string]string{"serial": s.Serial, "state": string(SerialBought), "problem": why}}
}

// QuarantineSerial quarantines a serial that no document has, such as a free one that turns out to be affixed.
func QuarantineSerial(s StampSerial, why string, now time.Time) (SerialMove, Event) {
	m := SerialMove{From: s.State, To: s}
	m.To.State, m.To.Problem, m.To.ChangedAt = SerialQuarantined, why, now
	return m, Event{Type: EventSerialQuarantined, Document: s.FormerDocument, At: now, Details: map[string]string{"serial": s.Serial, "problem": why}}
}
