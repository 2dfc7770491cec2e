package contract

import (
	"testing"
	"time"
)

// withGuest makes a document whose guest signs.
func withGuest(u *Upload) {
	u.Participants = []Participant{newParticipant("first", Signer, 1), {Person: newPerson("guest"), Role: Signer, Number: 1, Guest: true}}
}

func TestSignatureSaysWhatWasVerifiedAboutTheSignerAndByWhom(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, withGuest))
	for by, want := range map[*Actor]map[string]string{
		&guest: {"assurance": "guest_unverified", "named_by": "Name of owner", "organisation": "PT Contoh", "certificate": "5f", "digest": "", "consent_text": NoConsentText, "pages_shown": PagesNone},
		&first: {"assurance": "account_password", "organisation": "PT Contoh", "certificate": "5f", "digest": "", "consent_text": NoConsentText, "pages_shown": PagesNone},
	} {
		c, err := IntendSign(d, ShownPages{}, *by, t0)
		d := applyChange(t, c, err)
		who := attestationOf(d, *by)
		who.Certificate = "5f"
		c, err = Sign(d, nextRevision(d, 10), ShownPages{}, who, *by, t0)
		applyChange(t, c, err)
		got := c.Events[0].Details
		if len(got) != len(want) {
			t.Errorf("%s: details %v", by.ID, got)
		}
		for name, v := range want {
			if name != "digest" && got[name] != v {
				t.Errorf("%s: %s is %q, want %q", by.ID, name, got[name], v)
			}
		}
	}
}

func TestInvisibleNameIsRefusedAndNeverAttested(t *testing.T) {
	t.Parallel()
	for name, visible := range map[string]bool{
		"Budi": true, "李": true, "بودي": true, "B\u0336": true, "7": true, "👤": true,
		"": false, " \u00a0\u3000": false, "\u200b\u200d\ufeff": false, "\u0336\u20dd": false, "\ue000": false, "\ufffd": false, "\u00ad": false,
	} {
		if HasVisibleText(name) != visible {
			t.Errorf("%q: visible %t", name, !visible)
		}
		u := Upload{Filename: "a.pdf", Base: Revision{End: 1}, Participants: []Participant{{Person: Person{ID: "guest", Name: name, Email: "guest@example.test"}, Role: Signer, Number: 1, Guest: true}}}
		if _, err := Create(u, owner, limits, t0); (err == nil) != visible {
			t.Errorf("%q: %v", name, err)
		}
		d := Document{Owner: Person{ID: "owner", Name: name}, Organisation: "org"}
		who := d.AttestParticipant(Participant{Guest: true}, name, Contact{})
		if !HasVisibleText(who.NamedBy) || !HasVisibleText(who.Organisation) || visible && (who.NamedBy != name || who.Organisation != name) {
			t.Errorf("%q: %+v", name, who)
		}
	}
}

func TestParticipantsSignOnlyAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, withGuest))
	for _, c := range []struct {
		name string
		by   Actor
		who  Attestation
		ok   bool
	}{
		{"a guest as a guest", guest, Attestation{Assurance: AssuranceGuest, NamedBy: "Sari"}, true},
		{"a guest as a user", guest, Attestation{Assurance: AssuranceAccount, Organisation: "PT Contoh"}, false},
		{"a guest without a namer", guest, Attestation{Assurance: AssuranceGuest}, false},
		{"a guest as one with a mailbox", guest, Attestation{Assurance: AssuranceGuestMailbox, NamedBy: "Sari"}, false},
		{"a guest with a mailbox as nothing more", proved(d, guest), Attestation{Assurance: AssuranceGuest, NamedBy: "Sari"}, false},
		{"a guest with a mailbox", proved(d, guest), Attestation{Assurance: AssuranceGuestMailbox, NamedBy: "Sari", Contact: d.Participant(guest.ID).Email}, true},
		{"a guest with another mailbox", proved(d, guest), Attestation{Assurance: AssuranceGuestMailbox, NamedBy: "Sari", Contact: "other@example.test"}, false},
		{"a guest with a mailbox as one with a phone", proved(d, guest), Attestation{Assurance: AssuranceGuestPhone, NamedBy: "Sari", Contact: d.Participant(guest.ID).Email}, false},
		{"a user with a mailbox", first, Attestation{Assurance: AssuranceGuestMailbox, NamedBy: "Sari"}, false},
		{"a user as a user", first, Attestation{Assurance: AssuranceAccount, Organisation: "PT Contoh"}, true},
		{"a user as a guest", first, Attestation{Assurance: AssuranceGuest, NamedBy: "Sari"}, false},
		{"a user as the seal", first, Attestation{Assurance: AssuranceSeal, Organisation: "PT Contoh"}, false},
		{"a user as nothing", first, Attestation{}, false},
	} {
		change, err := IntendSign(d, ShownPages{}, c.by, t0)
		d := applyChange(t, change, err)
		if _, err := Sign(d, nextRevision(d, 10), ShownPages{}, c.who, c.by, t0); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// proved returns the guest in a session in which they entered the code for the current revision.
func proved(d *Document, by Actor) Actor {
	channel, address := d.Reach(by.ID)
	by.Proved = Contact{Channel: channel, Address: address, Digest: d.Current().Digest, At: t0}
	return by
}

func TestAVerifiedContactCountsForTheRevisionAndTheAddressForWhichItWasVerified(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, withGuest))
	p := *d.Participant(guest.ID)
	by := proved(d, guest)
	if who := d.AttestParticipant(p, "PT Contoh", by.Proved); who.Assurance != AssuranceGuestMailbox || who.Contact != p.Email || who.NamedBy != "Name of owner" {
		t.Errorf("%+v", who)
	}
	d.Delivery.Channels, d.Participant(guest.ID).Phone = map[PersonID]Channel{guest.ID: ChannelSMS}, "+628123456789"
	if who := d.AttestParticipant(p, "PT Contoh", by.Proved); who.Assurance != AssuranceGuest || who.Contact != "" {
		t.Errorf("reached by phone now: %+v", who)
	}
	if who := d.AttestParticipant(p, "PT Contoh", proved(d, guest).Proved); who.Assurance != AssuranceGuestPhone || who.Contact != "+628123456789" {
		t.Errorf("by phone: %+v", who)
	}
	d.Delivery.Channels = nil
	for name, change := range map[string]func(*Contact){
		"an earlier revision": func(c *Contact) { c.Digest[0]++ },
		"another address":     func(c *Contact) { c.Address = "other@example.test" },
		"no code yet":         func(c *Contact) { c.At = time.Time{} },
		"no address":          func(c *Contact) { c.Address = "" },
	} {
		c := by.Proved
		change(&c)
		if who := d.AttestParticipant(p, "PT Contoh", c); who.Assurance != AssuranceGuest || who.Contact != "" {
			t.Errorf("%s: %+v", name, who)
		}
	}
	if who := d.AttestParticipant(*d.Participant(first.ID), "PT Contoh", by.Proved); who.Assurance != AssuranceAccount || who.Contact != "" {
		t.Errorf("a user: %+v", who)
	}
}
