package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
)

const switchPath, membershipsPath = "/v1/auth/switch", "/v1/auth/organisations"

// memberships returns the names of the organisations that the caller can switch to, with their own.
func (c *client) memberships() (names []string) {
	c.t.Helper()
	for _, m := range c.do("GET", membershipsPath, nil).ok().object("data")["organisations"].([]any) {
		names = append(names, m.(object)["name"].(string))
	}
	return names
}

// issued returns the caller with the tokens of an answer.
func (c *client) issued(a *answer) *client {
	c.t.Helper()
	data := a.ok().object("data")
	return &client{service: c.service, t: c.t, token: data["token"].(string), email: c.email, id: data["account"].(object)["id"].(string)}
}

// adminOf adds an account of an address to an organisation, with a password.
func (s *service) adminOf(t *testing.T, email, organisation, secret string) {
	t.Helper()
	if _, err := s.identity.AddUser(t.Context(), identity.NewUser{Name: "Siti Rahma", Email: email, Password: secret, Organisation: organisation, Role: contract.RoleAdmin}); err != nil {
		t.Fatal(err)
	}
}

func TestAPersonSwitchesBetweenTheAccountsThatTheyLoggedInTo(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true}.start(t)
	operator, first := s.administrator(t, "Operator", ""), s.administrator(t, "Siti", "PT Satu")
	const other, secret = "siti@lain.example.test", "kata sandi siti yang kedua"
	s.adminOf(t, other, "PT Dua", secret)
	dua := func(by *client) *answer {
		return by.do("POST", membershipsPath, object{"email": other, "password": secret})
	}
	first.do("POST", membershipsPath, object{"email": other, "password": "bukan kata sandinya"}).is(http.StatusBadRequest, "auth.wrong_credentials")
	second := first.issued(dua(first))
	if got := second.memberships(); !slices.Equal(got, []string{"PT Dua", "PT Satu"}) {
		t.Errorf("the second account can switch to %q", got)
	}
	satu, dua2 := organisationIDOf(t, s, first), organisationIDOf(t, s, second)
	if satu == dua2 {
		t.Fatal("one organisation")
	}
	first.do("GET", "/v1/auth/me", nil).ok() // stays
	again := second.issued(second.do("POST", switchPath, object{"business_id": satu}))
	if again.id != first.id {
		t.Errorf("switched to %s, want %s", again.id, first.id)
	}
	first.do("GET", "/v1/auth/me", nil).ok() // for requests that were sent before the answer was read
	clock.forward(time.Minute)
	first.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	again.do("POST", switchPath, object{"business_id": satu}).is(http.StatusNotFound, "switch.not_found")

	// What was not logged in to in this client is not found: another organisation, one that does not exist, and the same account elsewhere.
	elsewhere := &client{service: s, t: t, token: (&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": other, "password": secret}).ok().object("data")["token"].(string)}
	if got := elsewhere.memberships(); !slices.Equal(got, []string{"PT Dua"}) {
		t.Errorf("elsewhere, the second account can switch to %q", got)
	}
	for _, of := range []any{satu, organisationIDOf(t, s, operator), "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", ""} {
		elsewhere.do("POST", switchPath, object{"business_id": of}).is(http.StatusNotFound, "switch.not_found")
	}
	operator.do("PUT", fmt.Sprint(organisationsPath, "/", dua2, "/suspended"), object{}).ok()
	again.do("POST", switchPath, object{"business_id": dua2}).is(http.StatusForbidden, "organisation.suspended")
	operator.do("DELETE", fmt.Sprint(organisationsPath, "/", dua2, "/suspended"), nil).ok()

	// Leaving ends the session of the other account, and logging out those of all.
	again.do("DELETE", fmt.Sprint(membershipsPath, "/", dua2), nil).ok()
	second.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	again.do("POST", switchPath, object{"business_id": dua2}).is(http.StatusNotFound, "switch.not_found")
	second = again.issued(dua(again))
	second.do("POST", "/v1/auth/logout", object{}).ok()
	again.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	fsck(t, s, 0)
}

func TestASwitchCanBeRepeatedAndItsTokensAreRefreshed(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		var clock shifted
		s := starting{clock: clock.now, idle: true, set: settingsOf(env)}.start(t)
		first := s.administrator(t, "Siti", "PT Satu")
		const other = "siti@lain.example.test"
		s.adminOf(t, other, "PT Dua", password)
		second := first.issued(first.do("POST", membershipsPath, object{"email": other, "password": password}))
		satu, dua := organisationIDOf(t, s, first), organisationIDOf(t, s, second)
		works := func(all ...*client) {
			t.Helper()
			for _, c := range all {
				if me := c.do("GET", "/v1/auth/me", nil).ok().object("data"); me["id"] != c.id {
					t.Errorf("logged in as %v", me)
				}
			}
		}
		// A double click: both requests are answered, and so is one whose answer was lost.
		answers := make([]*answer, 8)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = second.do("POST", switchPath, object{"business_id": satu}) })
		}
		all.Wait()
		for _, a := range answers {
			works(first.issued(a))
		}
		first = first.issued(second.do("POST", switchPath, object{"business_id": satu}))
		refresh := func(token string) *answer {
			return (&client{service: s, t: t}).do("POST", "/v1/auth/refresh", object{"refresh_token": token})
		}
		// Along a chain of switches, the tokens of the last answer are refreshed, still switch, and those of former answers have ended without ending it.
		last := first.do("POST", switchPath, object{"business_id": dua})
		former := last.ok().object("data")["refresh_token"].(string)
		for range 3 {
			second = second.issued(last)
			first = first.issued(second.do("POST", switchPath, object{"business_id": satu}))
			last = first.do("POST", switchPath, object{"business_id": dua})
		}
		clock.forward(time.Minute)
		refresh(former).is(http.StatusUnauthorized, "auth.refresh_invalid")
		for range 2 {
			data := refresh(last.ok().object("data")["refresh_token"].(string)).ok().object("data")
			second = &client{service: s, t: t, token: data["token"].(string), email: other, id: second.id}
			works(second)
			first = first.issued(second.do("POST", switchPath, object{"business_id": satu}))
			works(first)
			last = first.do("POST", switchPath, object{"business_id": dua})
		}
		if got := first.memberships(); !slices.Equal(got, []string{"PT Dua", "PT Satu"}) {
			t.Errorf("the accounts are %q", got)
		}
		// What ends the session meanwhile ends the switch too.
		first.do("POST", "/v1/auth/logout", object{}).ok()
		second.token = last.ok().object("data")["token"].(string)
		second.do("POST", switchPath, object{"business_id": satu}).is(http.StatusUnauthorized)
		fsck(t, s, 0)
	})
}

func TestTheAdminOfOneOrganisationGainsNothingInAnotherBySwitching(t *testing.T) {
	t.Parallel()
	s := start(t)
	victim, evil := s.administrator(t, "Korban", "PT Satu"), s.administrator(t, "Jahat", "PT Jahat")
	satu := organisationIDOf(t, s, victim)
	login := func(secret string, of contract.OrganisationID) *client {
		t.Helper()
		return victim.issued((&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": victim.email, "password": secret, "business_id": of}))
	}
	// An account for the address of the victim, whose password the admin knows.
	given := evil.do("POST", "/v1/admin/people", object{"email": victim.email, "name": "Korban"}).ok().object("response", "data")["password"].(string)
	jahat := organisationIDOf(t, s, evil)
	puppet := login(given, jahat)
	puppet.do("POST", switchPath, object{"business_id": satu}).is(http.StatusForbidden, "auth.choose_password")
	const known = "kata sandi yang diketahui admin"
	puppet.do("POST", "/v1/auth/password", object{"current": given, "new": known}).ok()
	puppet = login(known, jahat)
	// The victim logs in to it beside their own account. The admin, who knows the password, logs in elsewhere and finds nothing.
	both := victim.issued(victim.do("POST", membershipsPath, object{"email": victim.email, "password": known, "business_id": jahat}))
	for _, by := range []*client{puppet, login(known, jahat)} {
		if got := by.memberships(); !slices.Equal(got, []string{"PT Jahat"}) {
			t.Errorf("the admin learns of %q", got)
		}
		by.do("POST", switchPath, object{"business_id": satu}).is(http.StatusNotFound, "switch.not_found")
	}
	// A new password and a disabled account end what the victim can switch to, and nothing else.
	back := both.issued(both.do("POST", switchPath, object{"business_id": satu}))
	evil.do("POST", "/v1/admin/people/"+both.id+"/password", nil).ok()
	back.do("POST", switchPath, object{"business_id": jahat}).is(http.StatusNotFound, "switch.not_found")
	back.do("GET", "/v1/auth/me", nil).ok()
}

func TestASwitchGrantsWhatWasProvedForTheOtherAccount(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true}.start(t)
	s.administrator(t, "Operator", "")
	first := s.administrator(t, "Siti", "PT Satu")
	const other = "siti@lain.example.test"
	s.adminOf(t, other, "PT Dua", password)
	second := first.issued(first.do("POST", membershipsPath, object{"email": other, "password": password}))
	satu, dua := organisationIDOf(t, s, first), organisationIDOf(t, s, second)

	// The time of the login goes on: a switch proves nothing anew.
	clock.forward(contract.RecentProof)
	first = second.issued(second.do("POST", switchPath, object{"business_id": satu}))
	first.do("POST", "/v1/auth/keys", object{"name": "ERP", "scopes": []string{"documents:read"}}).is(http.StatusForbidden, "auth.reauthenticate")
	second = first.issued(first.do("POST", switchPath, object{"business_id": dua}))
	secret, _ := second.addTOTP()
	// A second factor of the other account that its session did not prove is asked for.
	by, err := s.identity.Authenticate(t.Context(), second.token)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.RaiseSession(t.Context(), by.Session, contract.FactorPassword, time.Now()); err != nil {
		t.Fatal(err)
	}
	first = second.issued(second.do("POST", switchPath, object{"business_id": satu}))
	first.do("POST", switchPath, object{"business_id": dua}).is(http.StatusForbidden, "auth.factor_required")
	first.do("POST", switchPath, object{"business_id": dua, "otp": "000000"}).is(http.StatusBadRequest, "auth.otp_wrong")
	second = first.issued(first.do("POST", switchPath, object{"business_id": dua, "otp": first.otpOf(secret, 0)}))
	// Then it need not be proved again, and the session ends by the policy of its organisation, counted from the login.
	first = second.issued(second.do("POST", switchPath, object{"business_id": satu}))
	second = first.issued(first.do("POST", switchPath, object{"business_id": dua}))
	second.do("PUT", "/v1/admin/account-policy", object{"absolute_hours": 1}).ok()
	first = second.issued(second.do("POST", switchPath, object{"business_id": satu}))
	clock.forward(time.Hour)
	first.do("POST", switchPath, object{"business_id": dua}).is(http.StatusNotFound, "switch.not_found")
}
