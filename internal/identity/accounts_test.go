package identity

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"segel/internal/contract"
	"segel/internal/store"
)

const (
	elsewhere = "PT Lain" // another organisation than Siti's
	lastWords = "kata sandi ketiga sekali"
)

// add creates an account with an e-mail and a password in an organisation, later than all accounts before.
func (h *fixture) add(t *testing.T, email, password, organisation string) Account {
	t.Helper()
	h.advance(time.Millisecond)
	a, err := h.AddUser(t.Context(), NewUser{Name: "Orang", Email: email, Password: password, Organisation: organisation})
	if err != nil {
		t.Fatal(err)
	}
	return a.Account
}

// hashes returns how many Argon2id hashes the service computes while fn runs.
func (h *fixture) hashes(fn func()) int64 {
	var n atomic.Int64
	h.hasher.derive = func(password, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte {
		n.Add(1)
		return argon2.IDKey(password, salt, passes, memory, threads, length)
	}
	fn()
	h.hasher.derive = argon2.IDKey
	return n.Load()
}

func TestThePasswordDecidesWhichAccountOfAnAddressIsMeant(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	a := h.add(t, "SITI@contoh.id", newer, elsewhere)
	for password, organisation := range map[string]string{password: "Contoh", newer: elsewhere} {
		for _, from := range []Client{at(home), at("198.51.100.9"), at(home)} {
			s, err := h.Login(t.Context(), siti, password, "", from)
			if err != nil || s.Account.OrganisationName != organisation {
				t.Fatalf("%s from %s: %+v, %v", organisation, from.IP, s.Account, err)
			}
			if by := h.alive(t, s.Access); by.Organisation != s.Account.Organisation || by.ID != s.Account.ID {
				t.Errorf("%s: actor is %+v", organisation, by)
			}
			people, total, err := h.Directory(t.Context(), h.alive(t, s.Access), "", 1, 10)
			if err != nil || total != 1 || people[0].ID != s.Account.ID {
				t.Errorf("%s: the directory has %+v, %v", organisation, people, err)
			}
		}
	}
	if _, err := h.Login(t.Context(), siti, "salah", "", at(home)); !errors.Is(err, ErrCredentials) {
		t.Errorf("a wrong password: %v", err)
	}
	// Each person changes their own password, and the other person's stays.
	s, err := h.Login(t.Context(), siti, newer, "", at(home))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.ChangePassword(t.Context(), h.alive(t, s.Access), password, lastWords); contract.KindOf(err) != contract.Invalid {
		t.Errorf("changed with the password of another account: %v", err)
	}
	if err := h.ChangePassword(t.Context(), h.alive(t, s.Access), newer, lastWords); err != nil {
		t.Error(err)
	}
	if s, err := h.Login(t.Context(), siti, lastWords, "", at(home)); err != nil || s.Account.ID != a.ID {
		t.Errorf("%+v, %v", s.Account, err)
	}
	h.login(t)
}

func TestOfSeveralAccountsWithOnePasswordTheKnowingAndThenTheOldestIsMeant(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	second, third := h.add(t, siti, password, "Dua"), h.add(t, siti, password, "Tiga")
	in := func(of contract.OrganisationID, from Client) (Session, string) {
		t.Helper()
		s, err := h.Service.Login(t.Context(), Credentials{Email: siti, Password: password, Organisation: of}, from)
		if err != nil {
			t.Fatal(err)
		}
		return s, s.Account.OrganisationName
	}
	if _, got := in("", at(home)); got != "Contoh" {
		t.Errorf("from an unknown place: %s", got)
	}
	office := at("198.51.100.9")
	if _, got := in(third.Organisation, office); got != "Tiga" {
		t.Errorf("where it is named: %s", got)
	}
	if _, got := in("", office); got != "Tiga" {
		t.Errorf("from an address that one knows: %s", got)
	}
	s, _ := in(second.Organisation, office)
	if _, got := in("", Client{IP: office.IP, Device: s.Device}); got != "Dua" {
		t.Errorf("from a device that one knows, and an address that two know: %s", got)
	}
	if _, got := in("", office); got != "Dua" {
		t.Errorf("from an address that two know: %s", got)
	}
	if _, got := in(third.Organisation, Client{IP: office.IP, Device: s.Device}); got != "Tiga" {
		t.Errorf("where another one is named: %s", got)
	}
	web, err := h.LoginSession(t.Context(), Credentials{Email: siti, Password: password, Organisation: third.Organisation}, at(home))
	if err != nil || web.Account.ID != third.ID {
		t.Errorf("by cookie: %+v, %v", web.Account, err)
	}
	for _, organisation := range []contract.OrganisationID{"nowhere", third.Organisation} {
		_, err := h.Service.Login(t.Context(), Credentials{Email: siti, Password: "salah", Organisation: organisation}, at(home))
		if !errors.Is(err, ErrCredentials) {
			t.Errorf("a wrong password at %s: %v", organisation, err)
		}
	}
}

// TestALoginIsOneHash proves that the time of a login does not show the number of accounts.
func TestALoginIsOneHash(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	once := func(what string) {
		t.Helper()
		device := ""
		for _, c := range []struct {
			email, password string
			from            Client
			of              contract.OrganisationID
		}{
			{siti, "salah", at("192.0.2.1"), ""}, {"nobody@contoh.id", "salah", at("192.0.2.1"), ""}, {siti, string(make([]byte, 2000)), at("192.0.2.1"), ""},
			{siti, "salah", at("192.0.2.2"), "nowhere"}, {siti, password, at(home), ""}, {siti, newer, at(home), ""}, {siti, "salah", at(home), ""},
			{siti, password, Client{IP: home, Device: "device"}, ""}, {siti, "salah", Client{IP: home, Device: "device"}, ""}, {siti, newer, Client{IP: "192.0.2.3", Device: "device"}, ""},
		} {
			if c.from.Device != "" {
				c.from.Device = device
			}
			h.advance(time.Minute)
			n := h.hashes(func() {
				s, err := h.Service.Login(t.Context(), Credentials{Email: c.email, Password: c.password, Organisation: c.of}, c.from)
				if err != nil && !errors.Is(err, ErrCredentials) {
					t.Error(err)
				}
				if s.Device != "" {
					device = s.Device
				}
			})
			if n != 1 {
				t.Errorf("%s: login of %s as %.10q at %q: %d hashes", what, c.email, c.password, c.of, n)
			}
		}
	}
	once("one account")
	h.add(t, siti, newer, elsewhere)
	once("two accounts")
	h.add(t, siti, lastWords, "Tiga")
	once("three accounts")

	// A new password gets a new salt only if no other account of the address shares the old one.
	if _, err := h.ResetPassword(t.Context(), console, siti, "Tiga", "kata sandi yang keempat"); err != nil {
		t.Fatal(err)
	}
	s, err := h.Login(t.Context(), siti, newer, "", at(home))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.ChangePassword(t.Context(), h.alive(t, s.Access), newer, lastWords); err != nil {
		t.Fatal(err)
	}
	once("after other passwords")
	h.add(t, "budi@contoh.id", password, "Contoh")
	salts := map[string]int{}
	for _, u := range h.store.users {
		_, salt, _, err := parseHash(u.Password)
		if err != nil {
			t.Fatal(err)
		}
		salts[string(salt)]++
	}
	if len(salts) != 2 {
		t.Errorf("two addresses have %d salts", len(salts))
	}

	// Two accounts that were stored at the same moment have two salts until one gets another password.
	apart, err := h.hasher.hashPassword(t.Context(), callerOrigin{}, "kata sandi kelima", h.random, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.store.users[1].Password = apart
	wrong := func() { _, _ = h.Login(t.Context(), siti, "salah", "", at("192.0.2.9")) }
	if n := h.hashes(wrong); n != 2 {
		t.Errorf("%d hashes with two salts", n)
	}
	if _, err := h.ResetPassword(t.Context(), console, siti, elsewhere, newer); err != nil {
		t.Fatal(err)
	}
	if n := h.hashes(wrong); n != 1 {
		t.Errorf("%d hashes after another password", n)
	}
	h.login(t)
}

func TestASaltOfAnotherCostIsNotShared(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	h.hasher.cost.Memory *= 2
	h.add(t, siti, newer, elsewhere)
	for password, organisation := range map[string]string{password: "Contoh", newer: elsewhere} {
		if s, err := h.Login(t.Context(), siti, password, "", at(home)); err != nil || s.Account.OrganisationName != organisation {
			t.Errorf("%+v, %v", s.Account, err)
		}
	}
}

func TestADamagedHashKeepsNoOtherAccountOfTheAddressFromLoggingIn(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	h.add(t, siti, newer, elsewhere)
	h.store.users[0].Password = "damaged"
	if s, err := h.Login(t.Context(), siti, newer, "", at(home)); err != nil || s.Account.OrganisationName != elsewhere {
		t.Errorf("%+v, %v", s.Account, err)
	}
	if _, err := h.Login(t.Context(), siti, password, "", at("192.0.2.7")); !errors.Is(err, errHash) {
		t.Errorf("nobody is told of it: %v", err)
	}
}

// attacker returns the device and address of the owner of an account in another organisation with Siti's e-mail, after a login
// to that account.
func attacker(t *testing.T, h *fixture) Client {
	t.Helper()
	h.add(t, siti, newer, elsewhere)
	s, err := h.Login(t.Context(), siti, newer, "", at("198.51.100.66"))
	if err != nil {
		t.Fatal(err)
	}
	return Client{IP: "198.51.100.66", Device: s.Device}
}

// TestACallerThatOneAccountKnowsTriesTheOthersLikeAnUnknownOne attacks an e-mail that has another account besides the
// attacker's, and an e-mail that has no other.
func TestACallerThatOneAccountKnowsTriesTheOthersLikeAnUnknownOne(t *testing.T) {
	t.Parallel()
	held, refused := map[bool][]time.Duration{}, map[bool][]string{}
	for _, other := range []bool{true, false} {
		w := &waits{}
		h := empty(t, func(o *Options) { o.Wait, o.Rates.Account = w.wait, Rate{5, time.Hour} })
		if other {
			h.add(t, siti, password, "Contoh")
		} else {
			h.add(t, "andi@contoh.id", password, "Contoh")
		}
		known := attacker(t, h)
		for i := range 15 {
			from := known
			if i%2 == 1 {
				from.Device = "" // the address is known
			}
			_, err := h.Login(t.Context(), siti, "salah", "", from)
			refused[other] = append(refused[other], fmt.Sprint(err))
			if _, err := h.Login(t.Context(), siti, newer, "", from); err != nil {
				t.Errorf("the attacker's own login: %v", err)
			}
		}
		held[other] = w.take()
		h.attack(t, siti)
		w.take()
		// Even a login with the right password of the other account has to wait.
		_, err := h.Login(t.Context(), siti, password, "", Client{IP: "198.51.100.67", Device: known.Device})
		if got := w.take(); (err == nil) != other || len(got) != 1 || got[0] != 10*time.Second {
			t.Errorf("the other account %v: %v, held up for %v", other, err, got)
		}
	}
	if !slices.Equal(held[true], held[false]) || len(held[true]) < 5 {
		t.Errorf("held up for %v where there is another account, %v where there is none", held[true], held[false])
	}
	// One address has ten tries on one e-mail, even if it logs in to its own account in between.
	if !slices.Equal(refused[true], refused[false]) || refused[true][9] != ErrCredentials.Error() || refused[true][10] == ErrCredentials.Error() {
		t.Errorf("refused with %q where there is another account, %q where there is none", refused[true], refused[false])
	}
}

// TestALoginToOneAccountForgivesNoTriesOnAnother uses a network that both accounts know, as of a shared workplace.
func TestALoginToOneAccountForgivesNoTriesOnAnother(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	from := attacker(t, h)
	from.Device = ""
	if _, err := h.Login(t.Context(), siti, password, "", from); err != nil { // Siti logs in from there, too
		t.Fatal(err)
	}
	right := 0
	for range 40 {
		if _, err := h.Login(t.Context(), siti, "salah", "", from); err == nil {
			t.Fatal("a wrong password is right")
		}
		if _, err := h.Login(t.Context(), siti, newer, "", from); err != nil {
			t.Fatal(err)
		}
	}
	// Both Siti's own count for the network and the count of unknown callers there are exhausted.
	for range 3 {
		if _, err := h.Login(t.Context(), siti, password, "", from); err == nil {
			right++
		} else if contract.KindOf(err) != contract.TooMany {
			t.Error(err)
		}
	}
	if right > 0 {
		t.Error("the password may be guessed as often as the attacker logs in")
	}
	h.advance(10 * time.Second)
	if _, err := h.Login(t.Context(), siti, password, "", from); err != nil {
		t.Errorf("ten seconds later: %v", err)
	}
}

func TestKnownCallerWhoMistypesLogsInWithTheRightPassword(t *testing.T) {
	t.Parallel()
	w := &waits{}
	h := inhabited(t, func(o *Options) { o.Wait = w.wait })
	device := Client{IP: home, Device: h.login(t).Device}
	h.attack(t, siti)
	w.take()
	if _, err := h.Login(t.Context(), siti, "salah", "", device); !errors.Is(err, ErrCredentials) || len(w.take()) != 1 {
		t.Errorf("a wrong password: %v", err)
	}
	if _, err := h.Login(t.Context(), siti, password, "", device); err != nil || len(w.take()) != 0 {
		t.Errorf("the right one: %v", err)
	}
}

func TestAnotherSpellingOfADomainIsNoOtherCount(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	h.add(t, "budi@bücher.example", password, "Contoh")
	for i := range 10 {
		email := []string{"budi@bücher.example", "budi@BÜCHER.example", "budi@xn--bcher-kva.example", "budi@ｂücher.example"}[i%4]
		if _, err := h.Login(t.Context(), email, "salah", "", at(home)); !errors.Is(err, ErrCredentials) {
			t.Fatal(err)
		}
	}
	if _, err := h.Login(t.Context(), "budi@ｂüｃher.example", password, "", at(home)); contract.KindOf(err) != contract.TooMany {
		t.Errorf("the eleventh try: %v", err)
	}
}

// asked is a store that records the calls to it, with those of their arguments that are not random.
type asked struct {
	Store
	all []string
}

func (a *asked) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	a.all = append(a.all, "Organisation")
	return a.Store.Organisation(ctx, id)
}

func (a *asked) UsersByEmail(ctx context.Context, emails ...string) ([]store.User, error) {
	a.all = append(a.all, fmt.Sprintf("UsersByEmail of %d", len(emails)))
	return a.Store.UsersByEmail(ctx, emails...)
}

func (a *asked) MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error) {
	a.all = append(a.all, "MemberByEmail")
	return a.Store.MemberByEmail(ctx, o, email)
}

func (a *asked) CreateUser(ctx context.Context, u store.User, events ...contract.Event) error {
	a.all = append(a.all, fmt.Sprintf("CreateUser with %d events", len(events)))
	return a.Store.CreateUser(ctx, u, events...)
}

func TestAPersonIsAddedAsIfNoOtherOrganisationHadTheAddress(t *testing.T) {
	t.Parallel()
	h, _, admin := staffed(t)
	h.add(t, "ganda@contoh.id", password, "Contoh")
	h.add(t, "ganda@contoh.id", password, "Tiga")
	a := &asked{Store: h.store}
	h.store.events = nil
	h.Service.store = a
	const unknown = "baru1@contoh.id"
	results := map[string]Account{}
	for _, email := range []string{unknown, siti, "ganda@contoh.id", "op@contoh.id"} {
		a.all = nil
		var added NewMember
		n := h.hashes(func() {
			var err error
			if added, err = h.AddPerson(t.Context(), admin, NewPerson{Name: "Orang Baru", Email: email}); err != nil {
				t.Errorf("%s: %v", email, err)
			}
		})
		if want := []string{"Organisation", "UsersByEmail of 1", "CreateUser with 1 events"}; n != 1 || !slices.Equal(a.all, want) {
			t.Errorf("%s: %d hashes, the store is asked %q, want %q", email, n, a.all, want)
		}
		got := added.Account
		if got.Email != email || got.ID == "" || added.Password == "" {
			t.Errorf("%+v", added)
		}
		got.ID, got.Email = "", ""
		results[email] = got
		if s, err := h.Login(t.Context(), email, added.Password, "", at(home)); err != nil || s.Account.OrganisationName != "Lain" || !s.Account.MustReset {
			t.Errorf("%s logs in as %+v, %v", email, s.Account, err)
		}
	}
	for email, got := range results {
		if !reflect.DeepEqual(got, results[unknown]) {
			t.Errorf("%s is answered %+v, an unknown address %+v", email, got, results[unknown])
		}
	}
	if len(h.store.events) != 4 {
		t.Errorf("%d events", len(h.store.events))
	}
	_, err := h.AddPerson(t.Context(), admin, NewPerson{Name: "Orang Baru", Email: siti})
	if !errors.Is(err, ErrUserExists) {
		t.Errorf("again in the organisation: %v", err)
	}
}

func TestAResetNamesTheOrganisationWhereAnAddressHasSeveralAccounts(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	h.add(t, siti, newer, elsewhere)
	var e *contract.Error
	_, err := h.ResetPassword(t.Context(), console, siti, "", lastWords)
	if !errors.As(err, &e) || e.Code != "user.several" || e.Args["organisations"] != `"Contoh", "PT Lain"` {
		t.Errorf("without an organisation: %v", err)
	}
	if _, err := h.ResetPassword(t.Context(), console, siti, "PT Tidak Ada", lastWords); contract.KindOf(err) != contract.NotFound {
		t.Errorf("in one where there is no account: %v", err)
	}
	if a, err := h.ResetPassword(t.Context(), console, siti, elsewhere, lastWords); err != nil || a.OrganisationName != elsewhere {
		t.Errorf("%+v, %v", a, err)
	}
	h.login(t)
	if s, err := h.Login(t.Context(), siti, lastWords, "", at(home)); err != nil || s.Account.OrganisationName != elsewhere {
		t.Errorf("%+v, %v", s.Account, err)
	}
}

func TestForgottenPasswordOfSeveralAccountsIsLoggedOnceWithoutAnAccount(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	h.add(t, siti, newer, elsewhere)
	if err := h.RequestReset(t.Context(), siti, at(home)); err != nil {
		t.Fatal(err)
	}
	if e := h.store.events; len(e) != 1 || e[0].Person != (contract.Person{}) || e[0].Details["email"] != siti {
		t.Errorf("the log says %+v", e)
	}
}
