package contract

import (
	"slices"
	"time"
)

// DocumentID numbers a document. Identifiers ascend with creation and are never reused.
type DocumentID int64

// PersonID is the UUID (lower case, with hyphens) of a user, or of a guest on one document.
type PersonID string

// OrganisationID is the UUID of an organisation.
type OrganisationID string

// State is where a document stands.
type State string

// The states. Drafts are seen by their owner alone; completed, rejected, canceled and expired are final;
// failed leads back to processing by a restamp.
const (
	Draft      State = "draft"
	Processing State = "processing"
	Completed  State = "completed"
	Rejected   State = "rejected"
	Canceled   State = "canceled"
	Expired    State = "expired"
	Failed     State = "failed"
)

// States lists every state in the order a person would tell them.
var States = []State{Draft, Processing, Completed, Rejected, Canceled, Expired, Failed}

// Mode is what finalizing made of a document.
type Mode string

// A signing order waits for people; a stamping order is stamped and completes by itself.
const (
	Signing  Mode = "signing"
	Stamping Mode = "stamping"
)

// Role is what a participant is on the document for.
type Role string

// A signer must sign. A viewer only views, and only after the signers before him.
const (
	Signer Role = "signer"
	Viewer Role = "viewer"
)

// Person names somebody.
type Person struct {
	ID    PersonID
	Name  string
	Email string // empty when unknown
}

// Participant is a person on a document.
type Participant struct {
	Person
	Phone    string
	Role     Role
	Number   int // from 1; the smallest acts first, equal numbers act in the same step
	Guest    bool
	Field    string    // name of the signature field made for a signer at finalize
	ViewedAt time.Time // zero: not yet
	SignedAt time.Time // zero: not yet

	// Intent is set before the key is used and cleared by the signature. A crash between the two leaves it
	// standing; the person simply signs again.
	IntentAt time.Time
}

// Document is one contract: a file, the people on it, what was asked of them and what came of it.
type Document struct {
	ID           DocumentID
	Version      int64 // the counter that detects two writers; the store raises it with every commit
	Organisation OrganisationID
	Owner        Person

	Name     string // unique internal name, see [NewName]
	Title    string
	Filename string

	State    State
	Mode     Mode // empty while a draft
	Parallel bool
	Pages    int // number of pages of the file

	Participants []Participant // by number, then as given
	Placements   []Placement
	Stamps       []Stamp // one for each duty stamp placement, in placement order, from finalize on
	Original     File
	Conversion   Conversion // of a file that was uploaded as a Word document
	Revisions    []Revision // the first is the base, each further one a tail

	Findings []Finding // what was found in the base, which a rewriting of it has too
	Examined bool      // the base was looked at; false for a Word document before it is converted, and for files of older releases

	CreatedAt    time.Time
	FinalizedAt  time.Time // zero while a draft
	EndedAt      time.Time // zero until a final state is reached
	ExpiresAt    time.Time // zero: never
	LastSignedAt time.Time // the last signature or stamp; zero: none
	RemindedAt   time.Time
	Restamping   bool   // from restamp until it settles
	Specimen     bool   // stamped by the sandbox office: of no legal value
	Reason       string // why it was rejected, canceled or failed, or what its closing waits for, in the actor's or the office's words
}

// File is a run of immutable bytes in the blob store.
type File struct {
	Key    string
	Size   int64    // bytes
	Digest [32]byte // SHA-256 over all of it
	Sums   []byte   // SHA-256 of each chunk, concatenated; see package blob
}

// RevisionKind says what a revision added.
type RevisionKind string

// The kinds of revision, in the order a document gains them.
const (
	RevisionBase       RevisionKind = "base"
	RevisionFields     RevisionKind = "fields"
	RevisionSignature  RevisionKind = "signature"
	RevisionStamp      RevisionKind = "stamp"
	RevisionSeal       RevisionKind = "seal"
	RevisionValidation RevisionKind = "validation" // the document security store
	RevisionTimestamp  RevisionKind = "timestamp"
)

// Revision is an immutable state of the file, a prefix of the next. Only the bytes it appended are stored.
type Revision struct {
	Kind     RevisionKind
	Tail     File     // the bytes [Begin, End) of the document
	Begin    int64    // offset of the tail in the document; 0 for the base
	End      int64    // size of the document up to and with this revision
	Digest   [32]byte // SHA-256 over [0, End)
	Midstate []byte   // state of that hash before padding, so that the next revision hashes only its own tail
	// NextObject is the lowest number that a new object of the next revision may have, as pdf.Document.NextObject has it.
	// 0 is not known: revisions were stored without it once.
	NextObject uint32
	By         PersonID // who signed; empty for the service itself
	At         time.Time
}

// Current returns the newest revision. Every stored document has at least its base.
func (d *Document) Current() Revision {
	if len(d.Revisions) == 0 {
		return Revision{}
	}
	return d.Revisions[len(d.Revisions)-1]
}

// Final reports whether nothing can happen to the document any more.
func (s State) Final() bool {
	return s == Completed || s == Rejected || s == Canceled || s == Expired
}

// Participant returns the participant with that id, or nil.
func (d *Document) Participant(id PersonID) *Participant {
	i := slices.IndexFunc(d.Participants, func(p Participant) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Participants[i]
}

// Signers returns the participants who must sign, by number.
func (d *Document) Signers() []Participant {
	var s []Participant
	for _, p := range d.Participants {
		if p.Role == Signer {
			s = append(s, p)
		}
	}
	return s
}

// FullySigned reports whether no signature is owed: every signer has signed, or the order needs none.
func (d *Document) FullySigned() bool {
	if d.Mode == Stamping {
		return true
	}
	for _, p := range d.Participants {
		if p.Role == Signer && p.SignedAt.IsZero() {
			return false
		}
	}
	return true
}

// InTurn reports whether that person has something to sign now: in sequence the unsigned signers of the
// smallest number, in parallel every unsigned signer.
func (d *Document) InTurn(id PersonID) bool {
	if d.State != Processing || d.Mode != Signing {
		return false
	}
	p := d.Participant(id)
	if p == nil || p.Role != Signer || !p.SignedAt.IsZero() {
		return false
	}
	return d.Parallel || !d.hasUnsignedBefore(p.Number)
}

// hasUnsignedBefore reports whether a signer with a smaller number has still to sign.
func (d *Document) hasUnsignedBefore(number int) bool {
	return slices.ContainsFunc(d.Participants, func(p Participant) bool {
		return p.Role == Signer && p.Number < number && p.SignedAt.IsZero()
	})
}

// HasActed reports whether the participant has done his part: signed, or viewed for a viewer. In a stamping
// order nobody has one, and all have acted once it is completed.
func (d *Document) HasActed(p Participant) bool {
	switch {
	case d.Mode == Stamping:
		return d.State == Completed
	case p.Role == Viewer:
		return !p.ViewedAt.IsZero()
	}
	return !p.SignedAt.IsZero()
}

// HasSigned reports whether the participant's signature is in the file; in a stamping order, whether it is completed.
func (d *Document) HasSigned(p Participant) bool {
	if d.Mode == Stamping {
		return d.State == Completed
	}
	return !p.SignedAt.IsZero()
}

// SigningState tells how the signatures stand, whatever the stamps do: stamps pending after the last
// signature read processing / completed. For a stamping order it follows the state.
func (d *Document) SigningState() State {
	if d.State != Draft && d.Mode == Signing && d.FullySigned() {
		return Completed
	}
	return d.State
}

// Serials returns the serials of the stamps already affixed, in placement order.
func (d *Document) Serials() []string {
	serials := []string{}
	for _, s := range d.Stamps {
		if s.State == StampAffixed {
			serials = append(serials, s.Serial)
		}
	}
	return serials
}

// copyDocument copies the document deep enough for a rule to change it.
func (d *Document) copyDocument() Document {
	c := *d
	c.Participants = slices.Clone(d.Participants)
	c.Placements = slices.Clone(d.Placements)
	c.Stamps = slices.Clone(d.Stamps)
	c.Revisions = slices.Clone(d.Revisions)
	c.Findings = slices.Clone(d.Findings)
	return c
}

// ProgressAt returns when the document made progress last: it was uploaded, finalized, signed or stamped.
func (d *Document) ProgressAt() time.Time {
	return slices.MaxFunc([]time.Time{d.CreatedAt, d.FinalizedAt, d.LastSignedAt}, time.Time.Compare)
}
