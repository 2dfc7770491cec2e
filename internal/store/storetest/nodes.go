package storetest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/process"
	"segel/internal/store"
)

// longLease does not end within a test; endedLease has ended when it begins.
const (
	longLease  = time.Hour
	endedLease = -time.Second
)

// newTerm joins a node, and returns a context of work in its term and a function that ends the node in the database. The context
// does not end, as if the process had been suspended meanwhile.
func newTerm(t *testing.T, b *fixture) (working context.Context, end func()) {
	t.Helper()
	return newTermBy(t, b, process.NewClock(time.Now, 0))
}

// newTermBy is newTerm for a process with that clock.
func newTermBy(t *testing.T, b *fixture, clock *process.Clock) (working context.Context, end func()) {
	t.Helper()
	n, err := process.JoinNodes(b.ctx, b, store.Node{}, nil, clock, nil, slog.New(slog.DiscardHandler))
	b.must(err)
	term := n.Term()
	ctx, cancel := term.Begin(b.ctx)
	t.Cleanup(func() {
		cancel()
		if err := n.Leave(); err != nil {
			t.Error(err)
		}
	})
	return context.WithoutCancel(ctx), func() { b.must(b.EndNode(b.ctx, term.Name())) }
}

var nodeTests = map[string]func(*testing.T, *fixture){
	"OneOfSeveralCallersEndsANodeWhoseLeaseHasEnded": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "alive", Host: "h1", Release: "r", Roles: []string{"api", "worker"}}, longLease))
		b.must(b.AddNode(b.ctx, store.Node{Name: "dead", Host: "h2"}, endedLease))
		others, err := b.RenewNode(b.ctx, "alive", longLease)
		b.must(err)
		b.requireEqual("overdue", others.Overdue, []string{"dead"})
		if _, err := b.RenewNode(b.ctx, "dead", longLease); !errors.Is(err, store.ErrNodeEnded) {
			t.Errorf("a lease that has ended was renewed: %v", err)
		}
		for name, want := range map[string]bool{"alive": false, "unknown": false, "": false} {
			if ended, err := b.EndOverdueNode(b.ctx, name); ended != want || err != nil {
				t.Errorf("%q: %v, %v", name, ended, err)
			}
		}
		b.requireEqual("callers that learn of the end", b.runCrowd(8, nil, func(int) error {
			ended, err := b.EndOverdueNode(b.ctx, "dead")
			if err == nil && !ended {
				err = errors.New("not ended")
			}
			return err
		}), 8)
		all, now, err := b.ListNodes(b.ctx)
		b.must(err)
		slices.SortFunc(all, func(a, b store.Node) int { return strings.Compare(a.Name, b.Name) }) // they may have begun within the same millisecond
		if len(all) != 2 || all[1].Name != "dead" || all[1].EndedAt.IsZero() || all[1].EndedAt.After(now) || !all[0].EndedAt.IsZero() || !all[0].ExpiresAt.After(now) {
			t.Fatalf("%+v at %s", all, now)
		}
		b.requireEqual("roles", all[0].Roles, []string{"api", "worker"})
		b.must(b.EndNode(b.ctx, "alive"))
		if others, err := b.RenewNode(b.ctx, "alive", longLease); !errors.Is(err, store.ErrNodeEnded) {
			t.Errorf("a node that has ended: %+v, %v", others, err)
		}
		b.must(b.PurgeNodes(b.ctx, time.Hour))
		if all, _, err := b.ListNodes(b.ctx); len(all) != 2 || err != nil {
			t.Errorf("%+v, %v", all, err)
		}
		b.must(b.PurgeNodes(b.ctx, -time.Hour))
		if all, _, err := b.ListNodes(b.ctx); len(all) != 0 || err != nil {
			t.Errorf("%+v, %v", all, err)
		}
	},
	"ANodeLearnsWhenTheNextLeaseEnds": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, longLease))
		if others, err := b.RenewNode(b.ctx, "a", longLease); others.Next != 0 || len(others.Overdue) != 0 || err != nil {
			t.Errorf("%+v, %v", others, err)
		}
		b.must(b.AddNode(b.ctx, store.Node{Name: "b"}, longLease/2))
		if others, err := b.RenewNode(b.ctx, "a", longLease); others.Next <= 0 || others.Next > longLease/2 || err != nil {
			t.Errorf("%+v, %v", others, err)
		}
	},
	"TheClaimsOfANodeEndWithIt": func(t *testing.T, b *fixture) {
		for _, end := range []func(name string) error{
			func(name string) error { _, err := b.EndOverdueNode(b.ctx, name); return err },
			func(name string) error { return b.EndNode(b.ctx, name) },
		} {
			b.must(b.AddNode(b.ctx, store.Node{Name: "dead"}, endedLease))
			for _, of := range []string{"dead", "alive"} {
				_, err := b.Claim(b.ctx, store.Claim{Account: "u", Path: "/p", Key: of, Token: of, Process: of, At: b.now}, time.Hour)
				b.must(err)
			}
			b.must(end("dead"))
			for of, held := range map[string]string{"dead": "", "alive": "alive"} {
				met, err := b.Claim(b.ctx, store.Claim{Account: "u", Path: "/p", Key: of, Token: "next", Process: "next", At: b.now}, time.Hour)
				if err != nil || met.Holder != held {
					t.Errorf("the claim of %s: %+v, %v", of, met, err)
				}
			}
			b.must(b.ReleaseClaims(b.ctx, "next"))
			b.must(b.ReleaseClaims(b.ctx, "alive"))
			b.must(b.PurgeNodes(b.ctx, -time.Hour))
		}
	},
	"WhatANodeIsSendingIsDueAtOnceWhenItEndsAndNotBeforeByAnyClock": func(t *testing.T, b *fixture) {
		hook := b.addWebhook("hook")
		deliveryOf := func(d contract.Document) contract.WebhookDelivery {
			for _, read := range b.dueDeliveries("hook") {
				if read.Document == d.ID {
					return read
				}
			}
			t.Fatalf("no delivery about document %d is due", d.ID)
			return contract.WebhookDelivery{}
		}
		for name, end := range map[string]func(name string) error{
			"by itself": func(name string) error { return b.EndNode(b.ctx, name) },
			"by another node": func(name string) error {
				if _, err := b.RenewNode(b.ctx, name, endedLease); err != nil {
					return err
				}
				ended, err := b.EndOverdueNode(b.ctx, name)
				if err == nil && !ended {
					err = errors.New("not ended")
				}
				return err
			},
		} {
			d, notices := b.orderNotices()
			b.orderAll("hook")
			n, delivery := notices[0], deliveryOf(d)
			working, _ := newTerm(t, b)
			begun, err := b.BeginTry(working, n, "siti@contoh.id", b.now, time.Minute)
			b.must(err)
			sent, err := b.BeginDelivery(working, delivery, b.now, time.Minute)
			b.must(err)
			ahead := b.now.Add(time.Hour) // by the clock of another process
			_, err = b.BeginTry(b.ctx, begun, "siti@contoh.id", ahead, time.Minute)
			b.requireError(name+": a try by a process whose clock is ahead", err, store.ErrConflict)
			_, err = b.BeginDelivery(b.ctx, sent, ahead, time.Minute)
			b.requireError(name+": a delivery by a process whose clock is ahead", err, store.ErrConflict)
			due, err := b.DueDeliveries(b.ctx, hook, ahead, 10)
			b.must(err)
			for _, other := range due {
				if other.Number == sent.Number {
					t.Errorf("%s: a delivery is due while it is sent", name)
				}
			}

			b.must(end(process.Of(working).Name()))
			delivery = deliveryOf(d)
			b.requireEqual(name+": the delivery is due by every clock", delivery.DueAt, time.Time{})
			n, err = b.Notice(b.ctx, n.ID)
			b.must(err)
			b.requireEqual(name+": the notice is due by every clock", n.DueAt, time.Time{})
			begun.State = contract.NoticeSent
			b.requireError(name+": the result of the node that ended", b.EndTry(working, begun), store.ErrNodeEnded)

			n, err = b.BeginTry(b.ctx, n, "siti@contoh.id", b.now, time.Minute)
			b.must(err)
			b.requireEqual(name+": tries of the notice", n.Tries, 2)
			delivery, err = b.BeginDelivery(b.ctx, delivery, b.now, time.Minute)
			b.must(err)
			b.requireEqual(name+": tries of the delivery", delivery.Tries, 2)
			b.requireEqual(name+": document", n.Document, d.ID)
		}
	},
	"WhatWasOrderedByAClockThatIsAheadIsDueAtOnceWhenItsNodeEnds": func(t *testing.T, b *fixture) {
		here := b.now
		b.now = here.Add(time.Hour) // by the clock of the process that orders
		d, notices := b.orderNotices()
		b.addWebhook("hook")
		b.orderAll("hook")
		working, end := newTerm(t, b)
		_, err := b.BeginTry(working, notices[0], "siti@contoh.id", b.now, time.Minute)
		b.must(err)
		begun, err := b.BeginDelivery(working, b.dueDeliveries("hook")[0], b.now, time.Minute)
		b.must(err)
		end()
		b.now = here
		again, err := b.Notice(b.ctx, notices[0].ID)
		b.must(err)
		if again.DueAt.After(here) || !again.OrderedAt.After(here) {
			t.Errorf("at %s the notice that was ordered at %s is due at %s", here, again.OrderedAt, again.DueAt)
		}
		requireRead(b, "documents with due notices", []contract.DocumentID{d.ID})(b.DocumentsWithDueNotices(b.ctx, here, 10))
		if due := b.dueDeliveries("hook"); len(due) != 1 || due[0].Number != begun.Number {
			t.Errorf("due deliveries: %+v", due)
		}
	},
	"WhatEndsItsNodeAgainAndAgainWaitsLongerAfterEachTry": func(t *testing.T, b *fixture) {
		_, notices := b.orderNotices()
		b.addWebhook("hook")
		b.orderAll("hook")
		n, d := notices[0], b.dueDeliveries("hook")[0]
		for try, longest := range []time.Duration{0, 5 * time.Second, 20 * time.Second, 80 * time.Second, 320 * time.Second} {
			working, end := newTerm(t, b)
			_, err := b.BeginTry(working, n, "siti@contoh.id", b.now, time.Minute)
			b.must(err)
			_, err = b.BeginDelivery(working, d, b.now, time.Minute)
			b.must(err)
			_, before, err := b.ListNodes(b.ctx)
			b.must(err)
			end()
			_, after, err := b.ListNodes(b.ctx)
			b.must(err)
			n, err = b.Notice(b.ctx, n.ID)
			b.must(err)
			d, err = b.Delivery(b.ctx, d.Webhook, d.Number)
			b.must(err)
			for what, due := range map[string]time.Time{"notice": n.DueAt, "delivery": d.DueAt} {
				if longest == 0 {
					b.requireEqual(what+" that ended its node once is due by every clock", due, time.Time{})
				} else if due.Before(before.Add(longest/2)) || due.After(after.Add(longest)) {
					t.Errorf("after try %d the %s waits %s, want at most %s", try+1, what, due.Sub(before), longest)
				}
			}
		}
	},
	"WhatALivingNodeDoesNotFinishIsFreeAfterTheLease": func(t *testing.T, b *fixture) {
		_, notices := b.orderNotices()
		b.addWebhook("hook")
		b.orderAll("hook")
		working, _ := newTerm(t, b)
		n, err := b.BeginTry(working, notices[0], "siti@contoh.id", b.now, endedLease)
		b.must(err)
		_, err = b.BeginTry(b.ctx, n, "siti@contoh.id", b.now, time.Minute)
		b.must(err)
		d, err := b.BeginDelivery(working, b.dueDeliveries("hook")[0], b.now, endedLease)
		b.must(err)
		_, err = b.BeginDelivery(b.ctx, d, b.now, time.Minute)
		b.must(err)
	},
	"WorkOfATermThatHasEndedCommitsNothing": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		working, end := newTerm(t, b)
		change := func(reason string) error {
			after := d
			after.Title = reason
			made, err := b.Commit(working, contract.Change{Before: &d, After: after, At: b.now})
			if err == nil {
				d = made
			}
			return err
		}
		b.must(change("while the node lives"))
		end()
		if err := change("afterwards"); !errors.Is(err, store.ErrNodeEnded) {
			t.Errorf("a commit after the end: %v", err)
		}
		got, err := b.Document(b.ctx, d.ID)
		b.must(err)
		b.requireEqual("title", got.Title, "while the node lives")
		if err := b.PurgeTries(working, b.now); !errors.Is(err, store.ErrNodeEnded) {
			t.Errorf("a statement by itself: %v", err)
		}
		b.must(b.PurgeTries(b.ctx, b.now))
	},
	"WorkOfATermWhoseClockIsMovedCommitsNothing": func(t *testing.T, b *fixture) {
		var ahead atomic.Int64
		working, _ := newTermBy(t, b, process.NewClock(func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, 2*time.Minute))
		b.must(b.PurgeTries(working, b.now))
		ahead.Store(int64(3 * time.Hour))
		// The transaction has no event whose time the server would compare.
		if err := b.PurgeTries(working, b.now); !errors.Is(err, store.ErrNodeEnded) || !errors.Is(err, contract.ErrClock) {
			t.Errorf("with a clock that is ahead: %v", err)
		}
	},
}
