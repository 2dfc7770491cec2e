package contract

import (
	"maps"
	"slices"
	"time"
)

// DocumentID identifies a document. Identifiers ascend with creation and are never reused.
type DocumentID int64

// PersonID is the UUID (lower case, with hyphens) of a user, or of a guest of one document.
type PersonID string

// OrganisationID is the UUID of an organisation.
type OrganisationID string

// State is the state of a document.
type State string

// The states. A draft is visible to its owner only. Completed, rejected, canceled and expired are final; a restamp
// leads from failed back to processing.
const (
	Draft      State = "draft"
	Processing State = "processing"
	Completed  State = "completed"
	Rejected   State = "rejected"
	Canceled   State = "canceled"
	Expired    State = "expired"
	Failed     State = "failed"
)

// States lists every state, in the order in which they are shown to people.
var States = []State{Draft, Processing, Completed, Rejected, Canceled, Expired, Failed}

// Mode is the kind of order that finalize made of a document.
type Mode string

// A signing order waits for people. A stamping order is stamped and completed without them.
const (
	Signing  Mode = "signing"
	Stamping Mode = "stamping"
)

// Role is the part of a participant.
type Role string

// A signer must sign. A viewer only views, after the signers before them.
const (
	Signer Role = "signer"
	Viewer Role = "viewer"
)

// Person identifies a person.
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
	Capacity Capacity // in which they act; empty: the plain one of their role
	Number   int      // from 1; the smallest acts first, equal numbers act together
	Group    int      // of whom any one acts for all, from 1; 0: they act for themselves. Also of those who became viewers when another member acted
	Guest    bool
	// Placeholder is true for a role, such as "Tenant", that a person is to fill before the document is finalized. Name is that of the
	// role; it has no address, and Guest is true.
	Placeholder bool
	Field       string    // name of the signature field that finalize made for a signer
	ViewedAt    time.Time // zero: not yet
	SignedAt    time.Time // when they signed or, as an approver, approved; zero: not yet

	// IntentAt is set before the key is used and cleared by the signature. A crash between the two leaves it set; the
	// person simply signs again.
	IntentAt time.Time
}

// Document is one contract: a file, its people, what was requested and what has happened.
type Document struct {
	ID           DocumentID
	Version      int64 // the counter that detects two writers; the store raises it with every commit
	Organisation OrganisationID
	Owner        Person
	Team         Team // whose members it is shared with; the name of one that was deleted is empty

	// Template marks a prepared document that is never sent: drafts are made from it. It is in state Draft, and never changes into a document
	// or back; see [MakeTemplate].
	Template bool

	Name     string // unique internal name, see [NewName]
	Title    string
	Filename string

	State    State
	Mode     Mode // empty while a draft
	Parallel bool
	Pages    int // number of pages of the file

	Delivery Delivery // how its people are reached

	Participants []Participant // by number, then as given
	Delegations  []Delegation  // in the order in which they were made
	Placements   []Placement
	Stamps       []Stamp // one for each placement of a duty stamp, in that order; from finalize on
	Original     File
	Conversion   Conversion // of a file that was uploaded as a Word document
	Revisions    []Revision // the first is the base, each further one adds a tail

	Findings []Finding // findings in the base; a rewritten file has the same
	Examined bool      // the base was examined; false for a Word document before its conversion, and for files of older releases

	CreatedAt    time.Time
	FinalizedAt  time.Time // zero while a draft
	EndedAt      time.Time // zero until a final state is reached
	ExpiresAt    time.Time // zero: never
	LastSignedAt time.Time // the last signature or stamp; zero: none
	RemindedAt   time.Time
	Restamping   bool   // from restamp until it completes or fails
	Specimen     bool   // stamped by the sandbox, or to be: without legal value
	Test         bool   // made with a test key: a specimen, without quota; never changes
	Reason       string // why it was rejected, canceled or failed, or what its completion waits for: a code, or the words of the actor or the office
}

// File is an immutable blob in the blob store.
type File struct {
	Key    string
	Size   int64    // bytes
	Digest [32]byte // SHA-256 over all of it
	Sums   []byte   // SHA-256 of each chunk, concatenated; see package blob
}

// RevisionKind is what a revision added.
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

// Revision is an immutable state of the file, and a prefix of the next one. Only the bytes that it appended are
// stored.
type Revision struct {
	Kind     RevisionKind
	Tail     File     // the bytes [Begin, End) of the document
	Begin    int64    // offset of the tail in the document; 0 for the base
	End      int64    // size of the document including this revision
	Digest   [32]byte // SHA-256 over [0, End)
	Midstate []byte   // state of that hash before padding, so that the next revision hashes its own tail only
	// NextObject is the lowest object number that a new object of the next revision may have, as
	// pdf.Document.NextObject returns it. 0: not known, because older releases did not store it.
	NextObject uint32
	By         PersonID // who signed; empty for the service itself
	At         time.Time
}

// Current returns the newest revision. Every stored PDF document has at least its base.
func (d *Document) Current() Revision {
	if len(d.Revisions) == 0 {
		return Revision{}
	}
	return d.Revisions[len(d.Revisions)-1]
}

// IsFinal reports whether the state is final.
func (s State) IsFinal() bool {
	return s == Completed || s == Rejected || s == Canceled || s == Expired
}

// Participant returns the participant with that identifier, or nil.
func (d *Document) Participant(id PersonID) *Participant {
	i := slices.IndexFunc(d.Participants, func(p Participant) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Participants[i]
}

// Signers returns the participants who must act, by number: those who must sign, and approvers.
func (d *Document) Signers() []Participant {
	var s []Participant
	for _, p := range d.Participants {
		if p.Role == Signer {
			s = append(s, p)
		}
	}
	return s
}

// FullySigned reports whether every signer has signed and every approver has approved, or the order needs neither.
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

// InTurn reports whether the person can sign or approve now: in sequence the signers with the smallest number that has not acted, in
// parallel every signer who has not. A witness waits for everyone with a smaller number in parallel too.
func (d *Document) InTurn(id PersonID) bool {
	if d.State != Processing || d.Mode != Signing {
		return false
	}
	p := d.Participant(id)
	if p == nil || p.Role != Signer || !p.SignedAt.IsZero() {
		return false
	}
	return d.Parallel && p.Capacity != Witness || !d.hasUnsignedBefore(p.Number)
}

// hasUnsignedBefore reports whether a signer with a smaller number has not signed yet.
func (d *Document) hasUnsignedBefore(number int) bool {
	return slices.ContainsFunc(d.Participants, func(p Participant) bool {
		return p.Role == Signer && p.Number < number && p.SignedAt.IsZero()
	})
}

// HasActed reports whether the participant has done their part: signed, approved, passed their part on, had it done by another member of their group, or viewed as a viewer. In a stamping order
// participants have nothing to do; all count as done once it is completed.
func (d *Document) HasActed(p Participant) bool {
	switch {
	case d.Mode == Stamping:
		return d.State == Completed
	case p.Role == Viewer:
		return !p.ViewedAt.IsZero() || p.isReleased() || d.DelegationFrom(p.ID) != nil
	}
	return !p.SignedAt.IsZero()
}

// HasSigned reports whether the participant's signature is in the file; in a stamping order, whether it is completed.
func (d *Document) HasSigned(p Participant) bool {
	if d.Mode == Stamping {
		return d.State == Completed
	}
	return p.MustSign() && !p.SignedAt.IsZero()
}

// SigningState returns the state of the signatures and approvals alone: while stamps are pending after the last signature it is
// completed. For a stamping order it is the document's state.
func (d *Document) SigningState() State {
	if d.State != Draft && d.Mode == Signing && d.FullySigned() {
		return Completed
	}
	return d.State
}

// Serials returns the serials of the affixed stamps, in placement order.
func (d *Document) Serials() []string {
	serials := []string{}
	for _, s := range d.Stamps {
		if s.State == StampAffixed {
			serials = append(serials, s.Serial)
		}
	}
	return serials
}

// copyDocument copies the document deeply enough for a rule to change the copy.
func (d *Document) copyDocument() Document {
	c := *d
	c.Participants = slices.Clone(d.Participants)
	c.Placements = slices.Clone(d.Placements)
	c.Stamps = slices.Clone(d.Stamps)
	c.Revisions = slices.Clone(d.Revisions)
	c.Findings = slices.Clone(d.Findings)
	c.Delegations = slices.Clone(d.Delegations)
	c.Delivery.Languages = maps.Clone(d.Delivery.Languages)
	c.Delivery.Channels = maps.Clone(d.Delivery.Channels)
	return c
}

// ProgressAt returns when the document last made progress: when it was uploaded, finalized, signed, approved or stamped.
func (d *Document) ProgressAt() time.Time {
	return slices.MaxFunc([]time.Time{d.CreatedAt, d.FinalizedAt, d.LastSignedAt, d.lastApproval()}, time.Time.Compare)
}

// Count is a number of units of each kind.
type Count struct {
	Stamps     int
	Signatures int
}

// Counters says what became of a document's quota: Used is reserved or spent, Success spent, Failed released or lost.
type Counters struct{ Used, Success, Failed Count }

// Counters returns the counters of the document.
func (d *Document) Counters() Counters {
	var c Counters
	if d.FinalizedAt.IsZero() {
		return c
	}
	for _, s := range d.Stamps {
		countUnit(&c, func(n *Count) *int { return &n.Stamps }, s.State == StampAffixed, d.State.IsFinal())
	}
	for _, p := range d.signatureParts() {
		if d.Mode == Signing {
			countUnit(&c, func(n *Count) *int { return &n.Signatures }, !p.SignedAt.IsZero(), d.State.IsFinal())
		}
	}
	return c
}

func countUnit(c *Counters, unit func(*Count) *int, spent, ended bool) {
	switch {
	case spent:
		*unit(&c.Used)++
		*unit(&c.Success)++
	case ended:
		*unit(&c.Failed)++
	default:
		*unit(&c.Used)++
	}
}

// IsPaid reports whether all quota that the document needs is reserved or spent.
func (d *Document) IsPaid() bool {
	return !d.FinalizedAt.IsZero() && d.State != Rejected && d.State != Canceled && d.State != Expired
}
