package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"segel/internal/api"
	"segel/internal/contract"
)

func docID(id int64) contract.DocumentID { return contract.DocumentID(id) }

// TestEveryOperationAnswersEveryActorAsItShould runs each operation that names a document as each kind of actor,
// on a draft and on a finalized document. If the actor may not see the document, the answer must be the same as for a
// document that does not exist; if they see it but may not act, 403; without a login, 401.
func TestEveryOperationAnswersEveryActorAsItShould(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, turn, waits, viewer := s.person(t, "Owner", ""), s.person(t, "In Turn", ""), s.person(t, "Waits", ""), s.person(t, "Viewer", "")
	approver := s.person(t, "Approver", "")
	colleague, outsider := s.person(t, "Colleague", ""), s.person(t, "Outsider", "Another organisation")
	member, auditor := s.personAs(t, contract.RoleMember, "Member", ""), s.personAs(t, contract.RoleAuditor, "Auditor", "")
	otherAuditor := s.personAs(t, contract.RoleAuditor, "Other Auditor", "Another organisation")

	guestOf := func(id int64) *client {
		for _, p := range owner.get("signers", id).ok().object()["data"].(object)["signer"].([]any) {
			if p := p.(object); p["email"] == "tamu@example.test" {
				return owner.guest(id, p["user_id"].(string))
			}
		}
		t.Fatal("the guest is not among the participants")
		return nil
	}
	guest := []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}
	elsewhere := owner.uploadWith(object{"guest": guest}, simple())
	owner.verb("finalize-docs", elsewhere).ok()
	otherGuest := guestOf(elsewhere)

	make := func() (draft, active int64) {
		people := []object{turn.as("signer", 1), approver.as("approver", 1), waits.as("signer", 2), viewer.as("viewer", 3)}
		draft = owner.uploadWith(object{"signer": people, "guest": guest, "delegation": 1}, simple())
		active = owner.uploadWith(object{"signer": people, "guest": guest, "delegation": 1}, simple())
		owner.verb("finalize-docs", active).ok()
		return draft, active
	}
	anonymous := &client{service: s, t: t}
	bad := &client{service: s, t: t, token: "sgl_at_nonsense"}

	const missing = 999_999
	checked := 0
	for _, op := range api.Operations() {
		if op.Document == "" {
			continue
		}
		draft, active := make()
		try := func(c *client, id int64) *answer { return call(c, op, id) }
		for _, c := range []*client{anonymous, bad} {
			for _, id := range []int64{draft, active, missing} {
				try(c, id).is(http.StatusUnauthorized)
			}
		}
		blind := map[string]*client{"colleague": colleague, "outsider": outsider, "guest of another document": otherGuest, "member": member, "auditor elsewhere": otherAuditor}
		for who, c := range blind {
			want := plainRefusal(try(c, missing))
			for _, id := range []int64{draft, active} {
				if got := plainRefusal(try(c, id)); got != want {
					t.Errorf("%s %s as %s: %s, but of what does not exist: %s", op.Method, op.Path, who, got, want)
				}
				checked++
			}
		}
		inside := map[string]*client{"signer in turn": turn, "signer not in turn": waits, "approver": approver, "viewer": viewer, "auditor": auditor}
		for who, c := range inside {
			want := plainRefusal(try(c, missing))
			if got := plainRefusal(try(c, draft)); got != want {
				t.Errorf("%s %s on another's draft as %s: %s, want %s", op.Method, op.Path, who, got, want)
			}
			checked++
		}
		// On the finalized document the viewer is still blind, and the signers see it.
		if got, want := plainRefusal(try(viewer, active)), plainRefusal(try(viewer, missing)); got != want {
			t.Errorf("%s %s as the viewer before the signers: %s, want %s", op.Method, op.Path, got, want)
		}
		mine := guestOf(active)
		for who, c := range map[string]*client{"signer not in turn": waits, "approver": approver, "guest": mine} {
			a := try(c, active)
			want := expected(op.Document, who)
			if op.Many && who == "guest" {
				want = http.StatusForbidden // a guest has one document
			}
			if who == "approver" && op.Document == contract.OpSign && !strings.HasSuffix(op.Path, "specimen-preview-docs") {
				want = http.StatusForbidden // they approve
			}
			switch {
			case want == http.StatusForbidden && a.status != want:
				t.Errorf("%s %s as %s: %d, want 403: %.300s", op.Method, op.Path, who, a.status, a.body)
			case want == 0 && (a.status == http.StatusForbidden || a.status == http.StatusNotFound || a.status == http.StatusUnauthorized):
				t.Errorf("%s %s as %s: %d, he may: %.300s", op.Method, op.Path, who, a.status, a.body)
			}
			checked++
		}
		audited := slices.Contains(auditedOperations, op.Document)
		switch a := try(auditor, active); {
		case audited && a.status >= http.StatusBadRequest:
			t.Errorf("%s %s as an auditor: %d: %.300s", op.Method, op.Path, a.status, a.body)
		case !audited && a.status != http.StatusForbidden:
			t.Errorf("%s %s as an auditor: %d, want 403: %.300s", op.Method, op.Path, a.status, a.body)
		}
		checked++
		if a := try(owner, active); a.status == http.StatusNotFound || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden && !slices.Contains(notForOwners, op.Document) {
			t.Errorf("%s %s as the owner: %d: %.300s", op.Method, op.Path, a.status, a.body)
		}
	}
	if checked < 150 {
		t.Errorf("only %d combinations were checked", checked)
	}
}

// auditedOperations are those that an auditor may use on the documents of their organisation.
var auditedOperations = []contract.Operation{contract.OpDetail, contract.OpStatus, contract.OpSigners, contract.OpAuditTrail, contract.OpEvents, contract.OpConsent}

// TestEveryOperationOfAccountsAnswersEveryRoleAsItShould runs each operation that needs an account and names no document as each role. Guests
// may use none, and only senders and admins may bring in files.
func TestEveryOperationOfAccountsAnswersEveryRoleAsItShould(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Owner", "")
	id := owner.uploadWith(object{"guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}}, simple())
	owner.verb("finalize-docs", id).ok()
	guest := owner.guest(id, owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string))
	anonymous := &client{service: s, t: t}
	people := map[contract.AccountRole]*client{}
	for _, role := range contract.AccountRoles {
		people[role] = s.personAs(t, role, "Orang "+string(role), "")
	}
	seen := map[contract.AccountOperation]bool{}
	for _, op := range api.Operations() {
		if op.Account == "" {
			continue
		}
		seen[op.Account] = true
		try := func(c *client) *answer {
			path := strings.NewReplacer("{service}", "layanan", "{upload_id}", strings.Repeat("a", 64), "{folder_id}", "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff").Replace(op.Path)
			return c.do(op.Method, path, nil)
		}
		try(anonymous).is(http.StatusUnauthorized)
		try(guest).is(http.StatusForbidden)
		for role, c := range people {
			restricted := op.Account == contract.AccountSend && (role == contract.RoleMember || role == contract.RoleAuditor)
			switch a := try(c); {
			case restricted:
				a.is(http.StatusForbidden, "account.role")
			case a.status == http.StatusForbidden || a.status == http.StatusUnauthorized:
				t.Errorf("%s %s as %s: %d: %.300s", op.Method, op.Path, role, a.status, a.body)
			}
		}
	}
	if len(seen) != len(contract.AccountOperations) {
		t.Errorf("the endpoints use %v of %v", seen, contract.AccountOperations)
	}
}

// notForOwners are operations that an owner who does not take part may not perform.
var notForOwners = []contract.Operation{contract.OpSign, contract.OpApprove, contract.OpReject, contract.OpDelegate, contract.OpCode, contract.OpProveContact}

// expected is 403 if a person who sees the document may not perform the operation, and 0 if they may (the state may still
// forbid it).
func expected(op contract.Operation, who string) int {
	switch op {
	case contract.OpParticipants, contract.OpDescribe, contract.OpPlace, contract.OpFinalize, contract.OpCancel, contract.OpRemind, contract.OpRestamp, contract.OpRetry,
		contract.OpGuestLink, contract.OpGuestRevoke, contract.OpEmbed, contract.OpCorrectGuest, contract.OpCopy, contract.OpTemplate, contract.OpUse, contract.OpShare, contract.OpDelete, contract.OpAuditTrail, contract.OpOriginal, contract.OpLabel:
		return http.StatusForbidden
	case contract.OpApprove:
		if who != "approver" {
			return http.StatusForbidden
		}
	case contract.OpCode, contract.OpProveContact:
		if who != "guest" {
			return http.StatusForbidden
		}
	case contract.OpSigners:
		if who == "guest" {
			return http.StatusForbidden
		}
	}
	return 0
}

// call requests an operation with a body that is valid for some caller.
func call(c *client, op api.Operation, id int64) *answer {
	path := strings.NewReplacer("{service}", "layanan", "{document_id}", fmt.Sprint(id)).Replace(op.Path)
	if op.Method == http.MethodPost || op.Many {
		body := object{"document_id": id, "reason": "x", "user_id": c.id, "signer": []any{}, "signers": []any{}}
		if op.Many {
			body["documents"] = []object{{"document_id": id, "digest": strings.Repeat("5e", 32)}}
		}
		a := c.do(op.Method, path, body)
		if op.Many && a.status == http.StatusOK {
			return a.only("results")
		}
		return a
	}
	if op.Document == contract.OpEvents {
		return c.firstEvent(path)
	}
	return c.do(op.Method, path, nil)
}

// only returns the one result of an operation on several documents as the answer to an operation on one.
func (a *answer) only(list string) *answer {
	a.t.Helper()
	results := a.object("response", "data")[list].([]any)
	if len(results) != 1 {
		a.t.Fatalf("%s: %d results", a.what, len(results))
	}
	result := results[0].(object)
	delete(result, "document_id") // the only part that differs between documents
	body, err := json.Marshal(result)
	if err != nil {
		a.t.Fatal(err)
	}
	return &answer{a.t, a.what, int(result["code"].(float64)), a.header, body}
}

// plainRefusal returns an answer without the parts that differ between any two requests.
func plainRefusal(a *answer) string {
	v := a.object()
	e, _ := v["error"].(object)
	delete(e, "request_id")
	return fmt.Sprint(a.status, v)
}
