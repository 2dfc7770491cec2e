package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// FeedQuery selects reported events of one organisation.
type FeedQuery struct {
	Organisation contract.OrganisationID
	From         contract.FeedNumber // the first position
	Types        []contract.FeedType // empty: all
	Limit        int                 // positive
}

// FeedPage is a part of the feed: events in the order of the commits, and the position after the last event that was considered.
type FeedPage struct {
	Events []contract.FeedEvent
	Next   contract.FeedNumber
	More   bool // there may be more events at Next already
}

// Feed reads the events that are reported to other systems. [Documents.Commit] and all others that append to the audit log add them, in the
// same transaction: an event is in the feed exactly if its change was committed.
type Feed interface {
	ReadFeed(ctx context.Context, q FeedQuery) (FeedPage, error)

	// FeedEnd returns the position after the last event of all organisations. It is cheap.
	FeedEnd(ctx context.Context) (contract.FeedNumber, error)

	// FeedSince returns the position of the first event of the log that was made at that time or later; the end if there is none.
	FeedSince(ctx context.Context, at time.Time) (contract.FeedNumber, error)
}

// DeliveryQuery selects deliveries to one webhook. A zero member selects all.
type DeliveryQuery struct {
	Webhook  contract.WebhookID
	State    contract.DeliveryState
	Document contract.DocumentID
	Offset   int
	Limit    int
}

// DeliveryPage is one page of deliveries, those of the newest events first, and the number of all that match.
type DeliveryPage struct {
	Deliveries []contract.WebhookDelivery
	Total      int
}

// Webhooks stores the addresses that events are sent to, and the deliveries. Secrets are sealed by the caller.
type Webhooks interface {
	// AddWebhook adds a webhook and logs the event in the same transaction. It returns contract.ErrWebhookLimit if the organisation has
	// too many.
	AddWebhook(ctx context.Context, w contract.Webhook, e contract.Event) error

	Webhook(ctx context.Context, id contract.WebhookID) (contract.Webhook, error) // ErrNotFound

	// WebhooksOf returns the webhooks of an organisation, the oldest first.
	WebhooksOf(ctx context.Context, o contract.OrganisationID) ([]contract.Webhook, error)

	// SetWebhook replaces everything about a webhook but its position and whether it fails, and logs the event in the same transaction. It
	// returns ErrConflict if w.Edits is not the stored one.
	SetWebhook(ctx context.Context, w contract.Webhook, e contract.Event) error

	// DeleteWebhook deletes a webhook with its deliveries, and logs the event.
	DeleteWebhook(ctx context.Context, id contract.WebhookID, e contract.Event) error

	// WebhooksWithWork returns, ordered by ID, the enabled webhooks that have deliveries due now or events that are not deliveries yet, and
	// those that have tests due or whose admins are to be told that they were disabled.
	WebhooksWithWork(ctx context.Context, now time.Time) ([]contract.Webhook, error)

	// OrderDeliveries makes deliveries of the next events of a webhook, up to limit, and moves its position in the same transaction. It
	// returns the new position. It returns ErrConflict if the position is not w.Position any more or the webhook is disabled.
	// An event that was delivered before, or is dead, is delivered again: an admin moved the position back.
	OrderDeliveries(ctx context.Context, w contract.Webhook, limit int, now time.Time) (next contract.FeedNumber, more bool, err error)

	// DueDeliveries returns up to limit deliveries that are due, the one that waits longest first. Of each document it returns only the
	// first that is not final: later ones wait for it. Tests and events without a document wait for none. Of a disabled webhook it returns
	// tests only.
	DueDeliveries(ctx context.Context, w contract.Webhook, now time.Time, limit int) ([]contract.WebhookDelivery, error)

	// BeginDelivery records, before a request is sent, its address, body and time, counts the try, and keeps other processes from
	// the delivery for a lease, as [Notices.BeginTry] does. It returns ErrConflict if another process began that try, or the delivery is final. Durable on return: a
	// crash from here on leads to another try.
	BeginDelivery(ctx context.Context, d contract.WebhookDelivery, now time.Time, lease time.Duration) (contract.WebhookDelivery, error)

	// EndDelivery records the result of a try, and what follows for its webhook: that it succeeded, that it fails, or that it is disabled for
	// that reason, with the event. It returns ErrConflict if the delivery is not the one that [Webhooks.BeginDelivery] returned any more.
	EndDelivery(ctx context.Context, d contract.WebhookDelivery, disable contract.WebhookProblem, e contract.Event) error

	// AddTest adds a test delivery and logs the event.
	AddTest(ctx context.Context, d contract.WebhookDelivery, e contract.Event) error

	// ReplayDelivery orders a final delivery again; one that is ordered already is left alone. It returns ErrNotFound if there is none
	// of that number.
	ReplayDelivery(ctx context.Context, id contract.WebhookID, n contract.FeedNumber, now time.Time, e contract.Event) (contract.WebhookDelivery, error)

	// RewindWebhook moves the position of a webhook back, so that all events from there on are delivered again. A position that is not
	// below the current one changes nothing.
	RewindWebhook(ctx context.Context, id contract.WebhookID, to contract.FeedNumber, e contract.Event) error

	ListDeliveries(ctx context.Context, q DeliveryQuery) (DeliveryPage, error)

	Delivery(ctx context.Context, id contract.WebhookID, n contract.FeedNumber) (contract.WebhookDelivery, error) // ErrNotFound

	// SetWebhookTold records that the admins were told that a webhook was disabled.
	SetWebhookTold(ctx context.Context, id contract.WebhookID) error

	// PurgeDeliveries deletes deliveries that ended before that time.
	PurgeDeliveries(ctx context.Context, before time.Time) error
}
