package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// addWebhook adds a webhook of the organisation "org" that is sent everything from the first event on.
func (b *fixture) addWebhook(id contract.WebhookID, types ...contract.FeedType) contract.Webhook {
	b.t.Helper()
	w := contract.Webhook{
		ID: id, Organisation: "org", URL: "https://hook.example.test/", Description: "ERP", Types: types, Secret: []byte("sealed"), CreatedAt: b.storedNow(),
	}
	b.must(b.AddWebhook(b.ctx, w, b.webhookEvent()))
	return w
}

func (b *fixture) webhookEvent() contract.Event {
	return contract.Event{Type: contract.EventWebhookChanged, At: b.now, Person: owner.Person, Details: map[string]string{"organisation": "org"}}
}

// readFeed reads the feed of an organisation in pages, and returns the types of its events.
func (b *fixture) readFeed(of contract.OrganisationID, from contract.FeedNumber, limit int) (types []contract.FeedType, next contract.FeedNumber) {
	b.t.Helper()
	for next = from; ; {
		page, err := b.ReadFeed(b.ctx, store.FeedQuery{Organisation: of, From: next, Limit: limit})
		b.must(err)
		for _, e := range page.Events {
			if e.Number < next || e.Number >= page.Next || e.Organisation != of {
				b.t.Fatalf("event %d of %s on the page from %d to %d of %s", e.Number, e.Organisation, next, page.Next, of)
			}
			types = append(types, e.Type)
		}
		if next = page.Next; !page.More {
			return types, next
		}
	}
}

// orderAll makes deliveries of all events of a webhook.
func (b *fixture) orderAll(id contract.WebhookID) contract.Webhook {
	b.t.Helper()
	for {
		w, err := b.Webhook(b.ctx, id)
		b.must(err)
		_, more, err := b.OrderDeliveries(b.ctx, w, 2, b.now)
		b.must(err)
		if !more {
			w, err = b.Webhook(b.ctx, id)
			b.must(err)
			return w
		}
	}
}

// dueDeliveries returns the types and documents of the deliveries that may be sent now.
func (b *fixture) dueDeliveries(id contract.WebhookID) []contract.WebhookDelivery {
	b.t.Helper()
	w, err := b.Webhook(b.ctx, id)
	b.must(err)
	all, err := b.DueDeliveries(b.ctx, w, b.now, 10)
	b.must(err)
	return all
}

// tryDelivery begins and ends a try of a delivery.
func (b *fixture) tryDelivery(d contract.WebhookDelivery, result contract.DeliveryState, due time.Time) contract.WebhookDelivery {
	b.t.Helper()
	d.URL, d.Body, d.SentAt = "https://hook.example.test/", `{"a":1}`, b.storedNow()
	d, err := b.BeginDelivery(b.ctx, d, b.now, time.Minute)
	b.must(err)
	d.State, d.DueAt, d.Status, d.Response, d.Took = result, due.Truncate(time.Microsecond), 503, "down", 7*time.Millisecond
	if result != contract.DeliveryOrdered {
		d.DoneAt = b.storedNow()
	}
	b.must(b.EndDelivery(b.ctx, d, "", contract.Event{}))
	return d
}

var webhookTests = map[string]func(*testing.T, *fixture){
	"TheFeedHasTheEventsOfAnOrganisationInTheOrderOfTheCommits": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		foreign := b.uploadDraft(otherOwner)
		d = b.finalizeDraft(d, owner)
		want := []contract.FeedType{contract.FeedCreated, contract.FeedFinalized}
		for limit := 1; limit < 4; limit++ {
			got, next := b.readFeed("org", 0, limit)
			b.requireEqual("types", got, want)
			end, err := b.FeedEnd(b.ctx)
			b.must(err)
			b.requireEqual("the end", next, end)
		}
		page, err := b.ReadFeed(b.ctx, store.FeedQuery{Organisation: "org", Types: []contract.FeedType{contract.FeedFinalized}, Limit: 100})
		b.must(err)
		b.requireEqual("events of the chosen type", len(page.Events), 1)
		e := page.Events[0]
		b.requireEqual("what the event is about", []any{e.Cause.Document, e.Cause.Person, e.Cause.Type}, []any{d.ID, owner.Person, contract.EventFinalized})
		others, _ := b.readFeed("other", 0, 10)
		b.requireEqual("types of the other organisation", others, want[:1])
		none, _ := b.readFeed("nowhere", 0, 10)
		b.requireEqual("events of an unknown organisation", len(none), 0)

		// A cursor goes on where it stopped, also after a draft is deleted.
		_, next := b.readFeed("other", 0, 10)
		c, err := contract.Delete(&foreign, otherOwner, b.advance(time.Second).now)
		b.commitChange(c, err)
		more, _ := b.readFeed("other", next, 10)
		b.requireEqual("events after the cursor", len(more), 0)
		whole, _ := b.readFeed("other", 0, 10)
		b.requireEqual("types after the deletion", whole, want[:1])

		since, err := b.FeedSince(b.ctx, b.now)
		b.must(err)
		if since < next {
			t.Errorf("the feed since the deletion begins at %d, before %d", since, next)
		}
		since, err = b.FeedSince(b.ctx, b.now.Add(time.Hour))
		b.must(err)
		end, err := b.FeedEnd(b.ctx)
		b.must(err)
		b.requireEqual("the feed since a later time", since, end)
	},
	"AWebhookIsStoredAndTwoWritersAreDetected": func(t *testing.T, b *fixture) {
		w := b.addWebhook("hook", contract.FeedCreated, contract.FeedSigned)
		requireRead(b, "webhook", w)(b.Webhook(b.ctx, "hook"))
		requireRead(b, "webhooks", []contract.Webhook{w})(b.WebhooksOf(b.ctx, "org"))
		requireRead(b, "webhooks of another", []contract.Webhook{})(b.WebhooksOf(b.ctx, "other"))
		changed := w
		changed.URL, changed.Description, changed.Types, changed.Secret = "https://new.example.test/", "", nil, []byte("another")
		changed.FormerOne, changed.FormerUntil = w.Secret, b.storedNow()
		changed.DisabledAt, changed.DisabledFor = b.storedNow(), contract.WebhookOff
		b.must(b.SetWebhook(b.ctx, changed, b.webhookEvent()))
		b.requireError("a second writer", b.SetWebhook(b.ctx, changed, b.webhookEvent()), store.ErrConflict)
		changed.Edits++
		requireRead(b, "changed webhook", changed)(b.Webhook(b.ctx, "hook"))
		b.uploadDraft(owner)
		_, _, err := b.OrderDeliveries(b.ctx, changed, 10, b.now)
		b.requireError("deliveries to a disabled webhook", err, store.ErrConflict)
		requireRead(b, "webhooks with work", []contract.Webhook{})(b.WebhooksWithWork(b.ctx, b.now))
		b.must(b.DeleteWebhook(b.ctx, "hook", b.webhookEvent()))
		b.must(b.DeleteWebhook(b.ctx, "hook", b.webhookEvent()))
		_, err = b.Webhook(b.ctx, "hook")
		b.requireError("a deleted webhook", err, store.ErrNotFound)
		for i := range contract.MaxWebhooks {
			b.addWebhook(contract.WebhookID(rune('a' + i)))
		}
		b.requireError("one more", b.AddWebhook(b.ctx, contract.Webhook{ID: "more", Organisation: "org", CreatedAt: b.now}, b.webhookEvent()), contract.ErrWebhookLimit)
		b.requireError("of no organisation", b.AddWebhook(b.ctx, contract.Webhook{ID: "more", Organisation: "nowhere", CreatedAt: b.now}, b.webhookEvent()), store.ErrNotFound)
	},
	"EachEventIsOneDelivery": func(t *testing.T, b *fixture) {
		w := b.addWebhook("hook", contract.FeedCreated)
		for range 5 {
			b.finalizeDraft(b.uploadDraft(owner), owner)
			b.uploadDraft(otherOwner)
		}
		requireRead(b, "webhooks with work", []contract.Webhook{w})(b.WebhooksWithWork(b.ctx, b.now))
		after := b.orderAll("hook")
		_, _, err := b.OrderDeliveries(b.ctx, w, 10, b.now)
		b.requireError("the same events again", err, store.ErrConflict)
		page, err := b.ListDeliveries(b.ctx, store.DeliveryQuery{Webhook: "hook", Limit: 3})
		b.must(err)
		b.requireEqual("number of deliveries", []int{page.Total, len(page.Deliveries)}, []int{5, 3})
		d := page.Deliveries[0]
		want := contract.WebhookDelivery{
			Webhook: "hook", Number: d.Number, Organisation: "org", Document: d.Document, Type: contract.FeedCreated, State: contract.DeliveryOrdered,
			OrderedAt: b.storedNow(), DueAt: b.storedNow(),
		}
		requireRead(b, "delivery", want)(b.Delivery(b.ctx, "hook", d.Number))
		_, err = b.Delivery(b.ctx, "hook", d.Number+1)
		b.requireError("a delivery of an event that is not selected", err, store.ErrNotFound)

		// Moving the position back orders final deliveries again, and no others.
		done := b.tryDelivery(page.Deliveries[1], contract.DeliveryDelivered, b.now)
		waiting := b.tryDelivery(page.Deliveries[2], contract.DeliveryOrdered, b.now.Add(time.Hour))
		b.must(b.RewindWebhook(b.ctx, "hook", after.Position+10, b.webhookEvent()))
		b.must(b.RewindWebhook(b.ctx, "hook", 0, b.webhookEvent()))
		b.advance(time.Minute)
		b.orderAll("hook")
		again := done
		again.State, again.OrderedAt, again.DueAt, again.DoneAt, again.Tries = contract.DeliveryOrdered, b.storedNow(), b.storedNow(), time.Time{}, 0
		requireRead(b, "delivered again", again)(b.Delivery(b.ctx, "hook", done.Number))
		requireRead(b, "still waiting", waiting)(b.Delivery(b.ctx, "hook", waiting.Number))
	},
	"ADeliveryWaitsForEarlierOnesOfItsDocument": func(t *testing.T, b *fixture) {
		b.addWebhook("hook")
		one, two := b.uploadDraft(owner), b.uploadDraft(owner)
		b.finalizeDraft(one, owner)
		b.orderAll("hook")
		due := b.dueDeliveries("hook")
		b.requireEqual("documents of due deliveries", []contract.DocumentID{due[0].Document, due[1].Document}, []contract.DocumentID{one.ID, two.ID})
		b.requireEqual("number of due deliveries", len(due), 2)

		begun, err := b.BeginDelivery(b.ctx, due[0], b.now, time.Minute)
		b.must(err)
		_, err = b.BeginDelivery(b.ctx, due[0], b.now, time.Minute)
		b.requireError("a second process", err, store.ErrConflict)
		b.requireEqual("due while the first is sent", len(b.dueDeliveries("hook")), 1)
		b.advance(2 * time.Minute) // its process died
		b.requireEqual("due after the lease", len(b.dueDeliveries("hook")), 2)
		second, err := b.BeginDelivery(b.ctx, begun, b.now, time.Minute)
		b.must(err)
		begun.State = contract.DeliveryDelivered
		b.requireError("the result of the first try", b.EndDelivery(b.ctx, begun, "", contract.Event{}), store.ErrConflict)
		second.State, second.DoneAt = contract.DeliveryDelivered, b.storedNow()
		b.must(b.EndDelivery(b.ctx, second, "", contract.Event{}))
		due = b.dueDeliveries("hook")
		b.requireEqual("types of due deliveries", []contract.FeedType{due[0].Type, due[1].Type}, []contract.FeedType{contract.FeedCreated, contract.FeedFinalized})

		// A replay of the earlier one goes first.
		_, err = b.ReplayDelivery(b.ctx, "hook", second.Number, b.now, b.webhookEvent())
		b.must(err)
		_, err = b.ReplayDelivery(b.ctx, "hook", second.Number, b.now, b.webhookEvent())
		b.must(err)
		_, err = b.ReplayDelivery(b.ctx, "hook", 1<<40, b.now, b.webhookEvent())
		b.requireError("a replay of nothing", err, store.ErrNotFound)
		for _, d := range b.dueDeliveries("hook") {
			if d.Type == contract.FeedFinalized {
				t.Error("the later delivery did not wait for the replayed one")
			}
		}
		// A test waits for none, and is sent while the webhook is disabled.
		test := contract.WebhookDelivery{Webhook: "hook", Number: -7, Organisation: "org", Type: contract.FeedTest, State: contract.DeliveryOrdered, OrderedAt: b.now, DueAt: b.now}
		before := b.eventCount()
		b.must(b.AddTest(b.ctx, test, b.webhookEvent()))
		b.requireEqual("events of a test", b.eventCount(), before+1)
		w, err := b.Webhook(b.ctx, "hook")
		b.must(err)
		w.DisabledAt, w.DisabledFor = b.now, contract.WebhookOff
		b.must(b.SetWebhook(b.ctx, w, b.webhookEvent()))
		due = b.dueDeliveries("hook")
		if len(due) != 1 || !due[0].IsTest() {
			t.Errorf("due to a disabled webhook: %v", due)
		}
		work, err := b.WebhooksWithWork(b.ctx, b.now)
		b.must(err)
		b.requireEqual("webhooks with work", len(work), 1)
	},
	"AWebhookRemembersSinceWhenItFailsUntilItIsDisabled": func(t *testing.T, b *fixture) {
		b.addWebhook("hook")
		b.uploadDraft(owner)
		b.orderAll("hook")
		since := b.storedNow()
		d := b.tryDelivery(b.dueDeliveries("hook")[0], contract.DeliveryOrdered, b.now)
		b.advance(time.Hour)
		d = b.tryDelivery(d, contract.DeliveryOrdered, b.now)
		failing := func() contract.Webhook {
			w, err := b.Webhook(b.ctx, "hook")
			b.must(err)
			return w
		}
		b.requireEqual("failing since", failing().FailingSince, since)
		d = b.tryDelivery(d, contract.DeliveryDelivered, b.now)
		b.requireEqual("after a success, failing since", failing().FailingSince, time.Time{})
		size, _, err := b.Size(b.ctx)
		b.must(err)
		d, err = b.ReplayDelivery(b.ctx, "hook", d.Number, b.now, b.webhookEvent())
		b.must(err)
		d, err = b.BeginDelivery(b.ctx, d, b.now, 0)
		b.must(err)
		d.State, d.DoneAt = contract.DeliveryDead, b.storedNow()
		e := b.webhookEvent()
		e.Type = contract.EventWebhookDisabled
		b.must(b.EndDelivery(b.ctx, d, contract.WebhookGone, e))
		w := failing()
		b.requireEqual("disabled", []any{w.DisabledAt, w.DisabledFor, w.Untold}, []any{b.storedNow(), contract.WebhookGone, true})
		after, _, err := b.Size(b.ctx)
		b.must(err)
		b.requireEqual("events of the replay and of the end", after-size, int64(2))
		work, err := b.WebhooksWithWork(b.ctx, b.now)
		b.must(err)
		b.requireEqual("webhooks whose admins are to be told", len(work), 1)
		b.must(b.SetWebhookTold(b.ctx, "hook"))
		requireRead(b, "webhooks with work", []contract.Webhook{})(b.WebhooksWithWork(b.ctx, b.now))
		b.must(b.PurgeDeliveries(b.ctx, b.now))
		_, err = b.Delivery(b.ctx, "hook", d.Number)
		b.must(err)
		b.must(b.PurgeDeliveries(b.ctx, b.now.Add(time.Second)))
		_, err = b.Delivery(b.ctx, "hook", d.Number)
		b.requireError("a delivery that ended long ago", err, store.ErrNotFound)
	},
}
