package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/notify/webhook"
	"segel/internal/store"
	"segel/internal/text"
)

// Bounds of a request for the feed.
const (
	feedLimit   = 50 // events of one answer, unless the request says otherwise
	maxFeed     = 200
	maxFeedWait = 50 // seconds: proxies close connections that are idle for a minute
)

// feedItem is an event of an organisation, as the feed and webhooks report it.
type feedItem struct {
	ID        string            `json:"id" doc:"the same wherever the event is reported, however often" example:"evt_2414"`
	Type      contract.FeedType `json:"type" example:"document.signed"`
	Version   int               `json:"version" doc:"of the form of this object" example:"1"`
	Timestamp string            `json:"timestamp" doc:"when it happened" example:"2024-10-14T06:06:00.000Z"`
	Data      feedItemData      `json:"data"`
}

type feedItemData struct {
	DocumentID contract.DocumentID `json:"document_id" doc:"0: it concerns no document" example:"1207"`
	Cause      feedCause           `json:"cause"`
	Document   maybe[detailData]   `json:"document" doc:"the detail of the document when the event is read or first sent, as a person sees it who does not take part; null: the document was deleted"`
}

// feedCause is the event of the audit log that an event of the feed reports.
type feedCause struct {
	Type        contract.EventType `json:"type" doc:"of the event in the audit log" example:"signed"`
	UserID      *contract.PersonID `json:"user_id" doc:"who did it; null: the service itself" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name        string             `json:"name" doc:"who did it; the service itself has a name too" example:"Siti Rahma"`
	Email       *string            `json:"email" example:"siti@contoh.id"`
	Description string             `json:"description" example:"Menandatangani dokumen"`
	Reason      *string            `json:"reason" doc:"given by the person who declined, canceled or passed their part on" example:"Nilai sewa keliru"`
	Problem     *string            `json:"problem" doc:"why it failed, was refused or bounced"`
	Serial      *string            `json:"serial" doc:"of the duty stamp" example:"SPESIMEN-7Q2M"`
	Recipient   *string            `json:"recipient" doc:"of the mail: user_id of a person on the document"`
	Key         maybe[feedKey]     `json:"key" doc:"the API key with which it was done, or which it is about; null: none"`
	Quota       maybe[feedQuota]   `json:"quota" doc:"of quota.low; null: of the other types"`
}

type feedKey struct {
	ID   contract.KeyID `json:"id" example:"01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61"`
	Name string         `json:"name" doc:"as its holder chose it" example:"ERP"`
}

type feedQuota struct {
	Unit contract.Unit `json:"unit" doc:"emet: duty stamps; sign: signatures" example:"emet"`
	Left int           `json:"left" doc:"units that can still be used" example:"12"`
}

type feedData struct {
	Events []feedItem `json:"events" doc:"in the order in which they happened"`
	Next   string     `json:"next" doc:"cursor after these events, for the next request" example:"c1v2"`
	More   bool       `json:"more" doc:"there may be more events already"`
}

// EventEncoder writes events as webhooks report them: in the same form as the feed. Documents, Organisations and Clock are required.
type EventEncoder struct {
	Documents     func(ctx context.Context, id contract.DocumentID) (contract.Document, error)
	Organisations func(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	Clock         func() time.Time
	PublicURL     string
	Language      text.Language
}

// Encode returns an event as JSON.
func (e *EventEncoder) Encode(ctx context.Context, event contract.FeedEvent) ([]byte, error) {
	all, err := e.items(ctx, []contract.FeedEvent{event})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // as in the answers of the interface
	if err := enc.Encode(all[0]); err != nil {
		return nil, fmt.Errorf("encode event %d of the feed: %w", event.Number, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// items returns events as they are reported. Each document is read once.
func (e *EventEncoder) items(ctx context.Context, events []contract.FeedEvent) ([]feedItem, error) {
	c := &call{exchange: &exchange{language: e.Language}, server: &server{Options: Options{Clock: e.Clock, PublicURL: e.PublicURL}}}
	details := map[contract.DocumentID]maybe[detailData]{}
	all := []feedItem{}
	for _, event := range events {
		id := event.Cause.Document
		if _, known := details[id]; !known && id != 0 {
			d, err := e.Documents(ctx, id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, fmt.Errorf("read document %d: %w", id, err)
			}
			details[id] = maybe[detailData]{}
			if err == nil {
				of, err := e.Organisations(ctx, d.Organisation)
				if err != nil {
					return nil, err
				}
				detail := c.detailWith(&d, of)
				details[id] = maybe[detailData]{&detail}
			}
		}
		all = append(all, feedItem{
			ID: contract.FeedEventID(event.Number), Type: event.Type, Version: contract.FeedVersion, Timestamp: formatISO(event.Cause.At),
			Data: feedItemData{DocumentID: id, Cause: c.causeOf(event.Cause), Document: details[id]},
		})
	}
	return all, nil
}

func (c *call) causeOf(e contract.Event) feedCause {
	out := feedCause{
		Type: e.Type, Name: c.nameOf(e.Person), Email: orNull(e.Person.Email), Description: text.Event(c.language, e), Serial: orNull(e.Details["serial"]),
		Problem: orNull(text.Reason(c.language, e.Details["problem"])), Recipient: orNull(e.Details["recipient"]),
	}
	if id := e.Details["key"]; id != "" {
		out.Key = maybe[feedKey]{&feedKey{contract.KeyID(id), e.Details["key_name"]}}
	}
	if e.Person.ID != "" {
		out.UserID = &e.Person.ID
	}
	switch e.Type {
	case contract.EventNoticeRefused:
		out.Problem = orNull(text.Reason(c.language, e.Details["reason"]))
	case contract.EventRejected, contract.EventCanceled, contract.EventDelegated:
		out.Reason = orNull(e.Details["reason"])
	case contract.EventQuotaLow:
		left, _ := strconv.Atoi(e.Details["left"])
		out.Quota = maybe[feedQuota]{&feedQuota{Unit: contract.Unit(e.Details["unit"]), Left: left}}
	}
	return out
}

// readFeed answers the events after a cursor. If there are none, it waits for some.
func (c *call) readFeed() error {
	q := c.parseQuery()
	r := store.FeedQuery{Limit: feedLimit, Types: q.parseFeedTypes("types")}
	of := q.parseOrganisation()
	if s := q.Get("limit"); s != "" {
		n, ok := parseInteger(s)
		if !ok || n < 1 || n > maxFeed {
			q.bad.add("limit", "value.out_of_range", "min", 1, "max", maxFeed)
		}
		r.Limit = int(n)
	}
	seconds := int64(0)
	if s := q.Get("wait"); s != "" {
		var ok bool
		if seconds, ok = parseInteger(s); !ok || seconds < 0 || seconds > maxFeedWait {
			q.bad.add("wait", "value.out_of_range", "min", 0, "max", maxFeedWait)
		}
	}
	after := q.Get("after")
	if after != "" && after != "end" {
		var ok bool
		if r.From, ok = webhook.ParseCursor(after); !ok {
			q.bad.add("after", "feed.bad_cursor")
		}
	}
	if err := q.bad.asError(); err != nil {
		return err
	}
	var err error
	if r.Organisation, err = c.Webhooks.Authorise(c.r.Context(), c.by, contract.AdminFeed, of); err != nil {
		return err
	}
	end, err := c.Feed.Store.FeedEnd(c.r.Context())
	switch {
	case err != nil:
		return err
	case r.From > end:
		return contract.ErrFeedAhead
	case after == "end":
		r.From = end
	}
	release, err := c.acquireStreamShare(r.Organisation)
	if err != nil {
		return err
	}
	defer release()
	if seconds > 0 {
		c.deadline.removeLimit()
	}
	// A process that stops ends the waiting, not the reading: what it answers is complete.
	running, unwatch := c.untilStopping()
	defer unwatch()
	waiting, cancel := context.WithTimeout(running, time.Duration(seconds)*time.Second)
	defer cancel()
	page, err := c.Feed.Read(c.r.Context(), r, waiting.Done())
	if err != nil {
		return err
	}
	if seconds > 0 { // the token may have been revoked meanwhile, or the person has another role
		if c.by, err = c.authenticateAgain(); err != nil {
			return err
		}
		if _, err := c.Webhooks.Authorise(c.r.Context(), c.by, contract.AdminFeed, of); err != nil {
			return err
		}
	}
	encoder := EventEncoder{Documents: c.Workflow.Store.Document, Organisations: c.Workflow.Organisation, Clock: c.Clock, PublicURL: c.PublicURL, Language: c.language}
	items, err := encoder.items(c.r.Context(), page.Events)
	if err != nil {
		return err
	}
	return c.writeAnswer(http.StatusOK, foundAnswer(feedData{Events: items, Next: webhook.FormatCursor(page.Next), More: page.More}))
}

// parseFeedTypes reads types of events, separated by commas. None means all.
func (q *query) parseFeedTypes(name string) (all []contract.FeedType) {
	s := q.Get(name)
	if s == "" {
		return nil
	}
	for t := range strings.SplitSeq(s, ",") {
		if !slices.Contains(contract.FeedTypes, contract.FeedType(t)) {
			q.bad.add(name, "webhook.unknown_type")
			return nil
		}
		all = append(all, contract.FeedType(t))
	}
	return all
}

func feedParams() []*huma.Param {
	number := func(name, text string, least, most float64) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: text, Schema: &huma.Schema{Type: "integer", Format: "int64", Minimum: &least, Maximum: &most}}
	}
	own := organisationParam()
	own.Description = "UUID of an organisation. Missing: the caller's own."
	return []*huma.Param{
		{Name: "after", In: "query", Description: "next of the previous answer. Missing: from the first event; end: from now on.", Schema: textSchema()},
		number("wait", "Seconds to wait for events if there are none. Missing: 0.", 0, maxFeedWait),
		number("limit", "How many events of the audit log are read at most. Missing: 50.", 1, maxFeed),
		{Name: "types", In: "query", Description: "Only events of these types, separated by commas.", Schema: textSchema()},
		own,
	}
}
