package contract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestHiddenAddressesAreSeenByThoseWhoAnswerForTheDocument(t *testing.T) {
	t.Parallel()
	d := Document{
		ID: 7, Organisation: "org", Owner: Person{ID: "owner", Name: "Pemilik", Email: "owner@contoh.id"}, State: Completed, Mode: Signing, FinalizedAt: t0,
		Participants: []Participant{
			{Person: Person{ID: "owner", Name: "Pemilik", Email: "owner@contoh.id"}, Role: Signer, Number: 1, SignedAt: t0},
			{Person: Person{ID: "siti", Name: "Siti", Email: "siti@contoh.id"}, Role: Signer, Number: 2, SignedAt: t0},
			{Person: Person{ID: "guest", Name: "budi@lain.id", Email: "budi@lain.id"}, Phone: "+628123456789", Role: Signer, Number: 3, Guest: true, SignedAt: t0},
		},
	}
	d.Delivery.HideAddresses = true
	own := func(id PersonID, role AccountRole) Actor {
		return Actor{Person: Person{ID: id}, Organisation: "org", Role: role, Admin: role == RoleAdmin, OrganisationState: OrganisationActive}
	}
	embedded, otherAdmin, guest := own("siti", RoleAdmin), own("siti", RoleAdmin), own("guest", "")
	embedded.Embed = &EmbedGrant{Document: 7, Purpose: EmbedView}
	otherAdmin.Organisation = "other"
	guest.Guest = 7
	ownerAsGuest := own("owner", RoleSender)
	ownerAsGuest.Guest = 7
	byMailbox := own("someone", RoleMember)
	byMailbox.Mailbox = "budi@lain.id"
	masked, maskedGuest := "s***@contoh.id", "b***@lain.id"
	for name, c := range map[string]struct {
		by          Actor
		all         bool
		siti, guest string
	}{
		"the service":                   {Actor{}, true, "siti@contoh.id", "budi@lain.id"},
		"the owner":                     {own("owner", RoleSender), true, "siti@contoh.id", "budi@lain.id"},
		"an admin":                      {own("admin", RoleAdmin), true, "siti@contoh.id", "budi@lain.id"},
		"an auditor":                    {own("auditor", RoleAuditor), true, "siti@contoh.id", "budi@lain.id"},
		"a signer":                      {own("siti", RoleSender), false, "siti@contoh.id", maskedGuest},
		"an admin in an embedded page":  {embedded, false, "siti@contoh.id", maskedGuest},
		"an admin elsewhere":            {otherAdmin, false, "siti@contoh.id", maskedGuest},
		"a guest":                       {guest, false, masked, "budi@lain.id"},
		"a guest with the owner's id":   {ownerAsGuest, false, masked, maskedGuest},
		"the holder of guest's mailbox": {byMailbox, false, masked, "budi@lain.id"},
	} {
		shown := d.AsShownTo(c.by)
		if got := d.SeesAddresses(c.by); got != c.all {
			t.Errorf("%s sees all: %v", name, got)
		}
		if o, s, g := shown.Participants[0].Email, shown.Participants[1].Email, shown.Participants[2]; o != "owner@contoh.id" || s != c.siti || g.Email != c.guest || g.Name != c.guest {
			t.Errorf("%s is shown %q, %q and %+v", name, o, s, g)
		}
		wantPhone := "+628123456789"
		if c.guest == maskedGuest {
			wantPhone = "+62***789"
		}
		if got := shown.Participants[2].Phone; got != wantPhone {
			t.Errorf("%s is shown the number %q", name, got)
		}
	}
	if d.Participants[1].Email != "siti@contoh.id" {
		t.Error("showing changed the document")
	}
	for name, c := range map[string]struct {
		by   Actor
		want error
	}{"the owner": {own("owner", RoleSender), nil}, "a signer": {own("siti", RoleSender), ErrEvidenceHidden}, "a guest": {guest, ErrEvidenceHidden}} {
		if err := d.Authorise(c.by, OpEvidence); !errors.Is(err, c.want) {
			t.Errorf("evidence for %s: %v", name, err)
		}
	}
	d.Delivery.HideAddresses = false
	if got := d.AsShownTo(guest); got != &d {
		t.Error("a document that hides nothing was copied")
	}
}

func TestMasksKeepWhatAnOwnerRecognises(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "budi@contoh.id": "b***@contoh.id", "é@contoh.id": "é***@contoh.id", "@contoh.id": "***@contoh.id"} {
		if got := MaskAddress(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	for in, want := range map[string]string{"": "", "+6281234": "***", "+628123456789": "+62***789"} {
		if got := MaskPhone(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}

func TestEventsHideTheAddressesOfOthersInEveryDetail(t *testing.T) {
	t.Parallel()
	d := Document{ID: 7, Organisation: "org", Owner: Person{ID: "owner", Email: "owner@contoh.id"}, Team: Team{ID: "team"}, State: Processing, FinalizedAt: t0,
		Participants: []Participant{{Person: Person{ID: "guest", Name: "Budi"}, Phone: "+628123456789", Role: Signer, Number: 1, Guest: true}}}
	d.Delivery.HideAddresses = true
	member := func(role AccountRole) Actor {
		return Actor{Person: Person{ID: "reader", Email: "reader@contoh.id"}, Organisation: "org", Role: role, Teams: []Team{d.Team}, OrganisationState: OrganisationActive}
	}
	events := []Event{
		{Person: Person{ID: "guest", Name: "budi@lain.id", Email: "budi@lain.id"}, Details: map[string]string{"address": "budi@lain.id", "former_address": "budi@lama.id", "mailbox": "budi@lain.id", "phone": "+628123450000"}},
		{Person: d.Owner, Details: map[string]string{"from_email": "owner@contoh.id", "reason": `550 5.1.1 <budi@lain.id>: unknown; budi@lain.id, or reader@contoh.id.`, "group": "Siti, budi@lain.id", "channel": "sms", "address": "+628123456789", "problem": "no route to +628123456789"}},
		{},
	}
	before := fmt.Sprint(events)
	if got := fmt.Sprint(d.EventsAsShownTo(member(RoleSender), events)); got != before {
		t.Errorf("a member who acts for the owner is shown %s", got)
	}
	got := fmt.Sprint(d.EventsAsShownTo(member(RoleMember), events))
	for _, hidden := range []string{"budi@", "+628123456789", "+628123450000"} {
		if strings.Contains(got, hidden) {
			t.Errorf("a member who reads is shown %s in %s", hidden, got)
		}
	}
	for _, shown := range []string{"owner@contoh.id", "or reader@contoh.id", "<b***@lain.id>: unknown", "Siti, b***@lain.id", "+62***789", "+62***000"} {
		if !strings.Contains(got, shown) {
			t.Errorf("a member who reads is not shown %s in %s", shown, got)
		}
	}
	if after := fmt.Sprint(events); after != before {
		t.Errorf("the events changed to %s", after)
	}
}
