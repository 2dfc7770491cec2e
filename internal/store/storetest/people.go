package storetest

import (
	"errors"
	"fmt"
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
		b.must(b.AddTokens(b.ctx, newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.SessionToken, "u1", "g"), newToken(3, store.AccessToken, "u2", "h")))
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
			users, total, err := b.Users(b.ctx, "org", c.search, c.offset, c.limit)
			b.must(err)
			got := []contract.PersonID{}
			for _, u := range users {
				got = append(got, u.ID)
			}
			b.requireEqual(c.search, got, c.want)
			if total != c.total {
				t.Errorf("%q: %d in all, want %d", c.search, total, c.total)
			}
		}
	},
	"ASpecimenIsSetReplacedAndRemoved": func(t *testing.T, b *fixture) {
		for _, image := range [][]byte{{1, 2, 3}, {0, 255}} {
			b.must(b.SetSpecimen(b.ctx, "u1", image))
			requireRead(b, "specimen", image)(b.Specimen(b.ctx, "u1"))
		}
		b.must(b.SetSpecimen(b.ctx, "u1", nil))
		b.must(b.SetSpecimen(b.ctx, "u1", nil))
		_, err := b.Specimen(b.ctx, "u1")
		b.requireError("read what does not exist", err, store.ErrNotFound)
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
