package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"segel/internal/contract"
	"segel/internal/passkey/passkeytest"
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

// inGroup returns a person of a request as a member of a group.
func inGroup(group any, person object) object {
	person["group"] = group
	return person
}

// requireOneOf lets members of a group act at the same moment, and returns the one who did. The others are refused and told who did.
func requireOneOf(t *testing.T, code string, act func(c *client) *answer, members ...*client) (acted *client, others []*client) {
	t.Helper()
	answers := make([]*answer, len(members))
	var all sync.WaitGroup
	for i, m := range members {
		all.Go(func() { answers[i] = act(m) })
	}
	all.Wait()
	for i, a := range answers {
		if a.status == http.StatusOK && acted == nil {
			acted = members[i]
			continue
		}
		others = append(others, members[i])
	}
	if acted == nil {
		t.Fatalf("none acted: %s", answers[0].body)
	}
	for i, a := range answers {
		if members[i] == acted {
			continue
		}
		a.is(http.StatusConflict, code)
		if msg := a.object()["msg"].(string); !strings.HasPrefix(msg, acted.name+" telah ") {
			t.Errorf("%s is told: %s", members[i].name, msg)
		}
	}
	return acted, others
}

func TestAnyOneOfAGroupActsForAllOfThem(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		server, more := startMailServer(t)
		s := start(t, append(set, more...)...)
		owner, last := s.administrator(t, "Sari Wulandari", "PT Sari"), s.person(t, "Citra Kusuma", "PT Sari")
		approvers := []*client{s.person(t, "Ani Penyetuju", "PT Sari"), s.person(t, "Agus Penyetuju", "PT Sari")}
		signers := []*client{s.person(t, "Dewi Penanda", "PT Sari"), s.person(t, "Tono Penanda", "PT Sari")}
		id := owner.uploadWith(object{
			"signer": []object{
				inGroup(1, approvers[0].as("approver", 1)), inGroup("1", approvers[1].as("approver", 1)),
				inGroup(2, signers[0].as("signer", 2)), inGroup(2, signers[1].as("signer", 2)), inGroup(nil, last.as("signer", 3)),
			},
			"guest": object{"name": "Budi Santoso", "email": budi, "role": "signer", "group": 2}, // the number is that of the group
		}, simple())
		// One box for the group, placed for any of its members.
		owner.place(id, signers[1].at("sign", 50, 100, 210, 160), last.at("sign", 250, 100, 410, 160)).ok()
		owner.verb("finalize-docs", id).ok()
		tokens := func() object { return owner.get("detail", id).ok().object("data", "data_token") }
		if used := tokens()["used"].(object)["base"]; used != 2.0 {
			t.Errorf("%v signatures are reserved", used)
		}
		if p := owner.partIn(id, "Agus Penyetuju"); p["role"] != "signer" || p["acts_as"] != "approver" || p["group"] != 1.0 || p["is_signing"] != true {
			t.Errorf("an approver of the group: %v", p)
		}
		if p := owner.partIn(id, "Citra Kusuma"); p["group"] != nil {
			t.Errorf("a signer without a group: %v", p)
		}
		progress := func(step string) object {
			for _, s := range owner.get("status", id).ok().object("data", "progress")["steps"].([]any) {
				if s := s.(object); s["step"] == step {
					return s
				}
			}
			return nil
		}
		if p := progress("approved"); p["total"] != 1.0 || p["waiting_for"].([]any)[0] != "salah satu dari Ani Penyetuju, Agus Penyetuju" {
			t.Errorf("progress: %v", p)
		}
		if got := owner.get("detail", id).ok().object("data")["status_info"]; got != "Menunggu persetujuan" {
			t.Errorf("the document is %v", got)
		}
		seen := owner.currentDigest(id)
		approved, passed := requireOneOf(t, "document.group_approved", func(c *client) *answer { return c.verb("approve-docs", id, "digest", seen) }, approvers...)
		if p := owner.partIn(id, passed[0].name); p["role"] != "viewer" || p["acts_as"] != "viewer" || p["status"] != true || p["acted_for"] != approved.name {
			t.Errorf("the other approver: %v", p)
		}
		if got := owner.get("detail", id).ok().object("data")["status_info"]; got != "Menunggu tanda tangan" {
			t.Errorf("the document is %v", got)
		}

		me := signers[0].get("detail", id).ok().object("data")
		if names := me["participant"].(object)["group_members"].([]any); len(names) != 3 {
			t.Errorf("the group: %v", names)
		}
		if box := me["placements"].([]any)[0].(object); box["user_id"] != signers[0].id || box["name"] != "salah satu dari Dewi Penanda, Tono Penanda, Budi Santoso" {
			t.Errorf("the box of the group: %v", box)
		}
		if m := server.mailTo(t, signers[0].email, 1); !strings.Contains(m.body, "Tono Penanda, Budi Santoso received the same request. The signature of any one of you is enough.") {
			t.Errorf("the invitation: %.1500s", m.body)
		}
		guest := s.openLink(t, server.mailTo(t, budi, 1).guestLink(t))
		waits := func(c *client) bool {
			return strings.Contains(string(c.do("GET", "/v1/econtract/web_app/document/data?waiting=me", nil).ok().body), `"id":`)
		}
		if !waits(signers[0]) || !waits(signers[1]) {
			t.Error("the document is not in the lists of what waits")
		}
		signed, others := requireOneOf(t, "document.group_signed", func(c *client) *answer { return c.verb("sign-docs", id) }, signers...)
		if p := owner.partIn(id, others[0].name); p["role"] != "viewer" || p["signing_status"] != false || p["group"] != 2.0 || p["acted_for"] != signed.name {
			t.Errorf("the other signer: %v", p)
		}
		others[0].verb("sign-docs", id).is(http.StatusConflict, "document.group_signed")
		others[0].verb("reject-docs", id, "reason", "Tidak setuju.").is(http.StatusConflict, "document.group_signed")
		others[0].get("preview", id).ok()
		if waits(others[0]) {
			t.Error("the document waits for a member whose group has signed")
		}
		guest.verb("sign-docs", id).is(http.StatusConflict, "document.group_signed")
		guest.get("preview", id).ok()
		if got := owner.describedIn(id, contract.EventSigned); !strings.Contains(got, "sebagai salah satu dari Dewi Penanda, Tono Penanda, Budi Santoso") {
			t.Errorf("the audit trail: %s", got)
		}
		many := last.do("POST", signPath+"sign-many-docs", object{"documents": []object{{"document_id": id, "digest": last.currentDigest(id)}}}).results()
		if len(many) != 1 || !strings.HasSuffix(many[0], " 200") {
			t.Errorf("the last signature: %v", many)
		}

		facts := owner.evidenceFacts(t, id)
		for _, p := range facts.People {
			acted := slices.Contains([]string{approved.name, signed.name, last.name}, p.Name)
			if (p.Approval != nil || p.Signature != nil) != acted || (p.Group == 0) != (p.Name == last.name) {
				t.Errorf("the evidence certificate says of %s: %+v", p.Name, p)
			}
		}
		file := owner.download(id)
		if r := verified(t, s, file); !r.Passed() || len(r.Signatures) == 0 {
			t.Errorf("%s %s", r.Indication, r.SubIndication)
		}
		if success := tokens()["success"].(object)["base"]; success != 2.0 {
			t.Errorf("%v signatures are spent", success)
		}
		server.mailTo(t, others[0].email, 2) // the invitation, and the message about the completion
		copied := int64(owner.verb("copy-docs", id).ok().object("response", "data")["document_id"].(float64))
		for _, name := range []string{signed.name, others[0].name, "Budi Santoso"} {
			if p := owner.partIn(copied, name); p["acts_as"] != "signer" || p["group"] != 2.0 {
				t.Errorf("%s on the copy: %v", name, p)
			}
		}
		owner.verb("finalize-docs", copied).ok()
		signers[0].verb("reject-docs", copied, "reason", "Tidak setuju.").is(http.StatusOK)
		if got := owner.get("detail", copied).ok().object("data")["status"]; got != "rejected" {
			t.Errorf("after the decline of a member the document is %v", got)
		}
		s.fsck(t)
	})
}

// TestAMemberForWhomAnotherOneActedSignsByNoWay tries the ways that were open when another member signed: an embedded page, an address of one, and an API key.
func TestAMemberForWhomAnotherOneActedSignsByNoWay(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, one, two := s.administrator(t, "Pemilik", "PT Satu"), s.person(t, "Satu", "PT Satu"), s.person(t, "Dua", "PT Satu")
	owner.listOrigins(outerPage)
	id := owner.uploadWith(object{"delegation": 1, "parallel": 1, "signer": []object{inGroup(1, one.as("signer", 1)), inGroup(1, two.as("signer", 1)), inGroup(nil, owner.as("signer", 2))}}, simple())
	owner.verb("finalize-docs", id).ok()
	page, address := owner.embedded(t, id, "sign", "user_id", one.id), owner.embedAddress(id, "sign", "user_id", one.id)
	key, _ := one.keyWith(nil, contract.ScopeSign, contract.ScopeRead)
	two.verb("sign-docs", id).ok()
	for who, c := range map[string]*client{"with a session": one, "with a key": key, "in an embedded page": page} {
		for verb, more := range map[string][]any{"sign-docs": {"password", password}, "reject-docs": {"password", password}, "delegate-docs": {"name", "Tiga", "email", "tiga@example.test"}, "approve-docs": {"digest", owner.currentDigest(id), "password", password}} {
			if a := c.verb(verb, id, more...); a.status != http.StatusConflict && !(c == page && verb == "delegate-docs" && a.status == http.StatusForbidden) || a.status == http.StatusConflict && !strings.Contains(string(a.body), `"document.group_signed"`) {
				t.Errorf("%s %s: %d: %.300s", verb, who, a.status, a.body)
			}
		}
	}
	for _, c := range []*client{one, key} {
		if got := c.do("POST", signPath+"sign-many-docs", object{"documents": s.toSign(t, id)}).results(); !strings.HasSuffix(got[0], "document.group_signed") {
			t.Errorf("together with others: %v", got)
		}
	}
	s.openEmbedded(t, address, outerPage).is(http.StatusConflict, "embed.no_person")
	owner.verb("embed-docs", id, "purpose", "sign", "user_id", one.id).is(http.StatusConflict, "embed.no_person")
	if n := len(s.signatures(t, id)); n != 1 {
		t.Errorf("%d signatures", n)
	}
}

func TestGroupsAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, one, two := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Satu", "PT Satu"), s.person(t, "Dua", "PT Satu")
	id := owner.upload(simple(), one.as("signer", 1))
	for what, people := range map[string][]object{
		"another number": {inGroup(1, one.as("signer", 1)), inGroup(1, two.as("signer", 2))},
		"another role":   {inGroup(1, one.as("signer", 1)), inGroup(1, two.as("witness", 1))},
		"a viewer":       {inGroup(1, one.as("signer", 1)), inGroup(1, two.as("viewer", 1))},
		"below 1":        {inGroup(-1, one.as("signer", 1))},
		"too large":      {inGroup(101, one.as("signer", 1))},
		"no number":      {inGroup("a", one.as("signer", 1))},
	} {
		if a := owner.verb("participants-docs", id, "signer", people); a.status != http.StatusUnprocessableEntity || !strings.Contains(string(a.body), `.group"`) {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	owner.verb("participants-docs", id, "signer", []object{inGroup(0, one.as("signer", 1)), inGroup(nil, two.as("signer", 2))}).ok()
	if p := owner.partIn(id, "Satu"); p["group"] != nil {
		t.Errorf("group 0 is a group: %v", p)
	}
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

func TestAnApprovalIsProvedAndRecordedAsASignatureIs(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, next := s.administrator(t, "Sari Wulandari", "PT Sari"), s.person(t, "Pemilik Baru", "PT Sari")
	approver, other, signer, archive := s.person(t, "Ani Penyetuju", "PT Sari"), s.person(t, "Agus Penyetuju", "PT Sari"), s.person(t, "Dewi Penanda", "PT Sari"), s.person(t, "Arsip", "PT Sari")
	owner.listOrigins(outerPage)
	send := func(more object) int64 {
		what := object{"parallel": 1, "hide_addresses": 1, "signer": []object{approver.as("approver", 1), other.as("approver", 1), signer.as("signer", 1), archive.as("copy", 2)}}
		for name, v := range more {
			what[name] = v
		}
		id := owner.uploadWith(what, simple())
		owner.verb("finalize-docs", id).ok()
		return id
	}

	// Two who approve at the same moment are both recorded: each commit is made again on the newer version.
	id := send(nil)
	seen := owner.currentDigest(id)
	if got := owner.get("detail", id).ok().object("data")["status_info"]; got != "Menunggu tanda tangan dan persetujuan" {
		t.Errorf("the document is %v", got)
	}
	if got := approver.do("POST", signPath+"sign-many-docs", object{"documents": []object{{"document_id": id, "digest": seen}}}).results(); !strings.HasSuffix(got[0], " 403 document.approver") {
		t.Errorf("approved among signatures: %v", got)
	}
	answers := make([]*answer, 2)
	var both sync.WaitGroup
	for i, c := range []*client{approver, other} {
		both.Go(func() { answers[i] = c.verb("approve-docs", id, "digest", seen) })
	}
	both.Wait()
	for _, a := range answers {
		a.ok()
	}
	// With hidden addresses, an approver and the recipient of a copy see theirs and the owner's.
	shown := func(c *client, id int64) string {
		var all []string
		for _, p := range c.get("signers", id).ok().object("data")["signer"].([]any) {
			all = append(all, p.(object)["email"].(string))
		}
		return strings.Join(all, " ")
	}
	if got := shown(approver, id); !strings.Contains(got, approver.email) || strings.Contains(got, other.email) || strings.Contains(got, signer.email) || strings.Contains(got, archive.email) {
		t.Errorf("an approver sees %s", got)
	}
	archive.get("signers", id).is(http.StatusNotFound)

	// The documents of a leaving owner go on: the new owner sees what is owed, and the others keep their parts.
	running := send(nil)
	owner.transfer(owner, next).ok()
	owner.get("detail", running).is(http.StatusNotFound)
	if p := next.partIn(running, "Ani Penyetuju"); p["acts_as"] != "approver" || p["is_signing"] != true {
		t.Errorf("the approver after the transfer: %v", p)
	}
	archive.get("detail", running).is(http.StatusNotFound)

	// By an API key, and in a page of the organisation.
	key, _ := approver.keyWith(object{"name": "ERP Gudang"}, contract.ScopeRead, contract.ScopeSign)
	key.verb("approve-docs", running, "digest", key.currentDigest(running)).ok()
	reader, _ := other.keyWith(nil, contract.ScopeRead)
	reader.verb("approve-docs", running, "digest", seen).is(http.StatusForbidden, "key.scope")
	page := next.embedded(t, running, "sign", "user_id", other.id)
	consent := page.consentOf(running, "id")
	current := page.currentDigest(running)
	page.verb("approve-docs", running, "digest", current, "consent", consent).is(http.StatusForbidden, "embed.proof_required")
	page.verb("approve-docs", running, "digest", current, "consent", consent, "password", password).ok()
	signer.verb("sign-docs", running).ok()
	next.completed(running)
	archive.get("detail", running).ok()
	if got := shown(archive, running); strings.Contains(got, approver.email) || !strings.Contains(got, archive.email) {
		t.Errorf("the recipient of a copy sees %s", got)
	}
	for _, p := range next.evidenceFacts(t, running).People {
		switch p.Name {
		case approver.name:
			if p.Approval == nil || p.Approval.Key != "ERP Gudang" {
				t.Errorf("the approval by an API key: %+v", p.Approval)
			}
		case other.name:
			if p.Approval == nil || p.Approval.Page != outerPage || p.Approval.EmbeddedBy != next.name {
				t.Errorf("the approval in a page: %+v", p.Approval)
			}
		}
	}
	signer.verb("sign-docs", id).ok()
	next.completed(id)
	s.fsck(t)
}

// TestAMemberOfAGroupSignsWithTheFactorThatTheirSignatureNeeds has a colleague sign for a group with a passkey, where each signature needs a factor, and a guest for another one with
// a code of a text message.
func TestAMemberOfAGroupSignsWithTheFactorThatTheirSignatureNeeds(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		provider, phone := startPhoneProvider(t)
		for i := range phone {
			phone[i] = strings.ReplaceAll(phone[i], "SEGEL_PHONE_WHATSAPP", "SEGEL_PHONE_SMS")
		}
		s := start(t, slices.Concat(set, phone, []string{"SEGEL_PUBLIC_URL", "https://segel.example.test"})...)
		owner, first, second := s.administrator(t, "Sari Wulandari", "PT Sari"), s.person(t, "Dewi Penanda", "PT Sari"), s.person(t, "Tono Penanda", "PT Sari")
		keys := map[*client]*passkeytest.Authenticator{}
		for _, c := range []*client{first, second} {
			keys[c] = passkeytest.New("segel.example.test", "https://segel.example.test")
			o := c.do("POST", "/v1/auth/factors/passkey-options", object{"current": password}).ok()
			c.do("POST", "/v1/auth/factors/passkeys", object{"ticket": o.object("data")["ticket"], "credential": keys[c].Create(optionsOf(o)), "name": "Laptop"}).ok()
		}
		// assert returns the answer of a passkey to the challenge for a document, and its digest.
		assert := func(c *client, id int64) (passkey object, digest any) {
			documents := c.toSign(t, id)
			o := c.do("POST", "/v1/auth/passkey-sign-options", object{"documents": documents}).ok()
			return object{"ticket": o.object("data")["ticket"], "credential": keys[c].Get(optionsOf(o))}, documents[0]["digest"]
		}
		opened := func(m receivedText) *client { // under the public address
			words := strings.Fields(m.Text)
			return s.openLink(t, words[len(words)-1])
		}
		guest := object{"name": "Budi Santoso", "phone": "0812-3456-789", "channel": "sms", "role": "signer", "number": 1, "group": 1}
		sent := func() int64 {
			id := owner.uploadWith(object{"guest_code": "sign", "signer": []object{inGroup(1, first.as("signer", 1)), inGroup(1, second.as("signer", 1))}, "guest": guest}, simple())
			owner.place(id, first.at("sign", 50, 100, 210, 160)).ok()
			owner.verb("finalize-docs", id).ok()
			return id
		}
		owner.demandFactors(object{"sign_factor": 1})

		byPasskey := sent()
		guestOfFirst := opened(provider.textTo(t, budiTo, 1))
		firstAnswer, digest := assert(first, byPasskey)
		secondAnswer, _ := assert(second, byPasskey) // before the group has acted
		second.verb("sign-docs", byPasskey, "digest", digest).is(http.StatusForbidden, "sign.factor_required")
		second.verb("sign-docs", byPasskey, "digest", digest, "passkey", firstAnswer).is(http.StatusBadRequest, "auth.passkey_wrong") // of another member
		if p := owner.partIn(byPasskey, second.name); p["role"] != "signer" {
			t.Errorf("after a refusal, the member is %v", p)
		}
		firstAnswer, digest = assert(first, byPasskey)
		first.verb("sign-docs", byPasskey, "digest", digest, "passkey", firstAnswer).ok()
		second.verb("sign-docs", byPasskey, "digest", digest, "passkey", secondAnswer).is(http.StatusConflict, "document.group_signed")
		guestOfFirst.verb("sign-docs", byPasskey).is(http.StatusConflict, "document.group_signed")

		byCode := sent()
		invitation := provider.textTo(t, budiTo, 2)
		for n := 3; invitation.Kind != "invite_sign"; n++ { // the other document is completed meanwhile
			invitation = provider.textTo(t, budiTo, n)
		}
		g := opened(invitation)
		g.verb("sign-docs", byCode).is(http.StatusForbidden, "guest.code_required")
		g.verb("guest-code-docs", byCode).ok()
		code := invitation
		for n := 3; code.Kind != "code"; n++ {
			code = provider.textTo(t, budiTo, n)
		}
		g.verb("guest-verify-docs", byCode, "code", anotherCode(code.code(t))).is(http.StatusUnprocessableEntity, "guest.code_wrong")
		g.verb("guest-verify-docs", byCode, "code", code.code(t)).ok()
		g.verb("sign-docs", byCode).ok()
		for _, c := range []*client{first, second} {
			if p := owner.partIn(byCode, c.name); p["role"] != "viewer" || p["acted_for"] != "Budi Santoso" {
				t.Errorf("%s is %v", c.name, p)
			}
			c.verb("sign-docs", byCode).is(http.StatusConflict, "document.group_signed") // and is asked for no factor
		}

		for id, who := range map[int64]string{byPasskey: first.name, byCode: "Budi Santoso"} {
			owner.completed(id)
			for _, p := range owner.evidenceFacts(t, id).People {
				switch {
				case (p.Signature != nil) != (p.Name == who):
					t.Errorf("document %d has of %s the signature %+v", id, p.Name, p.Signature)
				case p.Signature == nil:
				case id == byPasskey && (p.Signature.Factor != "passkey" || p.Signature.FactorFor != "signature"):
					t.Errorf("the signature of the member: %+v", p.Signature)
				case id == byCode && (p.Signature.Phone != budiPhone || p.Signature.PhoneChannel != "sms" || p.Signature.PhoneAt == ""):
					t.Errorf("the signature of the guest: %+v", p.Signature)
				}
			}
			if r := verified(t, s, owner.download(id)); !r.Passed() {
				t.Errorf("%s %s", r.Indication, r.SubIndication)
			}
		}
		fsck(t, s, 0)
	})
}
