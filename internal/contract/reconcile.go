package contract

import "time"

// OfficeSerial is one serial as the office lists it.
type OfficeSerial struct {
	Serial string
	State  OfficeState // OfficeUnknown: the serial is not in the list
	File   string      // file name that the office has for the serial; empty if it does not say
	Order  string      // our order that the file name contains; empty: none
}

// ReconcileInput is what the comparison of the office's list with the register needs besides the two. The register and
// the orders in doubt are read after the list: a serial that an order bought is in the list only if the order was
// durable before.
type ReconcileInput struct {
	SettledBefore    time.Time       // what the office reports about serials that changed before this time is final
	OrdersInDoubt    map[string]bool // orders that may have bought a serial that is not in the register
	OnlyOrganisation OrganisationID  // the only organisation of the installation; empty: there are several
	Now              time.Time
}

// SerialResult is the result of comparing one serial.
type SerialResult struct {
	Difference Difference  // its Kind is empty if office and register agree
	Move       *SerialMove // applied with its event; nil: the register does not change
	Event      Event
}

// differenceRules are the kinds of difference by the states in register and office; the first row that matches counts.
// Combinations without a row agree: affixed in both, free or bound here and unused there, or quarantined here.
var differenceRules = []struct {
	register SerialState // empty: any
	office   OfficeState
	document State // of the document that has the serial; empty: any, or the document is deleted
	kind     DifferenceKind
}{
	{register: "", office: OfficeUnknown, kind: DifferMissing},

	{register: SerialBought, office: OfficeUnused, kind: DifferFreed}, // unless freeUnused finds a reason against it
	{register: SerialAffixed, office: OfficeUnused, kind: DifferNotAffixed},

	{register: SerialBought, office: OfficeAffixed, kind: DifferSpent},
	{register: SerialFree, office: OfficeAffixed, kind: DifferSpent},
	{register: SerialBound, office: OfficeAffixed, document: Processing, kind: DifferInWork},
	{register: SerialBound, office: OfficeAffixed, document: Failed, kind: DifferFailed},
	{register: SerialBound, office: OfficeAffixed, kind: DifferUnknownAffixed},
}

// findDifference returns the kind of difference between the two states; empty: they agree.
func findDifference(register SerialState, office OfficeState, document State) DifferenceKind {
	for _, s := range differenceRules {
		if (s.register == "" || s.register == register) && s.office == office && (s.document == "" || s.document == document) {
			return s.kind
		}
	}
	return ""
}

// CompareKnown compares a serial of the register with what the office reports. The state of the document that has it
// only counts for a bound serial.
func (b ReconcileInput) CompareKnown(s StampSerial, o OfficeSerial, document State) SerialResult {
	d := Difference{Serial: s.Serial, Organisation: s.Organisation, Document: s.Document, OfficeState: o.State, RegisterState: s.State, File: o.File}
	if d.Document == 0 {
		d.Document = s.FormerDocument
	}
	d.Kind = findDifference(s.State, o.State, document)
	switch d.Kind {
	case "":
		return SerialResult{}
	case DifferFreed:
		return b.freeUnused(s, o, d)
	case DifferSpent:
		return b.quarantineAffixed(s, d)
	case DifferMissing, DifferNotAffixed:
		if s.ChangedAt.After(b.SettledBefore) {
			d.Kind = DifferChanged // perhaps after the list was made
		}
	}
	return SerialResult{Difference: d}
}

// quarantineAffixed quarantines a serial that no document has and that turns out to be affixed.
func (b ReconcileInput) quarantineAffixed(s StampSerial, d Difference) SerialResult {
	m, e := QuarantineSerial(s, "the office reports it as affixed, and no document has it", b.Now)
	d.RegisterState = SerialQuarantined
	return SerialResult{Difference: d, Move: &m, Event: e}
}

// freeUnused frees a released or found serial once the office's report that it is unused is final.
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

// problemFoundInAccount is why the register has a serial that was not ordered here, or whose order is not known.
const problemFoundInAccount = "found in the office's account"

// CompareUnknown classifies a serial that the office lists and the register does not have. Document and organisation
// are those of the order in its file name; zero: the name contains no order of ours.
func (b ReconcileInput) CompareUnknown(o OfficeSerial, document DocumentID, of OrganisationID) SerialResult {
	d := Difference{Serial: o.Serial, Organisation: of, Document: document, OfficeState: o.State, File: o.File}
	if document == 0 {
		o.Order = "" // the name only looks as if it contained one
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

// mayBelongToOrderInDoubt reports whether an order in doubt may have bought the serial: the one in its file name, or
// any, if the name contains no order of ours.
func (b ReconcileInput) mayBelongToOrderInDoubt(o OfficeSerial) bool {
	if o.Order != "" {
		return b.OrdersInDoubt[o.Order]
	}
	return len(b.OrdersInDoubt) > 0
}

// AssignSerial assigns a serial without an owner to an organisation: one that was found in the account, or a new one
// (without a State) that the caller has found to be unused.
func AssignSerial(s StampSerial, to OrganisationID, by Actor, now time.Time) (SerialMove, Event, error) {
	if s.State != "" && s.State != SerialBought || s.Organisation != "" {
		return SerialMove{}, Event{}, ErrSerialNotUnassigned.With("serial", s.Serial)
	}
	m := SerialMove{From: s.State, To: s}
	m.To.Organisation = to // ChangedAt stays: the owner does not change what the office knows
	if s.State == "" {
		m.To.State, m.To.Problem, m.To.RegisteredAt, m.To.ChangedAt = SerialBought, problemFoundInAccount, now, now
	}
	e := Event{Type: EventSerialGiven, At: now, Person: by.Person, IP: by.IP, Details: map[string]string{"serial": s.Serial, "organisation": string(to)}}
	return m, e, nil
}
