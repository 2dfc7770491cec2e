package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func newUser(id, name, email, org string) store.User {
	return store.User{
		Person:       contract.Person{ID: contract.PersonID(id), Name: name, Email: email},
		Organisation: contract.OrganisationID(org), Password: "encoded", CreatedAt: start.Truncate(time.Microsecond),
	}
}

var peopleTests = map[string]func(*testing.T, *fixture){
	"OrganisationsAreFoundByNumberNameAndAge": func(t *testing.T, b *fixture) {
		oldest := store.Organisation{ID: "oldest", Name: "Oldest", CreatedAt: b.now.AddDate(-1, 0, 0).Truncate(time.Microsecond)}
		b.must(b.CreateOrganisation(b.ctx, oldest))
		for what, find := range map[string]func() (store.Organisation, error){
			"by number": func() (store.Organisation, error) { return b.Organisation(b.ctx, "oldest") },
			"by name":   func() (store.Organisation, error) { return b.OrganisationByName(b.ctx, "Oldest") },
			"by age":    func() (store.Organisation, error) { return b.FirstOrganisation(b.ctx) },
		} {
			got, err := find()
			b.must(err)
			b.requireEqual(what, got, oldest)
		}
		_, err1 := b.Organisation(b.ctx, "none")
		_, err2 := b.OrganisationByName(b.ctx, "oldest")
		if !errors.Is(err1, store.ErrNotFound) || !errors.Is(err2, store.ErrNotFound) {
			t.Fatal(err1, err2)
		}
		b.requireError("a second one of the name", b.CreateOrganisation(b.ctx, store.Organisation{ID: "another", Name: "Oldest"}), store.ErrExists)
	},
	"AnOrganisationIsRenamedToANameThatNoneHas": func(t *testing.T, b *fixture) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "renamed", Name: "Before"}))
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "another", Name: "Taken"}))
		before := b.eventCount()
		e := contract.Event{Type: contract.EventOrganisationRenamed, At: b.now}
		b.requireError("an unknown one", b.RenameOrganisation(b.ctx, "none", "After", e), store.ErrNotFound)
		b.requireError("a name that is taken", b.RenameOrganisation(b.ctx, "renamed", "Taken", e), store.ErrExists)
		b.must(b.RenameOrganisation(b.ctx, "renamed", "After", e))
		o, err := b.OrganisationByName(b.ctx, "After")
		b.must(err)
		b.requireEqual("organisation", o.ID, contract.OrganisationID("renamed"))
		b.requireEqual("leaves", b.eventCount(), before+1)
		b.must(b.CheckLog(b.ctx))
	},
	"OfARenameAndACreationWithOneNameOneSucceeds": func(t *testing.T, b *fixture) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "renamed", Name: "Before", CreatedAt: b.storedNow()}))
		for i := range 20 {
			name := fmt.Sprint("Wanted ", i)
			var renamed, made error
			begin := make(chan struct{})
			var both sync.WaitGroup
			both.Go(func() {
				<-begin
				renamed = b.RenameOrganisation(b.ctx, "renamed", name, contract.Event{Type: contract.EventOrganisationRenamed, At: b.now})
			})
			both.Go(func() {
				<-begin
				made = b.CreateOrganisation(b.ctx, store.Organisation{ID: contract.OrganisationID(fmt.Sprint("made", i)), Name: name, CreatedAt: b.storedNow()})
			})
			close(begin)
			both.Wait()
			if first, second := renamed == nil && errors.Is(made, store.ErrExists), made == nil && errors.Is(renamed, store.ErrExists); !first && !second {
				t.Fatalf("round %d: the rename %v, the creation %v", i, renamed, made)
			}
		}
	},
	"TheStateOfAnOrganisationIsReadWithItsPeopleAndGuests": func(t *testing.T, b *fixture) {
		u := newUser("u1", "One", "one@example.test", "suspended")
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "suspended", Name: "Suspended", CreatedAt: b.storedNow()}))
		b.must(b.CreateUser(b.ctx, u))
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u1", "f")))
		b.must(b.AddWebhook(b.ctx, contract.Webhook{ID: "01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61", Organisation: "suspended", URL: "https://hook.example.test/", Secret: []byte("sealed"), CreatedAt: b.storedNow()},
			contract.Event{Type: contract.EventWebhookChanged, At: b.now}))
		before := b.eventCount()
		set := func(to contract.OrganisationState, reason string) error {
			return b.SetOrganisationState(b.ctx, "suspended", to, reason, contract.Event{Type: contract.EventOrganisationSuspended, At: b.storedNow()})
		}
		requireState := func(want contract.OrganisationState, reason string) {
			t.Helper()
			o, err := b.Organisation(b.ctx, "suspended")
			b.must(err)
			b.requireEqual("state and reason", []any{o.State, o.Reason, o.ChangedAt.IsZero()}, []any{want, reason, want == contract.OrganisationActive})
			u.OrganisationState = want
			requireRead(b, "user", u)(b.User(b.ctx, "u1"))
			requireRead(b, "by e-mail", []store.User{u})(b.UsersByEmail(b.ctx, u.Email))
			held, err := b.TokenWithHolder(b.ctx, newToken(1, store.AccessToken, "u1", "f").Hash)
			b.must(err)
			b.requireEqual("holder", held.User, u)
		}
		requireState(contract.OrganisationActive, "")
		b.requireError("an unknown one", b.SetOrganisationState(b.ctx, "none", contract.OrganisationClosed, "", contract.Event{At: b.now}), store.ErrNotFound)
		b.requireError("active while it is", set(contract.OrganisationActive, ""), contract.ErrSameState)
		b.must(set(contract.OrganisationSuspended, "unpaid"))
		requireState(contract.OrganisationSuspended, "unpaid")
		b.requireError("suspended again", set(contract.OrganisationSuspended, "other"), contract.ErrSameState)
		b.must(set(contract.OrganisationActive, ""))
		requireState(contract.OrganisationActive, "")
		hooks, err := b.WebhooksOf(b.ctx, "suspended")
		b.must(err)
		if !hooks[0].DisabledAt.IsZero() {
			t.Error("a suspension disabled a webhook")
		}
		b.must(set(contract.OrganisationClosed, "gone"))
		requireState(contract.OrganisationClosed, "gone")
		b.requireError("resumed after it was closed", set(contract.OrganisationActive, ""), contract.ErrOrganisationEnded)
		hooks, err = b.WebhooksOf(b.ctx, "suspended")
		b.must(err)
		b.requireEqual("webhook is disabled", []any{hooks[0].DisabledAt, hooks[0].DisabledFor}, []any{b.storedNow(), contract.WebhookOff})
		b.requireEqual("leaves", b.eventCount(), before+3)
		b.must(b.CheckLog(b.ctx))
	},
	"AnEmailIsKnownInAnyCaseOfLetters": func(t *testing.T, b *fixture) {
		u := newUser("u1", "Änne", "Änne@Example.test", "org")
		u.Admin, u.MustReset, u.Given = true, true, true
		b.must(b.CreateUser(b.ctx, u))
		for _, mail := range []string{"Änne@Example.test", "äNNE@EXAMPLE.TEST", "A\u0308nne@example.test"} {
			requireRead(b, mail, []store.User{u})(b.UsersByEmail(b.ctx, mail))
			b.requireError(fmt.Sprintf("%s a second time", mail), b.CreateUser(b.ctx, newUser("u2", "Other", mail, "org")), store.ErrExists)
		}
		requireRead(b, "user", u)(b.User(b.ctx, "u1"))
		_, err := b.User(b.ctx, "u2")
		b.requireError("read what does not exist", err, store.ErrNotFound)
		requireRead(b, "accounts of an unknown address", []store.User{})(b.UsersByEmail(b.ctx, "nobody@example.test"))
	},
	"AnEmailHasOneAccountInEachOrganisation": func(t *testing.T, b *fixture) {
		var want []store.User
		for i, o := range []string{"org", "org-second", "org-third"} {
			if i > 0 {
				b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: contract.OrganisationID(o), Name: o}))
			}
			u := newUser(fmt.Sprint("same", 9-i), fmt.Sprint("Siti of ", o), "Siti@Example.test", o)
			u.CreatedAt = u.CreatedAt.Add(time.Duration(i) * time.Second)
			want = append(want, u)
		}
		for _, i := range []int{1, 2, 0} { // in another order than that of their ages
			b.must(b.CreateUser(b.ctx, want[i]))
			again := want[i]
			again.ID += "-again"
			again.Email = "sITI@example.test"
			b.requireError(fmt.Sprintf("a second account in %s", again.Organisation), b.CreateUser(b.ctx, again), store.ErrExists)
		}
		requireRead(b, "accounts, oldest first", want)(b.UsersByEmail(b.ctx, "siti@EXAMPLE.test"))
		other := newUser("other", "Other", "other@example.test", "org")
		b.must(b.CreateUser(b.ctx, other))
		got, err := b.UsersByEmail(b.ctx, "OTHER@example.test", "siti@example.test", "nobody@example.test")
		b.must(err)
		b.requireEqual("accounts of several spellings", len(got), 4)
		for _, u := range want {
			requireRead(b, "member", u)(b.MemberByEmail(b.ctx, u.Organisation, "siti@example.test"))
		}
		// Each has a password of its own.
		b.must(b.SetPassword(b.ctx, want[1].ID, "", "other", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		want[1].Password = "other"
		requireRead(b, "accounts after one changed the password", want)(b.UsersByEmail(b.ctx, "siti@example.test"))
	},
	"AMemberIsFoundByEmailInTheirOwnOrganisationAlone": func(t *testing.T, b *fixture) {
		u := newUser("u1", "Änne", "Änne@Example.test", "org")
		b.must(b.CreateUser(b.ctx, u))
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "elsewhere", Name: "Elsewhere"}))
		b.must(b.CreateUser(b.ctx, newUser("u2", "Budi", "budi@example.test", "elsewhere")))
		requireRead(b, "member", u)(b.MemberByEmail(b.ctx, "org", "A\u0308NNE@example.test"))
		requireRead(b, "members in the order in which they were asked for", []store.User{{}, u, u, {}, {}, u, {}})(b.FindMembers(b.ctx, "org",
			store.MemberQuery{ID: "u2"}, store.MemberQuery{Email: "A\u0308NNE@example.test"}, store.MemberQuery{ID: "u1", Email: "budi@example.test"},
			store.MemberQuery{Email: "budi@example.test"}, store.MemberQuery{}, store.MemberQuery{Email: u.Email}, store.MemberQuery{ID: "unknown", Email: u.Email}))
		requireRead(b, "members by their identifiers alone", []store.User{u})(b.FindMembers(b.ctx, "org", store.MemberQuery{ID: "u1"}))
		requireRead(b, "no members", []store.User{})(b.FindMembers(b.ctx, "org"))
		for _, mail := range []string{"budi@example.test", "nobody@example.test", ""} {
			if got, err := b.MemberByEmail(b.ctx, "org", mail); !errors.Is(err, store.ErrNotFound) || got.ID != "" {
				t.Errorf("%q in another organisation: %q, %v", mail, got.ID, err)
			}
		}
	},
	"AnAccountIsToldOfIfItIsMadeAndOnlyThen": func(t *testing.T, b *fixture) {
		before := b.eventCount()
		e := contract.Event{Type: contract.EventPersonAdded, At: b.now}
		b.must(b.CreateUser(b.ctx, newUser("u1", "One", "one@example.test", "org"), e))
		b.requireError("a second account", b.CreateUser(b.ctx, newUser("u2", "Two", "one@example.test", "org"), e), store.ErrExists)
		b.requireEqual("leaves", b.eventCount(), before+1)
		b.must(b.CheckLog(b.ctx))
	},
	"APasswordIsReplacedWithItsTokensAndToldOf": func(t *testing.T, b *fixture) {
		first := newUser("u1", "One", "one@example.test", "org")
		first.MustReset, first.Given = true, true
		b.must(b.CreateUser(b.ctx, first))
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.SessionToken, "u1", "g"), newToken(3, store.AccessToken, "u2", "h")))
		before := b.eventCount()
		e := contract.Event{Type: contract.EventPasswordChange, At: b.now}
		b.requireError("replaced another password", b.SetPassword(b.ctx, "u1", "another", "new", e), store.ErrConflict)
		b.requireError("of an unknown person", b.SetPassword(b.ctx, "u2", "", "new", e), store.ErrNotFound)
		b.requireGone(t, 3)
		b.requireEqual("leaves", b.eventCount(), before)
		for i, was := range []string{first.Password, ""} {
			want := first
			want.Password, want.MustReset, want.Given = fmt.Sprint("new ", i), false, false
			b.must(b.SetPassword(b.ctx, "u1", was, want.Password, e))
			requireRead(b, "user", want)(b.User(b.ctx, "u1"))
			b.requireGone(t, 3, 1, 2)
			b.requireEqual("leaves", b.eventCount(), before+1+int64(i))
		}
	},
	"UsersAreFoundByOrganisationAndName": func(t *testing.T, b *fixture) {
		for _, u := range []store.User{
			newUser("u1", "citra", "c@example.test", "org"), newUser("u2", "Budi", "b@example.test", "org"), newUser("u3", "ÄRI", "zebra@example.test", "org"),
			newUser("u4", "Budi", "other@example.test", "other"), newUser("u5", "budi_100%", "d@example.test", "org"),
		} {
			b.must(b.CreateUser(b.ctx, u))
		}
		for _, c := range []struct {
			search        string
			offset, limit int
			want          []contract.PersonID
			total         int
		}{
			{"", 0, 10, []contract.PersonID{"u2", "u5", "u1", "u3"}, 4}, {"", 1, 2, []contract.PersonID{"u5", "u1"}, 4}, {"", 9, 10, nil, 4},
			{"BUDI", 0, 10, []contract.PersonID{"u2", "u5"}, 2}, {"zebra@", 0, 10, []contract.PersonID{"u3"}, 1}, {"är", 0, 10, []contract.PersonID{"u3"}, 1},
			{"i_1", 0, 10, []contract.PersonID{"u5"}, 1}, {"0%", 0, 10, []contract.PersonID{"u5"}, 1}, {"nobody", 0, 10, nil, 0},
		} {
			page, err := b.Users(b.ctx, store.UserQuery{Organisation: "org", Search: c.search, Offset: c.offset, Limit: c.limit})
			b.must(err)
			got := []contract.PersonID{}
			for _, u := range page.Users {
				got = append(got, u.ID)
			}
			b.requireEqual(c.search, got, c.want)
			if page.Total != c.total {
				t.Errorf("%q: %d in all, want %d", c.search, page.Total, c.total)
			}
		}
	},
	"APasswordThatAnAdministratorGaveMustBeChanged": func(t *testing.T, b *fixture) {
		u := newUser("u1", "One", "one@example.test", "org")
		b.must(b.CreateUser(b.ctx, u))
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.AccessToken, "u2", "h")))
		before := b.eventCount()
		e := contract.Event{Type: contract.EventPasswordReset, At: b.now}
		b.requireError("of an unknown person", b.GivePassword(b.ctx, "u2", "new", e), store.ErrNotFound)
		b.must(b.GivePassword(b.ctx, "u1", "new", e))
		u.Password, u.MustReset, u.Given = "new", true, true
		requireRead(b, "user", u)(b.User(b.ctx, "u1"))
		b.requireGone(t, 2, 1)
		b.requireEqual("leaves", b.eventCount(), before+1)
		b.must(b.CheckLog(b.ctx))
	},
	"ARenamedUserIsFoundByTheNewName": func(t *testing.T, b *fixture) {
		u := newUser("u1", "One", "one@example.test", "org")
		b.must(b.CreateUser(b.ctx, u))
		before := b.eventCount()
		e := contract.Event{Type: contract.EventPersonRenamed, At: b.now}
		b.requireError("an unknown person", b.RenameUser(b.ctx, "u2", "Zwei", e), store.ErrNotFound)
		b.must(b.RenameUser(b.ctx, "u1", "Änne", e))
		u.Name = "Änne"
		requireRead(b, "by the new name", store.UserPage{Users: []store.User{u}, Total: 1})(b.Users(b.ctx, store.UserQuery{Search: "ÄNN", Limit: 10}))
		requireRead(b, "by the former name", store.UserPage{Users: []store.User{}})(b.Users(b.ctx, store.UserQuery{Search: "one", Organisation: "org", Status: store.AccountDisabled, Limit: 10}))
		b.requireEqual("leaves", b.eventCount(), before+1)
		b.must(b.CheckLog(b.ctx))
	},
	"ADisabledAccountLosesItsTokensAndIsEnabledAgain": func(t *testing.T, b *fixture) {
		u, other := newUser("u1", "One", "one@example.test", "org"), newUser("u2", "Two", "two@example.test", "org")
		other.MustReset = true
		b.must(b.CreateUser(b.ctx, u))
		b.must(b.CreateUser(b.ctx, other))
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.RefreshToken, "u1", "f"), newToken(3, store.AccessToken, "u2", "h")))
		c := store.Caller{Device: [32]byte{7}, Address: "203.0.113.0/24"}
		b.must(b.RememberCaller(b.ctx, "u1", c, b.now, 9, nil))
		before := b.eventCount()
		at := b.storedNow()
		e := contract.Event{Type: contract.EventPersonDisabled, At: at}
		b.requireError("an unknown person", b.DisableUser(b.ctx, "u3", e), store.ErrNotFound)
		b.requireError("enabled while it is", b.EnableUser(b.ctx, "u1", e), store.ErrConflict)
		b.must(b.DisableUser(b.ctx, "u1", e))
		b.requireError("disabled again", b.DisableUser(b.ctx, "u1", e), store.ErrConflict)
		b.requireEqual("leaves", b.eventCount(), before+1)
		b.requireGone(t, 3, 1, 2)
		requireRead(b, "where they logged in from", []store.Known{})(b.KnownCaller(b.ctx, c, b.now.Add(-time.Hour), u.Email))
		u.DisabledAt = at
		requireRead(b, "user", u)(b.User(b.ctx, "u1"))
		requireRead(b, "by e-mail", []store.User{u})(b.UsersByEmail(b.ctx, u.Email))
		requireRead(b, "member", u)(b.MemberByEmail(b.ctx, "org", u.Email))
		// A token that was added all the same, as by a program of an earlier release, has a holder who is disabled.
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(4, store.AccessToken, "u1", "k")))
		held, err := b.TokenWithHolder(b.ctx, newToken(4, store.AccessToken, "u1", "k").Hash)
		b.must(err)
		b.requireEqual("holder", held.User, u)
		for status, want := range map[store.AccountStatus][]store.User{"": {u, other}, store.AccountActive: {other}, store.AccountInitial: {other}, store.AccountDisabled: {u}} {
			requireRead(b, string(status), store.UserPage{Users: want, Total: len(want)})(b.Users(b.ctx, store.UserQuery{Organisation: "org", Status: status, Limit: 10}))
		}
		b.must(b.EnableUser(b.ctx, "u1", contract.Event{Type: contract.EventPersonEnabled, At: b.now}))
		u.DisabledAt = time.Time{}
		requireRead(b, "user", u)(b.User(b.ctx, "u1"))
		b.requireEqual("leaves", b.eventCount(), before+2)
		b.must(b.CheckLog(b.ctx))
	},
	"OneAdminOfAnOrganisationStaysEnabled": func(t *testing.T, b *fixture) {
		ids := []contract.PersonID{"a1", "a2", "a3", "a4"}
		for _, id := range append(ids, "m") {
			u := newUser(string(id), "Name", string(id)+"@example.test", "org")
			u.Admin = id != "m"
			b.must(b.CreateUser(b.ctx, u))
		}
		elsewhere := newUser("e", "Elsewhere", "e@example.test", "other")
		elsewhere.Admin = true
		b.must(b.CreateUser(b.ctx, elsewhere))
		e := contract.Event{Type: contract.EventPersonDisabled, At: b.now}
		errs := make([]error, len(ids))
		b.runCrowd(len(ids), nil, func(i int) error {
			errs[i] = b.DisableUser(b.ctx, ids[i], e)
			return nil
		})
		refused := 0
		for _, err := range errs {
			if errors.Is(err, contract.ErrLastAdmin) {
				refused++
				continue
			}
			b.must(err)
		}
		b.requireEqual("admins who stayed", refused, 1)
		p, err := b.Users(b.ctx, store.UserQuery{Organisation: "org", Status: store.AccountActive, Limit: 10})
		b.must(err)
		b.requireEqual("enabled accounts", p.Total, 2) // with the member
		b.must(b.DisableUser(b.ctx, "m", e))
		b.must(b.CheckLog(b.ctx))
	},
	"ARoleIsSetAndReadWithTheUser": func(t *testing.T, b *fixture) {
		u, auditor := newUser("u1", "One", "one@example.test", "org"), newUser("u2", "Two", "two@example.test", "org")
		auditor.Limited = contract.RoleAuditor
		b.must(b.CreateUser(b.ctx, u))
		b.must(b.CreateUser(b.ctx, auditor))
		requireRead(b, "auditor", auditor)(b.User(b.ctx, "u2"))
		before := b.eventCount()
		e := contract.Event{Type: contract.EventRoleChanged, At: b.now}
		b.requireError("of an unknown person", b.SetRole(b.ctx, "u3", contract.RoleMember, e), store.ErrNotFound)
		b.requireError("the one that they have", b.SetRole(b.ctx, "u1", contract.RoleSender, e), store.ErrConflict)
		b.requireError("the one that they have", b.SetRole(b.ctx, "u2", contract.RoleAuditor, e), store.ErrConflict)
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u1", "f")))
		b.must(b.SetRole(b.ctx, "u2", contract.RoleAdmin, e)) // so that the other one is not the last
		steps := []contract.AccountRole{contract.RoleMember, contract.RoleAdmin, contract.RoleAuditor, contract.RoleMember, contract.RoleSender}
		for _, role := range steps {
			b.must(b.SetRole(b.ctx, "u1", role, e))
			u.Admin, u.Limited = role == contract.RoleAdmin, ""
			if role == contract.RoleMember || role == contract.RoleAuditor {
				u.Limited = role
			}
			requireRead(b, string(role), u)(b.User(b.ctx, "u1"))
			requireRead(b, string(role), []store.User{u})(b.UsersByEmail(b.ctx, u.Email))
			held, err := b.TokenWithHolder(b.ctx, newToken(1, store.AccessToken, "u1", "f").Hash)
			b.must(err)
			b.requireEqual("holder", held.User, u)
		}
		b.requireEqual("leaves", b.eventCount(), before+1+int64(len(steps)))
		b.requireError("the last admin", b.SetRole(b.ctx, "u2", contract.RoleSender, e), contract.ErrLastAdmin)
		b.must(b.CheckLog(b.ctx))
	},
	"OneAdminOfAnOrganisationKeepsTheRole": func(t *testing.T, b *fixture) {
		ids := []contract.PersonID{"a1", "a2", "a3", "a4"}
		for _, id := range ids {
			u := newUser(string(id), "Name", string(id)+"@example.test", "org")
			u.Admin = true
			b.must(b.CreateUser(b.ctx, u))
		}
		errs := make([]error, len(ids))
		b.runCrowd(len(ids), nil, func(i int) error {
			if i%2 == 0 { // disabled and given another role at the same moment
				errs[i] = b.DisableUser(b.ctx, ids[i], contract.Event{Type: contract.EventPersonDisabled, At: b.now})
			} else {
				errs[i] = b.SetRole(b.ctx, ids[i], contract.RoleMember, contract.Event{Type: contract.EventRoleChanged, At: b.now})
			}
			return nil
		})
		refused := 0
		for _, err := range errs {
			if errors.Is(err, contract.ErrLastAdmin) {
				refused++
				continue
			}
			b.must(err)
		}
		b.requireEqual("admins who stayed", refused, 1)
		b.must(b.CheckLog(b.ctx))
	},
	"DocumentsThatLackASignatureAreCounted": func(t *testing.T, b *fixture) {
		b.finalizeDraft(b.uploadDraft(owner), owner)
		b.uploadDraft(owner)
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		want := map[contract.PersonID]int{}
		for _, p := range d.Participants {
			if p.Role == contract.Signer && !p.Guest {
				want[p.ID] = 2
			}
		}
		if len(want) == 0 {
			t.Fatal("the document has no signer with an account")
		}
		ids := []contract.PersonID{"outsider"}
		for _, p := range d.Participants {
			ids = append(ids, p.ID)
		}
		requireRead(b, "documents", want)(b.OpenSignatures(b.ctx, ids...))
		requireRead(b, "owned documents", map[contract.PersonID]int{owner.ID: 3})(b.OwnedDocuments(b.ctx, owner.ID, first.ID))
		requireRead(b, "documents of none", map[contract.PersonID]int{})(b.OpenSignatures(b.ctx))
	},
	"ASpecimenOfEachKindIsSetReplacedAndRemoved": func(t *testing.T, b *fixture) {
		b.must(b.SetSpecimen(b.ctx, "u1", store.InitialsSpecimen, []byte{9}))
		for _, image := range [][]byte{{1, 2, 3}, {0, 255}} {
			b.must(b.SetSpecimen(b.ctx, "u1", store.SignatureSpecimen, image))
			requireRead(b, "specimen", image)(b.Specimen(b.ctx, "u1", store.SignatureSpecimen))
		}
		b.must(b.SetSpecimen(b.ctx, "u1", store.SignatureSpecimen, nil))
		b.must(b.SetSpecimen(b.ctx, "u1", store.SignatureSpecimen, nil))
		_, err := b.Specimen(b.ctx, "u1", store.SignatureSpecimen)
		b.requireError("read what does not exist", err, store.ErrNotFound)
		requireRead(b, "initials", []byte{9})(b.Specimen(b.ctx, "u1", store.InitialsSpecimen))
	},
	"ABrandingIsSetReplacedAndRemoved": func(t *testing.T, b *fixture) {
		org, err := b.Organisation(b.ctx, "org")
		b.must(err)
		e := contract.Event{Type: contract.EventBrandingChanged, At: b.now}
		before := b.eventCount()
		for i, set := range []store.StoredBranding{
			{Branding: contract.Branding{Colour: "#0b6e5f", Logo: "aa"}, Image: []byte{1, 2, 3}}, {Branding: contract.Branding{Logo: "bb"}, Image: []byte{4}}, {Branding: contract.Branding{Colour: "#ffffff"}},
		} {
			set.Organisation, set.ChangedAt = "org", b.now
			var logged contract.Branding
			requireRead(b, "stored", set.Branding)(b.SetBranding(b.ctx, set, func(stored contract.Branding) contract.Event { logged = stored; return e }))
			b.requireEqual("logged", logged, set.Branding)
			want := org
			want.Branding = set.Branding
			requireRead(b, "organisation", want)(b.Organisation(b.ctx, "org"))
			for _, logo := range []string{"aa", "bb"} {
				image, err := b.Logo(b.ctx, logo)
				if logo == set.Logo {
					b.must(err)
					b.requireEqual("logo", image, set.Image)
				} else {
					b.requireError("a logo that was replaced", err, store.ErrNotFound)
				}
			}
			b.requireEqual("leaves", b.eventCount(), before+1+int64(i))
		}
		_, err = b.Logo(b.ctx, "")
		b.requireError("no logo", err, store.ErrNotFound)
		b.must(b.DeleteBranding(b.ctx, "org", e))
		b.must(b.DeleteBranding(b.ctx, "org", e))
		b.requireEqual("leaves", b.eventCount(), before+4)
		requireRead(b, "organisation", org)(b.Organisation(b.ctx, "org"))
		b.must(b.CheckLog(b.ctx))
	},
	"AChangeOfTheColourAloneKeepsTheLogoThatAnotherWriterStoresMeanwhile": func(t *testing.T, b *fixture) {
		event := func(contract.Branding) contract.Event {
			return contract.Event{Type: contract.EventBrandingChanged, At: b.now}
		}
		colour := store.StoredBranding{Branding: contract.Branding{Colour: "#ffffff"}, Organisation: "org", ChangedAt: b.now, KeepLogo: true}
		requireRead(b, "no logo yet", colour.Branding)(b.SetBranding(b.ctx, colour, event))
		for i := range byte(10) {
			logo := store.StoredBranding{
				Branding: contract.Branding{Colour: "#000000", Logo: fmt.Sprintf("%02x", i)}, Image: []byte{i}, Organisation: "org", ChangedAt: b.now,
			}
			var writers sync.WaitGroup
			for _, set := range []store.StoredBranding{logo, colour} {
				writers.Go(func() {
					if _, err := b.SetBranding(b.ctx, set, event); err != nil {
						t.Error(err)
					}
				})
			}
			writers.Wait()
			o, err := b.Organisation(b.ctx, "org")
			b.must(err)
			b.requireEqual("logo", o.Branding.Logo, logo.Logo)
			requireRead(b, "image", logo.Image)(b.Logo(b.ctx, logo.Logo))
		}
		b.must(b.CheckLog(b.ctx))
	},
	"GuestsAreReadFromTheDocumentsOfTheirOwnerAlone": func(t *testing.T, b *fixture) {
		enter := func(by contract.Actor, names ...string) {
			d := b.uploadDraft(by)
			people := []contract.Participant{participantAs(contract.Signer, 1, first)}
			for i, name := range names {
				people = append(people, contract.Participant{
					Person: contract.Person{ID: contract.PersonID(fmt.Sprint(d.ID, name)), Name: name, Email: name + "@example.test"}, Phone: "08" + name, Role: contract.Signer, Number: i + 2, Guest: true,
				})
			}
			b.requireStored(b.commitChange(contract.SetParticipants(&d, people, nil, nil, by, limits, b.now)))
		}
		enter(owner, "budi", "citra")
		enter(second, "dewi")
		enter(owner, "eka")
		contact := func(name string) contract.GuestContact {
			return contract.GuestContact{Name: name, Email: name + "@example.test", Phone: "08" + name}
		}
		requireRead(b, "the owner's", []contract.GuestContact{contact("eka"), contact("budi"), contact("citra")})(b.EnteredGuests(b.ctx, owner.ID))
		requireRead(b, "another member's", []contract.GuestContact{contact("dewi")})(b.EnteredGuests(b.ctx, second.ID))
		requireRead(b, "a participant's", []contract.GuestContact{})(b.EnteredGuests(b.ctx, first.ID))
	},
}

// textTests cover text that databases treat differently: NUL, which PostgreSQL does not store, and invalid UTF-8.
var textTests = map[string]func(*testing.T, *fixture){
	"WhatCannotBeStoredIsNotFound": func(t *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("u1", "One", "one@example.test", "org")))
		for _, bad := range []string{"u1\x00", "\xffu1", "\x00"} {
			_, err1 := b.User(b.ctx, contract.PersonID(bad))
			users, err2 := b.UsersByEmail(b.ctx, "one@example.test"+bad)
			_, err3 := b.OrganisationByName(b.ctx, bad)
			if !errors.Is(err1, store.ErrNotFound) || err2 != nil || len(users) > 0 || !errors.Is(err3, store.ErrNotFound) {
				t.Errorf("%q: %v, %v, %v, %v", bad, err1, users, err2, err3)
			}
		}
	},
	"WhatCannotBeStoredIsReplacedByOneSign": func(t *testing.T, b *fixture) {
		d := b.signAs(b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 1), owner), first), second)
		d = b.requireStored(b.commitChange(contract.RecordStampFailure(&d, 0, contract.Failure{Text: "the office\x00says \xff no"}, b.now)))
		if got := d.Stamps[0].Problem; got != "the office\uFFFDsays \uFFFD no" {
			t.Fatalf("%q", got)
		}
		b.must(b.CheckLog(b.ctx))
	},
}

var personalTests = map[string]func(*testing.T, *fixture){
	"EverythingAboutAPersonIsReadWithoutSecrets": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		u := store.User{Person: first.Person, Organisation: "org", Password: "the-password", Admin: true, CreatedAt: now}
		b.must(b.CreateUser(b.ctx, u))
		b.must(b.CreateUser(b.ctx, store.User{Person: second.Person, Organisation: "org", Password: "p", CreatedAt: now}))
		for _, id := range []contract.PersonID{first.ID, second.ID} {
			b.must(b.SetSpecimen(b.ctx, id, store.SignatureSpecimen, []byte("picture of "+id)))
			b.must(b.AddTokens(b.ctx, newSession("family-"+string(id), string(id)), newToken(id[0], store.AccessToken, string(id), "family-"+string(id))))
			l := contract.NewLogin("org", id, contract.LoginFailed, "", now)
			l.IP = "ip of " + string(id)
			b.must(b.RecordLogins(b.ctx, l))
		}
		b.must(b.AddAuthenticator(b.ctx, first.ID, store.Authenticator{Secret: []byte("sealed"), CreatedAt: now}, 1, [][32]byte{{1}}, contract.Event{Type: contract.EventFactorAdded, At: now, Person: first.Person}))
		b.must(b.AddPasskey(b.ctx, store.Passkey{ID: "key", Person: first.ID, Name: "Laptop", PublicKey: []byte("public"), AAGUID: make([]byte, 16), CreatedAt: now}, store.UsedChallenge{Ticket: [32]byte{1}, At: now}, 20, nil,
			contract.Event{Type: contract.EventFactorAdded, At: now, Person: first.Person}))
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		draft := b.uploadDraft(first)
		events := make([]contract.Event, 501) // more than are read at a time
		for i := range events {
			events[i] = contract.Event{Type: contract.EventViewed, At: now, Person: first.Person}
		}
		b.must(b.LogEvents(b.ctx, events...))
		for _, own := range []bool{true, false} {
			count, last := map[string]int{}, ""
			b.must(b.EachPersonalRecord(b.ctx, first.ID, own, func(kind string, r store.PersonalRecord) bool {
				if kind != last && count[kind] > 0 {
					t.Errorf("the rows of %s do not follow each other", kind)
				}
				count[kind]++
				last = kind
				text := fmt.Sprint(r)
				for _, secret := range []string{"the-password", "sealed", "public", string(second.ID), second.Email, "family-"} {
					if kind != "events" && strings.Contains(text, secret) {
						t.Errorf("%s has %q: %s", kind, secret, text)
					}
				}
				switch kind {
				case "account":
					b.requireEqual("account", r["admin"] == true && r["created_at"] == now.UTC().Format(time.RFC3339Nano) && r["email"] == first.Email, true)
				case "documents":
					b.requireEqual("document", r["id"], int64(d.ID))
				case "drafts":
					b.requireEqual("draft", r["id"], int64(draft.ID))
				}
				return true
			}))
			b.requireEqual("events", count["events"] > 501, true)
			for kind, want := range map[string]int{"account": 1, "passkeys": 1, "authenticator": 1, "sessions": 1, "logins": 2, "documents": 1} {
				if kind == "logins" {
					want = count[kind] // the login of the session and the failed one, unless they are counted together
				}
				b.requireEqual(kind, count[kind], want)
			}
			for _, kind := range []string{"drafts", "signature"} {
				b.requireEqual(kind, count[kind] == 1, own)
			}
		}
		// The viewer's turn has not come.
		b.must(b.CreateUser(b.ctx, store.User{Person: viewer.Person, Organisation: "org", Password: "p", CreatedAt: now}))
		shown := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
		titles := map[int64]any{}
		b.must(b.EachPersonalRecord(b.ctx, viewer.ID, true, func(kind string, r store.PersonalRecord) bool {
			if kind == "documents" {
				titles[r["id"].(int64)] = r["title"]
			}
			return true
		}))
		b.requireEqual("titles", titles, map[int64]any{int64(d.ID): "", int64(shown.ID): shown.Title})
		stopped := 0
		b.must(b.EachPersonalRecord(b.ctx, first.ID, true, func(string, store.PersonalRecord) bool { stopped++; return false }))
		b.requireEqual("rows after the caller stopped", stopped, 1)
	},
}
