package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

const answerLifetime = 24 * time.Hour

// claimOf returns a claim on one key; token distinguishes it from other claims on the key.
func claimOf(token string, at time.Time) store.Claim {
	return store.Claim{Account: "u1", Path: "/sign", Key: "hash", ClearKey: "k", Token: token, Process: "P", At: at.Truncate(time.Microsecond)}
}

// claimKey claims, and returns what the claim met.
func (b *fixture) claimKey(c store.Claim) store.Claimed {
	b.t.Helper()
	met, err := b.Claim(b.ctx, c, answerLifetime)
	b.must(err)
	return met
}

// requireFree requires that the key is neither claimed nor answered, and claims it.
func (b *fixture) requireFree(c store.Claim) {
	b.t.Helper()
	if met := b.claimKey(c); met.Answer != nil || met.Holder != "" {
		b.t.Fatalf("the key is held by %q, with the answer %+v", met.Holder, met.Answer)
	}
}

// requireHeld requires that a process holds a claim on the key.
func (b *fixture) requireHeld(c store.Claim, by string) {
	b.t.Helper()
	if met := b.claimKey(c); met.Answer != nil || met.Holder != by {
		b.t.Fatalf("the key is held by %q, with the answer %+v", met.Holder, met.Answer)
	}
}

func answerOf(content string, at time.Time) store.Answer {
	return store.Answer{Body: [32]byte{2}, Status: 201, Header: map[string]string{"Content-Type": "application/json"}, Content: []byte(content), Sealed: true, At: at.Truncate(time.Microsecond)}
}

// requireAnswer requires an answer with that content.
func (b *fixture) requireAnswer(c store.Claim, content string) {
	b.t.Helper()
	met := b.claimKey(c)
	if met.Answer == nil || string(met.Answer.Content) != content || met.Holder != "" {
		b.t.Fatalf("the key is held by %q, with the answer %+v, want %q", met.Holder, met.Answer, content)
	}
}

// pendingContext returns the context of a request with that claim, whose answer render builds from its result.
func (b *fixture) pendingContext(c store.Claim, render func(result any) (store.Answer, error)) (context.Context, *store.PendingAnswer) {
	p := &store.PendingAnswer{Claim: c, Render: render}
	return store.WithPendingAnswer(b.ctx, p), p
}

func ofDocument(d contract.Document) any { return d }

var answerTests = map[string]func(*testing.T, *fixture){
	"OfFiftyWhoClaimAKeyOneGetsIt": func(t *testing.T, b *fixture) {
		held := errors.New("another request holds the key")
		won := b.runCrowd(50, held, func(i int) error {
			met, err := b.Claim(b.ctx, claimOf(fmt.Sprint(i), b.now), answerLifetime)
			switch {
			case err != nil:
				return err
			case met.Answer != nil:
				return errors.New("an answer exists although none was stored")
			case met.Holder != "":
				return held
			}
			return nil
		})
		b.requireEqual("requests that claimed the key", won, 1)
	},
	"TheFirstAnswerIsKept": func(t *testing.T, b *fixture) {
		c, a := claimOf("1", b.now), answerOf("{}\n", b.now)
		b.requireFree(c)
		b.must(b.FinishClaim(b.ctx, c, a))
		b.requireError("finished again", b.FinishClaim(b.ctx, c, answerOf("another", b.now)), store.ErrClaimLost)
		b.must(b.DropClaim(b.ctx, c))
		b.must(b.ReleaseClaims(b.ctx, c.Process))
		b.requireEqual("answer", b.claimKey(claimOf("2", b.now.Add(time.Hour))), store.Claimed{Answer: &a})
		for _, other := range []func(*store.Claim){
			func(c *store.Claim) { c.Account = "u2" }, func(c *store.Claim) { c.Path = "/other" }, func(c *store.Claim) { c.Key = "hash of another" },
		} {
			c := claimOf("3", b.now)
			other(&c)
			b.requireFree(c)
		}
	},
	"AnAnswerIsKeptForItsTime": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		b.must(b.FinishClaim(b.ctx, c, answerOf("{}", c.At)))
		b.requireAnswer(claimOf("2", c.At.Add(answerLifetime)), "{}")
		c = claimOf("3", c.At.Add(answerLifetime+time.Second))
		b.requireFree(c)
		b.must(b.FinishClaim(b.ctx, c, answerOf("another", c.At)))
		b.requireAnswer(claimOf("4", c.At), "another")
	},
	"ADroppedClaimIsFree": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		b.must(b.DropClaim(b.ctx, claimOf("of another request", b.now)))
		b.requireHeld(claimOf("2", b.now), "P")
		b.must(b.DropClaim(b.ctx, c))
		b.requireFree(claimOf("3", b.now))
	},
	"TheClaimsOfAProcessThatEndedAreReleased": func(t *testing.T, b *fixture) {
		dead, alive := claimOf("1", b.now), claimOf("2", b.now)
		alive.Process, alive.Key = "Q", "another"
		b.requireFree(dead)
		b.requireFree(alive)
		b.must(b.ReleaseClaims(b.ctx, "P"))
		b.requireFree(claimOf("3", b.now))
		alive.Token = "4"
		b.requireHeld(alive, "Q")
	},
	"AnEffectKeepsItsAnswerAndEndsTheClaim": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		ctx, p := b.pendingContext(c, func(result any) (store.Answer, error) {
			return answerOf(fmt.Sprintf("document %d at version %d", result.(contract.Document).ID, result.(contract.Document).Version), b.now), nil
		})
		create, err := b.uploadChange(owner)
		b.must(err)
		d, err := b.Commit(store.WithFinalAnswer(ctx, ofDocument), create)
		b.must(err)
		if p.Stored != store.FinalAnswer {
			t.Errorf("answer state is %d", p.Stored)
		}
		b.requireAnswer(claimOf("2", b.now), fmt.Sprintf("document %d at version %d", d.ID, d.Version))
	},
	"ACommitThatIsNoEffectKeepsNoAnswer": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		ctx, p := b.pendingContext(c, func(any) (store.Answer, error) { return store.Answer{}, errors.New("rendered") })
		create, err := b.uploadChange(owner)
		b.must(err)
		_, err = b.Commit(ctx, create)
		b.must(err)
		if p.Stored != store.NoAnswer {
			t.Errorf("answer state is %d", p.Stored)
		}
		b.requireHeld(claimOf("2", b.now), "P")
	},
	"AnEffectThatFailsKeepsNothing": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
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
			ctx, p := b.pendingContext(c, try.render)
			create, err := b.uploadChange(owner)
			b.must(err)
			try.spoil(&create)
			if _, err := b.Commit(store.WithFinalAnswer(ctx, ofDocument), create); !errors.Is(err, try.want) {
				t.Fatalf("%v, want %v", err, try.want)
			}
			if p.Stored != store.NoAnswer {
				t.Errorf("answer state is %d", p.Stored)
			}
			b.requireHeld(claimOf("2", b.now), "P")
		}
		l, err := b.List(b.ctx, store.ListQuery{Person: owner.ID, Box: store.Outbox, Limit: 10})
		b.must(err)
		if l.Total != 0 {
			t.Errorf("%d documents", l.Total)
		}
	},
	"ARequestThatLostItsClaimHasNoEffect": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		b.must(b.ReleaseClaims(b.ctx, "P"))
		other := claimOf("2", b.now)
		render := func(any) (store.Answer, error) { return answerOf("{}", b.now), nil }
		for _, meanwhile := range []func(){func() {}, func() { b.requireFree(other) }} {
			meanwhile()
			ctx, p := b.pendingContext(c, render)
			create, err := b.uploadChange(owner)
			b.must(err)
			for _, ctx := range []context.Context{store.WithFinalAnswer(ctx, ofDocument), store.WithProvisionalAnswer(ctx, ofDocument)} {
				_, err := b.Commit(ctx, create)
				b.requireError("committed without a claim", err, store.ErrClaimLost)
			}
			_, err = b.Grant(store.WithFinalAnswer(ctx, func(q map[contract.Unit]store.Quota) any { return q }), "org", contract.UnitStamp, 1, "bought", owner, b.now)
			if !errors.Is(err, store.ErrClaimLost) || p.Stored != store.NoAnswer {
				t.Fatal(err, p.Stored)
			}
		}
		b.requireHeld(claimOf("3", b.now), "P")
		q, err := b.Quota(b.ctx, "org")
		b.must(err)
		if n := q[contract.UnitStamp].Granted; n != 1000 {
			t.Errorf("%d granted", n)
		}
	},
	"AProvisionalAnswerIsServedOnceItsProcessEnded": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		ctx, p := b.pendingContext(c, func(any) (store.Answer, error) { return answerOf("provisional", b.now), nil })
		create, err := b.uploadChange(owner)
		b.must(err)
		_, err = b.Commit(store.WithProvisionalAnswer(ctx, ofDocument), create)
		b.must(err)
		if p.Stored != store.ProvisionalAnswer {
			t.Errorf("answer state is %d", p.Stored)
		}
		b.requireHeld(claimOf("2", b.now), "P")
		b.must(b.ReleaseClaims(b.ctx, "P"))
		b.requireAnswer(claimOf("3", b.now), "provisional")
	},
	"AFinalAnswerTakesThePlaceOfAProvisionalOne": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		ctx, _ := b.pendingContext(c, func(any) (store.Answer, error) { return answerOf("provisional", b.now), nil })
		create, err := b.uploadChange(owner)
		b.must(err)
		_, err = b.Commit(store.WithProvisionalAnswer(ctx, ofDocument), create)
		b.must(err)
		b.must(b.FinishClaim(b.ctx, c, answerOf("final", b.now)))
		b.requireAnswer(claimOf("2", b.now), "final")
	},
	"GrantAndReconciliationKeepTheirAnswers": func(t *testing.T, b *fixture) {
		c := claimOf("1", b.now)
		b.requireFree(c)
		ctx, _ := b.pendingContext(c, func(result any) (store.Answer, error) { return answerOf(fmt.Sprint(result), b.now), nil })
		_, err := b.Grant(store.WithFinalAnswer(ctx, func(q map[contract.Unit]store.Quota) any { return q[contract.UnitStamp].Granted }), "org", contract.UnitStamp, 5, "bought", owner, b.now)
		b.must(err)
		b.requireAnswer(claimOf("2", b.now), "1005")
		c = claimOf("3", b.now)
		c.Path = "/reconcile"
		b.requireFree(c)
		ctx, _ = b.pendingContext(c, func(result any) (store.Answer, error) { return answerOf(fmt.Sprint(result), b.now), nil })
		n, err := b.AddReconciliation(store.WithFinalAnswer(ctx, func(number int64) any { return number }), contract.Reconciliation{At: b.now})
		b.must(err)
		c.Token = "4"
		b.requireAnswer(c, fmt.Sprint(n))
	},
	"OldAnswersAndClaimsArePurged": func(t *testing.T, b *fixture) {
		long := time.Now().Add(-answerLifetime)
		c := claimOf("1", long)
		b.requireFree(c)
		b.must(b.FinishClaim(b.ctx, c, answerOf("{}", c.At)))
		b.must(b.PurgeAnswers(b.ctx, c.At))
		b.requireAnswer(claimOf("2", c.At), "{}")
		b.must(b.PurgeAnswers(b.ctx, c.At.Add(time.Second)))
		c = claimOf("3", c.At)
		b.requireFree(c)
		b.must(b.PurgeAnswers(b.ctx, time.Now().Add(2*store.Lease)))
		b.requireError("finished a purged claim", b.FinishClaim(b.ctx, c, answerOf("{}", c.At)), store.ErrClaimLost)
	},
}
