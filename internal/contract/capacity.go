package contract

import (
	"slices"
	"time"
)

// Capacity says in which capacity a participant acts, where their role alone does not. Programs that know the two roles only
// treat a participant by their role.
type Capacity string

// The capacities.
const (
	Approver  Capacity = "approver" // of a signer: approves in turn, without a signature in the file
	Witness   Capacity = "witness"  // of a signer: signs after those with a smaller number
	Recipient Capacity = "copy"     // of a viewer: sees nothing before the document is completed, and is then sent a copy
)

// Capacities lists every capacity, in the order in which a person chooses one.
var Capacities = []Capacity{Approver, Witness, Recipient}

// Role returns the role of participants with that capacity; empty for an unknown capacity.
func (c Capacity) Role() Role {
	switch c {
	case Approver, Witness:
		return Signer
	case Recipient:
		return Viewer
	}
	return ""
}

// Refusals about capacities.
var (
	// ErrApprover refuses the signature of an approver.
	ErrApprover = Refuse(Forbidden, "document.approver")
	// ErrNotApprover refuses the approval of a person who does not approve the document.
	ErrNotApprover = Refuse(Forbidden, "document.not_approver")
	// ErrApproved refuses a second approval.
	ErrApproved = Refuse(Conflict, "document.already_approved")
	// ErrStampOnlyApprovers refuses to stamp a document without waiting for its approvers.
	ErrStampOnlyApprovers = Refuse(Invalid, "document.stamp_only_approvers")
	// ErrWitnessAlone refuses a witness before whom no one signs.
	ErrWitnessAlone = Refuse(Invalid, "document.witness_alone")
)

// ActsAs returns what the participant does: their capacity, or else their role.
func (p Participant) ActsAs() string {
	if p.Capacity != "" {
		return string(p.Capacity)
	}
	return string(p.Role)
}

// capacityDetails returns the capacity as details of an event.
func (p Participant) capacityDetails() []string {
	if p.Capacity == "" {
		return nil
	}
	return []string{"capacity", string(p.Capacity)}
}

// MustSign reports whether a signature of the participant belongs in the file.
func (p Participant) MustSign() bool { return p.Role == Signer && p.Capacity != Approver }

// MustApprove reports whether the document waits for the participant's approval.
func (p Participant) MustApprove() bool { return p.Role == Signer && p.Capacity == Approver }

// MaySign reports whether the person can sign now.
func (d *Document) MaySign(id PersonID) bool { return d.InTurn(id) && d.Participant(id).MustSign() }

// MayApprove reports whether the person can approve now.
func (d *Document) MayApprove(id PersonID) bool {
	return d.InTurn(id) && d.Participant(id).MustApprove()
}

// alreadyActed returns the refusal of an act of a signer who has signed, or of an approver who has approved.
func (p Participant) alreadyActed() error {
	if p.MustApprove() {
		return ErrApproved
	}
	return ErrSigned
}

// lastApproval returns when an approver approved last; zero: none did.
func (d *Document) lastApproval() (at time.Time) {
	for _, p := range d.Participants {
		if p.MustApprove() && p.SignedAt.After(at) {
			at = p.SignedAt
		}
	}
	return at
}

// requireWitnessed refuses a witness before whom no one signs: they would witness nothing.
func (d *Document) requireWitnessed() error {
	for _, w := range d.Participants {
		if w.Capacity == Witness && !slices.ContainsFunc(d.Participants, func(p Participant) bool {
			return p.Role == Signer && p.Capacity == "" && p.Number < w.Number
		}) {
			return ErrWitnessAlone.With("name", w.Name)
		}
	}
	return nil
}
