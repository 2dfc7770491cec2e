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
		for _, c := range []struct {
			email string
			from  store.Caller
			since time.Time
			want  store.Known
		}{
			{"SITI@segel.test", home, b.now, store.Known{Device: true, Address: true}},
			{"siti@segel.test", home, b.now.Add(time.Second), store.Known{}},
			{"siti@segel.test", store.Caller{Device: home.Device, Address: work.Address}, b.now, store.Known{Device: true}},
			{"siti@segel.test", store.Caller{Address: home.Address}, b.now, store.Known{Address: true}},
			{"siti@segel.test", work, b.now, store.Known{}},
			{"budi@segel.test", home, b.now, store.Known{}},
			{"nobody@segel.test", home, b.now, store.Known{}},
		} {
			got, err := b.KnownCaller(b.ctx, c.email, c.from, c.since)
			b.must(err)
			b.requireEqual(fmt.Sprintf("%s from %v", c.email, c.from.Address), got, c.want)
		}

		// The list is bounded; the least recently used entry is removed.
		for i := range byte(3) {
			b.must(b.RememberCaller(b.ctx, siti.ID, store.Caller{Device: [32]byte{10 + i}, Address: fmt.Sprint(i)}, b.now.Add(time.Duration(i+1)*time.Second), 2))
		}
		for i, want := range []bool{false, true, true} {
			got, err := b.KnownCaller(b.ctx, siti.Email, store.Caller{Device: [32]byte{10 + byte(i)}, Address: fmt.Sprint(i)}, b.now)
			b.must(err)
			b.requireEqual("one of three", got, store.Known{Device: want, Address: want})
		}
		b.must(b.PurgeCallers(b.ctx, b.now.Add(3*time.Second)))
		got, err := b.KnownCaller(b.ctx, siti.Email, store.Caller{Device: [32]byte{11}, Address: "1"}, b.now)
		b.must(err)
		b.requireEqual("after the purge", got, store.Known{})

		// A new password forgets what the previous one had made known.
		b.must(b.SetPassword(b.ctx, siti.ID, "", "other", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		got, err = b.KnownCaller(b.ctx, siti.Email, store.Caller{Device: [32]byte{12}, Address: "2"}, b.now)
		b.must(err)
		b.requireEqual("after another password", got, store.Known{})
	},
}
