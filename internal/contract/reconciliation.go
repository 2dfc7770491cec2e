package contract

import (
	"slices"
	"time"
)

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
