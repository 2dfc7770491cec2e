package contract

import "slices"

// Operation is what somebody wants to do with a document.
type Operation string

// The operations that name a document. Every endpoint that names one maps to exactly one of them.
const (
	OpDetail       Operation = "detail"
	OpStatus       Operation = "status"
	OpSigners      Operation = "signers"
	OpAuditTrail   Operation = "audit-trail"
	OpEvents       Operation = "events"
	OpPreview      Operation = "preview"
	OpDownload     Operation = "download"
	OpOriginal     Operation = "original"
	OpParticipants Operation = "participants-docs"
	OpDescribe     Operation = "describe-docs"
	OpPlace        Operation = "placement-docs"
	OpFinalize     Operation = "finalize-docs"
	OpSign         Operation = "sign-docs"
	OpReject       Operation = "reject-docs"
	OpCancel       Operation = "cancel-docs"
	OpRemind       Operation = "remind-docs"
	OpRestamp      Operation = "restamp-docs"
	OpRetry        Operation = "retry-docs"
	OpGuestLink    Operation = "guest-link-docs"
	OpGuestRevoke  Operation = "guest-revoke-docs"
	OpDelete       Operation = "delete"
)

// Operations lists all of them.
var Operations = []Operation{
	OpDetail, OpStatus, OpSigners, OpAuditTrail, OpEvents, OpPreview, OpDownload, OpOriginal,
	OpParticipants, OpDescribe, OpPlace, OpFinalize, OpSign, OpReject, OpCancel, OpRemind, OpRestamp, OpRetry, OpGuestLink, OpGuestRevoke, OpDelete,
}

// ownerOnly are the operations whose refusal to a participant is Forbidden, since he may see the document.
var ownerOnly = []Operation{OpParticipants, OpDescribe, OpPlace, OpFinalize, OpCancel, OpRemind, OpRestamp, OpRetry, OpGuestLink, OpGuestRevoke, OpDelete, OpAuditTrail, OpOriginal}

// guestForbidden are the operations a guest's token is not good for, on his own document too.
var guestForbidden = []Operation{OpSigners, OpAuditTrail, OpOriginal}

// IsVisibleTo reports whether the person sees the document: the owner always, and once it was finalized every signer at
// once and a viewer when all signers with a smaller number have signed, in parallel mode too.
func (d *Document) IsVisibleTo(id PersonID) bool {
	if id == d.Owner.ID {
		return true
	}
	if d.FinalizedAt.IsZero() {
		return false // a draft, or one whose time ran out before anybody was asked
	}
	p := d.Participant(id)
	switch {
	case p == nil:
		return false
	case p.Role == Signer:
		return true
	case d.Mode == Stamping:
		return true
	}
	return !d.hasUnsignedBefore(p.Number)
}

// Authorise is the one place that decides who may do what with a document. What an actor may not see is
// ErrNotFound, to the letter what a document that does not exist answers. What he sees and may not do is
// Forbidden. Whether the state permits it is the rule's own question.
func (d *Document) Authorise(by Actor, op Operation) error {
	if by.IsSystem() {
		return nil
	}
	if by.Guest != 0 && by.Guest != d.ID {
		return ErrNotFound
	}
	if !d.IsVisibleTo(by.ID) {
		return ErrNotFound
	}
	if by.Guest != 0 && slices.Contains(guestForbidden, op) {
		return ErrNotAllowed
	}
	if by.ID == d.Owner.ID && by.Guest == 0 {
		return nil
	}
	if slices.Contains(ownerOnly, op) {
		return ErrNotOwner
	}
	return nil
}
