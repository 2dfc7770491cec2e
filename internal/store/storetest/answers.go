package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

const keep = 24 * time.Hour

// claimOf is a claim on one key; token tells it from others on the same.
func claimOf(token string, at time.Time) store.Claim {
	return store.Claim{Account: "u1", Path: "/sign", Key: "hash", Clear: "k", Token: token, Process: "P", At: at.Truncate(time.Microsecond)}
}

// claim claims, and returns what was there.
func (b *bench) claim(c store.Claim) store.Claimed {
	b.t.Helper()
	met, err := b.Claim(b.ctx, c, keep)
	b.must(err)
	return met
}

// unclaimed demands that the key is neither claimed nor answered, and claims it.
func (b *bench) unclaimed(c store.Claim) {
	b.t.Helper()
	if met := b.claim(c); met.Answer != nil || met.Holder != "" {
		b.t.Fatalf("the key is held by %q, with the answer %+v", met.Holder, met.Answer)
	}
}

// held demands that the key is claimed by a process.
func (b *bench) held(c store.Claim, by string) {
	b.t.Helper()
	if met := b.claim(c); met.Answer != nil || met.Holder != by {
		b.t.Fatalf("the key is held by %q, with the answer %+v", met.Holder, met.Answer)
	}
}

func answerOf(content string, at time.Time) store.Answer {
	return store.Answer{Body: [32]byte{2}, Status: 201, Header: map[string]string{"Content-Type": "application/json"}, Content: []byte(content), Sealed: true, At: at.Truncate(time.Microsecond)}
}

// answered demands an answer with that content.
func (b *bench) answered(c store.Claim, content string) {
	b.t.Helper()
	met := b.claim(c)
	if met.Answer == nil || string(met.Answer.Content) != content || met.Holder != "" {
		b.t.Fatalf("the key is held by %q, with the answer %+v, want %q", met.Holder, met.Answer, content)
	}
}

// pending returns the context of a request with that claim, whose answer is what render says of its result.
func (b *bench) pending(c store.Claim, render func(result any) (store.Answer, error)) (context.Context, *store.PendingAnswer) {
	p := &store.PendingAnswer{Claim: c, Render: render}
	return store.WithPendingAnswer(b.ctx, p), p
}

func ofDocument(d contract.Document) any { return d }

var answers = map[string]func(*testing.T, *bench){
	"OfFiftyWhoClaimAKeyOneGetsIt": func(t *testing.T, b *bench) {
		var won atomic.Int32
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				met, err := b.Claim(b.ctx, claimOf(fmt.Sprint(i), b.now), keep)
				switch {
				case err != nil:
					t.Error(err)
				case met.Answer != nil:
					t.Error("an answer that nobody gave")
				case met.Holder == "":
					won.Add(1)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d claimed it", won.Load())
		}
	},
	"TheFirstAnswerIsKept": func(t *testing.T, b *bench) {
		c, a := claimOf("1", b.now), answerOf("{}\n", b.now)
		b.unclaimed(c)
		b.must(b.Finish(b.ctx, c, a))
		if err := b.Finish(b.ctx, c, answerOf("another", b.now)); !errors.Is(err, store.ErrClaimLost) {
			t.Fatalf("finished again: %v", err)
		}
		b.must(b.Drop(b.ctx, c))
		b.must(b.ReleaseClaims(b.ctx, c.Process))
		b.same("answer", b.claim(claimOf("2", b.now.Add(time.Hour))), store.Claimed{Answer: &a})
		for _, other := range []func(*store.Claim){
			func(c *store.Claim) { c.Account = "u2" }, func(c *store.Claim) { c.Path = "/other" }, func(c *store.Claim) { c.Key = "hash of another" },
		} {
			c := claimOf("3", b.now)
			other(&c)
			b.unclaimed(c)
		}
	},
	"AnAnswerIsKeptForItsTime": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		b.must(b.Finish(b.ctx, c, answerOf("{}", c.At)))
		b.answered(claimOf("2", c.At.Add(keep)), "{}")
		c = claimOf("3", c.At.Add(keep+time.Second))
		b.unclaimed(c)
		b.must(b.Finish(b.ctx, c, answerOf("another", c.At)))
		b.answered(claimOf("4", c.At), "another")
	},
	"ADroppedClaimIsFree": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		b.must(b.Drop(b.ctx, claimOf("of another request", b.now)))
		b.held(claimOf("2", b.now), "P")
		b.must(b.Drop(b.ctx, c))
		b.unclaimed(claimOf("3", b.now))
	},
	"TheClaimsOfAProcessThatEndedAreReleased": func(t *testing.T, b *bench) {
		dead, alive := claimOf("1", b.now), claimOf("2", b.now)
		alive.Process, alive.Key = "Q", "another"
		b.unclaimed(dead)
		b.unclaimed(alive)
		b.must(b.ReleaseClaims(b.ctx, "P"))
		b.unclaimed(claimOf("3", b.now))
		alive.Token = "4"
		b.held(alive, "Q")
	},
	"AnEffectKeepsItsAnswerAndEndsTheClaim": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		ctx, p := b.pending(c, func(result any) (store.Answer, error) {
			return answerOf(fmt.Sprintf("document %d at version %d", result.(contract.Document).ID, result.(contract.Document).Version), b.now), nil
		})
		create, err := b.uploading(owner)
		b.must(err)
		d, err := b.Commit(store.KeepAnswer(ctx, ofDocument), create)
		b.must(err)
		if p.Kept != store.KeptFinal {
			t.Errorf("kept is %d", p.Kept)
		}
		b.answered(claimOf("2", b.now), fmt.Sprintf("document %d at version %d", d.ID, d.Version))
	},
	"ACommitThatIsNoEffectKeepsNoAnswer": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		ctx, p := b.pending(c, func(any) (store.Answer, error) { return store.Answer{}, errors.New("rendered") })
		create, err := b.uploading(owner)
		b.must(err)
		_, err = b.Commit(ctx, create)
		b.must(err)
		if p.Kept != store.KeptNothing {
			t.Errorf("kept is %d", p.Kept)
		}
		b.held(claimOf("2", b.now), "P")
	},
	"AnEffectThatFailsKeepsNothing": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		trouble := errors.New("trouble")
		for _, try := range []struct {
			render func(any) (store.Answer, error)
			spoil  func(*contract.Change)
			want   error
		}{
			{func(any) (store.Answer, error) { return store.Answer{}, trouble }, func(*contract.Change) {}, trouble},
			{func(any) (store.Answer, error) { return answerOf("{}", b.now), nil }, func(c *contract.Change) {
				c.Quota = []contract.QuotaMove{{Organisation: "org", Unit: contract.UnitStamp, Op: contract.QuotaReserve, Count: 1_000_000}}
			}, contract.ErrQuota},
		} {
			ctx, p := b.pending(c, try.render)
			create, err := b.uploading(owner)
			b.must(err)
			try.spoil(&create)
			if _, err := b.Commit(store.KeepAnswer(ctx, ofDocument), create); !errors.Is(err, try.want) {
				t.Fatalf("%v, want %v", err, try.want)
			}
			if p.Kept != store.KeptNothing {
				t.Errorf("kept is %d", p.Kept)
			}
			b.held(claimOf("2", b.now), "P")
		}
		l, err := b.List(b.ctx, store.ListQuery{Person: owner.ID, Box: store.Outbox, Limit: 10})
		b.must(err)
		if l.Total != 0 {
			t.Errorf("%d documents", l.Total)
		}
	},
	"ARequestThatLostItsClaimHasNoEffect": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		b.must(b.ReleaseClaims(b.ctx, "P"))
		other := claimOf("2", b.now)
		render := func(any) (store.Answer, error) { return answerOf("{}", b.now), nil }
		for _, meanwhile := range []func(){func() {}, func() { b.unclaimed(other) }} {
			meanwhile()
			ctx, p := b.pending(c, render)
			create, err := b.uploading(owner)
			b.must(err)
			for _, ctx := range []context.Context{store.KeepAnswer(ctx, ofDocument), store.KeepProvisionalAnswer(ctx, ofDocument)} {
				if _, err := b.Commit(ctx, create); !errors.Is(err, store.ErrClaimLost) {
					t.Fatal(err)
				}
			}
			_, err = b.Grant(store.KeepAnswer(ctx, func(q map[contract.Unit]store.Quota) any { return q }), "org", contract.UnitStamp, 1, "bought", owner, b.now)
			if !errors.Is(err, store.ErrClaimLost) || p.Kept != store.KeptNothing {
				t.Fatal(err, p.Kept)
			}
		}
		b.held(claimOf("3", b.now), "P")
		q, err := b.Quota(b.ctx, "org")
		b.must(err)
		if n := q[contract.UnitStamp].Granted; n != 1000 {
			t.Errorf("%d granted", n)
		}
	},
	"AProvisionalAnswerStandsOnceItsProcessEnded": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		ctx, p := b.pending(c, func(any) (store.Answer, error) { return answerOf("provisional", b.now), nil })
		create, err := b.uploading(owner)
		b.must(err)
		_, err = b.Commit(store.KeepProvisionalAnswer(ctx, ofDocument), create)
		b.must(err)
		if p.Kept != store.KeptProvisional {
			t.Errorf("kept is %d", p.Kept)
		}
		b.held(claimOf("2", b.now), "P")
		b.must(b.ReleaseClaims(b.ctx, "P"))
		b.answered(claimOf("3", b.now), "provisional")
	},
	"AFinalAnswerTakesThePlaceOfAProvisionalOne": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		ctx, _ := b.pending(c, func(any) (store.Answer, error) { return answerOf("provisional", b.now), nil })
		create, err := b.uploading(owner)
		b.must(err)
		_, err = b.Commit(store.KeepProvisionalAnswer(ctx, ofDocument), create)
		b.must(err)
		b.must(b.Finish(b.ctx, c, answerOf("final", b.now)))
		b.answered(claimOf("2", b.now), "final")
	},
	"GrantAndReconciliationKeepTheirAnswers": func(t *testing.T, b *bench) {
		c := claimOf("1", b.now)
		b.unclaimed(c)
		ctx, _ := b.pending(c, func(result any) (store.Answer, error) { return answerOf(fmt.Sprint(result), b.now), nil })
		_, err := b.Grant(store.KeepAnswer(ctx, func(q map[contract.Unit]store.Quota) any { return q[contract.UnitStamp].Granted }), "org", contract.UnitStamp, 5, "bought", owner, b.now)
		b.must(err)
		b.answered(claimOf("2", b.now), "1005")
		c = claimOf("3", b.now)
		c.Path = "/reconcile"
		b.unclaimed(c)
		ctx, _ = b.pending(c, func(result any) (store.Answer, error) { return answerOf(fmt.Sprint(result), b.now), nil })
		n, err := b.KeepReconciliation(store.KeepAnswer(ctx, func(number int64) any { return number }), contract.Reconciliation{At: b.now})
		b.must(err)
		c.Token = "4"
		b.answered(c, fmt.Sprint(n))
	},
	"OldAnswersAndClaimsArePurged": func(t *testing.T, b *bench) {
		long := time.Now().Add(-keep)
		c := claimOf("1", long)
		b.unclaimed(c)
		b.must(b.Finish(b.ctx, c, answerOf("{}", c.At)))
		b.must(b.PurgeAnswers(b.ctx, c.At))
		b.answered(claimOf("2", c.At), "{}")
		b.must(b.PurgeAnswers(b.ctx, c.At.Add(time.Second)))
		c = claimOf("3", c.At)
		b.unclaimed(c)
		b.must(b.PurgeAnswers(b.ctx, time.Now().Add(2*store.Lease)))
		if err := b.Finish(b.ctx, c, answerOf("{}", c.At)); !errors.Is(err, store.ErrClaimLost) {
			t.Fatalf("finished what was purged: %v", err)
		}
	},
}
