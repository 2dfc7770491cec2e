package webhook

import (
	"cmp"

	"segel/internal/contract"
)

// turns decides which webhooks a process serves at the same time. The zero value is ready for use.
//
// It remembers the last turn of every webhook and organisation that had work in this process: forgetting those without work would let an
// organisation whose webhooks come and go precede one that waits.
type turns struct {
	busy         map[contract.WebhookID]bool
	served       map[contract.OrganisationID]int // how many webhooks of each organisation are busy
	count        uint64                          // turns that were begun
	webhook      map[contract.WebhookID]uint64   // the last turn of each
	organisation map[contract.OrganisationID]uint64
}

// beginTurn begins the turn of one of the webhooks that have work, unless all that may be served are. The organisation with the fewest webhooks that
// are being served is next, among those the one whose last turn was longest ago; of its webhooks, the one that has waited longest.
func (t *turns) beginTurn(due []contract.Webhook) (next contract.Webhook, ok bool) {
	if len(t.busy) >= mostWebhooks {
		return next, false
	}
	for _, w := range due {
		if !t.busy[w.ID] && t.served[w.Organisation] < mostOfOrganisation && (!ok || t.precedes(w, next)) {
			next, ok = w, true
		}
	}
	if !ok {
		return next, false
	}
	if t.busy == nil {
		t.busy, t.webhook = map[contract.WebhookID]bool{}, map[contract.WebhookID]uint64{}
		t.served, t.organisation = map[contract.OrganisationID]int{}, map[contract.OrganisationID]uint64{}
	}
	t.count++
	t.busy[next.ID], t.webhook[next.ID] = true, t.count
	t.served[next.Organisation]++
	t.organisation[next.Organisation] = t.count
	return next, true
}

// precedes reports whether the turn of a comes before that of b.
func (t *turns) precedes(a, b contract.Webhook) bool {
	return cmp.Or(
		cmp.Compare(t.served[a.Organisation], t.served[b.Organisation]),
		cmp.Compare(t.organisation[a.Organisation], t.organisation[b.Organisation]),
		cmp.Compare(t.webhook[a.ID], t.webhook[b.ID]),
		cmp.Compare(a.ID, b.ID),
	) < 0
}

// endTurn ends the turn of a webhook.
func (t *turns) endTurn(w contract.Webhook) {
	delete(t.busy, w.ID)
	if t.served[w.Organisation]--; t.served[w.Organisation] == 0 {
		delete(t.served, w.Organisation)
	}
}
