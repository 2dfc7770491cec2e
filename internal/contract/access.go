package contract

import "slices"

// Operation is something that a person does with a document.
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
	OpEvidence     Operation = "evidence"
	OpConsent      Operation = "consent"
	OpParticipants Operation = "participants-docs"
	OpDescribe     Operation = "describe-docs"
	OpPlace        Operation = "placement-docs"
	OpFinalize     Operation = "finalize-docs"
	OpSign         Operation = "sign-docs"
	OpApprove      Operation = "approve-docs"
	OpReject       Operation = "reject-docs"
	OpDelegate     Operation = "delegate-docs"
	OpCancel       Operation = "cancel-docs"
	OpRemind       Operation = "remind-docs"
	OpRestamp      Operation = "restamp-docs"
	OpRetry        Operation = "retry-docs"
	OpGuestLink    Operation = "guest-link-docs"
	OpGuestRevoke  Operation = "guest-revoke-docs"
	OpEmbed        Operation = "embed-docs"
	OpCode         Operation = "guest-code-docs"
	OpProveContact Operation = "guest-verify-docs"
	OpCorrectGuest Operation = "correct-guest-docs"
	OpCopy         Operation = "copy-docs"
	OpShare        Operation = "team-docs"
	OpTemplate     Operation = "template-docs"     // save it as a template
	OpUse          Operation = "use-template-docs" // make a draft from a template
	OpDelete       Operation = "delete"
	OpLabel        Operation = "label" // add and remove labels of the organisation
	OpFile         Operation = "file"  // put it into a folder of the caller, or of a team of theirs
)

// Operations lists every operation.
var Operations = []Operation{
	OpDetail, OpStatus, OpSigners, OpAuditTrail, OpEvents, OpPreview, OpDownload, OpOriginal, OpEvidence, OpConsent,
	OpParticipants, OpDescribe, OpPlace, OpFinalize, OpSign, OpApprove, OpReject, OpDelegate, OpCancel, OpRemind, OpRestamp, OpRetry, OpGuestLink, OpGuestRevoke,
	OpEmbed, OpCode, OpProveContact, OpCorrectGuest, OpCopy, OpShare, OpTemplate, OpUse, OpDelete,
	OpLabel, OpFile,
}

// ownerOnly are the operations that only the owner may use. A participant may see the document, so they are told
// Forbidden.
var ownerOnly = []Operation{OpParticipants, OpDescribe, OpPlace, OpFinalize, OpCancel, OpRemind, OpRestamp, OpRetry, OpGuestLink, OpGuestRevoke, OpEmbed, OpCorrectGuest, OpCopy, OpShare, OpTemplate, OpUse, OpDelete, OpAuditTrail, OpOriginal, OpLabel}

// guestForbidden are the operations that a guest's token does not permit, even on the guest's own document.
var guestForbidden = []Operation{OpSigners, OpAuditTrail, OpOriginal, OpLabel, OpFile}

// guestOnly are the operations of guests alone.
var guestOnly = []Operation{OpCode, OpProveContact}

// IsVisibleTo reports whether the person may see the document. The owner always may. After finalize every signer may
// at once, also one who passed their part on or whose group has acted, and a viewer when all signers with a smaller number have signed, in parallel mode too. The recipient of a
// copy sees it once it is completed.
func (d *Document) IsVisibleTo(id PersonID) bool {
	if id == d.Owner.ID {
		return true
	}
	if d.FinalizedAt.IsZero() {
		return false // a draft, or one that expired as a draft
	}
	p := d.Participant(id)
	switch {
	case p == nil:
		return false
	case p.Role == Signer, p.isReleased(), d.DelegationFrom(id) != nil:
		return true
	case p.Capacity == Recipient:
		return d.State == Completed
	case d.Mode == Stamping:
		return true
	}
	return !d.hasUnsignedBefore(p.Number)
}

// Authorise is the only place that decides who may do what with a document. A document that the actor may not see is
// ErrNotFound, exactly as one that does not exist. An operation that they may not use on a document they see is
// Forbidden. Whether the state permits the operation is decided by its rule.
func (d *Document) Authorise(by Actor, op Operation) error {
	if err := d.authorise(by, op); err != nil {
		return err
	}
	if d.IsRemoved() && op.NeedsFiles() {
		return ErrRemoved
	}
	return nil
}

func (d *Document) authorise(by Actor, op Operation) error {
	if by.IsSystem() {
		return d.refuseAsTemplate(op)
	}
	if err := by.OrganisationState.RequireActive(); err != nil {
		return err // says nothing about the document either
	}
	if err := by.Key.Require(operationScopes[op]); err != nil {
		return err // of the key alone: says nothing about the document
	}
	if by.Guest != 0 && by.Guest != d.ID {
		return ErrNotFound
	}
	if err := by.Embed.require(d, op); err != nil {
		return err // of the page alone: it has one document, and the person's others do not exist for it
	}
	visible, shared, audits := d.IsOpenTo(by), d.IsSharedWith(by), by.Audits(d)
	switch {
	case !visible && !audits:
		return ErrNotFound
	case audits && slices.Contains(auditOperations, op):
		return nil
	case !visible:
		return ErrNotAllowed
	}
	if err := by.Key.requireMode(d, op); err != nil {
		return err
	}
	if err := d.refuseAsTemplate(op); err != nil {
		return err
	}
	if by.Guest != 0 && slices.Contains(guestForbidden, op) {
		return ErrNotAllowed
	}
	if by.Guest == 0 && slices.Contains(guestOnly, op) {
		return ErrGuestsOnly
	}
	if op == OpEvidence && !d.SeesAddresses(by) {
		return ErrEvidenceHidden
	}
	if by.ID == d.Owner.ID && by.Guest == 0 {
		if slices.Contains(sendOperations, op) {
			return by.requireSender()
		}
		return nil
	}
	switch {
	case shared && slices.Contains(teamManages, op):
		return by.requireSender()
	case shared && slices.Contains(teamReads, op):
		return nil
	case slices.Contains(ownerOnly, op):
		return ErrNotOwner
	}
	return d.requireCodeToRead(by, op)
}

// Actor is who makes a request. The zero Actor is the service itself.
type Actor struct {
	Person
	Organisation       OrganisationID
	Teams              []Team      // of their account, by name
	Role               AccountRole // empty: RoleAdmin if Admin, else RoleSender
	Admin              bool        // has RoleAdmin
	Operator           bool        // an admin of the first organisation
	Guest              DocumentID  // not 0: a guest of this document, with access to nothing else
	Mailbox            string      // in lower case, of which the holder of the account verified that they read it; see [Document.GuestReading]. Empty: none
	MustChoosePassword bool        // an admin set the password and knows it; the user must choose their own first
	MustEnrol          bool        // the organisation requires a second factor, and the account has none; the user must add one first
	ProofIsOld         bool        // they did not prove for [RecentProof] who they are; see [Actor.RequireRecentProof]
	Factor             Factor      // of their session; empty: a password
	SignFactor         bool        // the organisation requires a factor for each signature
	Signing            Factor      // what they proved for this signature; empty: nothing
	IP                 string
	UserAgent          string      // as the client of the request names itself
	Language           string      // of messages about what they do; empty: that of the service
	Session            string      // the family of the user's tokens, see [Session]; empty for guests
	Key                *KeyGrant   // the API key that they came with; nil: none
	Embed              *EmbedGrant // the embedded page that they came from; nil: none

	Token [32]byte // SHA-256 of the token of the request

	// OrganisationState is that of the organisation; of a guest, that of the document's. One that is not active permits nothing but logging out.
	OrganisationState OrganisationState

	// Of a guest.
	Link    LinkOrigin // how they got the link with which they came
	Proved  Contact    // what they proved with this token
	Channel Channel    // how messages reach them
}

// IsSystem reports whether the service itself is acting, without a person.
func (a Actor) IsSystem() bool { return a.ID == "" }
