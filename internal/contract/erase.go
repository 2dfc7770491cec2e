package contract

import (
	"slices"
	"strings"
	"time"
)

// Erasure is that the data of a person with an account were asked to be erased (decision 0091). It never ends: it is why the account is one
// without a person.
type Erasure struct {
	Person       PersonID
	Organisation OrganisationID
	By           PersonID // who asked for it: the person, or an admin; empty: an operator at the command line
	At           time.Time
	DoneAt       time.Time // zero: something is left to erase
}

// ErasedName takes the place of the name of a person whose data were erased, in both languages, wherever the name is not evidence.
const ErasedName = "Data terhapus · Erased"

// ErasedEmail takes the place of the e-mail of an account whose data were erased. The domain is reserved and never receives mail (RFC 2606 §2).
func ErasedEmail(id PersonID) string { return string(id) + "@erased.invalid" }

// Errors of erasures.
var (
	// ErrErased refuses what is done to an account whose data are being or were erased.
	ErrErased = Refuse(Conflict, "person.erased")
	// ErrNotDisabled refuses to erase the data of another person whose account can still be used.
	ErrNotDisabled = Refuse(Conflict, "person.not_disabled")
	// ErrOwnsDocuments refuses to erase the data of a person who owns documents that were sent: they are transferred first, see [Transfer].
	ErrOwnsDocuments = Refuse(Conflict, "person.owns_documents")
)

// ParseErasedGuest returns the address, or the phone number in international form, by which the data of a guest are erased. It refuses none, and both: they may be of
// two people.
func ParseErasedGuest(in GuestContact) (GuestContact, error) {
	in = GuestContact{Email: strings.TrimSpace(in.Email), Phone: strings.TrimSpace(in.Phone)}
	var field, code string
	switch {
	case in.Email == "" && in.Phone == "":
		field, code = "email", "erase.contact_missing"
	case in.Email != "" && in.Phone != "":
		field, code = "phone", "erase.contact_both"
	case in.Phone != "":
		field = "phone"
		in.Phone, code = ParsePhone(in.Phone)
	default:
		field = "email"
		in.Email, code = ParseEmail(in.Email)
	}
	if code != "" {
		return GuestContact{}, InvalidInput(NewFieldError(field, code))
	}
	return in, nil
}

// EraseDraft deletes a document of a person whose data are erased, if it was never sent: a draft, or one that expired as a draft. Changed is
// false for one that was sent, or that belongs to another person.
func EraseDraft(d *Document, owner PersonID, now time.Time) (c Change, changed bool) {
	if d.Owner.ID != owner || !d.FinalizedAt.IsZero() {
		return Change{}, false
	}
	return deleteDocument(d, Actor{}, now), true
}

// EraseParticipant removes a person whose data are erased from a draft, with their places, and removes their name, address and phone number from a document that
// ended without a signature or approval. Changed is false if nothing is to be done: the person is not on it, was erased before, or is part of
// what the document proves.
func EraseParticipant(d *Document, id PersonID, now time.Time) (c Change, changed bool) {
	p := d.Participant(id)
	if p == nil || p.IsErased() || !d.provesNothing() {
		return Change{}, false
	}
	c = newChange(d)
	c.Erases = true
	after := &c.After
	if d.State == Draft {
		after.Participants = slices.DeleteFunc(after.Participants, func(p Participant) bool { return p.ID == id })
		after.holdBoxes(d) // those of a group stay with its other members
		after.Placements = slices.DeleteFunc(after.Placements, func(p Placement) bool { return p.Person == id })
	} else {
		gone := after.Participant(id)
		gone.Name, gone.Email, gone.Phone = ErasedName, "", ""
	}
	after.Delivery.Languages, after.Delivery.Channels = after.keepLanguages(after.Delivery.Languages), after.keepChannels(after.Delivery.Channels)
	c.addEvent(EventParticipantErased, Actor{}, now, "person", string(id))
	return c, true
}

// IsErased reports whether the name, the address and the phone number of the participant were erased. The name alone does not say so: it can be entered.
func (p Participant) IsErased() bool { return p.Name == ErasedName && p.Email == "" && p.Phone == "" }

// provesNothing reports whether a document is not evidence of what its participants did: a draft, or one that was canceled or expired before anybody
// signed, approved, or passed their part on. A refusal is an act, so a document that was declined proves it.
func (d *Document) provesNothing() bool {
	switch d.State {
	case Draft, Canceled, Expired:
		return len(d.Delegations) == 0 &&
			!slices.ContainsFunc(d.Participants, func(p Participant) bool { return !p.SignedAt.IsZero() || !p.IntentAt.IsZero() }) &&
			!slices.ContainsFunc(d.Revisions, func(r Revision) bool { return r.Kind == RevisionSignature })
	}
	return false
}
