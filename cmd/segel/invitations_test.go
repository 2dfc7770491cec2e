package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"segel/internal/contract"
)

const invitationsPath = "/v1/admin/invitations"

// invite invites an address as the caller, and returns the identifier of the invitation and its link, which an operator reads in the outbox.
func (c *client) invite(operator *client, email string, more object) (id, link string) {
	c.t.Helper()
	in := object{"email": email}
	for name, value := range more {
		in[name] = value
	}
	sent := c.do("POST", invitationsPath, in).ok().object("response", "data")["invitation"].(object)
	return sent["id"].(string), operator.newestInvitation()
}

// newestInvitation returns the link of the newest invitation in the outbox.
func (c *client) newestInvitation() string {
	c.t.Helper()
	return c.do("GET", "/v1/admin/mail/"+c.keptMail("invitation"), nil).ok().object("data")["link"].(string)
}

func TestAnInvitedPersonBecomesAMemberWithTheRoleOfTheInvitation(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator, admin := s.administrator(t, "Operator", ""), s.administrator(t, "Admin", "PT Satu")
	anybody := &client{service: s, t: t}
	const email, chosen = "budi@example.test", "kata sandi budi yang panjang"
	first, former := admin.invite(operator, email, object{"name": "Budi"})
	id, link := admin.invite(operator, strings.ToUpper(email), object{"name": "Budi Santoso", "role": "auditor", "language": "en"})
	shown := operator.do("GET", "/v1/admin/mail/"+operator.keptMail("invitation"), nil).ok().object("data")
	if text := shown["text"].(string); !strings.Contains(text, "Admin invites you to join PT Satu") || !strings.Contains(text, link) || !strings.Contains(shown["to"].(string), "Budi Santoso") {
		t.Errorf("the message is %v", shown)
	}
	if open := admin.do("GET", invitationsPath, nil).ok().object("data")["invitations"].([]any); len(open) != 1 || open[0].(object)["id"] != id || first == id {
		t.Errorf("open: %v", open)
	}
	look := func(link string) *answer { return anybody.do("POST", "/v1/auth/invitation", object{"link": link}) }
	accept := func(link, password string) *answer {
		return anybody.do("POST", "/v1/auth/invitation/accept", object{"link": link, "name": "Budi S.", "password": password})
	}
	look(former).is(http.StatusNotFound, "invitation.replaced")
	look(withAnotherLetter(link)).is(http.StatusNotFound, "invitation.link_invalid")
	if got := look(link).ok().object("data"); got["organisation"].(object)["name"] != "PT Satu" || got["role"] != "auditor" || got["inviter"] != "Admin" || got["provider"] != false {
		t.Errorf("the link says %v", got)
	}
	accept(link, "pendek").is(http.StatusUnprocessableEntity, "password")
	of := accept(link, chosen).ok().object("response", "data")["organisation"].(object)["id"].(string)
	accept(link, chosen).is(http.StatusNotFound, "invitation.used")
	look(link).is(http.StatusNotFound, "invitation.used")
	account := anybody.do("POST", "/v1/auth/login", object{"email": email, "password": chosen, "business_id": of}).ok().object("data")["account"].(object)
	if account["role"] != "auditor" || account["fullname"] != "Budi S." || account["is_reset"] != false || account["business_id"] != of {
		t.Errorf("the account is %v", account)
	}
	admin.do("POST", invitationsPath, object{"email": email}).is(http.StatusConflict, "invitation.has_account")
	admin.do("PUT", fmt.Sprint("/v1/admin/people/", account["id"], "/disabled"), nil).ok()
	admin.do("POST", invitationsPath, object{"email": email}).is(http.StatusConflict, "invitation.has_disabled_account")
	for _, typ := range []string{"invitation_sent", "invitation_accepted"} {
		if events := admin.do("GET", "/v1/admin/audit-log?type="+typ, nil).ok().object("data")["events"].([]any); len(events) == 0 {
			t.Errorf("the log of the organisation has no %s", typ)
		}
	}
	fsck(t, s, 0)
}

func TestAnInvitationIsSentAgainRevokedAndLapses(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator, admin, other := s.administrator(t, "Operator", ""), s.administrator(t, "Admin", "PT Satu"), s.administrator(t, "Admin Dua", "PT Satu")
	anybody := &client{service: s, t: t}
	look := func(link string) *answer { return anybody.do("POST", "/v1/auth/invitation", object{"link": link}) }
	accept := func(link string) *answer {
		return anybody.do("POST", "/v1/auth/invitation/accept", object{"link": link, "password": "kata sandi budi yang panjang"})
	}
	id, former := admin.invite(operator, "budi@example.test", nil)
	again := admin.do("PUT", fmt.Sprint(invitationsPath, "/", id, "/sent"), nil).ok().object("response", "data")["invitation"].(object)["id"].(string)
	link := operator.newestInvitation()
	look(former).is(http.StatusNotFound, "invitation.replaced")
	admin.do("DELETE", invitationsPath+"/"+id, nil).is(http.StatusNotFound, "invitation.not_found")
	look(link).ok()
	admin.do("PUT", fmt.Sprint(invitationsPath, "/", again, "/sent"), nil).ok()
	admin.do("POST", invitationsPath, object{"email": "budi@example.test"}).is(http.StatusTooManyRequests, "rate.limited")
	link = operator.newestInvitation()

	// It lapses with the rights of its inviter, and works again with them.
	other.do("PUT", "/v1/admin/people/"+admin.id+"/role", object{"role": "sender"}).ok()
	look(link).is(http.StatusNotFound, "invitation.lapsed")
	accept(link).is(http.StatusNotFound, "invitation.lapsed")
	other.do("PUT", "/v1/admin/people/"+admin.id+"/role", object{"role": "admin"}).ok()
	look(link).ok()
	state := fmt.Sprint(organisationsPath, "/", organisationIDOf(t, s, admin), "/suspended")
	operator.do("PUT", state, object{}).ok()
	look(link).is(http.StatusForbidden, "organisation.suspended")
	accept(link).is(http.StatusForbidden, "organisation.suspended")
	operator.do("DELETE", state, nil).ok()
	look(link).ok()

	open := admin.do("GET", invitationsPath, nil).ok().object("data")["invitations"].([]any)
	admin.do("DELETE", fmt.Sprint(invitationsPath, "/", open[0].(object)["id"]), nil).ok()
	look(link).is(http.StatusNotFound, "invitation.revoked")
	accept(link).is(http.StatusNotFound, "invitation.revoked")

	// An admin who was dismissed has not let themselves in before.
	_, mine := admin.invite(operator, "saya@example.test", object{"role": "admin"})
	other.do("PUT", "/v1/admin/people/"+admin.id+"/disabled", nil).ok()
	accept(mine).is(http.StatusNotFound, "invitation.lapsed")

	// A row that was changed in the database opens nothing.
	_, changed := other.invite(operator, "tiga@example.test", nil)
	db := openSQLite(t, s.conf.DataDir)
	if _, err := db.ExecContext(t.Context(), `UPDATE invitation SET role = 'admin' WHERE email = 'tiga@example.test'`); err != nil {
		t.Fatal(err)
	}
	accept(changed).is(http.StatusNotFound, "invitation.link_invalid")
	member := s.personAs(t, contract.RoleMember, "Anggota", "PT Satu")
	member.do("POST", invitationsPath, object{"email": "x@example.test"}).is(http.StatusForbidden)
}
