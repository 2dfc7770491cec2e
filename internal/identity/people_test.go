package identity

import (
	"errors"
	"runtime"
	"testing"

	"segel/internal/admission"
	"segel/internal/contract"
)

// staffed returns a fixture with two organisations and an admin in each. The admin of the first one is an operator.
func staffed(t *testing.T) (h *fixture, operator, admin contract.Actor) {
	t.Helper()
	h = inhabited(t)
	in := func(n NewUser) contract.Actor {
		n.Password, n.Role = password, contract.RoleAdmin
		if _, err := h.AddUser(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		s, err := h.Login(t.Context(), n.Email, password, "", at(home))
		if err != nil {
			t.Fatal(err)
		}
		return h.alive(t, s.Access)
	}
	operator = in(NewUser{Email: "op@contoh.id", Organisation: "Contoh"})
	h.advance(1)
	return h, operator, in(NewUser{Email: "admin@lain.id", Organisation: "Lain"})
}

func TestAdminSeesTheirPeopleAndOperatorSeesAll(t *testing.T) {
	t.Parallel()
	h, operator, admin := staffed(t)
	for _, c := range []struct {
		by    contract.Actor
		of    contract.OrganisationID
		total int
	}{{operator, "", 3}, {operator, operator.Organisation, 2}, {operator, admin.Organisation, 1}, {admin, "", 1}, {admin, admin.Organisation, 1}} {
		people, total, err := h.People(t.Context(), c.by, PeopleQuery{Organisation: c.of, Limit: 10})
		if err != nil || total != c.total || len(people) != total {
			t.Errorf("%s of %q: %d, %v", c.by.Email, c.of, total, err)
		}
		for _, p := range people {
			if p.OrganisationName == "" || p.CreatedAt.IsZero() {
				t.Errorf("%+v", p)
			}
		}
	}
	for _, c := range []struct {
		by contract.Actor
		of contract.OrganisationID
	}{{operator, "nowhere"}, {admin, "nowhere"}, {admin, operator.Organisation}} {
		if _, _, err := h.People(t.Context(), c.by, PeopleQuery{Organisation: c.of, Limit: 10}); !errors.Is(err, contract.ErrNoOrganisation) {
			t.Errorf("%s of %q: %v", c.by.Email, c.of, err)
		}
	}
}

// TestAnAccountAndItsLineInTheLogAreOneCommit uses a store that fails to log events outside of a commit.
func TestAnAccountAndItsLineInTheLogAreOneCommit(t *testing.T) {
	t.Parallel()
	h, _, admin := staffed(t)
	s := h.login(t)
	h.store.failNote = errors.New("the power is gone")
	events := len(h.store.events)
	if _, err := h.AddPerson(t.Context(), admin, NewPerson{Email: "budi@lain.id"}); err != nil {
		t.Error(err)
	}
	if err := h.ChangePassword(t.Context(), h.alive(t, s.Access), password, newer); err != nil {
		t.Error(err)
	}
	if _, err := h.ResetPassword(t.Context(), console, siti, "", password); err != nil {
		t.Error(err)
	}
	if n := len(h.store.events) - events; n != 3 {
		t.Errorf("%d events of three accounts", n)
	}
}

func TestNewPersonLogsInWithAPasswordThatTheyMustChange(t *testing.T) {
	t.Parallel()
	h, operator, admin := staffed(t)
	added, err := h.AddPerson(t.Context(), admin, NewPerson{Name: " Budi\u202e ", Email: "budi@lain.id"})
	if err != nil || added.Name != "Budi" || added.Organisation != admin.Organisation || added.Admin || !added.MustReset {
		t.Fatalf("%+v, %v", added, err)
	}
	s, err := h.Login(t.Context(), "budi@lain.id", added.Password, "", at(home))
	if err != nil || !s.Account.MustReset {
		t.Errorf("%+v, %v", s.Account, err)
	}
	if budi := h.alive(t, s.Access); !budi.MustChoosePassword || admin.MustChoosePassword {
		t.Errorf("he is asked for nothing: %+v", budi)
	}
	last := h.store.events[len(h.store.events)-1]
	if last.Type != contract.EventPersonAdded || last.Person.ID != admin.ID || last.Details["email"] != "budi@lain.id" {
		t.Errorf("the log says %+v", last)
	}
	if a, err := h.AddPerson(t.Context(), operator, NewPerson{Email: "chief@lain.id", Role: contract.RoleAdmin, Organisation: admin.Organisation}); err != nil || !a.Admin || a.OrganisationName != "Lain" {
		t.Errorf("by an operator: %+v, %v", a, err)
	}
	before := len(h.store.users)
	for _, c := range []struct {
		by   contract.Actor
		n    NewPerson
		want contract.Kind
	}{
		{admin, NewPerson{Email: "Budi@LAIN.id"}, contract.Conflict}, {admin, NewPerson{Email: "nobody"}, contract.Invalid},
		{admin, NewPerson{Email: "x@contoh.id", Organisation: operator.Organisation}, contract.NotFound},
		{operator, NewPerson{Email: "x@contoh.id", Organisation: "nowhere"}, contract.NotFound},
		{h.alive(t, h.login(t).Access), NewPerson{Email: "x@contoh.id"}, contract.Forbidden},
	} {
		if _, err := h.AddPerson(t.Context(), c.by, c.n); contract.KindOf(err) != c.want {
			t.Errorf("%s adds %+v: %v", c.by.Email, c.n, err)
		}
	}
	if len(h.store.users) != before {
		t.Error("who was refused was added")
	}
}

func TestAccountsAreAddedBesideManyLogins(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	h.hasher.queue = admission.NewQueue(admission.Limits{Slots: 1, Waiting: 1})
	release, err := h.hasher.queue.Acquire(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() {
		_, err := h.hasher.queue.Acquire(t.Context(), "another")
		waits <- err
	}()
	for n := 0; n == 0; _, n = h.hasher.queue.Load() {
		runtime.Gosched()
	}
	added := make(chan error)
	go func() {
		_, err := h.AddUser(t.Context(), NewUser{Name: "Budi", Email: "budi@contoh.id", Password: password, Organisation: "Contoh"})
		added <- err
	}()
	select {
	case err := <-waits: // removed from the queue in favour of the new account
		if !errors.Is(err, admission.ErrFull) {
			t.Error(err)
		}
	case err := <-added:
		t.Fatalf("refused because logins wait: %v", err)
	}
	release()
	if err := <-added; err != nil {
		t.Error(err)
	}
}
