package contract

import (
	"slices"
	"time"
)

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

// Reconciliation is the result of comparing the office's account with the register of serials.
type Reconciliation struct {
	Number  int64     `json:"number"` // ascends from 1
	At      time.Time `json:"at"`     // when the office was queried
	EndedAt time.Time `json:"ended_at"`
	By      Person    `json:"by"`                // who requested it; the zero Person is the service itself, every day
	Problem string    `json:"problem,omitempty"` // why the office could not be queried; nothing else is set then

	Office   OfficeCount         `json:"office"`
	Register map[SerialState]int `json:"register"` // serials in the register

	Differences []Difference `json:"differences"` // unexplained ones first
	Omitted     int          `json:"omitted"`     // number of further differences that are not listed
	Unexplained int          `json:"unexplained"` // number of differences without explanation, listed or not

	OmittedOf map[OrganisationID]Omission `json:"omitted_of,omitempty"` // the differences that are not listed, by organisation
}

// Omission counts the differences of an organisation that are not listed.
type Omission struct {
	Count       int `json:"count"`
	Unexplained int `json:"unexplained,omitempty"` // of these
}

// maxDifferences bounds the differences listed in a report; further ones are only counted.
const maxDifferences = 1000

// AddDifference adds a difference, unexplained ones first. If there are too many, the last one is dropped and counted.
func (r *Reconciliation) AddDifference(d Difference) {
	at := len(r.Differences)
	if !d.Kind.IsExplained() {
		at = min(r.Unexplained, at)
		r.Unexplained++
	}
	r.Differences = slices.Insert(r.Differences, at, d)
	if len(r.Differences) <= maxDifferences {
		return
	}
	left := r.Differences[maxDifferences]
	r.Differences = r.Differences[:maxDifferences]
	r.Omitted++
	if r.OmittedOf == nil {
		r.OmittedOf = map[OrganisationID]Omission{}
	}
	o := r.OmittedOf[left.Organisation]
	o.Count++
	if !left.Kind.IsExplained() {
		o.Unexplained++
	}
	r.OmittedOf[left.Organisation] = o
}

// OfficeCount is the content of the account at the office.
type OfficeCount struct {
	Left     int `json:"left"`     // units that can still be bought
	Unused   int `json:"unused"`   // unused serials in the list
	Affixed  int `json:"affixed"`  // affixed serials in the list
	Reported int `json:"reported"` // unused serials according to the balance
}

// OfficeState is the state of a serial at the office.
type OfficeState string

// The states at the office.
const (
	OfficeUnknown OfficeState = ""        // not in the list
	OfficeUnused  OfficeState = "unused"  // bought, not affixed
	OfficeAffixed OfficeState = "affixed" // affixed to a file
)

// Difference is one disagreement between office and register, or one that this reconciliation has resolved.
type Difference struct {
	Kind          DifferenceKind `json:"kind"`
	Serial        string         `json:"serial,omitempty"`
	Organisation  OrganisationID `json:"organisation,omitempty"` // empty: no organisation owns the serial
	Document      DocumentID     `json:"document,omitempty"`     // the document that has the serial or released it last; 0: none
	OfficeState   OfficeState    `json:"there,omitempty"`
	RegisterState SerialState    `json:"here,omitempty"` // empty: not in the register
	File          string         `json:"file,omitempty"` // file name that the office has for the serial

	OrganisationName string `json:"-"` // for display; not stored with the report
}

// DifferenceKind is what differs, and why.
type DifferenceKind string

// The kinds of difference. Values are stored permanently.
const (
	// Resolved by this reconciliation.
	DifferFreed DifferenceKind = "freed" // released, unused at the office: free to be used again
	DifferFound DifferenceKind = "found" // unused at the office and unknown here: added to the register
	DifferSpent DifferenceKind = "spent" // released, but affixed at the office: quarantined

	// Explained, or waiting for something known.
	DifferChanged    DifferenceKind = "changed"  // it changed here too recently for the list to show it
	DifferInWork     DifferenceKind = "in_work"  // affixed there, and its document will be updated
	DifferFailed     DifferenceKind = "failed"   // affixed there, and its document failed before the file was received
	DifferInDoubt    DifferenceKind = "in_doubt" // unused there; an order whose answer was lost may have bought it
	DifferSettling   DifferenceKind = "settling" // released too recently for the office's report to be final
	DifferUnassigned DifferenceKind = "nobodys"  // unused and without an owner, until an operator assigns it
	DifferBalance    DifferenceKind = "balance"  // list and balance differ while stamps are being processed

	// Unexplained.
	DifferMissing        DifferenceKind = "missing"         // in the register, but unknown at the office
	DifferNotAffixed     DifferenceKind = "not_affixed"     // affixed here, unused there
	DifferUnknownAffixed DifferenceKind = "unknown_affixed" // affixed there, unknown here
	DifferCount          DifferenceKind = "count"           // list and balance differ, and no stamp is being processed
)

// IsExplained reports whether the difference needs no investigation by a person.
func (k DifferenceKind) IsExplained() bool {
	switch k {
	case DifferSpent, DifferMissing, DifferNotAffixed, DifferUnknownAffixed, DifferCount:
		return false
	}
	return true
}

// ForOrganisation returns what an admin of an organisation may see: the differences of its serials, and nothing about
// the operator's account, who requested the reconciliation or what the office said. That the office could not be
// queried is shown by a code only.
func (r Reconciliation) ForOrganisation(o OrganisationID) Reconciliation {
	own := Reconciliation{Number: r.Number, At: r.At, EndedAt: r.EndedAt, Omitted: r.OmittedOf[o].Count, Unexplained: r.OmittedOf[o].Unexplained}
	if r.Problem != "" {
		own.Problem = ErrOfficeDown.Code
	}
	for _, d := range r.Differences {
		if d.Organisation != o {
			continue
		}
		own.Differences = append(own.Differences, d)
		if !d.Kind.IsExplained() {
			own.Unexplained++
		}
	}
	return own
}
