package storetest

import (
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var callerTests = map[string]func(*testing.T, *fixture){
	"ACallerIsKnownToTheAccountsItLoggedInTo": func(t *testing.T, b *fixture) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "o-callers", Name: "Callers"}))
		siti, budi := newUser("c1", "Siti", "Siti@segel.test", "o-callers"), newUser("c2", "Budi", "budi@segel.test", "o-callers")
		b.must(b.CreateUser(b.ctx, siti))
		b.must(b.CreateUser(b.ctx, budi))
		home, work := store.Caller{Device: [32]byte{1}, Address: "203.0.113.7"}, store.Caller{Device: [32]byte{2}, Address: "198.51.100.1"}
		b.must(b.RememberCaller(b.ctx, siti.ID, home, b.now, 5))
		none := []store.Known{}
		at := func(device, address bool) []store.Known {
			return []store.Known{{Account: siti.ID, Organisation: siti.Organisation, Device: device, Address: address}}
		}
		for _, c := range []struct {
			email string
			from  store.Caller
			since time.Time
			want  []store.Known
		}{
			{"SITI@segel.test", home, b.now, at(true, true)},
			{"siti@segel.test", home, b.now.Add(time.Second), none},
			{"siti@segel.test", store.Caller{Device: home.Device, Address: work.Address}, b.now, at(true, false)},
			{"siti@segel.test", store.Caller{Address: home.Address}, b.now, at(false, true)},
			{"siti@segel.test", work, b.now, none},
			{"budi@segel.test", home, b.now, none},
			{"none@segel.test", home, b.now, none},
		} {
			requireRead(b, fmt.Sprintf("%s from %v", c.email, c.from.Address), c.want)(b.KnownCaller(b.ctx, c.from, c.since, c.email))
		}

		// The list is bounded; the least recently used entry is removed.
		for i := range byte(3) {
			b.must(b.RememberCaller(b.ctx, siti.ID, store.Caller{Device: [32]byte{10 + i}, Address: fmt.Sprint(i)}, b.now.Add(time.Duration(i+1)*time.Second), 2))
		}
		for i, want := range [][]store.Known{none, at(true, true), at(true, true)} {
			requireRead(b, "one of three", want)(b.KnownCaller(b.ctx, store.Caller{Device: [32]byte{10 + byte(i)}, Address: fmt.Sprint(i)}, b.now, siti.Email))
		}
		b.must(b.PurgeCallers(b.ctx, b.now.Add(3*time.Second)))
		requireRead(b, "after the purge", none)(b.KnownCaller(b.ctx, store.Caller{Device: [32]byte{11}, Address: "1"}, b.now, siti.Email))

		// A new password forgets what the previous one had made known.
		b.must(b.SetPassword(b.ctx, siti.ID, "", "other", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		requireRead(b, "after another password", none)(b.KnownCaller(b.ctx, store.Caller{Device: [32]byte{12}, Address: "2"}, b.now, siti.Email))
	},
	"ACallerIsKnownToEachAccountOfAnAddressByItself": func(t *testing.T, b *fixture) {
		var users []store.User
		for i, o := range []contract.OrganisationID{"o-one", "o-two", "o-three"} {
			b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: o, Name: string(o)}))
			u := newUser(fmt.Sprint("k", 9-i), "Siti", "siti@segel.test", string(o))
			u.CreatedAt = u.CreatedAt.Add(time.Duration(i) * time.Second)
			b.must(b.CreateUser(b.ctx, u))
			users = append(users, u)
		}
		home := store.Caller{Device: [32]byte{1}, Address: "203.0.113.7"}
		known := func(from store.Caller, want ...store.Known) {
			t.Helper()
			requireRead(b, "known to", append([]store.Known{}, want...))(b.KnownCaller(b.ctx, from, b.now, "siti@segel.test", "none@segel.test"))
		}
		known(home)
		b.must(b.RememberCaller(b.ctx, users[2].ID, home, b.now, 5))
		third := store.Known{Account: users[2].ID, Organisation: "o-three", Device: true, Address: true}
		known(home, third)
		b.must(b.RememberCaller(b.ctx, users[0].ID, store.Caller{Device: [32]byte{2}, Address: home.Address}, b.now, 5))
		known(home, store.Known{Account: users[0].ID, Organisation: "o-one", Address: true}, third)
		b.must(b.SetPassword(b.ctx, users[0].ID, "", "other", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		known(home, third)
	},
}
