package identity

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"segel/internal/contract"
)

func TestTheFirstStartMakesAnAdminOnce(t *testing.T) {
	t.Parallel()
	h := empty(t)
	first, err := h.Bootstrap(t.Context(), "Segel", "admin@localhost", nil)
	if err != nil || first == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if !regexp.MustCompile(`^([a-z2-9]{5}-){3}[a-z2-9]{5}$`).MatchString(first.Password) {
		t.Errorf("password is %q", first.Password)
	}
	s, err := h.Login(t.Context(), "admin@localhost", first.Password, "", at(home))
	if err != nil || !s.Account.MustReset || !s.Account.Admin || s.Account.OrganisationName != "Segel" {
		t.Fatalf("%+v, %v", s.Account, err)
	}
	again, err := h.Bootstrap(t.Context(), "Segel", "other@localhost", nil)
	if again != nil || err != nil || len(h.store.users) != 1 || len(h.store.organisations) != 1 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestAFirstStartCutOffIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	h := empty(t)
	h.store.failCreateUser = errors.New("power cut")
	if _, err := h.Bootstrap(t.Context(), "Segel", "admin@localhost", nil); !errors.Is(err, h.store.failCreateUser) {
		t.Fatal(err)
	}
	h.store.failCreateUser = nil
	first, err := h.Bootstrap(t.Context(), "Segel", "admin@localhost", nil)
	if err != nil || first == nil || len(h.store.organisations) != 1 {
		t.Errorf("%+v, %v, %d organisations", first, err, len(h.store.organisations))
	}
}

func TestTheFirstPasswordIsKeptBeforeItsAccountExistsAndOneThatWasKeptIsUsed(t *testing.T) {
	t.Parallel()
	h := empty(t)
	refused := errors.New("no space left")
	if _, err := h.Bootstrap(t.Context(), "Segel", "admin@localhost", func(string) (string, error) { return "", refused }); !errors.Is(err, refused) || len(h.store.users) != 0 {
		t.Fatalf("%v, %d users", err, len(h.store.users))
	}
	const kept = "abcde-fghij-kmnpq-rstuv"
	first, err := h.Bootstrap(t.Context(), "Segel", "admin@localhost", func(string) (string, error) { return kept, nil })
	if err != nil || first.Password != kept {
		t.Fatalf("%+v, %v", first, err)
	}
	known := ""
	holder := func(email, password string) contract.PersonID {
		t.Helper()
		id, stored, err := h.InitialPasswordHolder(t.Context(), email, password, known)
		if err != nil {
			t.Fatal(err)
		}
		known = cmp.Or(known, stored)
		return id
	}
	if got := holder("Admin@localhost", kept); got != first.Account.ID {
		t.Errorf("it belongs to %q, want %q", got, first.Account.ID)
	}
	stored := known
	known = ""
	if got := holder("admin@localhost", "another"); got != "" {
		t.Errorf("another password belongs to %q", got)
	}
	known = stored
	if got := holder("admin@localhost", "is not compared"); got != first.Account.ID {
		t.Errorf("with what is stored it belongs to %q, want %q", got, first.Account.ID)
	}
	if _, err := h.ResetPassword(t.Context(), contract.Actor{}, "admin@localhost", "", password); err != nil {
		t.Fatal(err)
	}
	if got := holder("admin@localhost", kept); got != "" {
		t.Errorf("after it was replaced it belongs to %q", got)
	}
}

func TestAUserJoinsTheOrganisationNamedOrTheFirst(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	for _, test := range []struct {
		organisation, want string
		made               bool
	}{{"", "Contoh", false}, {"Contoh", "Contoh", false}, {"Baru", "Baru", true}, {" Baru ", "Baru", false}} {
		email := fmt.Sprintf("u%d@contoh.id", len(h.store.users))
		a, err := h.AddUser(t.Context(), NewUser{Email: email, Password: password, Organisation: test.organisation})
		if err != nil || a.Account.OrganisationName != test.want || a.NewOrganisation != test.made {
			t.Errorf("%q: %+v, %v", test.organisation, a, err)
		}
		if name, _, _ := strings.Cut(email, "@"); a.Account.Name != name {
			t.Errorf("without a name he is called %q", a.Account.Name)
		}
	}
	if _, err := empty(t).AddUser(t.Context(), NewUser{Email: siti, Password: password}); contract.KindOf(err) != contract.NotFound {
		t.Errorf("where there is no organisation: %v", err)
	}
}

func TestAllErrorsOfAUserAreReportedTogether(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	_, err := h.AddUser(t.Context(), NewUser{Name: strings.Repeat("n", 256), Email: "Siti <siti@contoh.id>", Password: "pendek", Organisation: "Baru"})
	var e *contract.Error
	if !errors.As(err, &e) || e.Kind != contract.Invalid {
		t.Fatal(err)
	}
	var fields []string
	for _, f := range e.Fields {
		fields = append(fields, f.Field+" "+f.Code)
	}
	if want := []string{"email email.malformed", "name text.too_long", "password password.too_short"}; !slices.Equal(fields, want) {
		t.Errorf("fields are %v", fields)
	}
	for email, code := range map[string]string{"x@@y Bcc: z": contract.EmailMalformed, "büdi@contoh.id": contract.EmailLocal} {
		_, err := h.AddUser(t.Context(), NewUser{Email: email, Password: password})
		if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != "email" || e.Fields[0].Code != code {
			t.Errorf("%q: %v", email, err)
		}
	}
	_, err = h.AddUser(t.Context(), NewUser{Email: strings.ToLower(siti), Password: password, Organisation: "Contoh"})
	if !errors.Is(err, ErrUserExists) {
		t.Errorf("the same e-mail: %v", err)
	}
	if len(h.store.organisations) != 1 {
		t.Error("a refusal made an organisation")
	}
}

// console is the actor of commands on the command line.
var console = contract.Actor{Person: contract.Person{Name: "segel user reset"}}

func TestAnotherPasswordEndsEveryToken(t *testing.T) {
	t.Parallel()
	const next = "kata sandi yang lain"
	h := inhabited(t)
	s := h.login(t)
	h.alive(t, s.Access)
	if _, err := h.ResetPassword(t.Context(), console, siti, "", "pendek"); contract.KindOf(err) != contract.Invalid {
		t.Errorf("to a short one: %v", err)
	}
	h.alive(t, s.Access)
	a, err := h.ResetPassword(t.Context(), console, strings.ToUpper(siti), "", next)
	if err != nil || a.ID != s.Account.ID || a.MustReset {
		t.Fatal(a, err)
	}
	h.dead(t, s.Access)
	if e := h.store.events; len(e) != 1 || e[0].Type != contract.EventPasswordChange || e[0].Person != console.Person || e[0].Details["email"] != siti {
		t.Errorf("the log is told %+v", e)
	}
	if _, err := h.Login(t.Context(), siti, password, "", at(home)); !errors.Is(err, ErrCredentials) {
		t.Errorf("the old password: %v", err)
	}
	if _, err := h.Login(t.Context(), siti, next, "", at(home)); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := h.ResetPassword(t.Context(), console, "nobody@contoh.id", "", password); contract.KindOf(err) != contract.NotFound {
		t.Errorf("of nobody: %v", err)
	}
}

func TestForgottenPasswordIsLoggedForAnyEmail(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	for _, email := range []string{siti, "nobody@contoh.id"} {
		if err := h.RequestReset(t.Context(), email, at(home)); err != nil {
			t.Fatal(err)
		}
	}
	if len(h.store.events) != 2 || h.store.events[0].Person.Email != siti || h.store.events[1].Details["email"] != "nobody@contoh.id" {
		t.Errorf("events are %+v", h.store.events)
	}
	for range 100 {
		if err := h.RequestReset(t.Context(), siti, at(home)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.store.events); n != 4 { // three about Siti
		t.Errorf("a flood left %d events", n)
	}
	h.login(t)
}

func TestTheDirectoryIsOfTheCallersOrganisation(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	for _, n := range []NewUser{{Name: "Andi", Email: "andi@contoh.id"}, {Name: "Budi", Email: "budi@lain.id", Organisation: "Lain"}} {
		n.Password = password
		if _, err := h.AddUser(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	by := h.alive(t, h.login(t).Access)
	for _, test := range []struct {
		search      string
		page, limit int
		names       string
		total       int
	}{{"", 1, 10, "Andi Siti", 2}, {"", 2, 1, "Siti", 2}, {"", 9, 10, "", 2}, {"andi@", 1, 10, "Andi", 1}, {"Budi", 1, 10, "", 0}} {
		people, total, err := h.Directory(t.Context(), by, test.search, test.page, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range people {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != test.names || total != test.total {
			t.Errorf("%+v: %s of %d", test, got, total)
		}
	}
}

func TestAccountWithAnInternationalisedDomainIsFoundInEitherSpelling(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	a, err := h.AddUser(t.Context(), NewUser{Email: "budi@Bücher.example", Password: password})
	if err != nil || a.Account.Email != "budi@xn--bcher-kva.example" {
		t.Fatalf("%q, %v", a.Account.Email, err)
	}
	for _, email := range []string{"budi@bücher.example", "BUDI@xn--bcher-kva.example"} {
		if s, err := h.Login(t.Context(), email, password, "", at("192.0.2.7")); err != nil || s.Account.ID != a.Account.ID {
			t.Errorf("login as %q: %v", email, err)
		}
	}
}
