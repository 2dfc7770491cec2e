package webhook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/outbound"
	"segel/internal/process"
	"segel/internal/store"
)

const (
	defaultPoll = 500 * time.Millisecond
	// mostWebhooks is how many webhooks a process sends to at the same time.
	mostWebhooks = 16
	// mostOfOrganisation is how many of them may belong to one organisation: it has up to 20, and may point all of them at hosts that never answer.
	mostOfOrganisation = 4
	// mostAtOnce is how many requests a process has in progress to one webhook, each about another document.
	mostAtOnce = 4
	// MostRequests is how many requests a process has in progress. All of them may be to one host, which webhooks of several organisations share.
	MostRequests = mostWebhooks * mostAtOnce
	// turnTime is for how long a webhook with much work is served before others get their turn.
	turnTime = 20 * time.Second
	// orderedAtOnce is how many events become deliveries in one transaction.
	orderedAtOnce = 100
	// lease keeps other processes from a delivery while it is sent: longer than the client's timeout. It ends with the node.
	lease = time.Minute
	// maxResponse is how much of a response is kept, in bytes.
	maxResponse = 4 << 10
	// disableAfter is for how long no delivery has to succeed until a webhook is disabled, once a delivery is dead.
	disableAfter = 48 * time.Hour
	// tellEvery is how often the admins are tried to be told that their webhook is disabled, for tellFor at most.
	tellEvery, tellFor = 5 * time.Minute, 72 * time.Hour
	// keepDeliveries is for how long ended deliveries are kept.
	keepDeliveries = 30 * 24 * time.Hour
)

// Run sends events to webhooks until ctx ends, and returns when the last request has ended. Several processes may run on one database.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(s.Poll, defaultPoll))
	defer tick.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	for {
		if err := s.startDue(ctx, &running); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "webhooks with work are not known", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// startDue starts serving the webhooks that have work and are not being served. Where there are more than may be served at the same time, their
// organisations take turns.
func (s *Service) startDue(ctx context.Context, running *sync.WaitGroup) error {
	due, err := s.Store.WebhooksWithWork(ctx, s.Clock())
	if err != nil || len(due) == 0 {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told = map[contract.WebhookID]time.Time{}
	}
	for w, ok := s.turns.beginTurn(due); ok; w, ok = s.turns.beginTurn(due) {
		running.Go(func() {
			defer func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.turns.endTurn(w)
			}()
			if err := s.serve(ctx, w); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "webhook is not served", "webhook", w.ID, "error", err)
			}
		})
	}
	return nil
}

// serve makes deliveries of the events of one webhook and sends those that are due, until none is or its turn has ended.
func (s *Service) serve(ctx context.Context, w contract.Webhook) error {
	if w.Untold {
		s.tellAdmins(ctx, w)
	}
	for end := time.Now().Add(turnTime); ctx.Err() == nil && time.Now().Before(end); {
		more := false
		if w.DisabledAt.IsZero() {
			var err error
			_, more, err = s.Store.OrderDeliveries(ctx, w, orderedAtOnce, s.Clock())
			if err != nil && !errors.Is(err, store.ErrConflict) { // another process made them
				return err
			}
		}
		due, err := s.Store.DueDeliveries(ctx, w, s.Clock(), mostAtOnce)
		if err != nil {
			return err
		}
		if len(due) == 0 && !more {
			return nil
		}
		if err := s.sendAll(ctx, w, due); err != nil {
			return err
		}
		// A person may have changed it, or the service disabled it.
		if w, err = s.Store.Webhook(ctx, w.ID); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			return err
		}
	}
	return nil
}

// sendAll sends deliveries at the same time.
func (s *Service) sendAll(ctx context.Context, w contract.Webhook, due []contract.WebhookDelivery) error {
	all := make([]error, len(due))
	var sending sync.WaitGroup
	for i, d := range due {
		sending.Go(func() {
			if _, all[i] = s.deliver(ctx, w, d); errors.Is(all[i], store.ErrConflict) { // another process is at it, or the webhook was deleted
				all[i] = nil
			}
		})
	}
	sending.Wait()
	return errors.Join(all...)
}

// deliver makes one try and returns the delivery with its result.
func (s *Service) deliver(ctx context.Context, w contract.Webhook, d contract.WebhookDelivery) (contract.WebhookDelivery, error) {
	secrets, err := s.openSecrets(w)
	if err == nil && d.Body == "" {
		d.Body, err = s.loadMessageBody(ctx, w, d)
	}
	unwritten := err != nil && ctx.Err() == nil
	if unwritten { // one message that cannot be written does not hold up the others
		s.Log.ErrorContext(ctx, "message to a webhook cannot be written", "webhook", w.ID, "message", d.MessageID(), "error", err)
	} else if err != nil {
		return d, err
	}
	d.URL, d.SentAt = w.URL, s.Clock().Truncate(time.Microsecond)
	// Durable from here on: that a message with this body may be on its way to this address. After a crash, the delivery is tried again, with
	// the same identifier, once the node or the lease has ended.
	d, err = s.Store.BeginDelivery(ctx, d, d.SentAt, lease)
	if err != nil {
		return d, err
	}
	// A process that was suspended here sends nothing: another node has sent this, and perhaps what follows it.
	if err := process.Check(ctx); err != nil {
		return d, err
	}
	begun := time.Now()
	if d.Status, d.Response, d.Problem = 0, "", contract.DeliveryUnwritten; !unwritten {
		d.Status, d.Response, d.Problem = s.send(ctx, d, secrets)
	}
	d.Took, d.State = time.Since(begun), contract.DeliveryOrdered
	now := s.Clock()
	var disable contract.WebhookProblem
	switch {
	case d.Problem == "":
		d.State, d.DoneAt = contract.DeliveryDelivered, now
	case ctx.Err() != nil: // the service is stopping and cut the request off
		d.DueAt = now
	case d.IsTest():
		d.State, d.DoneAt = contract.DeliveryDead, now
	case d.Problem == contract.DeliveryGone:
		d.State, d.DoneAt, disable = contract.DeliveryDead, now, contract.WebhookGone
	default:
		due, more := contract.NextWebhookTry(d, now)
		if d.DueAt = due; more {
			break
		}
		d.State, d.DoneAt, d.DueAt = contract.DeliveryDead, now, now
		if !w.FailingSince.IsZero() && now.Sub(w.FailingSince) >= disableAfter {
			disable = contract.WebhookFailing
		}
	}
	if s.Observe != nil {
		s.Observe(d.State)
	}
	e := s.eventOf(contract.Actor{}, w, "")
	e.Type = contract.EventWebhookDisabled
	delete(e.Details, "change")
	e.Details["reason"] = string(disable)
	// If this is not stored, the node or the lease ends and the message is sent again. The result is stored although the service is stopping.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return d, s.Store.EndDelivery(ending, d, disable, e)
}

// openSecrets returns the secrets that sign a message now, the current one first.
func (s *Service) openSecrets(w contract.Webhook) ([][]byte, error) {
	sealed := [][]byte{w.Secret}
	if s.Clock().Before(w.FormerUntil) {
		sealed = append(sealed, w.FormerOne)
	}
	var secrets [][]byte
	for _, b := range sealed {
		secret, err := s.Sealer.Open(SecretSealID(w.ID), b)
		if err != nil {
			return nil, fmt.Errorf("open the secret of webhook %s: %w", w.ID, err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// loadMessageBody returns the body of a message, whose event it reads from the feed.
func (s *Service) loadMessageBody(ctx context.Context, w contract.Webhook, d contract.WebhookDelivery) (string, error) {
	if d.IsTest() {
		b, err := json.Marshal(map[string]any{
			"id": d.MessageID(), "type": d.Type, "version": contract.FeedVersion, "timestamp": d.OrderedAt.UTC().Format("2006-01-02T15:04:05.000Z"), "data": map[string]any{},
		})
		return string(b), err
	}
	page, err := s.Store.ReadFeed(ctx, store.FeedQuery{Organisation: w.Organisation, From: d.Number, Limit: 1})
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(page.Events, func(e contract.FeedEvent) bool { return e.Number == d.Number })
	if i < 0 {
		return "", fmt.Errorf("event %d of the feed is missing", d.Number)
	}
	return s.encodeEvent(ctx, page.Events[i])
}

// encodeEvent returns the body of a message about an event. A panic is an error of this message: it would end the process before the try is recorded, and again
// after each start.
func (s *Service) encodeEvent(ctx context.Context, e contract.FeedEvent) (body string, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.ErrorContext(ctx, "writing a message to a webhook panicked", "event", e.Number, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("write event %d: panic: %v", e.Number, v)
		}
	}()
	b, err := s.Encode(ctx, e)
	return string(b), err
}

// send makes one request. It returns the status and the beginning of the body of the response, and the problem; empty: the message was
// accepted. No body is returned from a host that is not on the public internet: an admin of one organisation named it, and would read there what
// the operator's network alone may.
func (s *Service) send(ctx context.Context, d contract.WebhookDelivery, secrets [][]byte) (status int, response string, problem contract.ProblemCode) {
	body := []byte(d.Body)
	public := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		to, err := netip.ParseAddrPort(c.Conn.RemoteAddr().String())
		public = err == nil && outbound.IsPublic(to.Addr())
	}})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return 0, "", contract.DeliveryUnreachable
	}
	id := d.MessageID()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Segel-Webhook/"+strconv.Itoa(contract.FeedVersion))
	r.Header.Set(headerID, id)
	r.Header.Set(headerTimestamp, strconv.FormatInt(d.SentAt.Unix(), 10))
	r.Header.Set(headerSignature, Sign(id, d.SentAt, body, secrets...))
	a, err := s.Client.Do(r)
	if err != nil {
		s.Log.InfoContext(ctx, "webhook does not answer", "webhook", d.Webhook, "message", id, "try", d.Tries, "error", withoutURL(err))
		var late net.Error
		switch {
		case errors.Is(err, outbound.ErrRefused):
			return 0, "", contract.DeliveryForbidden
		case errors.As(err, &late) && late.Timeout():
			return 0, "", contract.DeliveryTimeout
		}
		return 0, "", contract.DeliveryUnreachable
	}
	defer a.Body.Close()
	// The status alone decides. The beginning of the body is kept for the admin, if it arrives in time.
	if public {
		text, _ := io.ReadAll(io.LimitReader(a.Body, maxResponse))
		response = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	switch {
	case a.StatusCode >= 200 && a.StatusCode < 300:
		return a.StatusCode, response, ""
	case a.StatusCode == http.StatusGone:
		return a.StatusCode, response, contract.DeliveryGone
	}
	return a.StatusCode, response, contract.DeliveryRefused
}

// withoutURL returns an error of an http.Client without the address, whose query may have a secret.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// SendNow sends a delivery that is due, for a command that waits for its result. Another process may be at it: then the delivery is
// returned as it is stored.
func (s *Service) SendNow(ctx context.Context, d contract.WebhookDelivery) (contract.WebhookDelivery, error) {
	w, err := s.Store.Webhook(ctx, d.Webhook)
	if err != nil {
		return d, err
	}
	sent, err := s.deliver(ctx, w, d)
	if errors.Is(err, store.ErrConflict) {
		return s.Store.Delivery(ctx, d.Webhook, d.Number)
	}
	return sent, err
}

// tellAdmins tells the admins of a webhook that the service disabled it. After a crash they may be told again.
func (s *Service) tellAdmins(ctx context.Context, w contract.Webhook) {
	now := s.Clock()
	s.mu.Lock()
	due := now.Sub(s.told[w.ID]) >= tellEvery
	if due {
		s.told[w.ID] = now
	}
	s.mu.Unlock()
	if !due {
		return
	}
	if s.Tell != nil && now.Sub(w.DisabledAt) < tellFor {
		if err := s.Tell(ctx, w); err != nil {
			s.Log.WarnContext(ctx, "admins are not told that their webhook is disabled", "webhook", w.ID, "error", err)
			return
		}
	}
	if err := s.Store.SetWebhookTold(ctx, w.ID); err != nil {
		s.Log.WarnContext(ctx, "admins may be told again that their webhook is disabled", "webhook", w.ID, "error", err)
		return
	}
	s.mu.Lock()
	delete(s.told, w.ID)
	s.mu.Unlock()
}

// Purge deletes the record of deliveries that ended long ago.
func (s *Service) Purge(ctx context.Context) error {
	return s.Store.PurgeDeliveries(ctx, s.Clock().Add(-keepDeliveries))
}
