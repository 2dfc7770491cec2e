package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/pdf"
)

func TestASignerPassesTheirPartOnByMailAndTheDelegateSigns(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		server, more := startMailServer(t)
		s := start(t, append(set, more...)...)
		owner, member := s.person(t, "Sari Wulandari", "PT Sari"), s.person(t, "Dewi Lestari", "PT Sari")
		id, guest := s.mailedGuest(t, owner, server, object{
			"delegation": 1, "signer": []object{member.as("signer", 1)},
			"guest": object{"name": "Budi Santoso", "email": budi, "role": "signer", "number": 1},
		})
		pass := func(c *client, name, email string) *answer {
			return c.verb("delegate-docs", id, "name", name, "email", email, "reason", "Ia yang berwenang.", "language", "en")
		}
		if may := guest.get("detail", id).ok().object("data")["may_delegate"]; may != true {
			t.Errorf("may delegate: %v", may)
		}
		// The reader of a forwarded mail does not get the part: the code goes to the mailbox first.
		pass(guest, "Agus Salim", "agus@example.test").is(403, "guest.code_required")
		guest.verb("guest-code-docs", id).ok()
		guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
		pass(guest, "Dewi Lestari", member.email).is(422, "participant.twice")
		pass(guest, "Agus Salim", "agus@example.test").ok()

		guest.verb("sign-docs", id).is(403)
		pass(guest, "Lain", "lain@example.test").is(403)
		guest.get("preview", id).ok()
		invitation := server.mailTo(t, "agus@example.test", 1)
		if !strings.Contains(invitation.body, "Dear Agus Salim") || !strings.Contains(invitation.body, "Budi Santoso passed this signature to you") {
			t.Errorf("the invitation: %.1500s", invitation.body)
		}
		if told := server.mailTo(t, owner.email, 1); !strings.Contains(told.body, "Budi Santoso passed their signature") || !strings.Contains(told.body, "Agus Salim") || !strings.Contains(told.body, "Ia yang berwenang.") {
			t.Errorf("the message to the owner: %.1500s", told.body)
		}
		delegate := s.openLink(t, invitation.guestLink(t))
		delegate.verb("guest-code-docs", id).ok()
		delegate.verb("guest-verify-docs", id, "code", server.mailTo(t, "agus@example.test", 2).code(t)).ok()
		pass(delegate, "Lain", "lain@example.test").is(409, "delegation.once")
		delegate.verb("sign-docs", id).ok()

		// A person with an account takes part with it, whatever name is given.
		lawyer := s.person(t, "Citra Kusuma", "PT Sari")
		pass(member, "Orang Lain", "  "+strings.ToUpper(lawyer.email)+" ").ok()
		lawyer.verb("sign-docs", id).ok()
		if got := owner.describedIn(id, contract.EventDelegated); !strings.Contains(got, "Mengalihkan bagiannya kepada orang lain: Citra Kusuma, ") {
			t.Errorf("the audit trail: %s", got)
		}
		var people []object
		for _, p := range owner.get("signers", id).ok().object("data")["signer"].([]any) {
			people = append(people, p.(object))
		}
		for name, want := range map[string]string{"Budi Santoso": "Agus Salim", "Dewi Lestari": "Citra Kusuma"} {
			for _, p := range people {
				if p["name"] != name {
					continue
				}
				if to, _ := p["delegated_to"].(object); to == nil || to["name"] != want || p["role"] != "viewer" {
					t.Errorf("%s: %v", name, p)
				}
			}
		}
		facts := owner.evidenceFacts(t, id)
		if len(facts.People) != 4 {
			t.Fatalf("%+v", facts.People)
		}
		for _, p := range facts.People {
			switch p.Name {
			case "Budi Santoso":
				if p.Signature != nil || p.Delegated == nil || p.Delegated.Address != "agus@example.test" || p.Delegated.Reason == "" {
					t.Errorf("the former signer: %+v", p)
				}
			case "Agus Salim":
				if p.Signature == nil || p.Signature.NamedBy != "Budi Santoso / Sari Wulandari" || p.Signature.Mailbox != "agus@example.test" {
					t.Errorf("the delegate: %+v", p.Signature)
				}
			case "Citra Kusuma":
				if p.Signature == nil || p.Signature.Assurance != string(contract.AssuranceAccount) {
					t.Errorf("the delegate with an account: %+v", p.Signature)
				}
			}
		}
		file := owner.download(id)
		if r := verified(t, s, file); !r.Passed() {
			t.Errorf("%s %s", r.Indication, r.SubIndication)
		}
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		signatures, err := d.Signatures()
		if err != nil {
			t.Fatal(err)
		}
		for _, signature := range signatures {
			label, err := d.String(signature.Field.Dict["TU"])
			if err != nil && signature.Type != "DocTimeStamp" || strings.Contains(label.Text(), "Budi") || strings.Contains(label.Text(), "Dewi") {
				t.Errorf("a field names a person who did not sign: %s, %v", label.Text(), err)
			}
		}
		s.fsck(t)
	})
}

func TestPartsAreNotPassedOnWhereTheOwnerDoesNotAllowIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Penanda", "PT Satu")
	id := owner.upload(simple(), signer.as("signer", 1))
	if _, told := owner.get("detail", id).ok().object("data")["may_delegate"]; told {
		t.Error("an owner who does not sign is offered to delegate")
	}
	owner.verb("finalize-docs", id).ok()
	pass := func() *answer {
		return signer.verb("delegate-docs", id, "name", "Agus", "email", "agus@example.test")
	}
	pass().is(403, "delegation.off")
	owner.verb("describe-docs", id, "delegation", 1).is(409) // it was finalized without
	d, err := s.store.Document(context.Background(), contract.DocumentID(id))
	if err != nil || len(d.Participants) != 1 || len(d.Delegations) != 0 {
		t.Errorf("%+v %v", d.Participants, err)
	}
}
