package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

// webhookOut is a webhook without its secret.
type webhookOut struct {
	ID           contract.WebhookID      `json:"id" example:"01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61"`
	Organisation contract.OrganisationID `json:"organisation" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	URL          string                  `json:"url" example:"https://erp.contoh.id/segel"`
	Description  string                  `json:"description" example:"ERP"`
	Types        []contract.FeedType     `json:"types" doc:"of the events that are sent; empty: all"`
	Enabled      bool                    `json:"enabled"`
	DisabledAt   *string                 `json:"disabled_at" doc:"null: it is enabled" example:"2024-10-14T06:06:00.000Z"`
	DisabledFor  contract.WebhookProblem `json:"disabled_for" doc:"off: by an admin; failing: a delivery was given up, and none succeeded for two days; gone: it answered 410; empty: it is enabled" enum:",off,failing,gone" example:"failing"`
	FailingSince *string                 `json:"failing_since" doc:"the first failed try since a delivery last succeeded; null: the last one succeeded" example:"2024-10-14T06:06:00.000Z"`
	FormerUntil  *string                 `json:"former_until" doc:"until when the former secret signs too; null: there is none" example:"2024-10-15T06:06:00.000Z"`
	CreatedAt    string                  `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
}

func (c *call) webhookOf(w contract.Webhook) webhookOut {
	out := webhookOut{
		ID: w.ID, Organisation: w.Organisation, URL: w.URL, Description: w.Description, Types: append([]contract.FeedType{}, w.Types...), Enabled: w.DisabledAt.IsZero(),
		DisabledAt: isoOrNull(w.DisabledAt), DisabledFor: w.DisabledFor, FailingSince: isoOrNull(w.FailingSince), CreatedAt: formatISO(w.CreatedAt),
	}
	if c.Clock().Before(w.FormerUntil) {
		out.FormerUntil = isoOrNull(w.FormerUntil)
	}
	return out
}

type webhooksData struct {
	Webhooks []webhookOut        `json:"webhooks" doc:"the oldest first"`
	Types    []contract.FeedType `json:"types" doc:"every type of event"`
}

func (c *call) listWebhooks() (webhooksData, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return webhooksData{}, err
	}
	all, err := c.Webhooks.List(c.r.Context(), c.by, of)
	if err != nil {
		return webhooksData{}, err
	}
	return webhooksData{Webhooks: convertAll(all, c.webhookOf), Types: contract.FeedTypes}, nil
}

type webhookAdd struct {
	URL          phrase       `json:"url" required:"true" doc:"https; http only where the operator allows private networks" example:"https://erp.contoh.id/segel"`
	Description  phrase       `json:"description" required:"false" doc:"at most 200 characters" example:"ERP"`
	Types        list[phrase] `json:"types" required:"false" doc:"of the events that are sent; missing or empty: all"`
	Enabled      binary       `json:"enabled" required:"false" doc:"missing: true"`
	Organisation phrase       `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

type webhookChange struct {
	URL         phrase       `json:"url" required:"true" doc:"https; http only where the operator allows private networks" example:"https://erp.contoh.id/segel"`
	Description phrase       `json:"description" required:"false" doc:"at most 200 characters; missing: none" example:"ERP"`
	Types       list[phrase] `json:"types" required:"false" doc:"of the events that are sent; missing or empty: all"`
	Enabled     binary       `json:"enabled" required:"false" doc:"missing: true"`
}

func parseWebhook(address, description phrase, types list[phrase], enabled binary, bad *problems) contract.WebhookSettings {
	out := contract.WebhookSettings{
		URL: address.checkedValue("url", bad), Description: description.checkedValue("description", bad), Enabled: enabled.checkedValue("enabled", bad) || !enabled.given,
	}
	for _, t := range types.checkedValue("types", bad) {
		out.Types = append(out.Types, contract.FeedType(t.checkedValue("types", bad)))
	}
	return out
}

// webhookSecret is a webhook with its secret.
type webhookSecret struct {
	Webhook webhookOut `json:"webhook"`
	Secret  string     `json:"secret" doc:"shown only once; signs each message" example:"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"`
}

type webhookAnswer struct {
	Webhook webhookOut `json:"webhook"`
}

func (c *call) addWebhook(in *webhookAdd) (done[webhookSecret], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	settings := parseWebhook(in.URL, in.Description, in.Types, in.Enabled, &bad)
	if err := bad.asError(); err != nil {
		return done[webhookSecret]{}, err
	}
	w, secret, err := c.Webhooks.Add(c.r.Context(), c.by, of, settings)
	if err != nil {
		return done[webhookSecret]{}, err
	}
	return doneAnswer(c, "done.webhook_added", webhookSecret{Webhook: c.webhookOf(w), Secret: secret}), nil
}

func (c *call) pathWebhook() contract.WebhookID {
	return contract.WebhookID(parsePersonID(c.r.PathValue("webhook_id")))
}

func (c *call) changeWebhook(in *webhookChange) (done[webhookAnswer], error) {
	var bad problems
	settings := parseWebhook(in.URL, in.Description, in.Types, in.Enabled, &bad)
	if err := bad.asError(); err != nil {
		return done[webhookAnswer]{}, err
	}
	w, err := c.Webhooks.Change(c.r.Context(), c.by, c.pathWebhook(), settings)
	if err != nil {
		return done[webhookAnswer]{}, err
	}
	return doneAnswer(c, "done.webhook_changed", webhookAnswer{c.webhookOf(w)}), nil
}

func (c *call) deleteWebhook() (noted, error) {
	if err := c.Webhooks.Delete(c.r.Context(), c.by, c.pathWebhook()); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.webhook_deleted"), nil
}

func (c *call) rotateWebhook() (done[webhookSecret], error) {
	w, secret, err := c.Webhooks.Rotate(c.r.Context(), c.by, c.pathWebhook())
	if err != nil {
		return done[webhookSecret]{}, err
	}
	return doneAnswer(c, "done.webhook_rotated", webhookSecret{Webhook: c.webhookOf(w), Secret: secret}), nil
}

// deliveryOut is an event that is sent to a webhook, with its last try.
type deliveryOut struct {
	ID         string                 `json:"id" doc:"webhook-id of the message" example:"evt_2414"`
	Type       contract.FeedType      `json:"type" example:"document.signed"`
	DocumentID contract.DocumentID    `json:"document_id" doc:"0: it concerns no document" example:"1207"`
	Status     contract.DeliveryState `json:"status" doc:"dead: it was given up" enum:"ordered,delivered,dead" example:"delivered"`
	OrderedAt  string                 `json:"ordered_at" example:"2024-10-14T06:06:00.000Z"`
	DueAt      *string                `json:"due_at" doc:"when it is tried next; null: not any more" example:"2024-10-14T06:06:00.000Z"`
	DoneAt     *string                `json:"done_at" doc:"when it was delivered or given up; null: not yet" example:"2024-10-14T06:06:00.000Z"`
	Tries      int                    `json:"tries" example:"1"`
	Try        maybe[deliveryTry]     `json:"try" doc:"the last one; null: none was begun"`
}

type deliveryTry struct {
	URL          string  `json:"url" example:"https://erp.contoh.id/segel"`
	SentAt       string  `json:"sent_at" example:"2024-10-14T06:06:00.000Z"`
	Milliseconds int64   `json:"milliseconds" doc:"until the response" example:"112"`
	Request      string  `json:"request" doc:"body of the request"`
	Status       int     `json:"status" doc:"of the response; 0: there was none" example:"200"`
	Response     string  `json:"response" doc:"body of the response, at most 4 KiB of it; empty if the host is not on the public internet"`
	Problem      *string `json:"problem" doc:"null: the message was accepted, or there is no result yet"`
}

func (c *call) deliveryOf(d contract.WebhookDelivery) deliveryOut {
	out := deliveryOut{
		ID: d.MessageID(), Type: d.Type, DocumentID: d.Document, Status: d.State, OrderedAt: formatISO(d.OrderedAt), DoneAt: isoOrNull(d.DoneAt), Tries: d.Tries,
	}
	if d.State == contract.DeliveryOrdered {
		out.DueAt = isoOrNull(dueSince(d.DueAt, d.OrderedAt))
	}
	if !d.SentAt.IsZero() {
		out.Try = maybe[deliveryTry]{&deliveryTry{
			URL: d.URL, SentAt: formatISO(d.SentAt), Milliseconds: d.Took.Milliseconds(), Request: d.Body, Status: d.Status, Response: d.Response,
			Problem: orNull(text.Reason(c.language, string(d.Problem))),
		}}
	}
	return out
}

type deliveriesData struct {
	Deliveries []deliveryOut `json:"deliveries"`
	Pagination pagination    `json:"pagination"`
}

func (c *call) listDeliveries() (deliveriesData, error) {
	q := c.parseQuery()
	p := q.parsePage(adminLimit)
	r := store.DeliveryQuery{
		Webhook: c.pathWebhook(), Document: q.parseDocument(), State: parseChoice(q, "status", contract.DeliveryStates), Offset: p.skippedLines(), Limit: p.limit,
	}
	if err := q.bad.asError(); err != nil {
		return deliveriesData{}, err
	}
	found, err := c.Webhooks.Deliveries(c.r.Context(), c.by, r)
	if err != nil {
		return deliveriesData{}, err
	}
	return deliveriesData{Deliveries: convertAll(found.Deliveries, c.deliveryOf), Pagination: paginate(p, found.Total, len(found.Deliveries))}, nil
}

func (c *call) testWebhook() (done[deliveryOut], error) {
	d, err := c.Webhooks.Test(c.r.Context(), c.by, c.pathWebhook())
	if err != nil {
		return done[deliveryOut]{}, err
	}
	return doneAnswer(c, "done.webhook_tested", c.deliveryOf(d)), nil
}

type replayIn struct {
	ID    phrase `json:"id" required:"false" doc:"of the delivery that is sent again" example:"evt_2414"`
	Since phrase `json:"since" required:"false" doc:"ISO 8601 with a zone: every event that happened at this time or later is sent again" example:"2024-10-14T06:06:00.000Z"`
}

func (c *call) replayWebhook(in *replayIn) (noted, error) {
	var bad problems
	id, since := in.ID.checkedValue("id", &bad), in.Since.checkedValue("since", &bad)
	var from time.Time
	number, known := contract.ParseMessageID(id)
	switch {
	case len(bad) > 0:
	case id == "" && since == "":
		bad.add("id", "value.required")
	case id != "" && since != "":
		bad.add("since", "webhook.id_or_since")
	case since != "":
		var ok bool
		if from, ok = parseISO(since); !ok {
			bad.add("since", "value.not_time")
		}
	}
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	var err error
	switch {
	case since != "":
		err = c.Webhooks.ReplaySince(c.r.Context(), c.by, c.pathWebhook(), from)
	case known:
		_, err = c.Webhooks.Replay(c.r.Context(), c.by, c.pathWebhook(), number)
	default:
		err = contract.ErrNoDelivery
	}
	if err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.webhook_replayed"), nil
}

func webhookParam() *huma.Param {
	return &huma.Param{Name: "webhook_id", In: "path", Required: true, Description: "UUID of a webhook.", Schema: textSchema(), Example: "01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61"}
}
