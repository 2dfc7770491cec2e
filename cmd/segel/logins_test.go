package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestAdminsSeeLoginsOfTheirOrganisationAndTheAttacksOnIt(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_TRUSTED_PROXIES", "127.0.0.1/32", "SEGEL_LOGIN_TRIES_PER_ACCOUNT", "100")
	operator := s.administrator(t, "Operator", "")
	admin, member := s.administrator(t, "Admin Satu", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu")
	other := s.administrator(t, "Admin Dua", "PT Dua")
	try := func(email string, times int) {
		for range times {
			a := (&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": email, "password": "kata sandi yang salah"})
			if a.status != http.StatusBadRequest && a.status != http.StatusTooManyRequests {
				t.Errorf("a wrong password: %d", a.status)
			}
		}
	}
	try(member.email, 3)
	try("tidak.ada@example.test", 2)
	member.do("POST", "/v1/auth/logout", nil).ok()

	list := func(c *client, query string) (all []string) {
		for _, l := range c.do("GET", "/v1/admin/logins"+query, nil).ok().object("data")["logins"].([]any) {
			one := l.(object)
			all = append(all, fmt.Sprint(one["kind"], " ", one["email"], " ", one["times"]))
		}
		return all
	}
	if got := strings.Join(list(admin, "?person="+member.id), "; "); got != "logout siti.rahma@example.test 1; login_failed siti.rahma@example.test 3; login siti.rahma@example.test 1" {
		t.Errorf("the admin sees %s", got)
	}
	if got := list(admin, "?kind=login_failed&search=SITI"); len(got) != 1 {
		t.Errorf("found: %q", got)
	}
	if got := list(other, "?person="+member.id); len(got) != 0 {
		t.Errorf("another admin sees %q", got)
	}
	if got := strings.Join(list(operator, "?kind=login_failed"), "; "); !strings.Contains(got, "login_failed  2") {
		t.Errorf("the operator sees %s", got)
	}
	if answer := string(operator.do("GET", "/v1/admin/logins", nil).ok().body); strings.Contains(answer, "tidak.ada") {
		t.Error("an address without an account is kept")
	}
	if csv := string(admin.do("GET", "/v1/admin/logins.csv?kind=login_failed&language=en", nil).ok().body); !strings.Contains(csv, "Login failed: password") || strings.Count(csv, "\r\n") != 2 {
		t.Errorf("the spreadsheet: %s", csv)
	}
	for i := range 17 { // with those before, many, from several networks so that no rate is exceeded
		(&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": member.email, "password": "kata sandi yang salah"}, "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i)).is(http.StatusBadRequest)
	}
	for range 20 {
		(&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": member.email, "password": "kata sandi yang salah"}, "X-Forwarded-For", "203.0.113.99")
	}
	if err := s.identity.RecordLimitedLogins(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := list(admin, "?kind=login_limited&person="+member.email); len(got) != 1 || !strings.HasPrefix(got[0], "login_limited "+member.email) {
		t.Errorf("refused logins: %q", got)
	}
	failed := admin.do("GET", "/v1/admin/logins", nil).ok().object("data")["failed"].([]any)
	if len(failed) != 1 || failed[0].(object)["email"] != member.email {
		t.Errorf("needs attention: %v", failed)
	}
	(&client{service: s, t: t, token: member.token}).do("GET", "/v1/admin/logins", nil).is(http.StatusUnauthorized)
	s.person(t, "Anggota", "PT Satu").do("GET", "/v1/admin/logins", nil).is(http.StatusForbidden)
}
