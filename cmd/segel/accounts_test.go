package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// onBothServices runs a test with a service on SQLite and one on PostgreSQL: start makes as many as it is called.
func onBothServices(t *testing.T, test func(t *testing.T, start func() *service)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, func() *service { return start(t) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, func() *service { return start(t, "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)) })
	})
}

var drawnPassword = regexp.MustCompile(`([a-z2-9]{5}-){3}[a-z2-9]{5}`)

// leafNumber matches the number of an event in the log of the installation, which counts what all organisations do.
var leafNumber = regexp.MustCompile(`"number":\d+`)

// TestAddingAPersonAnswersAlikeForUnknownAddressesAndUsersElsewhere compares every answer that an admin gets about an address.
func TestAddingAPersonAnswersAlikeForUnknownAddressesAndUsersElsewhere(t *testing.T) {
	const email = "budi.santoso@example.test"
	onBothServices(t, func(t *testing.T, start func() *service) {
		answers := func(elsewhere ...identity.NewUser) []string {
			t.Helper()
			s := start()
			admin := s.administrator(t, "Admin", "PT Satu")
			s.person(t, "Ratna", "PT Dua")
			s.person(t, "Sari", "PT Tiga")
			for _, n := range elsewhere {
				n.Name, n.Password = "Budi Santoso", password
				if _, err := s.identity.AddUser(context.Background(), n); err != nil {
					t.Fatal(err)
				}
			}
			var all []string
			note := func(a *answer) *answer {
				header := a.header.Clone()
				header.Del("Date")
				header.Del("X-Request-Id")
				all = append(all, fmt.Sprintf("%s %d %v\n%s", volatile.ReplaceAllString(a.what, "#"), a.status, header, leafNumber.ReplaceAll(volatile.ReplaceAll(drawnPassword.ReplaceAll(a.body, []byte("#")), []byte("#")), []byte("#"))))
				return a
			}
			add := func(email string) *answer {
				return note(admin.do("POST", "/v1/admin/people", object{"name": "Budi", "email": email}))
			}
			invite := func(email string) *answer {
				return note(admin.do("POST", "/v1/admin/invitations", object{"email": email}))
			}
			invite(email).ok()
			note(admin.do("GET", "/v1/admin/invitations", nil)).ok()
			drawn := add(email).ok().object("response", "data")["password"].(string)
			note(admin.do("GET", "/v1/admin/people", nil)).ok()
			add(email).is(http.StatusConflict)
			add(strings.ToUpper(email)).is(http.StatusConflict)
			invite(email).is(http.StatusConflict, "invitation.has_account")
			note(admin.do("GET", "/v1/admin/audit-log", nil))
			note(admin.do("GET", "/v1/auth/list_user?search=budi", nil)).ok()
			note(admin.do("POST", "/v1/auth/login", object{"email": email, "password": "salah"})).is(http.StatusBadRequest)
			note(admin.do("POST", "/v1/auth/login", object{"email": email, "password": drawn})).ok()
			note(admin.do("POST", "/v1/auth/login", object{"email": email, "password": "salah"})).is(http.StatusBadRequest)
			note(admin.do("POST", "/v1/auth/forgot-password", object{"email": email})).ok()
			return all
		}
		unknown := answers()
		for who, elsewhere := range map[string][]identity.NewUser{
			"a user elsewhere":              {{Email: email, Organisation: "PT Dua"}},
			"an admin elsewhere":            {{Email: email, Organisation: "PT Dua", Role: contract.RoleAdmin}},
			"a user elsewhere in capitals":  {{Email: strings.ToUpper(email), Organisation: "PT Dua"}},
			"users in two organisations":    {{Email: email, Organisation: "PT Dua"}, {Email: email, Organisation: "PT Tiga"}},
			"a user elsewhere, to be reset": {{Email: email, Organisation: "PT Tiga", MustReset: true}},
			"a user of the operator's own":  {{Email: email}},
		} {
			if strings.HasSuffix(t.Name(), "PostgreSQL") && !isSampled(who, 3) {
				continue
			}
			got := answers(elsewhere...)
			for i := range max(len(got), len(unknown)) {
				if i >= len(got) || i >= len(unknown) || got[i] != unknown[i] {
					t.Errorf("%s:\n%v\nand for an unknown address:\n%v", who, got[i:], unknown[i:])
					break
				}
			}
		}
	})
}

// TestTwoPeopleWithOneAddressLogInToTheirOwnOrganisations goes through the interface, with both endpoints of the login.
func TestTwoPeopleWithOneAddressLogInToTheirOwnOrganisations(t *testing.T) {
	onBothServices(t, func(t *testing.T, start func() *service) {
		s := start()
		const email, other = "siti@example.test", "kata sandi yang lain"
		var ids []contract.OrganisationID
		for organisation, password := range map[string]string{"PT Satu": password, "PT Dua": other} {
			added, err := s.identity.AddUser(context.Background(), identity.NewUser{Name: "Siti " + organisation, Email: email, Password: password, Organisation: organisation})
			if err != nil {
				t.Fatal(err)
			}
			s.endow(t, added.Account.Organisation)
			ids = append(ids, added.Account.Organisation)
		}
		c := &client{service: s, t: t, email: email}
		login := func(body object) object {
			return c.do("POST", "/v1/auth/login", body).ok().object("data")
		}
		seen := map[string]bool{}
		for organisation, password := range map[string]string{"PT Satu": password, "PT Dua": other} {
			in := login(object{"email": email, "password": password})
			c.token = in["token"].(string)
			me := c.do("GET", "/v1/auth/me", nil).ok().object("data")
			if me["fullname"] != "Siti "+organisation || me["business_id"] != in["account"].(object)["business_id"] {
				t.Errorf("%s: %v", organisation, me)
			}
			seen[me["business_id"].(string)] = true
			list := c.do("GET", "/v1/auth/list_user", nil).ok().object("data")["user"].([]any)
			if len(list) != 1 || list[0].(object)["id"] != me["id"] {
				t.Errorf("%s: the directory has %v", organisation, list)
			}
			id := c.uploadWith(object{}, simple())
			if n := c.get("detail", id).ok().status; n != http.StatusOK {
				t.Errorf("%s: own document: %d", organisation, n)
			}
			c.token = ""
		}
		if len(seen) != 2 {
			t.Errorf("organisations are %v", seen)
		}
		// The same password in both: the organisation picks, in any case of letters, and refuses what is not there.
		if _, err := s.identity.ResetPassword(context.Background(), contract.Actor{}, email, "PT Dua", password); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			for _, path := range []string{"/v1/auth/login", "/v1/auth/session"} {
				body := object{"email": email, "password": password, "business_id": strings.ToUpper(string(id))}
				if got := c.do("POST", path, body).ok().object("data")["account"].(object)["business_id"]; got != string(id) {
					t.Errorf("%s to %s: %v", path, id, got)
				}
			}
		}
		wrong := c.do("POST", "/v1/auth/login", object{"email": email, "password": "salah"})
		nowhere := c.do("POST", "/v1/auth/login", object{"email": email, "password": password, "business_id": "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"})
		if wrong.is(http.StatusBadRequest); plainRefusal(wrong) != plainRefusal(nowhere) {
			t.Errorf("an organisation without an account is answered %s, a wrong password %s", nowhere.body, wrong.body)
		}
		c.do("POST", "/v1/auth/login", object{"email": email, "password": password, "business_id": 7}).is(http.StatusUnprocessableEntity)
		if !slices.Contains([]string{string(ids[0]), string(ids[1])}, login(object{"email": email, "password": password})["account"].(object)["business_id"].(string)) {
			t.Error("without an organisation, neither is logged in to")
		}
	})
}

// BenchmarkAddPerson measures how long an admin waits for the answer to adding a person, for an unknown address and for one of
// a user elsewhere, in turns so that both meet the same machine. It reports the medians: they have to be alike.
func BenchmarkAddPerson(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) { benchmarkAddPerson(b, start(b)) })
	b.Run("PostgreSQL", func(b *testing.B) {
		benchmarkAddPerson(b, start(b, "SEGEL_DATABASE", pgtest.Database(b, sqlstore.Migrate)))
	})
}

func benchmarkAddPerson(b *testing.B, s *service) {
	admin, other := s.administrator(b, "Admin", "PT Satu"), s.administrator(b, "Ratna", "PT Dua")
	add := func(by *client, email string) {
		by.do("POST", "/v1/admin/people", object{"name": "Budi", "email": email}).ok()
	}
	took := map[string][]float64{}
	for i := 0; b.Loop(); i++ {
		add(other, fmt.Sprintf("budi%d@example.test", i))
		for who, email := range map[string]string{"unknown": "andi%d@example.test", "elsewhere": "budi%d@example.test"} {
			began := time.Now()
			add(admin, fmt.Sprintf(email, i))
			took[who] = append(took[who], float64(time.Since(began).Microseconds()))
		}
	}
	for who, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], "us-"+who)
	}
}
