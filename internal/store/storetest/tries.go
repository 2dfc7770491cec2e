package storetest

import (
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// errSpent says that a try was not counted.
var errSpent = errors.New("spent")

var tryTests = map[string]func(*testing.T, *fixture){
	"TriesAtTheSameMomentAreCountedOnceEach": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		try := store.Try{TryKey: store.TryKey{Kind: "a", Key: [32]byte{1}}, Every: time.Minute, Limit: 5 * time.Minute, Keys: 100}
		count := func(try store.Try, now time.Time) (time.Time, bool) {
			spent, ok, err := b.CountTry(b.ctx, try, now)
			b.must(err)
			return spent, ok
		}
		b.requireEqual("counted", b.runCrowd(12, errSpent, func(int) error {
			_, ok, err := b.CountTry(b.ctx, try, now)
			if err == nil && !ok {
				err = errSpent
			}
			return err
		}), 5)
		// The store and Try.Next agree, whatever the state.
		want := now.Add(5 * time.Minute)
		for _, after := range []time.Duration{0, 30 * time.Second, time.Minute, 61 * time.Second, 90 * time.Second, time.Hour, time.Hour} {
			at := now.Add(after)
			next, ok := try.Next(want, at)
			if spent, counted := count(try, at); counted != ok || counted && !spent.Equal(next) || !counted && !spent.Equal(want) {
				t.Errorf("after %s: spent until %s, %v, want %s, %v", after, spent, counted, next, ok)
			}
			if ok {
				want = next
			}
		}
		other := try
		other.Kind = "b"
		if _, ok := count(other, now); !ok {
			t.Error("another kind has the same count")
		}
	},
	"CountsThatAreSpentNoLongerArePurgedAndALoginForgivesItsOwn": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		b.must(b.CreateUser(b.ctx, store.User{Person: contract.Person{ID: "u1", Name: "U", Email: "u1@example.test"}, Organisation: "org", Password: "p", CreatedAt: now}))
		try := func(n byte, every time.Duration) store.Try {
			return store.Try{TryKey: store.TryKey{Kind: "a", Key: [32]byte{n}}, Every: every, Limit: every, Keys: 100}
		}
		// isSpent reports whether a count allows no further try, and counts one if it does.
		isSpent := func(n byte, every time.Duration) bool {
			_, ok, err := b.CountTry(b.ctx, try(n, every), now)
			b.must(err)
			return !ok
		}
		isSpent(1, time.Minute)
		isSpent(2, time.Hour)
		b.must(b.PurgeTries(b.ctx, now.Add(time.Minute)))
		b.requireEqual("the one that was purged", isSpent(1, time.Minute), false)
		b.requireEqual("the other one", isSpent(2, time.Hour), true)
		b.must(b.RememberCaller(b.ctx, "u1", store.Caller{Device: [32]byte{1}, Address: "192.0.2.1"}, now, 9, nil, try(2, 0).TryKey))
		b.requireEqual("the one that was forgiven", isSpent(2, time.Hour), false)
		b.requireEqual("the other one then", isSpent(1, time.Minute), true)
	},
	"AFloodOfKeysForgetsThoseThatWereSpentForTheShortestTime": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		for i := range 600 {
			every := time.Minute
			if i == 0 {
				every = time.Hour // as a count that is nearly used up
			}
			_, _, err := b.CountTry(b.ctx, store.Try{TryKey: store.TryKey{Kind: "a", Key: [32]byte{byte(i), byte(i >> 8), 1}}, Every: every, Limit: every, Keys: 20}, now.Add(time.Duration(i)*time.Microsecond))
			b.must(err)
		}
		kept := 0
		for i := range 600 {
			try := store.Try{TryKey: store.TryKey{Kind: "a", Key: [32]byte{byte(i), byte(i >> 8), 1}}, Every: time.Second, Limit: time.Second, Keys: 10_000}
			if _, ok, err := b.CountTry(b.ctx, try, now); err != nil {
				t.Fatal(err)
			} else if !ok {
				kept++
			} else if i == 0 {
				t.Error("the count that was nearly used up was forgotten")
			}
		}
		if kept > 300 {
			t.Errorf("%d counts were kept", kept)
		}
	},
}
