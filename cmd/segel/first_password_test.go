package main

import (
	"net/http"
	"testing"
)

// TestAddedUserChoosesTheirPasswordBeforeAnythingElse logs in with the password that an admin was shown, with tokens and
// with the web app's cookie, and checks everything that each of them permits.
func TestAddedUserChoosesTheirPasswordBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.administrator(t, "Admin", "")
	shown := admin.do("POST", "/v1/admin/people", object{"email": "baru@example.test"}).ok().object("response", "data")["password"].(string)
	login := func(password string) *client {
		t.Helper()
		c := &client{service: s, t: t, email: "baru@example.test"}
		c.token = c.do("POST", "/v1/auth/login", object{"email": c.email, "password": password}).ok().object("data")["token"].(string)
		return c
	}
	c := login(shown)
	if me := c.do("GET", "/v1/auth/me", nil).ok().object("data"); me["is_reset"] != true {
		t.Errorf("%v", me)
	}
	c.do("GET", "/v1/econtract/web_app/document/data", nil).is(http.StatusForbidden, "auth.choose_password")
	c.do("PUT", "/v1/auth/specimen", nil).is(http.StatusForbidden, "auth.choose_password")
	c.do("POST", "/v1/auth/logout", nil).ok()
	c = login(shown)
	const own = "kata sandi pilihan sendiri"
	c.do("POST", "/v1/auth/password", object{"current": shown, "new": own}).ok()
	c.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	c = login(own)
	if me := c.do("GET", "/v1/auth/me", nil).ok().object("data"); me["is_reset"] != false {
		t.Errorf("%v", me)
	}
	c.do("GET", "/v1/econtract/web_app/document/data", nil).ok()
}
