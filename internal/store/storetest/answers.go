package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/store"
)

const keep, stale = 24 * time.Hour, 15 * time.Minute

func request(at time.Time) store.Answer {
	return store.Answer{Account: "u1", Path: "/sign", Key: "k", Body: [32]byte{1}, At: at.Truncate(time.Microsecond)}
}

// claim claims, and returns what was there.
func (b *bench) claim(t *testing.T, a store.Answer) *store.Answer {
	t.Helper()
	there, err := b.Claim(b.ctx, a, keep, stale)
	b.must(err)
	return there
}

var answers = map[string]func(*testing.T, *bench){
	"OfFiftyWhoClaimAKeyOneGetsIt": func(t *testing.T, b *bench) {
		var won atomic.Int32
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				there, err := b.Claim(b.ctx, request(b.now), keep, stale)
				switch {
				case err != nil:
					t.Error(err)
				case there == nil:
					won.Add(1)
				case there.Done:
					t.Error("an answer that nobody gave")
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d claimed it", won.Load())
		}
	},
	"TheFirstAnswerIsKept": func(t *testing.T, b *bench) {
		a := request(b.now)
		if b.claim(t, a) != nil {
			t.Fatal("claimed before")
		}
		a.Done, a.Body, a.Status, a.Header, a.Content = true, [32]byte{2}, 201, map[string]string{"Content-Type": "application/json"}, []byte("{}\n")
		b.must(b.Finish(b.ctx, a))
		again := a
		again.Content = []byte("another")
		if err := b.Finish(b.ctx, again); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("finished again: %v", err)
		}
		b.must(b.Drop(b.ctx, a.Account, a.Path, a.Key))
		b.same("answer", b.claim(t, request(b.now.Add(time.Hour))), &a)
		for _, other := range []func(*store.Answer){
			func(a *store.Answer) { a.Account = "u2" }, func(a *store.Answer) { a.Path = "/other" }, func(a *store.Answer) { a.Key = "l" },
		} {
			a := request(b.now)
			other(&a)
			if b.claim(t, a) != nil {
				t.Errorf("%s %s %s is another key", a.Account, a.Path, a.Key)
			}
		}
	},
	"WhatIsTooOldCountsAsNone": func(t *testing.T, b *bench) {
		b.claim(t, request(b.now))
		if b.claim(t, request(b.now.Add(stale))) == nil {
			t.Fatal("a claim that may still run was taken over")
		}
		if b.claim(t, request(b.now.Add(stale+time.Second))) != nil {
			t.Fatal("a stale claim stands in the way")
		}
		done := request(b.now.Add(stale + time.Second))
		done.Status = 200
		b.must(b.Finish(b.ctx, done))
		if b.claim(t, request(done.At.Add(keep))) == nil {
			t.Fatal("an answer went away before its time")
		}
		if b.claim(t, request(done.At.Add(keep+time.Second))) != nil {
			t.Fatal("an answer is kept beyond its time")
		}
	},
	"ADroppedClaimIsFree": func(t *testing.T, b *bench) {
		a := request(b.now)
		b.claim(t, a)
		b.must(b.Drop(b.ctx, a.Account, a.Path, a.Key))
		if b.claim(t, a) != nil {
			t.Fatal("still claimed")
		}
	},
	"OldAnswersArePurged": func(t *testing.T, b *bench) {
		a := request(b.now)
		b.claim(t, a)
		b.must(b.PurgeAnswers(b.ctx, a.At))
		if b.claim(t, a) == nil {
			t.Fatal("purged before its time")
		}
		b.must(b.PurgeAnswers(b.ctx, a.At.Add(time.Second)))
		if err := b.Finish(b.ctx, a); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("finished what was purged: %v", err)
		}
	},
}
