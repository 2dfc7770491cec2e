package webhook

import (
	"fmt"
	"testing"

	"segel/internal/contract"
)

// webhooksOf returns webhooks of one organisation.
func webhooksOf(organisation string, n int) (all []contract.Webhook) {
	for i := range n {
		all = append(all, contract.Webhook{ID: contract.WebhookID(fmt.Sprintf("%s%02d", organisation, i)), Organisation: contract.OrganisationID(organisation)})
	}
	return all
}

// beginAll begins as many turns as are given.
func beginAll(s *turns, due []contract.Webhook) (begun []contract.Webhook) {
	for w, ok := s.beginTurn(due); ok; w, ok = s.beginTurn(due) {
		begun = append(begun, w)
	}
	return begun
}

func TestWebhooksOfOneOrganisationDoNotHoldAllPlaces(t *testing.T) {
	t.Parallel()
	var s turns
	many := webhooksOf("a", 20)
	if begun := beginAll(&s, many); len(begun) != mostOfOrganisation {
		t.Fatalf("%d webhooks of one organisation are served", len(begun))
	}
	other := webhooksOf("b", 1)
	if w, ok := s.beginTurn(append(many, other...)); !ok || w.ID != other[0].ID {
		t.Errorf("the webhook of another organisation waits: %v", w)
	}
}

func TestOrganisationsTakeTurnsWhateverTheirNumberOfWebhooks(t *testing.T) {
	t.Parallel()
	var s turns
	var due []contract.Webhook
	for i := range mostWebhooks {
		due = append(due, webhooksOf(fmt.Sprintf("a%02d", i), 20)...)
	}
	begun := beginAll(&s, due)
	if len(begun) != mostWebhooks || len(s.served) != mostWebhooks {
		t.Fatalf("%d webhooks of %d organisations are served", len(begun), len(s.served))
	}
	// All places are taken. The next one goes to the organisation that has none, and after it to each of the others once before any has two more.
	due = append(due, webhooksOf("z", 1)...)
	s.endTurn(begun[0])
	if w, ok := s.beginTurn(due); !ok || w.Organisation != "z" {
		t.Errorf("%v is next", w)
	}
	s.endTurn(begun[1])
	if w, ok := s.beginTurn(due); !ok || w.Organisation != begun[0].Organisation || w.ID == begun[0].ID {
		t.Errorf("%v is next, after the first turn of %v", w, begun[0].ID)
	}
}

func TestWebhooksOfAnOrganisationTakeTurns(t *testing.T) {
	t.Parallel()
	var s turns
	due, times := webhooksOf("a", 7), map[contract.WebhookID]int{}
	for range 3 * len(due) {
		w, ok := s.beginTurn(due)
		if !ok {
			t.Fatal("none is served")
		}
		times[w.ID]++
		s.endTurn(w)
	}
	for id, n := range times {
		if n != 3 || len(times) != len(due) {
			t.Errorf("%s had %d turns", id, n)
		}
	}
	if len(s.busy) != 0 || len(s.served) != 0 {
		t.Errorf("%v and %v are left", s.busy, s.served)
	}
}
