package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
)

// again logs in as the person of a client once more.
func (c *client) again(headers ...string) *client {
	c.t.Helper()
	k := *c
	k.token = c.do("POST", "/v1/auth/login", object{"email": c.email, "password": password}, headers...).ok().object("data")["token"].(string)
	return &k
}

// sessions returns the sessions of the caller, by their devices.
func (c *client) sessions() map[string]object {
	c.t.Helper()
	by := map[string]object{}
	for _, s := range c.do("GET", "/v1/auth/sessions", nil).ok().object("data")["sessions"].([]any) {
		by[s.(object)["device"].(string)] = s.(object)
	}
	return by
}

func TestAPersonSeesTheirSessionsAndEndsThem(t *testing.T) {
	onBothServices(t, func(t *testing.T, start func() *service) {
		s := start()
		admin, siti, outsider := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Siti", "PT Satu"), s.person(t, "Outsider", "PT Dua")
		desk := siti.again("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Accept-Language", "en")
		phone := siti.again("User-Agent", "kurir/2")
		mine := desk.sessions()
		listed, current := mine["Chrome di Windows"], 0
		for _, one := range mine {
			if one["current"] == true {
				current++
			}
		}
		if len(mine) != 3 || current != 1 || listed["current"] != true || listed["ip"] != "127.0.0.1" || listed["factor"] != "password" {
			t.Fatalf("the sessions are %v", mine)
		}
		if got := phone.sessions(); got["Program kurir"] == nil || got["Program kurir"]["current"] != true {
			t.Errorf("as the program sees them: %v", got)
		}
		end := func(c *client, id any) *answer { return c.do("DELETE", "/v1/auth/sessions/"+id.(string), nil) }
		missing := plainRefusal(end(outsider, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff").is(http.StatusNotFound, "auth.session_not_found"))
		for who, c := range map[string]*client{"an outsider": outsider, "an admin": admin} {
			if got := plainRefusal(end(c, listed["id"])); got != missing {
				t.Errorf("as %s: %s, but of one that does not exist: %s", who, got, missing)
			}
		}
		end(desk, phone.sessions()["Program kurir"]["id"]).ok()
		phone.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized, "auth.required")
		phone = siti.again("User-Agent", "kurir/2")
		desk.do("DELETE", "/v1/auth/sessions", nil).ok()
		for _, c := range []*client{siti, phone} {
			c.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized, "auth.required")
		}
		if got := desk.sessions(); len(got) != 1 {
			t.Errorf("after all others ended: %v", got)
		}
		// An admin ends all of them at once by disabling the account.
		admin.do("PUT", "/v1/admin/people/"+siti.id+"/disabled", nil).ok()
		desk.do("GET", "/v1/auth/sessions", nil).is(http.StatusUnauthorized, "auth.required")
	})
}

// dangerousOperations are those that make an account, open one or a document to others, decide how people log in, show a secret, send data elsewhere, spend money, or delete data. The list is
// written by hand: it says what has to take a recent proof, and the code is compared with it.
var dangerousOperations = []string{
	"create-key", "export-own-data", "erase-own-account",
	"admin-add-person", "admin-invite", "admin-resend-invitation", "admin-reset-password", "admin-reset-factors", "admin-set-role", "admin-export-person", "admin-transfer-documents", "admin-erase-person", "admin-erase-guest",
	"admin-add-team", "admin-rename-team", "admin-delete-team", "admin-add-team-member", "admin-remove-team-member",
	"admin-set-account-policy", "admin-set-embedding", "admin-set-retention", "admin-lift-hold",
	"admin-set-sso", "admin-delete-sso", "admin-set-scim-secret", "admin-delete-scim-secret", "admin-prove-domain", "admin-remove-domain", "admin-grant-domain", "admin-unlink-sso",
	"admin-add-webhook", "admin-set-webhook", "admin-delete-webhook", "admin-rotate-webhook",
	"admin-show-mail", "admin-grant-quota", "admin-suspend-organisation", "admin-resume-organisation", "admin-close-organisation",
}

// TestDangerousOperationsTakeARecentProof calls every operation in a session whose login is ten minutes old. Exactly those of [dangerousOperations] are refused.
func TestDangerousOperationsTakeARecentProof(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	operator := s.administrator(t, "Operator", "")
	by, err := s.identity.Authenticate(t.Context(), operator.token)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.ProveSession(t.Context(), by.Session, time.Now().Add(-contract.RecentProof)); err != nil {
		t.Fatal(err)
	}
	const unknownID = "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	path := strings.NewReplacer("{service}", "layanan", "{document_id}", "999999", "{person_id}", unknownID, "{webhook_id}", unknownID, "{notice_id}", unknownID, "{key_id}", unknownID)
	unseen := map[string]bool{}
	for _, id := range dangerousOperations {
		unseen[id] = true
	}
	for _, op := range api.Operations() {
		dangerous := unseen[op.ID]
		delete(unseen, op.ID)
		if op.Recent != dangerous {
			t.Errorf("the table of endpoints says that %s is dangerous: %v, want %v", op.ID, op.Recent, dangerous)
		}
		if op.Open || op.ID == "logout" {
			continue
		}
		a := operator.do(op.Method, path.Replace(op.Path), nil)
		if got := a.status == http.StatusForbidden && strings.Contains(string(a.body), `"auth.reauthenticate"`); got != dangerous {
			t.Errorf("%s %s: %d, needs a recent proof: %v: %.200s", op.Method, op.Path, a.status, dangerous, a.body)
		}
	}
	if len(unseen) > 0 {
		t.Errorf("no endpoint has the operations %v", unseen)
	}
	admin := object{"name": "Admin Baru", "email": "baru@example.test", "role": "admin"}
	for _, role := range contract.AccountRoles {
		new := object{"name": "Orang Baru", "email": "baru@example.test", "role": string(role)}
		operator.do("POST", "/v1/admin/people", new).is(http.StatusForbidden, "auth.reauthenticate")
		operator.do("POST", invitationsPath, new).is(http.StatusForbidden, "auth.reauthenticate")
	}
	operator.do("POST", "/v1/auth/reauthenticate", object{"current": "salah"}).is(http.StatusUnprocessableEntity, "current")
	operator.do("POST", "/v1/auth/reauthenticate", object{"current": password}).ok()
	operator.do("POST", "/v1/admin/people", admin).ok()
	operator.keyWith(nil, contract.ScopeRead)
}
