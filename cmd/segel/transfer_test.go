package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"segel/internal/contract"
)

// transfer gives the documents of a person to another one, as an admin.
func (c *client) transfer(from, to *client) *answer {
	return c.do("PUT", "/v1/admin/people/"+from.id+"/successor", object{"to": to.id})
}

// listed returns the numbers of the documents in a list of the caller, in ascending order, and the total that it states.
func (c *client) listed(list string) string {
	c.t.Helper()
	d := c.do("GET", documentPath+list+"?limit=100", nil).ok().object("data")
	var ids []int64
	for _, item := range d["documents"].([]any) {
		ids = append(ids, int64(item.(object)["id"].(float64)))
	}
	slices.Sort(ids)
	return fmt.Sprint(ids, " of ", d["pagination"].(object)["total_data"])
}

func TestTheDocumentsOfALeavingPersonGoToAnotherOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, owner, next := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik Lama", "PT Satu"), s.person(t, "Pemilik Baru", "PT Satu")
	signer, member, other := s.person(t, "Budi", "PT Satu"), s.personAs(t, contract.RoleMember, "Anggota", "PT Satu"), s.person(t, "Lain", "PT Dua")
	guests := []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 2}}

	draft := owner.upload(simple(), owner.as("signer", 1), next.as("signer", 2))
	owner.place(draft, owner.at("emet", 300, 100, 380, 180)).ok()
	running := owner.uploadWith(object{"signer": []object{signer.as("signer", 1)}, "guest": guests}, simple())
	owner.verb("finalize-docs", running).ok()
	guest := owner.guest(running, guestOf(owner, running))
	own := owner.upload(simple(), owner.as("signer", 1), next.as("signer", 2))
	owner.verb("finalize-docs", own).ok()
	ended := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", ended).ok()
	signer.verb("sign-docs", ended).ok()
	owner.completed(ended)
	_, key := owner.keyWith(object{"name": "ERP"}, contract.ScopeRead)
	byKey, _ := owner.keyWith(object{"name": "ERP 2"}, contract.ScopeRead, contract.ScopeWrite)
	admin.listOrigins(outerPage)
	page := owner.embedded(t, draft, "place", "user_id", owner.id)
	page.get("detail", draft).ok()

	for name, to := range map[string]*client{"themselves": owner, "a member": member, "another organisation": other, "an unknown person": {id: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"}} {
		if a := admin.transfer(owner, to); a.status != http.StatusConflict || a.object("error")["code"] != "transfer.no_successor" {
			t.Errorf("to %s: %d %.200s", name, a.status, a.body)
		}
	}
	admin.transfer(other, next).is(http.StatusNotFound, "person.not_found")
	owner.transfer(owner, next).is(http.StatusForbidden)

	if d := admin.transfer(owner, next).ok().object("response", "data"); d["transferred"] != 4.0 || d["left"] != 0.0 {
		t.Errorf("transferred: %v", d)
	}
	if d := admin.transfer(owner, next).ok().object("response", "data"); d["transferred"] != 0.0 || d["left"] != 0.0 {
		t.Errorf("transferred again: %v", d)
	}
	told := 0
	for _, m := range admin.do("GET", "/v1/admin/mail?limit=100", nil).ok().object("data")["mail"].([]any) {
		n := m.(object)
		if n["notice"].(object)["kind"] == "transferred" {
			told++
			if n["user_id"] != next.id || n["document_id"] != 0.0 {
				t.Errorf("the message of the transfer: %v", n)
			}
		}
	}
	if told != 1 {
		t.Errorf("%d messages about the transfer", told)
	}

	for what, c := range map[string]struct{ got, want string }{
		"the former owner's sent":     {owner.listed("out"), "[] of 0"},
		"the former owner's received": {owner.listed("data"), fmt.Sprintf("[%d] of 1", own)},
		"the new owner's sent":        {next.listed("out"), fmt.Sprintf("[%d %d %d %d] of 4", draft, running, own, ended)},
		"the new owner's received":    {next.listed("data"), "[] of 0"},
		"the signer's received":       {signer.listed("data"), fmt.Sprintf("[%d %d] of 2", running, ended)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", what, c.got, c.want)
		}
	}
	for _, id := range []int64{draft, running, ended} {
		owner.get("detail", id).is(http.StatusNotFound)
		owner.verb("cancel-docs", id).is(http.StatusNotFound)
		byKey.get("detail", id).is(http.StatusNotFound)
		next.get("detail", id).ok()
		if got := next.describedIn(id, contract.EventTransferred); !strings.Contains(got, "Pemilik Lama <pemilik.lama@example.test> kepada Pemilik Baru <pemilik.baru@example.test>") {
			t.Errorf("the audit trail of %d: %q", id, got)
		}
	}
	if a := page.get("detail", draft); a.status == http.StatusOK {
		t.Error("the embedded page of the former owner still has the draft")
	}
	next.download(ended)

	// What people were asked for goes on.
	signer.verb("sign-docs", running).ok()
	guest.verb("sign-docs", running).ok()
	next.completed(running)
	owner.verb("sign-docs", own).ok()
	owner.verb("cancel-docs", own).is(http.StatusForbidden, "document.not_owner")
	next.verb("sign-docs", own).ok()
	next.completed(own)
	next.verb("finalize-docs", draft).ok()
	owner.verb("sign-docs", draft).ok()

	// The key stays: it acts as its person, who may still have documents. Disabling the account ends it.
	if keys := string(owner.do("GET", "/v1/auth/keys", nil).ok().body); !strings.Contains(keys, key) || !strings.Contains(keys, `"status":"active"`) {
		t.Errorf("keys: %.300s", keys)
	}
	log := string(admin.do("GET", "/v1/admin/audit-log?type=documents_transferred", nil).ok().body)
	if !strings.Contains(log, "Mengalihkan 4 dokumen milik Pemilik Lama") {
		t.Errorf("the admin log: %.600s", log)
	}
	if p := string(admin.do("GET", "/v1/admin/people?search=pemilik.baru", nil).ok().body); !strings.Contains(p, `"documents":4`) {
		t.Errorf("people: %.400s", p)
	}
	// Operators do the same on the command line, which goes on until nothing is left.
	status, said := s.command(t, "", "user", "transfer", "--email", next.email, "--to", signer.email)
	if want := "transferred 4 documents of Pemilik Baru <pemilik.baru@example.test> to Budi <budi@example.test>"; status != 0 || !strings.Contains(said, want) {
		t.Errorf("the command: %d %s", status, said)
	}
	if status, said := s.command(t, "", "user", "transfer", "--email", signer.email, "--to", member.email); status == 0 {
		t.Errorf("the command gave documents to a member: %s", said)
	}
	if got, want := signer.listed("out"), fmt.Sprintf("[%d %d %d %d] of 4", draft, running, own, ended); got != want {
		t.Errorf("after the command: %s, want %s", got, want)
	}
	fsck(t, s, 0)
}

// TestATransferRacesWhatTheFormerOwnerDoes runs a transfer while the former owner finalizes, signs, cancels and deletes. Each of the documents ends with
// one of the two, and what the former owner did either happened before or was refused.
func TestATransferRacesWhatTheFormerOwnerDoes(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		admin, owner, next := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik Lama", "PT Satu"), s.person(t, "Pemilik Baru", "PT Satu")
		acts := []string{"finalize-docs", "cancel-docs", "sign-docs", "delete"}
		var ids []int64
		for i := range 2 * len(acts) {
			people := []object{next.as("signer", 1)}
			if acts[i%4] == "sign-docs" {
				people = []object{owner.as("signer", 1)}
			}
			id := owner.upload(simple(), people...)
			if act := acts[i%4]; act == "cancel-docs" || act == "sign-docs" {
				owner.verb("finalize-docs", id).ok()
			}
			ids = append(ids, id)
		}
		var working sync.WaitGroup
		answers := make([]*answer, len(ids))
		for i, id := range ids {
			working.Go(func() {
				if acts[i%4] == "delete" {
					answers[i] = owner.do(http.MethodDelete, fmt.Sprint(documentPath, id), nil)
				} else {
					answers[i] = owner.verb(acts[i%4], id)
				}
			})
		}
		var moved *answer
		working.Go(func() { moved = admin.transfer(owner, next) })
		working.Wait()
		moved.ok()
		if left := moved.object("response", "data")["left"]; left != 0.0 {
			t.Errorf("%v documents are left", left)
		}
		if got := owner.listed("out"); got != "[] of 0" {
			t.Errorf("the former owner still has %s", got)
		}
		for i, id := range ids {
			act, a := acts[i%4], answers[i]
			if a.status != http.StatusOK && a.status != http.StatusNotFound {
				t.Errorf("%s: %d %.200s", act, a.status, a.body)
			}
			if act == "delete" && a.status == http.StatusOK {
				next.get("detail", id).is(http.StatusNotFound)
				continue
			}
			state := next.get("detail", id).ok().object("data")["status"]
			switch done := a.status == http.StatusOK; {
			case act == "sign-docs":
				if !done { // their part stays theirs
					t.Errorf("a signature was refused: %.200s", a.body)
				}
			case act == "finalize-docs" && done != (state != "draft"), act == "cancel-docs" && done != (state == "canceled"):
				t.Errorf("%s answered %d, and the document is %v", act, a.status, state)
			}
		}
		fsck(t, s, 0)
	})
}
