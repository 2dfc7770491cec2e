package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

// administrator adds an admin and logs them in. An admin of the first organisation is an operator.
func (s *service) administrator(t testing.TB, name, organisation string) *client {
	t.Helper()
	return s.personAs(t, contract.RoleAdmin, name, organisation)
}

// personAs adds a user with a role and logs them in.
func (s *service) personAs(t testing.TB, role contract.AccountRole, name, organisation string) *client {
	t.Helper()
	email := strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "@example.test"
	added, err := s.identity.AddUser(context.Background(), identity.NewUser{Name: name, Email: email, Password: password, Organisation: organisation, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	if added.NewOrganisation {
		s.endow(t, added.Account.Organisation)
	}
	c := &client{service: s, t: t, name: name, email: email, id: string(added.Account.ID)}
	c.token = c.do("POST", "/v1/auth/login", object{"email": email, "password": password}).ok().object("data")["token"].(string)
	return c
}

const (
	nowhere = 999_999            // no such document
	evident = "SPESIMEN-STRANGE" // a serial with stored evidence
)

// administer requests an operation of administration, for an organisation unless it is empty, and for the document and the person.
func administer(c *client, op api.Operation, organisation contract.OrganisationID, id int64, person string) *answer {
	serial := evident
	if id == nowhere {
		serial, person = "SPESIMEN-NOWHERE", "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	}
	notice := contract.NoticeID("01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61")
	if found, err := c.store.ListNotices(context.Background(), store.NoticeQuery{Document: contract.DocumentID(id), Limit: 1}); err != nil {
		c.t.Fatal(err)
	} else if len(found.Notices) > 0 {
		notice = found.Notices[0].ID
	}
	hook := contract.WebhookID("01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61")
	if d, err := c.store.Document(context.Background(), contract.DocumentID(id)); err == nil {
		hook = anyWebhook(c.t, c.service, d.Organisation)
	}
	key := "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	if found, err := c.store.ListAPIKeys(context.Background(), store.KeyQuery{Person: contract.PersonID(person), Limit: 1}); err != nil {
		c.t.Fatal(err)
	} else if len(found.Keys) > 0 {
		key = string(found.Keys[0].ID)
	}
	if d, err := c.store.Document(context.Background(), contract.DocumentID(id)); err == nil && strings.Contains(op.Path, "{team_id}") {
		person = string(d.Owner.ID) // the data of the other person may be erased by now
	}
	of, name := c.organisationToChange(op, organisation, id)
	path := strings.NewReplacer("{hold_id}", c.holdToLift(op, id), "{label_id}", c.labelToChange(op, id), "{invitation_id}", c.invitationToChange(op, id), "{team_id}", c.teamToChange(op, id), "{organisation_id}", string(of), "{domain}", "contoh.id", "{key_id}", key, "{webhook_id}", string(hook), "{document_id}", fmt.Sprint(id), "{serial}", serial, "{person_id}", person, "{notice_id}", string(notice)).Replace(op.Path)
	if op.Method == http.MethodGet || op.Method == http.MethodDelete {
		return c.do(op.Method, path+"?"+url.Values{"organisation": {string(organisation)}}.Encode(), nil)
	}
	return c.do(op.Method, path, object{
		"organisation": organisation,
		"role":         "sender",
		"to":           c.id,
		"unit":         "emet",
		"count":        1,
		"years":        10,
		"reason":       "x",
		"name":         name,
		"colour":       colourFor(op),
		"url":          "https://hook.example.test/",
		"origins":      []string{"https://erp.example.test"},
		"issuer":       "https://127.0.0.1:9",
		"client_id":    "segel",
		"since":        "2026-01-01T00:00:00Z",
		"remind":       object{"after": 3},
		"email":        fmt.Sprintf("x%d@example.test", len(c.email)+int(id)),
	})
}

// organisationToChange returns the organisation that an operation on one as such names, with a name for the request: a new one for each
// request that exists, because the state of the others must not change.
func (c *client) organisationToChange(op api.Operation, organisation contract.OrganisationID, id int64) (contract.OrganisationID, string) {
	c.t.Helper()
	if !strings.Contains(op.Path, "{organisation_id}") {
		return "", "X"
	}
	if _, err := c.store.Organisation(context.Background(), organisation); organisation != "" && err != nil || id == nowhere {
		return "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", "X"
	}
	o, err := c.workflow.AddOrganisation(context.Background(), commandLineActor("org add"), "PT "+rand.Text())
	if err != nil {
		c.t.Fatal(err)
	}
	return o.ID, o.Name
}

// colourFor returns a colour that an operation accepts.
func colourFor(op api.Operation) string {
	if op.Admin == contract.AdminSetLabel {
		return "teal"
	}
	return ""
}

// labelToChange returns a label of the organisation of a document, a new one for each request, or one that does not exist.
func (c *client) labelToChange(op api.Operation, id int64) string {
	c.t.Helper()
	d, err := c.store.Document(context.Background(), contract.DocumentID(id))
	if err != nil || !strings.Contains(op.Path, "{label_id}") {
		return "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	}
	l, err := c.workflow.AddLabel(context.Background(), commandLineActor("label"), d.Organisation, rand.Text(), "teal")
	if err != nil {
		c.t.Fatal(err)
	}
	return string(l.ID)
}

// holdToLift returns a legal hold of the organisation of a document, a new one for each request, or one that does not exist.
func (c *client) holdToLift(op api.Operation, id int64) string {
	c.t.Helper()
	d, err := c.store.Document(context.Background(), contract.DocumentID(id))
	if err != nil || !strings.Contains(op.Path, "{hold_id}") {
		return "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	}
	h, err := c.workflow.SetHold(context.Background(), commandLineActor("org hold"), d.Organisation, d.ID, "x")
	if err != nil {
		c.t.Fatal(err)
	}
	return string(h.ID)
}

// invitationToChange returns an invitation of the organisation of a document, a new one for each request, or one that does not exist.
func (c *client) invitationToChange(op api.Operation, id int64) string {
	c.t.Helper()
	d, err := c.store.Document(context.Background(), contract.DocumentID(id))
	if err != nil || !strings.Contains(op.Path, "{invitation_id}") {
		return "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	}
	i, err := c.identity.Invite(context.Background(), commandLineActor("user invite"), identity.NewInvitation{Email: rand.Text() + "@example.test", Organisation: d.Organisation})
	if err != nil {
		c.t.Fatal(err)
	}
	return string(i.ID)
}

// teamToChange returns a team of the organisation of a document, a new one for each request, or one that does not exist.
func (c *client) teamToChange(op api.Operation, id int64) string {
	c.t.Helper()
	d, err := c.store.Document(context.Background(), contract.DocumentID(id))
	if err != nil || !strings.Contains(op.Path, "{team_id}") {
		return "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	}
	return c.newTeam(c.t, d.Organisation)
}

// anyWebhook returns a webhook of an organisation.
func anyWebhook(t testing.TB, s *service, of contract.OrganisationID) contract.WebhookID {
	t.Helper()
	all, err := s.store.WebhooksOf(context.Background(), of)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) > 0 {
		return all[0].ID
	}
	h, _, err := s.webhooks.Add(context.Background(), commandLineActor("webhook add"), of, contract.WebhookSettings{URL: "https://hook.example.test/"})
	if err != nil {
		t.Fatal(err)
	}
	return h.ID
}

// TestEveryOperationOfAdministrationAnswersEveryActorAsItShould runs each operation as each kind of actor, for their own and for
// another organisation: without a login 401, without the admin role 403. For an organisation that an admin does not administer
// the answer is the same as for one that does not exist, and reveals nothing of it.
func TestEveryOperationOfAdministrationAnswersEveryActorAsItShould(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator, admin, outsider := s.administrator(t, "Operator", ""), s.administrator(t, "Admin", "PT Satu"), s.administrator(t, "Outsider", "PT Dua")
	user, target := s.person(t, "User", "PT Satu"), s.person(t, "Target", "PT Satu")
	target.keyWith(object{"name": "Kunci Target"}, contract.ScopeRead)
	member, auditor := s.personAs(t, contract.RoleMember, "Member", "PT Satu"), s.personAs(t, contract.RoleAuditor, "Auditor", "PT Satu")
	otherAuditor := s.personAs(t, contract.RoleAuditor, "Other Auditor", "PT Dua")
	id := user.uploadWith(object{"guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "viewer", "number": 1}}}, simple())
	user.place(id, user.at("emet", 100, 100, 160, 160)).ok()
	user.verb("finalize-docs", id).ok()
	serial := user.completed(id)["serial_number"].([]any)[0].(string)
	guest := user.guest(id, user.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string))
	by, err := s.identity.Authenticate(context.Background(), admin.token)
	if err != nil {
		t.Fatal(err)
	}
	own := by.Organisation
	d, err := s.store.Document(context.Background(), contract.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	kept := contract.StampSerial{Serial: evident, Organisation: own, State: contract.SerialQuarantined, FormerDocument: d.ID, ReleaseCount: 1, Evidence: d.Revisions[0].Tail, RegisteredAt: d.CreatedAt, ChangedAt: d.CreatedAt}
	if err := s.store.MoveSerials(context.Background(), []contract.SerialMove{{To: kept}}); err != nil {
		t.Fatal(err)
	}
	const missing = contract.OrganisationID("8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff")

	alone := []contract.AdminOperation{contract.AdminGrant, contract.AdminReconcile, contract.AdminShowMail, contract.AdminGrantDomain, contract.AdminOrganisations, contract.AdminAddOrganisation, contract.AdminRenameOrganisation, contract.AdminSetOrganisationState} // for operators only
	checked := 0
	for _, op := range api.Operations() {
		if op.Admin == "" {
			continue
		}
		for who, c := range map[string]struct {
			by   *client
			want int
		}{
			"anonymous": {&client{service: s, t: t}, 401}, "an unknown token": {&client{service: s, t: t, token: "sgl_at_nonsense"}, 401},
			"guest": {guest, 403}, "user": {user, 403}, "member": {member, 403},
		} {
			for _, of := range []contract.OrganisationID{"", own, missing} {
				if a := administer(c.by, op, of, id, target.id); a.status != c.want {
					t.Errorf("%s %s of %q as %s: %d, want %d: %.200s", op.Method, op.Path, of, who, a.status, c.want, a.body)
				}
				checked++
			}
		}
		// Data of others must look like missing data.
		if got, want := plainRefusal(administer(outsider, op, own, id, target.id)), plainRefusal(administer(outsider, op, missing, nowhere, "")); names(op) && got != want {
			t.Errorf("%s %s of another's as an admin: %s, but of what does not exist: %s", op.Method, op.Path, got, want)
		}
		if a := administer(outsider, op, "", nowhere, ""); slices.ContainsFunc([]string{serial, evident, user.email, target.email, target.id, string(own), "PT Satu", "Kunci Target"}, func(s string) bool { return strings.Contains(string(a.body), s) }) {
			t.Errorf("%s %s shows an admin what is another's: %.600s", op.Method, op.Path, a.body)
		}
		// An auditor reads in their own organisation.
		reads := auditorReads[op.Admin]
		for _, of := range []contract.OrganisationID{"", own} {
			a := administer(auditor, op, of, id, target.id)
			if want := http.StatusForbidden; a.status != want && !reads || reads && a.status != http.StatusOK {
				t.Errorf("%s %s of %q as an auditor: %d: %.200s", op.Method, op.Path, of, a.status, a.body)
			}
		}
		if got, want := plainRefusal(administer(otherAuditor, op, own, id, target.id)), plainRefusal(administer(otherAuditor, op, missing, nowhere, "")); names(op) && got != want {
			t.Errorf("%s %s of another's as an auditor: %s, but of what does not exist: %s", op.Method, op.Path, got, want)
		}
		want := []int{http.StatusOK, http.StatusConflict}
		if slices.Contains(alone, op.Admin) {
			want = []int{http.StatusForbidden}
		}
		if a := administer(admin, op, own, id, target.id); !slices.Contains(want, a.status) {
			t.Errorf("%s %s of his own as an admin: %d, want one of %d: %.200s", op.Method, op.Path, a.status, want, a.body)
		}
		for _, of := range []contract.OrganisationID{"", own} {
			if a := administer(operator, op, of, id, target.id); a.status != http.StatusOK && a.status != http.StatusConflict {
				t.Errorf("%s %s of %q as an operator: %d: %.200s", op.Method, op.Path, of, a.status, a.body)
			}
		}
		if names(op) && !strings.Contains(op.Path, "{") {
			administer(operator, op, missing, id, target.id).is(http.StatusNotFound, "organisation.not_found")
		}
		checked += 8
	}
	if checked < 13*20 {
		t.Errorf("only %d combinations were checked", checked)
	}
	if body := string(administer(admin, api.Operation{Method: "GET", Path: "/v1/admin/attempts"}, "", id, "").ok().body); !strings.Contains(body, serial) {
		t.Errorf("an admin is not shown the attempts of his own organisation: %.600s", body)
	}
}

// auditorReads are the operations of administration that auditors may use.
var auditorReads = map[contract.AdminOperation]bool{
	contract.AdminPeople: true, contract.AdminInvitations: true, contract.AdminDocuments: true, contract.AdminQuota: true, contract.AdminLedger: true, contract.AdminAttempts: true, contract.AdminSerials: true,
	contract.AdminReconciliation: true, contract.AdminStuck: true, contract.AdminCertificates: true, contract.AdminAuditLog: true, contract.AdminBranding: true,
	contract.AdminConsent: true, contract.AdminLabels: true, contract.AdminReminders: true, contract.AdminTeams: true, contract.AdminLocale: true, contract.AdminPolicy: true, contract.AdminEmbedding: true, contract.AdminKeys: true, contract.AdminMail: true, contract.AdminRetention: true,
}

// names reports whether the operation names an organisation, or a document of one.
func names(op api.Operation) bool {
	return op.Admin != contract.AdminOrganisations && op.Admin != contract.AdminAddOrganisation && op.Admin != contract.AdminReconciliation && op.Admin != contract.AdminReconcile
}
