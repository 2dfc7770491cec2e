package main

import (
	"net/http"
	"strings"
	"testing"

	"segel/internal/contract"
)

// currentDigest returns the digest of the current revision, as a client reads it.
func (c *client) currentDigest(id int64) string {
	c.t.Helper()
	return strings.Trim(c.get("preview", id).ok().header.Get("ETag"), `"`)
}

// partIn returns what the list of the caller says of a person.
func (c *client) partIn(id int64, name string) object {
	c.t.Helper()
	for _, p := range c.get("signers", id).ok().object("data")["signer"].([]any) {
		if p := p.(object); p["name"] == name {
			return p
		}
	}
	c.t.Fatalf("%s is not on document %d", name, id)
	return nil
}

func TestApproverWitnessAndCopyTakeTheirPartsInADocument(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		server, more := startMailServer(t)
		s := start(t, append(set, more...)...)
		owner, approver, signer := s.person(t, "Sari Wulandari", "PT Sari"), s.person(t, "Ani Penyetuju", "PT Sari"), s.person(t, "Dewi Penanda", "PT Sari")
		witness, archive := s.person(t, "Tono Saksi", "PT Sari"), s.person(t, "Arsip", "PT Sari")
		id := owner.uploadWith(object{
			"signer": []object{approver.as("approver", 1), signer.as("signer", 2), witness.as("witness", 3), archive.as("copy", 1)},
			"guest":  object{"name": "Budi Santoso", "email": budi, "role": "signer", "acts_as": "approver", "number": 4},
		}, simple())
		owner.place(id, approver.at("sign", 50, 100, 210, 160)).is(http.StatusUnprocessableEntity)
		owner.place(id, signer.at("sign", 50, 100, 210, 160), witness.at("sign", 250, 100, 410, 160)).ok()
		owner.verb("finalize-docs", id).ok()

		if p := owner.partIn(id, "Ani Penyetuju"); p["role"] != "signer" || p["acts_as"] != "approver" || p["is_signing"] != true || p["status"] != false {
			t.Errorf("the approver: %v", p)
		}
		if p := owner.partIn(id, "Arsip"); p["role"] != "viewer" || p["acts_as"] != "copy" {
			t.Errorf("the recipient of a copy: %v", p)
		}
		archive.get("detail", id).is(http.StatusNotFound)
		if d := approver.get("detail", id).ok().object("data"); d["is_approve"] != true || d["is_sign"] != false {
			t.Errorf("the approver's turn: %v %v", d["is_approve"], d["is_sign"])
		}
		if m := server.mailTo(t, approver.email, 1); !strings.Contains(m.body, "asks you to approve the document") {
			t.Errorf("the invitation: %.800s", m.body)
		}
		approver.verb("sign-docs", id).is(http.StatusForbidden, "document.approver")
		signer.verb("approve-docs", id, "digest", owner.currentDigest(id)).is(http.StatusForbidden, "document.not_approver")
		signer.verb("sign-docs", id).is(http.StatusConflict, "document.not_in_turn")
		approver.verb("approve-docs", id).is(http.StatusUnprocessableEntity)
		approver.verb("approve-docs", id, "digest", strings.Repeat("ab", 32)).is(http.StatusConflict, "document.revision_changed")
		seen := approver.currentDigest(id)
		approver.verb("approve-docs", id, "digest", seen, "pages_shown", []int{1}).ok()
		approver.verb("approve-docs", id, "digest", seen).is(http.StatusConflict, "document.already_approved")
		if now := owner.currentDigest(id); now != seen {
			t.Errorf("an approval changed the file: %s", now)
		}
		if got := owner.describedIn(id, contract.EventApproved); !strings.Contains(got, "Menyetujui dokumen; layanan menampilkan halaman 1 dari") {
			t.Errorf("the audit trail: %s", got)
		}
		witness.verb("sign-docs", id).is(http.StatusConflict, "document.not_in_turn")
		signer.verb("sign-docs", id).ok()
		witness.verb("sign-docs", id).ok()
		if got := owner.describedIn(id, contract.EventSigned); !strings.Contains(got, "sebagai saksi") {
			t.Errorf("the audit trail of the witness: %s", got)
		}
		guest := s.openLink(t, server.mailTo(t, budi, 1).guestLink(t))
		guest.verb("approve-docs", id, "digest", guest.currentDigest(id)).is(http.StatusForbidden, "guest.code_required")
		guest.verb("guest-code-docs", id).ok()
		guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
		archive.get("detail", id).is(http.StatusNotFound)
		guest.verb("approve-docs", id, "digest", guest.currentDigest(id)).ok()

		facts := owner.evidenceFacts(t, id)
		for _, p := range facts.People {
			switch p.Name {
			case "Ani Penyetuju":
				if p.Capacity != "approver" || p.Signature != nil || p.Approval == nil || p.Approval.Seen != seen || p.Approval.PagesShown != "1" {
					t.Errorf("the approver: %+v", p.Approval)
				}
			case "Budi Santoso":
				if p.Approval == nil || p.Approval.Mailbox != budi || p.Approval.NamedBy != "Sari Wulandari" {
					t.Errorf("the guest who approved: %+v", p.Approval)
				}
			case "Tono Saksi":
				if p.Capacity != "witness" || p.Signature == nil {
					t.Errorf("the witness: %+v", p)
				}
			}
		}
		archive.get("download", id).ok()
		server.mailTo(t, archive.email, 1)
		file := owner.download(id)
		if r := verified(t, s, file); !r.Passed() {
			t.Errorf("%s %s", r.Indication, r.SubIndication)
		}
		copied := owner.verb("copy-docs", id).ok().object("response", "data")["document_id"].(float64)
		if p := owner.partIn(int64(copied), "Tono Saksi"); p["acts_as"] != "witness" {
			t.Errorf("the witness of the copy: %v", p)
		}
		s.fsck(t)
	})
}

func TestCapacitiesAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, other := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Lain", "PT Satu")
	id := owner.upload(simple(), other.as("signer", 1))
	set := func(role, actsAs any) *answer {
		p := other.as("", 1)
		p["role"] = role
		if actsAs != nil {
			p["acts_as"] = actsAs
		}
		return owner.verb("participants-docs", id, "signer", []object{p})
	}
	for _, wrong := range [][2]any{{"notary", nil}, {"", nil}, {"signer", "notary"}, {"viewer", "approver"}, {"witness", "approver"}, {"copy", "signer"}} {
		set(wrong[0], wrong[1]).is(http.StatusUnprocessableEntity, "input.invalid")
	}
	for _, right := range [][2]any{{"approver", nil}, {"signer", "approver"}, {"approver", "approver"}} {
		set(right[0], right[1]).ok()
		if p := owner.partIn(id, "Lain"); p["acts_as"] != "approver" || p["role"] != "signer" {
			t.Errorf("%v: %v", right, p)
		}
	}
	owner.verb("finalize-docs", id).is(http.StatusUnprocessableEntity, "document.nothing_to_do")
	set("witness", nil).ok()
	owner.verb("finalize-docs", id).is(http.StatusUnprocessableEntity, "document.witness_alone")
}
