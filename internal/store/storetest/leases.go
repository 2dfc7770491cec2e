package storetest

import (
	"errors"
	"testing"

	"segel/internal/store"
)

var errTaken = errors.New("all are taken")

var leaseTests = map[string]func(*testing.T, *fixture){
	"NoMoreLeasesAreTakenThanThereAre": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, longLease))
		b.requireEqual("taken", b.runCrowd(10, errTaken, func(int) error {
			_, taken, err := b.TakeLease(b.ctx, "slot", 3, "a")
			if err == nil && !taken {
				err = errTaken
			}
			return err
		}), 3)
		for resource, want := range map[string]int{"slot": 3, "other": 0} {
			n, err := b.CountLeases(b.ctx, resource)
			b.must(err)
			b.requireEqual(resource, n, want)
		}
	},
	"ALeaseEndsWithItsNodeAndAFormerHolderReleasesNothing": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, endedLease))
		b.must(b.AddNode(b.ctx, store.Node{Name: "b"}, longLease))
		take := func(node string) (store.NodeLease, bool) {
			l, taken, err := b.TakeLease(b.ctx, "slot", 1, node)
			b.must(err)
			return l, taken
		}
		former, _ := take("a")
		if l, taken := take("b"); taken {
			t.Errorf("taken while another node has it: %+v", l)
		}
		if ended, err := b.EndOverdueNode(b.ctx, "a"); !ended || err != nil {
			t.Fatal(ended, err)
		}
		now, taken := take("b")
		if !taken || now.Fence <= former.Fence || now.Number != former.Number {
			t.Errorf("after the node ended: %+v, before %+v", now, former)
		}
		b.must(b.ReleaseLease(b.ctx, former))
		if n, err := b.CountLeases(b.ctx, "slot"); n != 1 || err != nil {
			t.Errorf("the former holder released it: %d, %v", n, err)
		}
		b.must(b.ReleaseLease(b.ctx, now))
		if _, taken := take("b"); !taken {
			t.Error("a lease that was released cannot be taken")
		}
	},
}
