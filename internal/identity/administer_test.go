package identity

import (
	"errors"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// requireLogged requires that the last event is one of an administrator about an account.
func (h *fixture) requireLogged(t *testing.T, want contract.EventType, by contract.Actor, about contract.PersonID) {
	t.Helper()
	e := h.store.events[len(h.store.events)-1]
	if e.Type != want || e.Person.ID != by.ID || e.Details["person"] != string(about) || e.Details["email"] == "" || e.Details["name"] == "" || e.Details["organisation"] == "" {
		t.Errorf("the log says %+v, want %s by %q about %q", e, want, by.ID, about)
	}
}

// addMember adds a member to the organisation of an admin and logs them in.
func (h *fixture) addMember(t *testing.T, organisation, email string) Session {
	t.Helper()
	if _, err := h.AddUser(t.Context(), NewUser{Name: "Budi", Email: email, Password: password, Organisation: organisation}); err != nil {
		t.Fatal(err)
	}
	s, err := h.Login(t.Context(), email, password, "", at(home))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAPasswordGivenByAnAdminAllowsOnlyToChangeIt(t *testing.T) {
	t.Parallel()
	h, _, admin := staffed(t)
	s := h.addMember(t, "Lain", "budi@lain.id")
	given, err := h.ResetPersonPassword(t.Context(), admin, s.Account.ID)
	if err != nil || !given.MustReset || given.Password == "" || given.Email != "budi@lain.id" || given.OrganisationName != "Lain" {
		t.Fatalf("%+v, %v", given, err)
	}
	h.requireLogged(t, contract.EventPasswordReset, admin, s.Account.ID)
	h.dead(t, s.Access)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("the refresh token: %v", err)
	}
	if _, err := h.Login(t.Context(), "budi@lain.id", password, "", at(home)); !errors.Is(err, ErrCredentials) {
		t.Errorf("the former password: %v", err)
	}
	s, err = h.Login(t.Context(), "budi@lain.id", given.Password, "", at(home))
	if err != nil || !s.Account.MustReset {
		t.Fatalf("%+v, %v", s.Account, err)
	}
	by := h.alive(t, s.Access)
	if !by.MustChoosePassword {
		t.Error("the password need not be changed")
	}
	if err := h.ChangePassword(t.Context(), by, given.Password, newer); err != nil {
		t.Fatal(err)
	}
	if s, err = h.Login(t.Context(), "budi@lain.id", newer, "", at(home)); err != nil || s.Account.MustReset || h.alive(t, s.Access).MustChoosePassword {
		t.Errorf("after the change: %+v, %v", s.Account, err)
	}
	if again, err := h.ResetPersonPassword(t.Context(), admin, by.ID); err != nil || again.Password == given.Password {
		t.Errorf("the next password is the same, or %v", err)
	}
}

func TestADisabledAccountIsLikeAWrongPassword(t *testing.T) {
	t.Parallel()
	h, _, admin := staffed(t)
	s := h.addMember(t, "Lain", "budi@lain.id")
	web, err := h.LoginSession(t.Context(), Credentials{Email: "budi@lain.id", Password: password}, Client{IP: home})
	if err != nil {
		t.Fatal(err)
	}
	m, err := h.DisablePerson(t.Context(), admin, s.Account.ID)
	if err != nil || m.DisabledAt.IsZero() || m.ID != s.Account.ID {
		t.Fatalf("%+v, %v", m, err)
	}
	h.requireLogged(t, contract.EventPersonDisabled, admin, s.Account.ID)
	events := len(h.store.events)
	if again, err := h.DisablePerson(t.Context(), admin, s.Account.ID); err != nil || !again.DisabledAt.Equal(m.DisabledAt) || len(h.store.events) != events {
		t.Errorf("disabled again: %+v, %v", again, err)
	}
	h.dead(t, s.Access)
	h.dead(t, web.Token)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("the refresh token: %v", err)
	}
	for _, tried := range []string{password, "not the password"} {
		if _, err := h.Login(t.Context(), "budi@lain.id", tried, "", at(home)); !errors.Is(err, ErrCredentials) {
			t.Errorf("a login with %q: %v", tried, err)
		}
	}
	directory, total, err := h.Directory(t.Context(), admin, "", 1, 10)
	if err != nil || total != 1 || len(directory) != 1 || directory[0].ID != admin.ID {
		t.Errorf("the directory has %v, %v", directory, err)
	}
	people, total, err := h.People(t.Context(), admin, PeopleQuery{Status: store.AccountDisabled, Limit: 10})
	if err != nil || total != 1 || people[0].ID != s.Account.ID {
		t.Errorf("the disabled accounts are %v, %v", people, err)
	}
	// A token that was stored all the same does not work.
	clear, token, err := h.newToken(store.AccessToken, contract.Session{Person: s.Account.ID, Family: "f"}, 1<<40, contract.AccountPolicy{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.AddTokens(t.Context(), contract.Session{}, token); err != nil {
		t.Fatal(err)
	}
	h.dead(t, clear)
	m, err = h.EnablePerson(t.Context(), admin, s.Account.ID)
	if err != nil || !m.DisabledAt.IsZero() {
		t.Fatalf("%+v, %v", m, err)
	}
	h.requireLogged(t, contract.EventPersonEnabled, admin, s.Account.ID)
	if _, err := h.Login(t.Context(), "budi@lain.id", password, "", at(home)); err != nil {
		t.Errorf("after it was enabled: %v", err)
	}
}

// TestALoginDuringTheDisablingOpensNothing disables the account after a login has read it.
func TestALoginDuringTheDisablingOpensNothing(t *testing.T) {
	t.Parallel()
	h, _, admin := staffed(t)
	s := h.addMember(t, "Lain", "budi@lain.id")
	h.store.afterByEmail = func() {
		if _, err := h.DisablePerson(t.Context(), admin, s.Account.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.Login(t.Context(), "budi@lain.id", password, "", at(home)); !errors.Is(err, ErrCredentials) {
		t.Errorf("the login: %v", err)
	}
	if n := len(h.store.tokens); n != 4 { // those of the two admins
		t.Errorf("%d tokens are left", n)
	}
}

// TestADisabledAccountLetsTheSamePasswordReachAnotherOne logs in with an address that has two accounts with one password.
func TestADisabledAccountLetsTheSamePasswordReachAnotherOne(t *testing.T) {
	t.Parallel()
	h, operator, _ := staffed(t)
	first := h.addMember(t, "Lain", "budi@lain.id")
	h.advance(1)
	if _, err := h.AddUser(t.Context(), NewUser{Email: "budi@lain.id", Password: password, Organisation: "Contoh"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.DisablePerson(t.Context(), operator, first.Account.ID); err != nil {
		t.Fatal(err)
	}
	if s, err := h.Login(t.Context(), "budi@lain.id", password, "", at(home)); err != nil || s.Account.OrganisationName != "Contoh" {
		t.Errorf("%+v, %v", s.Account, err)
	}
}

func TestOneAdminOfAnOrganisationStays(t *testing.T) {
	t.Parallel()
	h, operator, admin := staffed(t)
	for what, err := range map[string]error{
		"an admin disables themselves":    second(h.DisablePerson(t.Context(), admin, admin.ID)),
		"an operator disables themselves": second(h.DisablePerson(t.Context(), operator, operator.ID)),
		"a reset of one's own password":   second(h.ResetPersonPassword(t.Context(), admin, admin.ID)),
	} {
		if !errors.Is(err, contract.ErrOwnAccount) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, err := range map[string]error{
		"an operator disables the last admin of an organisation": second(h.DisablePerson(t.Context(), operator, admin.ID)),
		"the command line disables the last operator":            second(h.DisablePerson(t.Context(), console, operator.ID)),
	} {
		if !errors.Is(err, contract.ErrLastAdmin) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := h.AddUser(t.Context(), NewUser{Email: "second@lain.id", Password: password, Organisation: "Lain", Role: contract.RoleAdmin}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.DisablePerson(t.Context(), operator, admin.ID); err != nil {
		t.Errorf("one of two admins: %v", err)
	}
}

func TestARenamedPersonKeepsTheirSessions(t *testing.T) {
	t.Parallel()
	h, _, admin := staffed(t)
	s := h.addMember(t, "Lain", "budi@lain.id")
	m, err := h.RenamePerson(t.Context(), admin, s.Account.ID, " Budi\u202e  Santoso ")
	if err != nil || m.Name != contract.CleanText(" Budi\u202e  Santoso ") || m.Email != "budi@lain.id" {
		t.Fatalf("%+v, %v", m, err)
	}
	h.requireLogged(t, contract.EventPersonRenamed, admin, s.Account.ID)
	if e := h.store.events[len(h.store.events)-1]; e.Details["name"] != "Budi" || e.Details["new_name"] != m.Name {
		t.Errorf("the log says %+v", e)
	}
	if by := h.alive(t, s.Access); by.Name != m.Name {
		t.Errorf("they act as %q", by.Name)
	}
	events := len(h.store.events)
	if _, err := h.RenamePerson(t.Context(), admin, s.Account.ID, m.Name); err != nil || len(h.store.events) != events {
		t.Errorf("renamed to the same name: %v, %d events", err, len(h.store.events)-events)
	}
	for _, name := range []string{"", " \u202e", string(make([]rune, maxName+1))} {
		if _, err := h.RenamePerson(t.Context(), admin, s.Account.ID, name); contract.KindOf(err) != contract.Invalid {
			t.Errorf("renamed to %.20q: %v", name, err)
		}
	}
}

func TestPeopleOfOthersAreLikePeopleWhoDoNotExist(t *testing.T) {
	t.Parallel()
	h, operator, admin := staffed(t)
	mine := h.addMember(t, "Lain", "budi@lain.id")
	member := h.alive(t, mine.Access)
	theirs := h.alive(t, h.login(t).Access)
	events := len(h.store.events)
	for what, run := range map[string]func(by contract.Actor, id contract.PersonID) error{
		"reset": func(by contract.Actor, id contract.PersonID) error {
			return second(h.ResetPersonPassword(t.Context(), by, id))
		},
		"disable": func(by contract.Actor, id contract.PersonID) error {
			return second(h.DisablePerson(t.Context(), by, id))
		},
		"enable": func(by contract.Actor, id contract.PersonID) error {
			return second(h.EnablePerson(t.Context(), by, id))
		},
		"rename": func(by contract.Actor, id contract.PersonID) error {
			return second(h.RenamePerson(t.Context(), by, id, "X"))
		},
	} {
		for _, c := range []struct {
			by   contract.Actor
			id   contract.PersonID
			want error
		}{
			{admin, theirs.ID, contract.ErrNoPerson}, {admin, "nobody", contract.ErrNoPerson}, {operator, "nobody", contract.ErrNoPerson},
			{member, theirs.ID, contract.ErrNotAllowed}, {member, member.ID, contract.ErrNotAllowed}, {contract.Actor{Person: member.Person, Guest: 1}, member.ID, contract.ErrNotAllowed},
		} {
			if err := run(c.by, c.id); !errors.Is(err, c.want) {
				t.Errorf("%s %s as %s: %v", what, c.id, c.by.Email, err)
			}
		}
	}
	if len(h.store.events) != events {
		t.Error("a refusal is in the log as done")
	}
	if _, err := h.RenamePerson(t.Context(), operator, member.ID, "Budi Santoso"); err != nil {
		t.Errorf("an operator: %v", err)
	}
	if id, err := h.FindPerson(t.Context(), "BUDI@lain.id", ""); err != nil || id != member.ID {
		t.Errorf("found %q, %v", id, err)
	}
}
