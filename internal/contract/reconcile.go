package contract

import "time"

// OfficeSerial is one serial as the office lists it.
type OfficeSerial struct {
	Serial string
	State  OfficeState // OfficeUnknown: it is not in the list
	File   string      // name that the office knows it by; empty if it does not tell
	Order  string      // order of ours that the name carries; empty: none
}

// Books is what serials are judged by when the office's list is held against the register. The register and the orders
// in doubt are read after the list: what an order bought is in the list only if the order was durable before.
type Books struct {
	Settled time.Time       // what changed before is settled: the office's word about it is final
	Doubt   map[string]bool // orders that may have bought a serial which is not in the register
	Single  OrganisationID  // the only organisation there is; empty: there are several
	Now     time.Time
}

// Judgement is what one serial comes to.
type Judgement struct {
	Difference Difference  // without a Kind: both say the same
	Move       *SerialMove // to be applied with its event; nil: the register stays as it is
	Event      Event
}

// sayings is what it comes to that the register says one thing of a serial and the office another; the first row that
// fits counts. What is in no row is the same on both sides: affixed here and there, free or bound and unused there, or
// set aside, whatever the office makes of it.
var sayings = []struct {
	here     SerialState // empty: any
	there    OfficeState
	standing State // of the document that has it; empty: any, or the document is gone
	kind     DifferenceKind
}{
	{here: "", there: OfficeUnknown, kind: DifferMissing},

	{here: SerialTaken, there: OfficeUnused, kind: DifferFreed}, // unless something speaks against it
	{here: SerialAffixed, there: OfficeUnused, kind: DifferNotAffixed},

	{here: SerialTaken, there: OfficeAffixed, kind: DifferSpent},
	{here: SerialFree, there: OfficeAffixed, kind: DifferSpent},
	{here: SerialBound, there: OfficeAffixed, standing: Processing, kind: DifferInWork},
	{here: SerialBound, there: OfficeAffixed, standing: Failed, kind: DifferFailed},
	{here: SerialBound, there: OfficeAffixed, kind: DifferUnknownAffixed},
}

// differs looks up what two sayings come to; empty: they are the same.
func differs(here SerialState, there OfficeState, standing State) DifferenceKind {
	for _, s := range sayings {
		if (s.here == "" || s.here == here) && s.there == there && (s.standing == "" || s.standing == standing) {
			return s.kind
		}
	}
	return ""
}

// Known compares a serial of the register with what the office says. Standing is the state of the document that has it,
// which counts for a bound one alone.
func (b Books) Known(s StampSerial, o OfficeSerial, standing State) Judgement {
	d := Difference{Serial: s.Serial, Organisation: s.Organisation, Document: s.Document, There: o.State, Here: s.State, File: o.File}
	if d.Document == 0 {
		d.Document = s.Former
	}
	d.Kind = differs(s.State, o.State, standing)
	switch d.Kind {
	case "":
		return Judgement{}
	case DifferFreed:
		return b.taken(s, o, d)
	case DifferSpent:
		return b.spent(s, d)
	case DifferMissing, DifferNotAffixed:
		if s.ChangedAt.After(b.Settled) {
			d.Kind = DifferChanged // since, for all that is known, the list was made
		}
	}
	return Judgement{Difference: d}
}

// Idle reports whether no document has the serial, and one may come to have it.
func (s StampSerial) Idle() bool { return s.State == SerialTaken || s.State == SerialFree }

// spent sets aside what was let go of and turns out to be affixed.
func (b Books) spent(s StampSerial, d Difference) Judgement {
	m, e := SetAside(s, "the office calls it affixed, and no document has it", b.Now)
	d.Here = SerialQuarantined
	return Judgement{Difference: d, Move: &m, Event: e}
}

// taken frees what was let go of, or found, once the office's word that it is unused is final.
func (b Books) taken(s StampSerial, o OfficeSerial, d Difference) Judgement {
	if s.Organisation == "" {
		s.Organisation = b.Single
	}
	d.Organisation = s.Organisation
	switch {
	case s.LetGo == 0 && b.doubts(o):
		d.Kind = DifferInDoubt
	case s.Organisation == "":
		d.Kind = DifferNobodys
	case s.ChangedAt.After(b.Settled):
		d.Kind = DifferSettling
	default:
		m := SerialMove{From: SerialTaken, To: s}
		m.To.State, m.To.Problem, m.To.ChangedAt = SerialFree, "", b.Now
		d.Here = SerialFree
		return Judgement{Difference: d, Move: &m, Event: Event{Type: EventSerialFreed, Document: s.Former, At: b.Now, Details: map[string]string{"serial": s.Serial}}}
	}
	return Judgement{Difference: d}
}

// foundInAccount is why the register has a serial that nobody here ordered, or whose order is not known.
const foundInAccount = "found in the office's account"

// Unknown says what a serial is that the office lists and the register does not have. Of is the document that the
// order in its file name was for, and whose it is; zero: the name carries no order of ours.
func (b Books) Unknown(o OfficeSerial, document DocumentID, of OrganisationID) Judgement {
	d := Difference{Serial: o.Serial, Organisation: of, Document: document, There: o.State, File: o.File}
	if document == 0 {
		o.Order = "" // the name only looks as if it carried one
	}
	switch {
	case o.State == OfficeAffixed:
		d.Kind = DifferUnknownAffixed
		return Judgement{Difference: d}
	case b.doubts(o):
		d.Kind = DifferInDoubt
		return Judgement{Difference: d}
	}
	if d.Organisation == "" {
		d.Organisation = b.Single
	}
	d.Kind, d.Here = DifferFound, SerialTaken
	m := SerialMove{To: StampSerial{
		Serial: o.Serial, Organisation: d.Organisation, State: SerialTaken, Problem: foundInAccount, TakenAt: b.Now, ChangedAt: b.Now,
	}}
	e := Event{Type: EventSerialFound, Document: document, At: b.Now, Details: map[string]string{"serial": o.Serial, "file": o.File}}
	return Judgement{Difference: d, Move: &m, Event: e}
}

// doubts reports whether an order in doubt may have bought the serial: the one in its file name, or, where the name
// carries no order of ours, any.
func (b Books) doubts(o OfficeSerial) bool {
	if o.Order != "" {
		return b.Doubt[o.Order]
	}
	return len(b.Doubt) > 0
}

// Give makes a serial an organisation's that was found in the account, or that is new in the register (without a State)
// and unused, which is the caller's to ask.
func Give(s StampSerial, to OrganisationID, by Actor, now time.Time) (SerialMove, Event, error) {
	if s.State != "" && s.State != SerialTaken || s.Organisation != "" {
		return SerialMove{}, Event{}, ErrNotNobodys.With("serial", s.Serial)
	}
	m := SerialMove{From: s.State, To: s}
	m.To.Organisation = to // ChangedAt stays: that it has an owner says nothing of what the office knows
	if s.State == "" {
		m.To.State, m.To.Problem, m.To.TakenAt, m.To.ChangedAt = SerialTaken, foundInAccount, now, now
	}
	e := Event{Type: EventSerialGiven, At: now, Person: by.Person, IP: by.IP, Details: map[string]string{"serial": s.Serial, "organisation": string(to)}}
	return m, e, nil
}
