package contract

import (
	"slices"
	"time"
)

// Reconciliation is what came of holding the office's account against the register of serials.
type Reconciliation struct {
	Number  int64     `json:"number"` // ascends from 1
	At      time.Time `json:"at"`     // when the office was asked
	EndedAt time.Time `json:"ended_at"`
	By      Person    `json:"by"`                // who asked for it; the zero Person is the service itself, as every day
	Problem string    `json:"problem,omitempty"` // why the office could not be asked; nothing else is known then

	Office   OfficeCount         `json:"office"`
	Register map[SerialState]int `json:"register"` // serials in the register

	Differences []Difference `json:"differences"` // the unexplained ones first
	Omitted     int          `json:"omitted"`     // further differences, which are not listed
	Unexplained int          `json:"unexplained"` // differences that nothing explains, listed or not

	OmittedOf map[OrganisationID]Omission `json:"omitted_of,omitempty"` // whose those that are not listed are
}

// Omission is how many differences of an organisation are not listed.
type Omission struct {
	Count       int `json:"count"`
	Unexplained int `json:"unexplained,omitempty"` // of these
}

// maxDifferences is how many are listed in a report; the others are counted.
const maxDifferences = 1000

// AddDifference adds a difference, the unexplained ones first. Where there are too many the last one is left out.
func (r *Reconciliation) AddDifference(d Difference) {
	at := len(r.Differences)
	if !d.Kind.Explained() {
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
	if !left.Kind.Explained() {
		o.Unexplained++
	}
	r.OmittedOf[left.Organisation] = o
}

// OfficeCount is what the account holds.
type OfficeCount struct {
	Left     int `json:"left"`     // units that may still be taken
	Unused   int `json:"unused"`   // serials of the list that are not affixed
	Affixed  int `json:"affixed"`  // serials of the list that are
	Reported int `json:"reported"` // unused ones, as the balance says
}

// OfficeState is what the office says of a serial.
type OfficeState string

// What the office can say.
const (
	OfficeUnknown OfficeState = ""        // it is not in the list
	OfficeUnused  OfficeState = "unused"  // bought, not affixed
	OfficeAffixed OfficeState = "affixed" // affixed to some file
)

// Difference is one thing in which the office and the register do not say the same, or did not before this
// reconciliation.
type Difference struct {
	Kind          DifferenceKind `json:"kind"`
	Serial        string         `json:"serial,omitempty"`
	Organisation  OrganisationID `json:"organisation,omitempty"` // empty: of nobody
	Document      DocumentID     `json:"document,omitempty"`     // that has the serial or let go of it last; 0: none
	OfficeState   OfficeState    `json:"there,omitempty"`
	RegisterState SerialState    `json:"here,omitempty"` // empty: not in the register
	File          string         `json:"file,omitempty"` // name that the office knows the serial by

	OrganisationName string `json:"-"` // for people; not kept with the report
}

// DifferenceKind names what differs and why.
type DifferenceKind string

// The kinds of difference. Values are stored for good.
const (
	// Those that were settled with this reconciliation.
	DifferFreed DifferenceKind = "freed" // let go of, unused at the office: free to be used
	DifferFound DifferenceKind = "found" // unused at the office and unknown here: taken into the register
	DifferSpent DifferenceKind = "spent" // let go of, and affixed at the office: set aside

	// Those that explain themselves, or wait for something that is known.
	DifferChanged    DifferenceKind = "changed"  // it changed here too recently for the list to tell
	DifferInWork     DifferenceKind = "in_work"  // affixed there, and its document is about to learn so
	DifferFailed     DifferenceKind = "failed"   // affixed there, and its document failed before the file came back
	DifferInDoubt    DifferenceKind = "in_doubt" // unused there; an order whose answer was lost may have bought it
	DifferSettling   DifferenceKind = "settling" // let go of too recently for the office's word to be final
	DifferUnassigned DifferenceKind = "nobodys"  // unused, and of no organisation until an operator gives it to one
	DifferBalance    DifferenceKind = "balance"  // list and balance count differently while stamps are in work

	// Those that nothing explains.
	DifferMissing        DifferenceKind = "missing"         // ours, and the office does not know it
	DifferNotAffixed     DifferenceKind = "not_affixed"     // affixed here, unused there
	DifferUnknownAffixed DifferenceKind = "unknown_affixed" // affixed there, unknown here
	DifferCount          DifferenceKind = "count"           // list and balance count differently, and nothing is in work
)

// Explained reports whether nobody has to look into it.
func (k DifferenceKind) Explained() bool {
	switch k {
	case DifferSpent, DifferMissing, DifferNotAffixed, DifferUnknownAffixed, DifferCount:
		return false
	}
	return true
}

// ForOrganisation returns what an admin of an organisation is told: the differences of its serials, and nothing of the account, of who
// asked, or of what the office said to him, which is the operator's. That the office could not be asked is told by a code.
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
		if !d.Kind.Explained() {
			own.Unexplained++
		}
	}
	return own
}
