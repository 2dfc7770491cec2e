package sqlstore

import (
	"context"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var webhookRows = rowType[contract.Webhook]{
	"webhook",
	`id, organisation, url, description, types, secret, former_secret, former_until, position, disabled_at, disabled_for, failing_since, untold, created_at, edits`,
	func(w *contract.Webhook) []any {
		return []any{
			&w.ID, &w.Organisation, &w.URL, &w.Description, scanFeedTypes(&w.Types), scanBytes(&w.Secret), scanBytes(&w.FormerOne), scanTime(&w.FormerUntil), &w.Position,
			scanTime(&w.DisabledAt), &w.DisabledFor, scanTime(&w.FailingSince), &w.Untold, scanTime(&w.CreatedAt), &w.Edits,
		}
	},
}

// Types are stored in one text, separated by spaces.
func joinFeedTypes(all []contract.FeedType) string {
	var b strings.Builder
	for i, t := range all {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(t))
	}
	return b.String()
}

func scanFeedTypes(to *[]contract.FeedType) scanner {
	return func(column any) error {
		var text string
		if err := scanText(&text).Scan(column); err != nil {
			return err
		}
		*to = nil
		for name := range strings.FieldsSeq(text) {
			*to = append(*to, contract.FeedType(name))
		}
		return nil
	}
}

var deliveryRows = rowType[contract.WebhookDelivery]{
	"webhook_delivery",
	`webhook, number, organisation, document, type, state, ordered_at, due_at, done_at, tries, url, sent_at, took, body, status, response, problem`,
	func(d *contract.WebhookDelivery) []any {
		return []any{
			&d.Webhook, &d.Number, &d.Organisation, &d.Document, &d.Type, &d.State, scanTime(&d.OrderedAt), scanTime(&d.DueAt), scanTime(&d.DoneAt), &d.Tries,
			&d.URL, scanTime(&d.SentAt), scanDuration(&d.Took), &d.Body, &d.Status, &d.Response, &d.Problem,
		}
	},
}

// scanDuration scans a duration in microseconds.
func scanDuration(to *time.Duration) scanner {
	return func(column any) error {
		var n int64
		err := scanNumber(&n).Scan(column)
		*to = time.Duration(n) * time.Microsecond
		return err
	}
}

// AddWebhook implements [store.Webhooks].
func (s *Store) AddWebhook(ctx context.Context, w contract.Webhook, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Of webhooks that are added at the same time, each counts those before it.
		if err := lockOrganisation(ctx, t, w.Organisation); err != nil {
			return err
		}
		var count int
		if err := queryOne(ctx, t, []any{&count}, `SELECT COUNT(*) FROM webhook WHERE organisation = $1`, w.Organisation); err != nil {
			return err
		}
		if count >= contract.MaxWebhooks {
			return contract.ErrWebhookLimit
		}
		_, err := t.exec(ctx, `INSERT INTO webhook (`+webhookRows.columns+`) VALUES (`+placeholders(1, 15)+`)`,
			w.ID, w.Organisation, cleanText(w.URL), cleanText(w.Description), joinFeedTypes(w.Types), w.Secret, bytesArg(w.FormerOne), toMicros(w.FormerUntil), w.Position,
			toMicros(w.DisabledAt), w.DisabledFor, toMicros(w.FailingSince), w.Untold, toMicros(w.CreatedAt), w.Edits)
		if err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "add webhook %s", w.ID)
}

// Webhook implements [store.Webhooks].
func (s *Store) Webhook(ctx context.Context, id contract.WebhookID) (contract.Webhook, error) {
	w, err := webhookRows.readOne(ctx, s, `WHERE id = $1`, id)
	return w, wrapf(err, "read webhook %s", id)
}

// WebhooksOf implements [store.Webhooks].
func (s *Store) WebhooksOf(ctx context.Context, o contract.OrganisationID) ([]contract.Webhook, error) {
	all, err := readAll(ctx, s, webhookRows.dest, webhookRows.selectWhere(`WHERE organisation = $1 ORDER BY id`), o)
	return all, wrapf(err, "read webhooks of organisation %s", o)
}

// SetWebhook implements [store.Webhooks].
func (s *Store) SetWebhook(ctx context.Context, w contract.Webhook, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireChange, `UPDATE webhook SET url = $3, description = $4, types = $5, secret = $6, former_secret = $7, former_until = $8, disabled_at = $9,
				disabled_for = $10, untold = $11, failing_since = CASE WHEN disabled_at = $9 THEN failing_since ELSE 0 END, edits = edits + 1
			WHERE id = $1 AND edits = $2`,
			w.ID, w.Edits, cleanText(w.URL), cleanText(w.Description), joinFeedTypes(w.Types), w.Secret, bytesArg(w.FormerOne), toMicros(w.FormerUntil),
			toMicros(w.DisabledAt), w.DisabledFor, w.Untold); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "change webhook %s", w.ID)
}

// DeleteWebhook implements [store.Webhooks].
func (s *Store) DeleteWebhook(ctx context.Context, id contract.WebhookID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The row is locked first, so that no delivery is added meanwhile.
		if n, err := t.exec(ctx, `UPDATE webhook SET edits = edits + 1 WHERE id = $1`, id); err != nil || n == 0 {
			return err
		}
		if _, err := t.exec(ctx, `DELETE FROM webhook_delivery WHERE webhook = $1`, id); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `DELETE FROM webhook WHERE id = $1`, id); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "delete webhook %s", id)
}

// withWork selects webhooks with work now, $1. A position is contract.MaxFeedTypes times a leaf, or more by less than that. Clock is the expression of the time.
func withWork(clock string) string {
	due := `d.state = 'ordered' AND d.due_at <= $1 AND d.` + notHeld(clock)
	return `w WHERE untold
	OR EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.webhook = w.id AND d.number < 0 AND ` + due + `)
	OR disabled_at = 0 AND (
		EXISTS (SELECT 1 FROM event e WHERE e.organisation = w.organisation AND e.organisation <> '' AND e.leaf >= w.position / 2)
		OR EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.webhook = w.id AND ` + due + `)) ORDER BY id`
}

// WebhooksWithWork implements [store.Webhooks].
func (s *Store) WebhooksWithWork(ctx context.Context, now time.Time) ([]contract.Webhook, error) {
	all, err := readAll(ctx, s, webhookRows.dest, webhookRows.selectWhere(withWork(s.db.clockMicros())), toMicros(now))
	return all, wrapf(err, "read webhooks with work")
}

// deliveriesInStatement is how many deliveries one statement adds.
const deliveriesInStatement = 50

// OrderDeliveries implements [store.Webhooks].
func (s *Store) OrderDeliveries(ctx context.Context, w contract.Webhook, limit int, now time.Time) (next contract.FeedNumber, more bool, err error) {
	// The log is read before the transaction: what was committed never changes.
	page, err := s.ReadFeed(ctx, store.FeedQuery{Organisation: w.Organisation, From: w.Position, Types: w.Types, Limit: limit})
	if err != nil {
		return 0, false, err
	}
	if page.Next == w.Position {
		return w.Position, false, nil
	}
	// Durable with this transaction: the deliveries, and that these events are deliveries.
	err = s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE webhook SET position = $3 WHERE id = $1 AND position = $2 AND disabled_at = 0`, w.ID, w.Position, page.Next)
		if err == nil {
			err = requireChange(n)
		}
		for begin := 0; begin < len(page.Events) && err == nil; begin += deliveriesInStatement {
			err = addDeliveries(ctx, t, w.ID, page.Events[begin:min(begin+deliveriesInStatement, len(page.Events))], now)
		}
		return err
	})
	return page.Next, page.More, wrapf(err, "order deliveries to webhook %s", w.ID)
}

// orderAgain makes a final delivery an ordered one. What its last try said stays until the next one.
const orderAgain = `state = 'ordered', ordered_at = excluded.ordered_at, due_at = excluded.due_at, done_at = 0, tries = 0`

// addDeliveries adds deliveries of events, or orders those again that are final.
func addDeliveries(ctx context.Context, t tx, id contract.WebhookID, events []contract.FeedEvent, now time.Time) error {
	sql, args := `INSERT INTO webhook_delivery (`+deliveryRows.columns+`) VALUES `, []any{}
	for i, e := range events {
		if i > 0 {
			sql += `, `
		}
		d := contract.WebhookDelivery{
			Webhook: id, Number: e.Number, Organisation: e.Organisation, Document: e.Cause.Document, Type: e.Type,
			State: contract.DeliveryOrdered, OrderedAt: now, DueAt: now,
		}
		all := deliveryArgs(d)
		sql += `(` + placeholders(1+len(args), len(all)) + `)`
		args = append(args, all...)
	}
	_, err := t.exec(ctx, sql+` ON CONFLICT (webhook, number) DO UPDATE SET `+orderAgain+` WHERE webhook_delivery.state <> 'ordered'`, args...)
	return err
}

func deliveryArgs(d contract.WebhookDelivery) []any {
	return []any{
		d.Webhook, d.Number, d.Organisation, d.Document, d.Type, d.State, toMicros(d.OrderedAt), toMicros(d.DueAt), toMicros(d.DoneAt), d.Tries,
		cleanText(d.URL), toMicros(d.SentAt), d.Took.Microseconds(), cleanText(d.Body), d.Status, cleanText(d.Response), d.Problem,
	}
}

// dueNow selects the deliveries to a webhook, $1, that may be sent now, $2. Clock is the expression of the time.
func dueNow(clock string) string {
	return `d WHERE webhook = $1 AND state = 'ordered' AND due_at <= $2 AND ` + notHeld(clock) + ` AND (document = 0 OR NOT EXISTS
	(SELECT 1 FROM webhook_delivery earlier WHERE earlier.webhook = d.webhook AND earlier.document = d.document AND earlier.state = 'ordered' AND earlier.number < d.number))`
}

// DueDeliveries implements [store.Webhooks].
func (s *Store) DueDeliveries(ctx context.Context, w contract.Webhook, now time.Time, limit int) ([]contract.WebhookDelivery, error) {
	where := dueNow(s.db.clockMicros())
	if !w.DisabledAt.IsZero() {
		where += ` AND number < 0`
	}
	all, err := readAll(ctx, s, deliveryRows.dest, deliveryRows.selectWhere(where+` ORDER BY due_at, number LIMIT $3`), w.ID, toMicros(now), limit)
	return all, wrapf(err, "read due deliveries to webhook %s", w.ID)
}

// BeginDelivery implements [store.Webhooks].
func (s *Store) BeginDelivery(ctx context.Context, d contract.WebhookDelivery, now time.Time, lease time.Duration) (contract.WebhookDelivery, error) {
	d.URL, d.Body = cleanText(d.URL), cleanText(d.Body)
	clock := s.db.clockMicros()
	holder, hold := holdArgs(ctx, lease)
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE webhook_delivery SET tries = tries + 1, url = $4, body = $5, sent_at = $6, due_at = $7, took = 0, status = 0, response = '', problem = '',
				holder = $8, held_until = CASE WHEN CAST($9 AS BIGINT) = 0 THEN 0 ELSE `+clock+` + $9 END
			WHERE webhook = $1 AND number = $2 AND tries = $3 AND state = 'ordered' AND `+notHeld(clock),
			d.Webhook, d.Number, d.Tries, d.URL, d.Body, toMicros(d.SentAt), toMicros(now.Add(lease)), holder, hold)
		if err != nil {
			return err
		}
		return requireChange(n)
	})
	d.Tries++
	return d, wrapf(err, "begin delivery %d to webhook %s", d.Number, d.Webhook)
}

// EndDelivery implements [store.Webhooks].
//
// The webhook is locked before the delivery, as everywhere. Most deliveries do not change it.
func (s *Store) EndDelivery(ctx context.Context, d contract.WebhookDelivery, disable contract.WebhookProblem, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if !d.IsTest() {
			failing := toMicros(d.SentAt)
			if d.State == contract.DeliveryDelivered {
				failing = 0
			}
			_, err := t.exec(ctx, `UPDATE webhook SET failing_since = $2 WHERE id = $1 AND (failing_since = 0) <> (CAST($2 AS BIGINT) = 0)`, d.Webhook, failing)
			if err != nil {
				return err
			}
		}
		disabled := int64(0)
		if disable != "" {
			var err error
			disabled, err = t.exec(ctx, `UPDATE webhook SET disabled_at = $2, disabled_for = $3, untold = TRUE, edits = edits + 1 WHERE id = $1 AND disabled_at = 0`,
				d.Webhook, toMicros(e.At), disable)
			if err != nil {
				return err
			}
		}
		n, err := t.exec(ctx, `UPDATE webhook_delivery SET state = $5, due_at = $6, done_at = $7, took = $8, status = $9, response = $10, problem = $11, `+endHold+`
			WHERE webhook = $1 AND number = $2 AND tries = $3 AND sent_at = $4 AND state = 'ordered'`,
			d.Webhook, d.Number, d.Tries, toMicros(d.SentAt), d.State, toMicros(d.DueAt), toMicros(d.DoneAt), d.Took.Microseconds(), d.Status, cleanText(d.Response), d.Problem)
		if err == nil {
			err = requireChange(n)
		}
		if err != nil || disabled == 0 {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "record delivery %d to webhook %s", d.Number, d.Webhook)
}

// AddTest implements [store.Webhooks].
func (s *Store) AddTest(ctx context.Context, d contract.WebhookDelivery, e contract.Event) error {
	args := deliveryArgs(d)
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `INSERT INTO webhook_delivery (`+deliveryRows.columns+`) VALUES (`+placeholders(1, len(args))+`)`, args...); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "add a test of webhook %s", d.Webhook)
}

// ReplayDelivery implements [store.Webhooks].
func (s *Store) ReplayDelivery(ctx context.Context, id contract.WebhookID, n contract.FeedNumber, now time.Time, e contract.Event) (d contract.WebhookDelivery, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		changed, err := t.exec(ctx, `UPDATE webhook_delivery SET state = 'ordered', ordered_at = $3, due_at = $3, done_at = 0, tries = 0
			WHERE webhook = $1 AND number = $2 AND state <> 'ordered'`, id, n, toMicros(now))
		if err != nil {
			return err
		}
		d = contract.WebhookDelivery{}
		if err := queryOne(ctx, t, deliveryRows.dest(&d), deliveryRows.selectWhere(`WHERE webhook = $1 AND number = $2`), id, n); err != nil || changed == 0 {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return d, wrapf(err, "order delivery %d to webhook %s again", n, id)
}

// RewindWebhook implements [store.Webhooks].
func (s *Store) RewindWebhook(ctx context.Context, id contract.WebhookID, to contract.FeedNumber, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE webhook SET position = $2 WHERE id = $1 AND position > $2`, id, to)
		if err != nil || n == 0 {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "send the events of webhook %s again", id)
}

// ListDeliveries implements [store.Webhooks].
func (s *Store) ListDeliveries(ctx context.Context, q store.DeliveryQuery) (p store.DeliveryPage, err error) {
	c := &condition{}
	c.addTerm("webhook = %s", q.Webhook)
	if q.State != "" {
		c.addTerm("state = %s", q.State)
	}
	if q.Document != 0 {
		c.addTerm("document = %s", q.Document)
	}
	// Tests have negative numbers, the newest the smallest.
	p.Deliveries, p.Total, err = deliveryRows.readPage(ctx, s, c, "ordered_at DESC, number DESC", q.Offset, q.Limit)
	return p, wrapf(err, "list deliveries to webhook %s", q.Webhook)
}

// Delivery implements [store.Webhooks].
func (s *Store) Delivery(ctx context.Context, id contract.WebhookID, n contract.FeedNumber) (contract.WebhookDelivery, error) {
	d, err := deliveryRows.readOne(ctx, s, `WHERE webhook = $1 AND number = $2`, id, n)
	return d, wrapf(err, "read delivery %d to webhook %s", n, id)
}

// SetWebhookTold implements [store.Webhooks].
func (s *Store) SetWebhookTold(ctx context.Context, id contract.WebhookID) error {
	return wrapf(s.runStatement(ctx, `UPDATE webhook SET untold = FALSE WHERE id = $1`, id), "record that the admins know of webhook %s", id)
}

// PurgeDeliveries implements [store.Webhooks].
func (s *Store) PurgeDeliveries(ctx context.Context, before time.Time) error {
	return wrapf(s.runPurges(ctx, purge{"webhook_delivery", "webhook, number", `state <> 'ordered' AND done_at < $1`, []any{toMicros(before)}}), "purge deliveries")
}
