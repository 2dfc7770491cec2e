package storetest

import (
	"errors"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

var errTaken = errors.New("all are taken")

var leaseTests = map[string]func(*testing.T, *fixture){
	"NoMoreLeasesAreTakenThanThereAre": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, longLease))
		b.requireEqual("taken", b.runCrowd(10, errTaken, func(int) error {
			_, place, err := b.TakeLease(b.ctx, store.LeaseRequest{Resource: "slot", Count: 3, Node: "a"})
			if err == nil && place > 0 {
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
			l, place, err := b.TakeLease(b.ctx, store.LeaseRequest{Resource: "slot", Count: 1, Node: node})
			b.must(err)
			return l, place == 0
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
	"OrganisationsThatWaitForALeaseTakeTurns": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, longLease))
		b.must(b.AddNode(b.ctx, store.Node{Name: "b"}, longLease))
		take := func(node, organisation, ticket string) (store.NodeLease, int) {
			l, place, err := b.TakeLease(b.ctx, store.LeaseRequest{Resource: "slot", Count: 1, Node: node, Organisation: contract.OrganisationID(organisation), Ticket: ticket})
			b.must(err)
			return l, place
		}
		held, place := take("a", "many", "m0")
		b.requireEqual("place of the first", place, 0)
		for i, ticket := range []string{"m1", "m2", "m3"} {
			_, place := take("a", "many", ticket)
			b.requireEqual("place of "+ticket, place, i+1)
		}
		_, place = take("b", "single", "s1")
		b.requireEqual("place of a single request of another organisation", place, 1)
		_, place = take("b", "few", "f1")
		b.requireEqual("place of one of a third", place, 2)
		_, place = take("b", "few", "f2")
		b.requireEqual("place of the second of the third", place, 4)
		_, place = take("a", "many", "m1")
		b.requireEqual("place of the first that waits, asked again", place, 3)
		if _, place := take("a", "many", ""); place == 0 {
			t.Error("a request that does not wait was granted before those that do")
		}
		var served []string
		waiting := map[string]string{"m1": "many", "m2": "many", "m3": "many", "s1": "single", "f1": "few", "f2": "few"}
		for len(waiting) > 0 {
			b.must(b.ReleaseLease(b.ctx, held))
			for ticket, organisation := range waiting { // in any order; it is granted to the one whose turn it is
				if l, place := take("a", organisation, ticket); place == 0 {
					held = l
					served = append(served, ticket)
					delete(waiting, ticket)
					break
				}
			}
		}
		b.requireEqual("served", strings.Join(served, " "), "s1 f1 m1 f2 m2 m3")
	},
	"ARequestThatLeavesTheLineOrWhoseNodeEndsIsNotWaitedFor": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, endedLease))
		b.must(b.AddNode(b.ctx, store.Node{Name: "b"}, longLease))
		take := func(node, ticket string) (store.NodeLease, int) {
			l, place, err := b.TakeLease(b.ctx, store.LeaseRequest{Resource: "slot", Count: 1, Node: node, Organisation: "o", Ticket: ticket})
			b.must(err)
			return l, place
		}
		held, _ := take("b", "first")
		take("a", "second")
		take("b", "third")
		_, place := take("b", "fourth")
		b.requireEqual("place of the fourth", place, 3)
		if ended, err := b.EndOverdueNode(b.ctx, "a"); !ended || err != nil {
			t.Fatal(ended, err)
		}
		b.must(b.GiveUpLease(b.ctx, "slot", "third"))
		b.must(b.GiveUpLease(b.ctx, "slot", "third"))
		b.must(b.ReleaseLease(b.ctx, held))
		if _, place := take("b", "fourth"); place != 0 {
			t.Errorf("the only one that waits is at place %d", place)
		}
	},
	"ACallWhoseAnswerWasLostGetsItsLeaseAgainByItsTicket": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, endedLease))
		b.must(b.AddNode(b.ctx, store.Node{Name: "b"}, longLease))
		take := func(node, ticket string) (store.NodeLease, int) {
			l, place, err := b.TakeLease(b.ctx, store.LeaseRequest{Resource: "slot", Count: 2, Node: node, Ticket: ticket})
			b.must(err)
			return l, place
		}
		first, place := take("a", "first")
		b.requireEqual("place of the first", place, 0)
		second, place := take("b", "second")
		b.requireEqual("place of the second", place, 0)
		for range 2 {
			again, place := take("b", "second")
			b.requireEqual("place of the second, asked again", place, 0)
			b.requireEqual("lease of the second, asked again", again, second)
		}
		_, place = take("b", "first")
		b.requireEqual("place of a ticket of another node", place, 1)
		b.must(b.GiveUpLease(b.ctx, "slot", ""))
		if n, err := b.CountLeases(b.ctx, "slot"); n != 2 || err != nil {
			t.Errorf("%d are taken, %v", n, err)
		}
		b.must(b.ReleaseLease(b.ctx, second))
		later, place := take("b", "first") // it waited
		b.requireEqual("place of the one that waited", place, 0)
		if later.Number != second.Number || later.Fence <= second.Fence {
			t.Errorf("after it was released: %+v, before %+v", later, second)
		}
		_, place = take("b", "second")
		b.requireEqual("place of a ticket whose lease was released", place, 1)
		if ended, err := b.EndOverdueNode(b.ctx, "a"); !ended || err != nil {
			t.Fatal(ended, err)
		}
		last, place := take("b", "second")
		b.requireEqual("place when a node has ended", place, 0)
		if last.Number != first.Number || last.Fence <= first.Fence {
			t.Errorf("after the node ended: %+v, before %+v", last, first)
		}
	},
	"ARequestThatIsGivenUpFreesItsOwnLeaseAndNoOther": func(t *testing.T, b *fixture) {
		b.must(b.AddNode(b.ctx, store.Node{Name: "a"}, longLease))
		take := func(ticket string, noWait bool) (store.NodeLease, int) {
			l, place, err := b.TakeLease(b.ctx, store.LeaseRequest{Resource: "slot", Count: 1, Node: "a", Ticket: ticket, NoWait: noWait})
			b.must(err)
			return l, place
		}
		former, _ := take("first", false)
		_, place := take("at once", true)
		b.requireEqual("place of one that does not wait", place, 1)
		_, place = take("second", false)
		b.requireEqual("place of the first that waits", place, 1)
		b.must(b.GiveUpLease(b.ctx, "other", "first"))
		_, place = take("second", false)
		b.requireEqual("place after a ticket of another resource was given up", place, 1)
		b.must(b.GiveUpLease(b.ctx, "slot", "first"))
		l, place := take("second", false)
		b.requireEqual("place after the first was given up", place, 0)
		if l.Fence <= former.Fence {
			t.Errorf("fence %d after %d", l.Fence, former.Fence)
		}
		b.must(b.GiveUpLease(b.ctx, "slot", "first"))
		b.must(b.ReleaseLease(b.ctx, former))
		if n, err := b.CountLeases(b.ctx, "slot"); n != 1 || err != nil {
			t.Errorf("a former holder freed it: %d, %v", n, err)
		}
		b.must(b.GiveUpLease(b.ctx, "slot", "second"))
		b.must(b.ReleaseLease(b.ctx, l))
		_, place = take("at once", true)
		b.requireEqual("place of one that does not wait, when it is free", place, 0)
	},
}
