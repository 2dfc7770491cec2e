package contract

import (
	"errors"
	"testing"
	"time"
)

// newDelegable makes a finalized document of two signers in sequence and a guest who signs with the first, whose owner allows delegation.
func newDelegable(t *testing.T) *Document {
	t.Helper()
	return finalizeDraft(t, newDraft(t, func(u *Upload) {
		u.Delivery.Delegation = true
		u.Participants = []Participant{
			newParticipant("first", Signer, 1), {Person: newPerson("guest"), Role: Signer, Number: 1, Guest: true}, newParticipant("second", Signer, 2),
		}
	}))
}

var delegate = Participant{Person: Person{ID: "delegate", Name: "Dewi", Email: "dewi@example.test"}, Phone: "0812", Guest: true}

func TestADelegateTakesOverTurnFieldAndBoxes(t *testing.T) {
	t.Parallel()
	d := newDelegable(t)
	d.Placements = []Placement{{Kind: PlaceSignature, Page: 1, Person: "first"}, {Kind: PlaceStamp, Page: 1, Person: "first"}, {Kind: PlaceSignature, Page: 1, Person: "second"}}
	before := *d.Participant("first")
	c, err := Delegate(d, delegate, "en", " Ia yang berwenang. ", first, limits, t0)
	after := applyChange(t, c, err)
	p, former := after.Participant("delegate"), after.Participant("first")
	if p == nil || p.Role != Signer || p.Number != before.Number || p.Field != before.Field || !p.Guest || p.Phone != "0812" || !after.InTurn("delegate") {
		t.Errorf("the delegate: %+v", p)
	}
	if former.Role != Viewer || former.Field != "" || after.InTurn("first") || !after.IsVisibleTo("first") || !after.HasActed(*former) {
		t.Errorf("the former signer: %+v", former)
	}
	if who := []PersonID{after.Placements[0].Person, after.Placements[1].Person, after.Placements[2].Person}; who[0] != "delegate" || who[1] != "first" || who[2] != "second" {
		t.Errorf("the boxes belong to %v", who)
	}
	if g := after.DelegationTo("delegate"); g == nil || *g != (Delegation{From: "first", To: "delegate", At: t0, Reason: "Ia yang berwenang."}) || after.DelegationFrom("first") != g {
		t.Errorf("delegation %+v", g)
	}
	if e := c.Events[0]; e.Type != EventDelegated || e.Person.ID != "first" || e.Details["to"] != "delegate" || e.Details["address"] != "dewi@example.test" || e.Details["guest"] != "delegate" {
		t.Errorf("event %+v", e)
	}
	told := map[PersonID]NoticeKind{}
	for _, n := range c.Notices {
		told[n.Person] = n.Kind
	}
	if len(told) != 2 || told["delegate"] != NoticeInviteSigner || told["owner"] != NoticeDelegated || after.Delivery.Languages["delegate"] != "en" {
		t.Errorf("notices %v", told)
	}
	if who := after.AttestParticipant(*p, "PT Contoh", Contact{}); who.Assurance != AssuranceGuest || who.NamedBy != "Name of first / Name of owner" {
		t.Errorf("attested as %+v", who)
	}
	if len(d.Participants) != 3 || d.Participant("first").Role != Signer || len(d.Delegations) != 0 {
		t.Error("the rule changed the document that it read")
	}
	actor := Actor{Person: p.Person, Guest: d.ID}
	if _, err := Delegate(after, Participant{Person: Person{ID: "x", Name: "X", Email: "x@example.test"}}, "", "", actor, limits, t0); !errors.Is(err, ErrDelegatedOnce) {
		t.Errorf("passed on again: %v", err)
	}
	if _, err := Reject(after, "x", first, limits, t0); !errors.Is(err, ErrNotSigner) {
		t.Errorf("the former signer declined: %v", err)
	}
}

func TestAFormerSignerGoesOnSeeingTheDocumentAndIsNotInvitedToView(t *testing.T) {
	t.Parallel()
	d := newDelegable(t)
	d.Parallel = true // so that signers with a smaller number have not signed
	c, err := Delegate(d, delegate, "", "", second, limits, t0)
	d = applyChange(t, c, err)
	if !d.IsVisibleTo("second") {
		t.Error("the former signer does not see the document")
	}
	for _, by := range []Actor{first, guest} {
		c, err := IntendSign(d, ShownPages{}, by, t0)
		d = applyChange(t, c, err)
		c, err = Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, by), by, t0)
		d = applyChange(t, c, err)
		for _, n := range c.Notices {
			if n.Person == "second" {
				t.Errorf("the former signer gets %s", n.Kind)
			}
		}
	}
}

func TestAPartIsPassedOnOnlyBySignersInTurnWhoMaySign(t *testing.T) {
	t.Parallel()
	mailed := guest
	mailed.Link = LinkMailed
	for name, c := range map[string]struct {
		by     Actor
		change func(*Document)
		want   error
	}{
		"not allowed":    {first, func(d *Document) { d.Delivery.Delegation = false }, ErrDelegationOff},
		"not in turn":    {second, nil, ErrNotInTurn},
		"the owner":      {owner, nil, ErrNotSigner},
		"an outsider":    {Actor{Person: newPerson("outsider")}, nil, ErrNotFound},
		"signed":         {first, func(d *Document) { d.Participant("first").SignedAt = t0 }, ErrSigned},
		"being signed":   {first, func(d *Document) { d.Participant("first").IntentAt = t0.Add(-time.Minute) }, ErrRace},
		"without a code": {mailed, nil, ErrCodeRequired},
		"canceled":       {first, func(d *Document) { d.State = Canceled }, ErrNotActive},
		"too late":       {first, func(d *Document) { d.ExpiresAt = t0.Add(-time.Minute) }, ErrExpired},
		"by a link":      {guest, nil, nil},
	} {
		d := newDelegable(t)
		if c.change != nil {
			c.change(d)
		}
		if _, err := Delegate(d, delegate, "", "", c.by, limits, t0); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestADelegateIsAnotherPersonWithNameAndAddress(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*Participant){
		"name":  func(p *Participant) { p.Name = "\u200b" },
		"email": func(p *Participant) { p.Email = "SECOND@example.test" },
		"phone": func(p *Participant) { p.Phone = string(make([]byte, 10_000)) },
	} {
		to := delegate
		change(&to)
		_, err := Delegate(newDelegable(t), to, "", "", first, limits, t0)
		var refused *Error
		if !errors.As(err, &refused) || len(refused.Fields) != 1 || refused.Fields[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, email := range []string{"first@example.test", "", "no address"} {
		to := delegate
		to.Email = email
		if _, err := Delegate(newDelegable(t), to, "", "", first, limits, t0); err == nil {
			t.Errorf("%q was accepted", email)
		}
	}
	if _, err := Delegate(newDelegable(t), delegate, "fr", "", first, limits, t0); err == nil {
		t.Error("a language without messages was accepted")
	}
}
