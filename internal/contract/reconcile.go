package contract

import "time"

// OfficeSerial is one serial as the office lists it.
type OfficeSerial struct {
	Serial string
	State  OfficeState // OfficeUnknown: it is not in the list
	File   string      // name that the office knows it by; empty if it does not tell
	Order  string      // order of ours that the name carries; empty: none
}

// ReconcileInput is what serials are judged by when the office's list is held against the register. The register and the orders
// in doubt are read after the list: what an order bought is in the list only if the order was durable before.
type ReconcileInput struct {
	SettledBefore    time.Time       // what changed before is settled: the office's word about it is final
	OrdersInDoubt    map[string]bool // orders that may have bought a serial which is not in the register
	OnlyOrganisation OrganisationID  // the only organisation there is; empty: there are several
	Now              time.Time
}

// SerialResult is what one serial comes to.
type SerialResult struct {
	Difference Difference  // without a Kind: both say the same
	Move       *SerialMove // to be applied with its event; nil: the register stays as it is
	Event      Event
}

// differenceRules is what it comes to that the register says one thing of a serial and the office another; the first row that
// fits counts. What is in no row is the same on both sides: affixed here and there, free or bound and unused there, or
// set aside, whatever the office makes of it.
var differenceRules = []struct {
	here     SerialState // empty: any
	there    OfficeState
	standing State // of the document that has it; empty: any, or the document is gone
	kind     DifferenceKind
}{
	{here: "", there: OfficeUnknown, kind: DifferMissing},

	{here: SerialBought, there: OfficeUnused, kind: DifferFreed}, // unless something speaks against it
	{here: SerialAffixed, there: OfficeUnused, kind: DifferNotAffixed},

	{here: SerialBought, there: OfficeAffixed, kind: DifferSpent},
	{here: SerialFree, there: OfficeAffixed, kind: DifferSpent},
	{here: SerialBound, there: OfficeAffixed, standing: Processing, kind: DifferInWork},
	{here: SerialBound, there: OfficeAffixed, standing: Failed, kind: DifferFailed},
	{here: SerialBound, there: OfficeAffixed, kind: DifferUnknownAffixed},
}

// findDifference looks up what two sayings come to; empty: they are the same.
func findDifference(here SerialState, there OfficeState, standing State) DifferenceKind {
	for _, s := range differenceRules {
		if (s.here == "" || s.here == here) && s.there == there && (s.standing == "" || s.standing == standing) {
			return s.kind
		}
	}
	return ""
}

// CompareKnown compares a serial of the register with what the office says. Standing is the state of the document that has it,
// which counts for a bound one alone.
func (b ReconcileInput) CompareKnown(s StampSerial, o OfficeSerial, standing State) SerialResult {
	d := Difference{Serial: s.Serial, Organisation: s.Organisation, Document: s.Document, OfficeState: o.State, RegisterState: s.State, File: o.File}
	if d.Document == 0 {
		d.Document = s.FormerDocument
	}
	d.Kind = findDifference(s.State, o.State, standing)
	switch d.Kind {
	case "":
		return SerialResult{}
	case DifferFreed:
		return b.freeUnused(s, o, d)
	case DifferSpent:
		return b.quarantineAffixed(s, d)
	case DifferMissing, DifferNotAffixed:
		if s.ChangedAt.After(b.SettledBefore) {
			d.Kind = DifferChanged // since, for all that is known, the list was made
		}
	}
	return SerialResult{Difference: d}
}

// IsIdle reports whether no document has the serial, and one may come to have it.
func (s StampSerial) IsIdle() bool { return s.State == SerialBought || s.State == SerialFree }

// quarantineAffixed sets aside what was let go of and turns out to be affixed.
func (b ReconcileInput) quarantineAffixed(s StampSerial, d Difference) SerialResult {
	m, e := QuarantineSerial(s, "the office calls it affixed, and no document has it", b.Now)
	d.RegisterState = SerialQuarantined
	return SerialResult{Difference: d, Move: &m, Event: e}
}

// freeUnused frees what was let go of, or found, once the office's word that it is unused is final.
func (b ReconcileInput) freeUnused(s StampSerial, o OfficeSerial, d Difference) SerialResult {
	if s.Organisation == "" {
		s.Organisation = b.OnlyOrganisation
	}
	d.Organisation = s.Organisation
	switch {
	case s.ReleaseCount == 0 && b.mayBelongToOrderInDoubt(o):
		d.Kind = DifferInDoubt
	case s.Organisation == "":
		d.Kind = DifferUnassigned
	case s.ChangedAt.After(b.SettledBefore):
		d.Kind = DifferSettling
	default:
		m := SerialMove{From: SerialBought, To: s}
		m.To.State, m.To.Problem, m.To.ChangedAt = SerialFree, "", b.Now
		d.RegisterState = SerialFree
		return SerialResult{Difference: d, Move: &m, Event: Event{Type: EventSerialFreed, Document: s.FormerDocument, At: b.Now, Details: map[string]string{"serial": s.Serial}}}
	}
	return SerialResult{Difference: d}
}

// problemFoundInAccount is why the register has a serial that nobody here ordered, or whose order is not known.
const problemFoundInAccount = "found in the office's account"

// CompareUnknown says what a serial is that the office lists and the register does not have. Of is the document that the
// order in its file name was for, and whose it is; zero: the name carries no order of ours.
func (b ReconcileInput) CompareUnknown(o OfficeSerial, document DocumentID, of OrganisationID) SerialResult {
	d := Difference{Serial: o.Serial, Organisation: of, Document: document, OfficeState: o.State, File: o.File}
	if document == 0 {
		o.Order = "" // the name only looks as if it carried one
	}
	switch {
	case o.State == OfficeAffixed:
		d.Kind = DifferUnknownAffixed
		return SerialResult{Difference: d}
	case b.mayBelongToOrderInDoubt(o):
		d.Kind = DifferInDoubt
		return SerialResult{Difference: d}
	}
	if d.Organisation == "" {
		d.Organisation = b.OnlyOrganisation
	}
	d.Kind, d.RegisterState = DifferFound, SerialBought
	m := SerialMove{To: StampSerial{
		Serial: o.Serial, Organisation: d.Organisation, State: SerialBought, Problem: problemFoundInAccount, RegisteredAt: b.Now, ChangedAt: b.Now,
	}}
	e := Event{Type: EventSerialFound, Document: document, At: b.Now, Details: map[string]string{"serial": o.Serial, "file": o.File}}
	return SerialResult{Difference: d, Move: &m, Event: e}
}

// mayBelongToOrderInDoubt reports whether an order in doubt may have bought the serial: the one in its file name, or, where the name
// carries no order of ours, any.
func (b ReconcileInput) mayBelongToOrderInDoubt(o OfficeSerial) bool {
	if o.Order != "" {
		return b.OrdersInDoubt[o.Order]
	}
	return len(b.OrdersInDoubt) > 0
}

// AssignSerial makes a serial an organisation's that was found in the account, or that is new in the register (without a State)
// and unused, which is the caller's to ask.
func AssignSerial(s StampSerial, to OrganisationID, by Actor, now time.Time) (SerialMove, Event, error) {
	if s.State != "" && s.State != SerialBought || s.Organisation != "" {
		return SerialMove{}, Event{}, ErrSerialNotUnassigned.With("serial", s.Serial)
	}
	m := SerialMove{From: s.State, To: s}
	m.To.Organisation = to // ChangedAt stays: that it has an owner says nothing of what the office knows
	if s.State == "" {
		m.To.State, m.To.Problem, m.To.RegisteredAt, m.To.ChangedAt = SerialBought, problemFoundInAccount, now, now
	}
	e := Event{Type: EventSerialGiven, At: now, Person: by.Person, IP: by.IP, Details: map[string]string{"serial": s.Serial, "organisation": string(to)}}
	return m, e, nil
}
