package contract

import (
	"errors"
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
