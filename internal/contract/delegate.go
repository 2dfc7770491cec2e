package contract

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Refusals of delegations.
var (
	// ErrDelegationOff refuses to pass a part on where the owner has not allowed it.
	ErrDelegationOff = Refuse(Forbidden, "delegation.off")
	// ErrDelegatedOnce refuses a person to whom the part was passed to pass it on again.
	ErrDelegatedOnce = Refuse(Conflict, "delegation.once")
)

// Delegation records that a signer passed their part to another person.
type Delegation struct {
	From, To PersonID
	At       time.Time
	Reason   string
}

// StatedDelegation returns the delegation that an event of type [EventDelegated] states.
func StatedDelegation(e Event) Delegation {
	return Delegation{From: e.Person.ID, To: PersonID(e.Details["to"]), At: e.At, Reason: e.Details["reason"]}
}

// DelegationFrom returns the delegation by which a person passed their part on, or nil.
func (d *Document) DelegationFrom(id PersonID) *Delegation {
	return d.findDelegation(func(g Delegation) bool { return g.From == id })
}

// DelegationTo returns the delegation by which a person has their part, or nil.
func (d *Document) DelegationTo(id PersonID) *Delegation {
	return d.findDelegation(func(g Delegation) bool { return g.To == id })
}

func (d *Document) findDelegation(is func(Delegation) bool) *Delegation {
	if i := slices.IndexFunc(d.Delegations, is); i >= 0 {
		return &d.Delegations[i]
	}
	return nil
}

// CheckDelegate refuses a person who may not pass their part on: all but signers whose turn it is, on a document whose owner allows it.
// A guest who has to enter a code before they sign has to enter it here too. Otherwise the reader of a forwarded mail could take the part.
func (d *Document) CheckDelegate(by Actor, now time.Time) error {
	if err := d.Authorise(by, OpDelegate); err != nil {
		return err
	}
	if err := d.requireGroupWaits(by); err != nil {
		return err
	}
	p := d.Participant(by.ID)
	switch {
	case d.State != Processing:
		return ErrNotActive
	case p == nil || p.Role != Signer || d.Mode != Signing:
		return ErrNotSigner
	case !p.SignedAt.IsZero():
		return p.alreadyActed()
	case !d.Delivery.Delegation:
		return ErrDelegationOff
	case d.DelegationTo(by.ID) != nil:
		return ErrDelegatedOnce
	case d.IsOverdue(now):
		return ErrExpired
	case !d.InTurn(by.ID):
		return ErrNotInTurn
	case d.NeedsCode(by):
		return ErrCodeRequired
	case now.Sub(p.IntentAt) < longestSigning:
		return ErrRace // their signature may follow
	}
	return nil
}

// Delegate passes the part of a signer to another person: their turn, their signature field and their boxes. To has an identifier, a name, an
// address and a phone number, and says whether the person is a guest. The former signer stays on the document as a viewer.
//
// Durable with the commit: the new person, their invitation with its job, and the event that names both. Nothing precedes it.
func Delegate(d *Document, to Participant, language, reason string, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.CheckDelegate(by, now); err != nil {
		return Change{}, err
	}
	var bad fieldErrors
	to.Name = CleanText(to.Name)
	switch {
	case !HasVisibleText(to.Name):
		bad.add("name", "text.missing")
	case utf8.RuneCountInString(to.Name) > l.Text:
		bad.add("name", "text.too_long", "limit", l.Text)
	}
	address, code := ParseEmail(to.Email)
	if to.Email = address; code == "" && slices.ContainsFunc(d.Participants, func(o Participant) bool {
		return o.ID == to.ID || strings.EqualFold(o.Email, address)
	}) {
		code = "participant.twice"
	}
	if code != "" {
		bad.add("email", code)
	}
	if utf8.RuneCountInString(to.Phone) > l.Text {
		bad.add("phone", "text.too_long", "limit", l.Text)
	}
	if language != "" && !slices.Contains(MessageLanguages, language) {
		bad.add("language", "value.not_one_of", "allowed", strings.Join(MessageLanguages, ", "))
	}
	if reason = CleanText(reason); utf8.RuneCountInString(reason) > 4*l.Text {
		bad.add("reason", "text.too_long", "limit", 4*l.Text)
	}
	if err := bad.asError(); err != nil {
		return Change{}, err
	}

	c := newChange(d)
	after := &c.After
	from := after.Participant(by.ID)
	next := Participant{Person: to.Person, Phone: to.Phone, Guest: to.Guest, Role: Signer, Capacity: from.Capacity, Group: from.Group, Number: from.Number, Field: from.Field}
	from.Role, from.Capacity, from.Group, from.Field, from.IntentAt = Viewer, "", 0, "", time.Time{}
	at := slices.IndexFunc(after.Participants, func(p Participant) bool { return p.ID == by.ID })
	after.Participants = slices.Insert(after.Participants, at+1, next)
	for i := range after.Placements {
		if p := &after.Placements[i]; p.Person == by.ID && p.Kind != PlaceStamp {
			p.Person = next.ID
		}
	}
	if language != "" {
		if after.Delivery.Languages == nil {
			after.Delivery.Languages = map[PersonID]string{}
		}
		after.Delivery.Languages[next.ID] = language
	}
	after.Delegations = append(after.Delegations, Delegation{From: by.ID, To: next.ID, At: now, Reason: reason})
	details := append(by.proofDetails(), "to", string(next.ID), "name", next.Name, "address", next.Email, "reason", reason)
	if next.Guest {
		details = append(details, "guest", string(next.ID))
	}
	c.addEvent(EventDelegated, by, now, details...)
	c.addNotice(NoticeInviteSigner, next.Person, by, now)
	if next.ID != after.Owner.ID {
		c.addNotice(NoticeDelegated, after.Owner, by, now)
	}
	return c, nil
}
