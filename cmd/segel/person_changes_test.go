package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

const ownPassword = "kata sandi pilihan sendiri"

// member logs in as a new member of the admin's organisation, who has chosen a password.
func (p *process) member(t *testing.T, admin *client, email string) *client {
	t.Helper()
	initial := admin.do("POST", "/v1/admin/people", object{"email": email}).ok().object("response", "data")["password"].(string)
	p.login(t, email, initial).do("POST", "/v1/auth/password", object{"current": initial, "new": ownPassword}).ok()
	return p.login(t, email, ownPassword)
}

// TestDisablingAndResettingEndTheTokensOfAPersonInEveryProcess uses two processes on one folder: the admin is served by one of
// them, the person by both.
func TestDisablingAndResettingEndTheTokensOfAPersonInEveryProcess(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		env = append(env, realOffice(t)...) // the sandbox serves one process
		data := filepath.Join(t.TempDir(), "data")
		first := serve(t, data, env...)
		second := serve(t, data, env...)
		admin := first.login(t, first.email, first.password)
		const email = "budi@example.test"
		member := second.member(t, admin, email)
		login := object{"email": email, "password": ownPassword}
		opened := member.do("POST", "/v1/auth/login", login).ok().object("data")
		others := []*client{member, {service: second.service, t: t, token: opened["token"].(string)}}
		requireEnded := func(what string) {
			t.Helper()
			for _, c := range others {
				for _, p := range []*process{second, first} {
					if a := c.on(p.service).do("GET", "/v1/auth/me", nil); a.status != http.StatusUnauthorized {
						t.Errorf("%s: a token is answered %d", what, a.status)
					}
				}
			}
			member.do("POST", "/v1/auth/refresh", object{"refresh_token": opened["refresh_token"]}).is(http.StatusUnauthorized, "auth.refresh_invalid")
		}
		path := "/v1/admin/people/" + member.id
		for _, c := range others { // as a process with a cache of tokens would remember them
			for _, p := range []*process{second, first} {
				c.on(p.service).do("GET", "/v1/auth/list_user", nil).ok()
			}
		}
		admin.do("PUT", path+"/disabled", nil).ok()
		requireEnded("disabled")
		wrong := second.tryLogin(t, email, "bukan kata sandinya")
		if got := second.tryLogin(t, email, ownPassword); got != wrong || !strings.Contains(got, "auth.wrong_credentials") {
			t.Errorf("a login is answered\n%s\nand with a wrong password\n%s", got, wrong)
		}
		if list := string(admin.on(second.service).do("GET", "/v1/auth/list_user", nil).ok().body); strings.Contains(list, email) {
			t.Errorf("the directory has a disabled account: %s", list)
		}
		admin.do("DELETE", path+"/disabled", nil).ok()
		requireEnded("disabled and enabled again")

		member = second.login(t, email, ownPassword)
		opened = member.do("POST", "/v1/auth/login", login).ok().object("data")
		others = []*client{member, {service: second.service, t: t, token: opened["token"].(string)}}
		given := admin.do("POST", path+"/password", nil).ok().object("response", "data")["password"].(string)
		requireEnded("reset")
		again := second.login(t, email, given)
		for _, p := range []*process{second, first} {
			again.on(p.service).do("GET", "/v1/auth/list_user", nil).is(http.StatusForbidden, "auth.choose_password")
		}
		again.do("POST", "/v1/auth/password", object{"current": given, "new": "kata sandi yang berikutnya"}).ok()
		second.login(t, email, "kata sandi yang berikutnya").do("GET", "/v1/auth/list_user", nil).ok()

		// The command line is one more process.
		others = []*client{second.login(t, email, "kata sandi yang berikutnya")}
		if got := runProgram(t, env, "user", "disable", "--data", data, "--email", email); got.status != 0 {
			t.Fatalf("%d, %s", got.status, got.text)
		}
		requireEnded("disabled at the command line")
	})
}

// tryLogin returns the answer to a login that is refused.
func (p *process) tryLogin(t *testing.T, email, password string) string {
	t.Helper()
	c := &client{service: p.service, t: t}
	return plainRefusal(c.do("POST", "/v1/auth/login", object{"email": email, "password": password}))
}

// TestARenamedSignerSignsWithTheNewName signs one document before the change of the name, and one after it that was sent before.
func TestARenamedSignerSignsWithTheNewName(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, signer := s.administrator(t, "Admin", ""), s.person(t, "Siti Rahma", "")
	send := func() int64 {
		id := admin.upload(simple(), signer.as("signer", 1))
		admin.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
		admin.verb("finalize-docs", id).ok()
		return id
	}
	before, after := send(), send()
	signer.verb("sign-docs", before).ok()
	admin.completed(before)
	file := admin.download(before)
	admin.do("PUT", "/v1/admin/people/"+signer.id+"/name", object{"name": "Siti Wijaya"}).ok()
	signer.verb("sign-docs", after).ok()
	admin.completed(after)
	for id, want := range map[int64]string{before: "Siti Rahma", after: "Siti Wijaya"} {
		if got := admin.participants(id)[0].(object)["name"]; got != want {
			t.Errorf("document %d names its signer %s, want %s", id, got, want)
		}
		d, err := s.store.Document(t.Context(), contract.DocumentID(id))
		if err != nil {
			t.Fatal(err)
		}
		events, err := s.store.Events(t.Context(), d.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == contract.EventSigned && e.Person.Name != want {
				t.Errorf("the log says that %s signed document %d, want %s", e.Person.Name, id, want)
			}
		}
	}
	if string(admin.download(before)) != string(file) {
		t.Error("the file that was signed before has changed")
	}
	issued := map[string]bool{}
	err := s.store.EachCertificate(t.Context(), func(c contract.Certificate) bool {
		if c.Holder == signer.id {
			issued[c.Subject] = true
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Siti Rahma", "Siti Wijaya"} {
		found := false
		for subject := range issued {
			found = found || strings.Contains(subject, name)
		}
		if !found {
			t.Errorf("no certificate of the signer names %s: %v", name, issued)
		}
	}
}

// TestADisabledPersonStaysOnTheirDocumentsAndIsNamedOnNoOthers adds the person to a draft, disables the account, and adds them to
// another document.
func TestADisabledPersonStaysOnTheirDocumentsAndIsNamedOnNoOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, gone := s.administrator(t, "Admin", ""), s.person(t, "Mantan Pegawai", "")
	sent, kept := admin.upload(simple(), gone.as("signer", 1)), admin.upload(simple(), gone.as("signer", 1))
	admin.verb("finalize-docs", sent).ok()
	m := admin.do("PUT", "/v1/admin/people/"+gone.id+"/disabled", nil).ok().object("response", "data", "person")
	if m["open_signatures"].(float64) != 1 || m["status"] != string(store.AccountDisabled) {
		t.Errorf("%v", m)
	}
	if name := admin.participants(sent)[0].(object)["name"]; name != "Mantan Pegawai" {
		t.Errorf("the document names %v", name)
	}
	admin.verb("participants-docs", kept, "signer", []object{gone.as("signer", 1)}).ok()
	admin.do("POST", uploadPath, body(t, simple(), object{"signer": []object{gone.as("signer", 1)}})).is(http.StatusUnprocessableEntity, "participant.unknown")
	guest := object{"name": "Mantan Pegawai", "email": gone.email, "role": "signer", "number": 1}
	id := admin.uploadWith(object{"guest": []object{guest}}, simple())
	if p := admin.participants(id)[0].(object); p["is_guest"] != true || p["user_id"] == gone.id {
		t.Errorf("with a disabled account they are %v", p)
	}
}
