package contract

import (
	"fmt"
	"time"
)

// StampSerial is one serial that was ever bought or found in the account, and what became of it. The register of
// them is what proves that none is used twice and none is lost.
type StampSerial struct {
	Serial         string
	Organisation   OrganisationID // whose it is; empty: of nobody so far, found in the account
	State          SerialState
	Document       DocumentID // bound and affixed: on which; quarantined: on which it was; else 0
	Placement      int        // index into its Placements; 0 where Document is
	Source         [32]byte   // SHA-256 of the revision it was bound to last
	FormerDocument DocumentID // the document that let go of it last; 0: none did
	ReleaseCount   int        // how many documents let go of it
	Problem        string     // why it was let go of or quarantined, in words
	Evidence       File       // quarantined: what came back last; its Key is empty if nothing did
	RegisteredAt   time.Time  // when it was first heard of
	ChangedAt      time.Time
}

// SerialState is where a serial stands in our register.
type SerialState string

// The states of a serial. Values are stored for good.
const (
	SerialBought      SerialState = "taken"       // bought, and not certain that it is unused
	SerialFree        SerialState = "free"        // the office called it unused after it was let go of; used before another is bought
	SerialBound       SerialState = "bound"       // belongs to one placement of one document
	SerialAffixed     SerialState = "affixed"     // stands in a committed revision
	SerialQuarantined SerialState = "quarantined" // never used for another document
)

// SerialMove takes a serial from one state to another. It is applied only if the serial still is in From and, where From
// belongs to a document, still belongs to the one that To names as its Document or, having let go of it, as its Former;
// and only if it is nobody's or the organisation's that To names: an owner is for life.
// TakenAt is set by the first move alone; a Former of 0 and an Evidence without a Key leave what is there.
type SerialMove struct {
	From SerialState // empty: it is new in the register
	To   StampSerial
}

// Holder returns the document that the serial has to belong to for the move to be applied; 0: to none.
func (m SerialMove) Holder() DocumentID {
	switch {
	case m.From == "" || m.From == SerialBought || m.From == SerialFree:
		return 0
	case m.To.Document != 0:
		return m.To.Document
	}
	return m.To.FormerDocument
}

// maxReleases is how many documents may let go of a serial: after that something is wrong with it.
const maxReleases = 2

// addSerialMove starts a move of the serial of stamp i.
func (c *Change) addSerialMove(i int, from, to SerialState, now time.Time) *SerialMove {
	s := c.After.Stamps[i]
	c.Serials = append(c.Serials, SerialMove{From: from, To: StampSerial{
		Serial: s.Serial, Organisation: c.After.Organisation, State: to, Document: c.After.ID, Placement: s.Placement,
		Source: s.Source, ReleaseCount: s.ReleaseCount, RegisteredAt: now, ChangedAt: now,
	}})
	return &c.Serials[len(c.Serials)-1]
}

// releaseSerial parts stamp i from its serial, which becomes that state. One that was let go of before, or is quarantined, is
// of no use to anybody any more: lost tells so.
func (c *Change) releaseSerial(i int, to SerialState, why string, by Actor, now time.Time) (lost bool) {
	s := &c.After.Stamps[i]
	from := SerialBound
	if s.State == StampQuarantined {
		from, to = SerialQuarantined, SerialQuarantined
	}
	m := c.addSerialMove(i, from, to, now)
	m.To.Document, m.To.Placement, m.To.FormerDocument, m.To.ReleaseCount, m.To.Problem = 0, 0, c.After.ID, s.ReleaseCount+1, why
	if m.To.ReleaseCount >= maxReleases {
		m.To.State = SerialQuarantined
	}
	c.addEvent(EventSerialLetGo, by, now, "serial", s.Serial, "state", string(m.To.State), "problem", why)
	s.Serial, s.Source, s.ReleaseCount = "", [32]byte{}, 0
	return m.To.State == SerialQuarantined
}

// ClaimSerial binds a free serial to stamp i, instead of buying one.
//
// Durable after its commit: what BindSerial makes durable. Of two that claim one serial the store lets one; the other
// is told ErrRace and looks again.
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

// bindSerial makes a serial belong to stamp i and opens the attempt to affix it.
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

// SuspendSerial takes a free serial out of use, for a reason that a person may mend. It is looked at again by the reconciliation.
func SuspendSerial(s StampSerial, why string, now time.Time) (SerialMove, Event) {
	m := SerialMove{From: s.State, To: s}
	m.To.State, m.To.Problem, m.To.ChangedAt = SerialBought, why, now
	return m, Event{Type: EventSerialLetGo, Document: s.FormerDocument, At: now, Details: map[string]string{"serial": s.Serial, "state": string(SerialBought), "problem": why}}
}

// QuarantineSerial quarantines a serial that no document has, such as a free one that the office turns out to call affixed.
func QuarantineSerial(s StampSerial, why string, now time.Time) (SerialMove, Event) {
	m := SerialMove{From: s.State, To: s}
	m.To.State, m.To.Problem, m.To.ChangedAt = SerialQuarantined, why, now
	return m, Event{Type: EventSerialQuarantined, Document: s.FormerDocument, At: now, Details: map[string]string{"serial": s.Serial, "problem": why}}
}
