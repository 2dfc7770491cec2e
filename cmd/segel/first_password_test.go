package main

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

// The file of the first login has the password, is private, and ends with the first login.
func TestTheFileOfTheInitialPasswordEndsWithTheFirstLogin(t *testing.T) {
	t.Parallel()
	data := newDataFolder(t)
	p, err := launch(data)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, initialPasswordFile)
	info, err := os.Stat(file)
	if err != nil || info.Mode() != 0o600 || strings.Contains(p.stdout.String(), p.password) {
		t.Fatalf("%v, %v: %s", info, err, &p.stdout)
	}
	p.login(t, p.email, p.password)
	if err := p.end(); err != nil {
		t.Fatalf("%v: %s", err, &p.stderr)
	}
	serve(t, data)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after a login: %v", err)
	}
}

// The process may end after the file was written and before the account exists.
func TestAnInitialPasswordThatWasWrittenIsTheOneOfTheAccount(t *testing.T) {
	t.Parallel()
	const kept = "abcde-fghij-kmnpq-rstuv"
	data := newDataFolder(t)
	if err := os.WriteFile(filepath.Join(data, initialPasswordFile), []byte(kept+"\nadmin@localhost\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serve(t, data)
	if p.password != kept {
		t.Fatalf("the password is %q", p.password)
	}
	p.login(t, p.email, kept)
}
