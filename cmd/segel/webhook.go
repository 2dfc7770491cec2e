package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/monitor"
	"segel/internal/notify/webhook"
	"segel/internal/outbound"
	"segel/internal/store"
	"segel/internal/text"
)

// webhookTimeout bounds one request to a webhook.
const webhookTimeout = 15 * time.Second

// wireWebhooks connects the feed and the webhooks.
func (a *app) wireWebhooks() error {
	observe, err := monitor.CountDeliveries(a.metrics)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	encoder := &api.EventEncoder{
		Documents: a.store.Document, Organisations: a.workflow.Organisation, Clock: a.clock, PublicURL: a.conf.BaseURL(), Language: text.Language(a.conf.MailLanguage),
	}
	a.feed = &webhook.Feed{Store: a.store}
	a.webhooks = &webhook.Service{
		Store: a.store, Sealer: a.sealer, Client: a.newWebhookClient(), Encode: encoder.Encode, Plain: len(a.conf.OrganisationNetworks) > 0,
		Clock: a.clock, Random: rand.Reader, Log: a.log, Observe: observe,
	}
	if a.notices.Sender != nil {
		a.webhooks.Tell = a.tellOfDisabledWebhook
	}
	return nil
}

// newWebhookClient returns the client of webhooks. A request does not wait for the connections of others to its host: the time that it waits would
// count as the time in which its receiver did not answer.
func (a *app) newWebhookClient() *http.Client {
	o := a.organisationOutbound(webhookTimeout)
	o.Connections = webhook.MostRequests
	return newDirectClient(o)
}

// organisationOutbound returns the options for requests to hosts that admins of organisations name: the ports and the private networks that the
// operator allows to them. The networks of the operator's own servers are others. The timeout bounds one request.
func (a *app) organisationOutbound(timeout time.Duration) outbound.Options {
	return outbound.Options{Ports: slices.Clone(a.conf.OutboundPorts), Timeout: timeout, Allowed: prefixesOf(a.conf.OrganisationNetworks)}
}

// newDirectClient returns a client that follows no redirect and returns the answer that asks for one.
func newDirectClient(o outbound.Options) *http.Client {
	client := outbound.NewClient(o)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// mostAdmins is how many admins are told that a webhook was disabled.
const mostAdmins = 100

// tellOfDisabledWebhook mails the admins of a webhook that the service disabled it. If it fails for some of them, the next call mails these alone.
func (a *app) tellOfDisabledWebhook(ctx context.Context, w contract.Webhook) error {
	admins, err := a.store.Admins(ctx, w.Organisation, mostAdmins)
	if err != nil {
		return err
	}
	l, reason := text.Language(a.conf.MailLanguage), "webhook.disabled_failing"
	if w.DisabledFor == contract.WebhookGone {
		reason = "webhook.disabled_gone"
	}
	args := map[string]any{"address": shownURL(w.URL), "reason": text.Sentence(l, reason, nil)}
	subject, body := text.Sentence(l, "webhook.mail_subject", args), text.Sentence(l, "webhook.mail_text", args)
	var ids []string
	var failed []error
	for _, p := range admins {
		id := fmt.Sprintf("%s.%d.%s", w.ID, w.DisabledAt.Unix(), p.ID)
		ids = append(ids, id)
		if _, sent := a.sentMails.Load(id); sent {
			continue
		}
		if err := a.notices.SendPlain(ctx, p.Person, id, subject, body); err != nil {
			failed = append(failed, fmt.Errorf("mail %s: %w", p.ID, err))
			continue
		}
		a.sentMails.Store(id, true)
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	for _, id := range ids {
		a.sentMails.Delete(id)
	}
	return nil
}

// shownURL returns an address without its query, which may have a secret.
func shownURL(address string) string {
	shown, _, _ := strings.Cut(address, "?")
	return shown
}

type webhookCommand struct {
	List   webhookListCommand   `cmd:"" help:"List the webhooks of an organisation."`
	Add    webhookAddCommand    `cmd:"" help:"Create a webhook and print its secret, which is never shown again."`
	Test   webhookTestCommand   `cmd:"" help:"Send a test message and print the result."`
	Enable webhookEnableCommand `cmd:"" help:"Enable a webhook. It is sent the events since it was disabled."`
}

// organisationOrFirst names one organisation.
type organisationOrFirst struct {
	Org string `help:"Organisation by name; default: the first one." placeholder:"NAME"`
}

// findOrFirst returns the organisation that was named, else the oldest one.
func (o organisationOrFirst) findOrFirst(w *environment, a *app) (contract.OrganisationID, error) {
	id, err := organisationFlag(o).findOrganisation(w, a)
	if err != nil || id != "" {
		return id, err
	}
	first, err := a.store.FirstOrganisation(w.ctx)
	return first.ID, err
}

type webhookListCommand struct {
	dataFlag
	organisationOrFirst
}

func (c webhookListCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		all, err := a.webhooks.List(w.ctx, contract.Actor{}, of)
		if err != nil {
			return plainError(err)
		}
		t := tabwriter.NewWriter(w.stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintln(t, "id\tcreated\taddress\tstatus\tfailing since\tdescription")
		for _, h := range all {
			status, failing := "enabled", ""
			if h.DisabledFor != "" {
				status = "disabled: " + string(h.DisabledFor)
			}
			if !h.FailingSince.IsZero() {
				failing = h.FailingSince.UTC().Format(time.RFC3339)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", h.ID, h.CreatedAt.UTC().Format(time.RFC3339), shownURL(h.URL), status, failing, h.Description)
		}
		return t.Flush()
	})
}

type webhookAddCommand struct {
	dataFlag
	organisationOrFirst
	URL         string              `arg:"" help:"Where the events are sent."`
	Type        []contract.FeedType `help:"Send only events of this type; may be repeated. Default: all." placeholder:"TYPE"`
	Description string              `help:"What the webhook is for." placeholder:"TEXT"`
}

func (c webhookAddCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		h, secret, err := a.webhooks.Add(w.ctx, commandLineActor("webhook add"), of, contract.WebhookSettings{
			URL: c.URL, Description: c.Description, Types: c.Type, Enabled: true,
		})
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "webhook %s, secret: %s (shown this once)\n", h.ID, secret)
		return err
	})
}

type webhookTestCommand struct {
	dataFlag
	ID contract.WebhookID `arg:"" help:"The webhook, as segel webhook list names it."`
}

func (c webhookTestCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		d, err := a.webhooks.Test(w.ctx, commandLineActor("webhook test"), c.ID)
		if err != nil {
			return plainError(err)
		}
		if d, err = a.webhooks.SendNow(w.ctx, d); err != nil {
			return plainError(err)
		}
		if d.State == contract.DeliveryOrdered { // a running service was faster and has no result yet
			_, err = fmt.Fprintln(w.stdout, "the running service sends the message")
			return err
		}
		if d.State != contract.DeliveryDelivered {
			return fmt.Errorf("not delivered: %s (status %d)", text.Reason(text.English, string(d.Problem)), d.Status)
		}
		_, err = fmt.Fprintf(w.stdout, "delivered with status %d in %d ms\n", d.Status, d.Took.Milliseconds())
		return err
	})
}

type webhookEnableCommand struct {
	dataFlag
	ID contract.WebhookID `arg:"" help:"The webhook, as segel webhook list names it."`
}

func (c webhookEnableCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		h, err := a.store.Webhook(w.ctx, c.ID)
		if errors.Is(err, store.ErrNotFound) {
			return plainError(contract.ErrNoWebhook)
		}
		if err != nil {
			return err
		}
		_, err = a.webhooks.Change(w.ctx, commandLineActor("webhook enable"), c.ID, contract.WebhookSettings{
			URL: h.URL, Description: h.Description, Types: h.Types, Enabled: true,
		})
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "webhook %s is enabled\n", h.ID)
		return err
	})
}
