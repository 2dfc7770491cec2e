package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/store"
)

// Store is what the service reads and writes.
type Store interface {
	store.Feed
	store.Webhooks
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
}

// Sealer encrypts the secrets of webhooks.
type Sealer interface {
	Seal(id string, plain []byte) ([]byte, error)
	Open(id string, sealed []byte) ([]byte, error)
}

// Service manages webhooks and sends events to them. All fields are required, unless they say otherwise. It is safe for concurrent use.
type Service struct {
	Store  Store
	Sealer Sealer
	// Client sends the requests. It follows no redirect and reaches nothing that the rules for outgoing requests forbid.
	Client *http.Client
	// Encode writes the body of a message about an event.
	Encode func(ctx context.Context, e contract.FeedEvent) ([]byte, error)
	// Tell tells the admins of a webhook that the service disabled it. Nil: there is no way to.
	Tell   func(ctx context.Context, w contract.Webhook) error
	Plain  bool // addresses of private hosts may be http
	Clock  func() time.Time
	Random io.Reader
	Log    *slog.Logger
	Poll   time.Duration // how often the store is asked for work; 0: every half second
	// Observe records the result of one try. Nil: results are not recorded.
	Observe func(contract.DeliveryState)

	mu    sync.Mutex // guards the fields below
	turns turns
	told  map[contract.WebhookID]time.Time // when their admins were last tried to be told
}

// Authorise returns the organisation whose events or webhooks the caller may use: the one that is named, or their own.
func (s *Service) Authorise(ctx context.Context, by contract.Actor, op contract.AdminOperation, of contract.OrganisationID) (contract.OrganisationID, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, op, of)
	return o.ID, err
}

// List returns the webhooks of an organisation, the oldest first.
func (s *Service) List(ctx context.Context, by contract.Actor, of contract.OrganisationID) ([]contract.Webhook, error) {
	of, err := s.Authorise(ctx, by, contract.AdminWebhooks, of)
	if err != nil {
		return nil, err
	}
	return s.Store.WebhooksOf(ctx, of)
}

// Add creates a webhook, which is sent the events from now on, and returns its secret, which is never shown again.
func (s *Service) Add(ctx context.Context, by contract.Actor, of contract.OrganisationID, in contract.WebhookSettings) (contract.Webhook, string, error) {
	of, err := s.Authorise(ctx, by, contract.AdminAddWebhook, of)
	if err != nil {
		return contract.Webhook{}, "", err
	}
	in, err = contract.CheckWebhook(in, s.Plain)
	if err != nil {
		return contract.Webhook{}, "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return contract.Webhook{}, "", fmt.Errorf("number a webhook: %w", err)
	}
	now := s.Clock()
	w := contract.Webhook{ID: contract.WebhookID(id.String()), Organisation: of, URL: in.URL, Description: in.Description, Types: in.Types, CreatedAt: now}
	if !in.Enabled {
		w.DisabledAt, w.DisabledFor = now, contract.WebhookOff
	}
	if w.Position, err = s.Store.FeedEnd(ctx); err != nil {
		return contract.Webhook{}, "", err
	}
	secret, err := s.newSecret(&w)
	if err != nil {
		return contract.Webhook{}, "", err
	}
	if err := s.Store.AddWebhook(ctx, w, s.eventOf(by, w, "created")); err != nil {
		return contract.Webhook{}, "", err
	}
	return w, secret, nil
}

// newSecret gives a webhook a new secret and returns it as people see it.
func (s *Service) newSecret(w *contract.Webhook) (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.Random, secret); err != nil {
		return "", fmt.Errorf("make a secret: %w", err)
	}
	sealed, err := s.Sealer.Seal(SecretSealID(w.ID), secret)
	if err != nil {
		return "", fmt.Errorf("seal the secret of webhook %s: %w", w.ID, err)
	}
	w.Secret = sealed
	return formatSecret(secret), nil
}

// SecretSealID is what the secrets of a webhook are sealed for.
func SecretSealID(id contract.WebhookID) string { return "webhook " + string(id) }

// eventOf returns the event of a change of a webhook. Its address may have a secret in its query, so the log gets it without.
func (s *Service) eventOf(by contract.Actor, w contract.Webhook, change string) contract.Event {
	address, _, _ := strings.Cut(w.URL, "?")
	return by.SignEvent(contract.Event{Type: contract.EventWebhookChanged, At: s.Clock(), Details: map[string]string{
		"organisation": string(w.Organisation), "webhook": string(w.ID), "address": address, "change": change,
	}})
}

// administered reads a webhook for an operation of an administrator. One of another organisation is like one that does not exist.
func (s *Service) administered(ctx context.Context, by contract.Actor, op contract.AdminOperation, id contract.WebhookID) (contract.Webhook, error) {
	of, err := by.AuthoriseAdmin(op, "")
	if err != nil {
		return contract.Webhook{}, err
	}
	w, err := s.Store.Webhook(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && of != "" && w.Organisation != of {
		return contract.Webhook{}, contract.ErrNoWebhook
	}
	return w, err
}

// Change replaces the settings of a webhook. One that is enabled again is sent the events since it was disabled.
func (s *Service) Change(ctx context.Context, by contract.Actor, id contract.WebhookID, in contract.WebhookSettings) (contract.Webhook, error) {
	w, err := s.administered(ctx, by, contract.AdminSetWebhook, id)
	if err != nil {
		return w, err
	}
	if in, err = contract.CheckWebhook(in, s.Plain); err != nil {
		return w, err
	}
	w.URL, w.Description, w.Types = in.URL, in.Description, in.Types
	switch {
	case in.Enabled:
		w.DisabledAt, w.DisabledFor, w.Untold, w.FailingSince = time.Time{}, "", false, time.Time{}
	case w.DisabledAt.IsZero():
		w.DisabledAt, w.DisabledFor = s.Clock(), contract.WebhookOff
	}
	return s.storeChange(ctx, w, s.eventOf(by, w, "changed"))
}

func (s *Service) storeChange(ctx context.Context, w contract.Webhook, e contract.Event) (contract.Webhook, error) {
	err := s.Store.SetWebhook(ctx, w, e)
	if errors.Is(err, store.ErrConflict) {
		return w, contract.ErrWebhookChanged.WithCause(err)
	}
	w.Edits++
	return w, err
}

// Delete deletes a webhook with the record of its deliveries.
func (s *Service) Delete(ctx context.Context, by contract.Actor, id contract.WebhookID) error {
	w, err := s.administered(ctx, by, contract.AdminSetWebhook, id)
	if err != nil {
		return err
	}
	return s.Store.DeleteWebhook(ctx, id, s.eventOf(by, w, "deleted"))
}

// Rotate gives a webhook a new secret and returns it; it is never shown again. For contract.FormerSecretLifetime, the former one signs too.
func (s *Service) Rotate(ctx context.Context, by contract.Actor, id contract.WebhookID) (contract.Webhook, string, error) {
	w, err := s.administered(ctx, by, contract.AdminRotateWebhook, id)
	if err != nil {
		return w, "", err
	}
	w.FormerOne, w.FormerUntil = w.Secret, s.Clock().Add(contract.FormerSecretLifetime)
	secret, err := s.newSecret(&w)
	if err != nil {
		return w, "", err
	}
	w, err = s.storeChange(ctx, w, s.eventOf(by, w, "rotated"))
	return w, secret, err
}

// Test orders the delivery of a message that reports no event. It is sent once, even to a webhook that is disabled.
func (s *Service) Test(ctx context.Context, by contract.Actor, id contract.WebhookID) (contract.WebhookDelivery, error) {
	w, err := s.administered(ctx, by, contract.AdminTestWebhook, id)
	if err != nil {
		return contract.WebhookDelivery{}, err
	}
	now := s.Clock()
	d := contract.WebhookDelivery{
		Webhook: w.ID, Number: contract.FeedNumber(-now.UnixMicro()), Organisation: w.Organisation, Type: contract.FeedTest,
		State: contract.DeliveryOrdered, OrderedAt: now, DueAt: now,
	}
	// Durable with this: that the message is to be sent, and who asked for it. Any process on the database sends it.
	return d, s.Store.AddTest(ctx, d, s.eventOf(by, w, "tested"))
}

// Deliveries returns one page of the deliveries to a webhook, the newest first.
func (s *Service) Deliveries(ctx context.Context, by contract.Actor, q store.DeliveryQuery) (store.DeliveryPage, error) {
	if _, err := s.administered(ctx, by, contract.AdminWebhooks, q.Webhook); err != nil {
		return store.DeliveryPage{}, err
	}
	return s.Store.ListDeliveries(ctx, q)
}

// Replay orders one delivery again.
func (s *Service) Replay(ctx context.Context, by contract.Actor, id contract.WebhookID, n contract.FeedNumber) (contract.WebhookDelivery, error) {
	w, err := s.administered(ctx, by, contract.AdminReplayWebhook, id)
	if err != nil {
		return contract.WebhookDelivery{}, err
	}
	d, err := s.Store.ReplayDelivery(ctx, id, n, s.Clock(), s.eventOf(by, w, "replayed"))
	if errors.Is(err, store.ErrNotFound) {
		return d, contract.ErrNoDelivery
	}
	return d, err
}

// ReplaySince has all events that were made at that time or later delivered again, as far as the webhook selects them now.
func (s *Service) ReplaySince(ctx context.Context, by contract.Actor, id contract.WebhookID, since time.Time) error {
	w, err := s.administered(ctx, by, contract.AdminReplayWebhook, id)
	if err != nil {
		return err
	}
	to, err := s.Store.FeedSince(ctx, since)
	if err != nil {
		return err
	}
	e := s.eventOf(by, w, "replayed")
	e.Details["since"] = since.UTC().Format(time.RFC3339)
	// Durable with this: the position. The next run makes deliveries from there on, a part in each transaction.
	return s.Store.RewindWebhook(ctx, id, to, e)
}
