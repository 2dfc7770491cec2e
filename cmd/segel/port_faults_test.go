package main

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"segel/internal/admission"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/emeterai"
	"segel/internal/notify"
	"segel/internal/notify/webhook"
	"segel/internal/outage"
	"segel/internal/workflow"
	"segel/tsp"
)

// port is a part on which the service depends.
type port string

const (
	portStore     port = "store" // transactions
	portBlob      port = "blob"  // beginning, committing, opening and removing blobs
	portRead      port = "blob reads"
	portKey       port = "key" // certificates for keys
	portTimestamp port = "timestamp"
	portOffice    port = "stamp office"
	portConverter port = "converter"
	portMail      port = "mail"
	portWebhook   port = "webhook"
)

// errInjected is the cause of all faults of this file.
var errInjected = errors.New("injected fault")

// portFault is one call of one port that fails, before its effect or after it. Calls are counted from [portFault.arm] on.
type portFault struct {
	sending atomic.Int64 // messages to webhooks under way

	mu    sync.Mutex // guards the fields below
	port  port
	after bool
	left  int    // calls until the one that fails; 0: none fails
	what  string // the call that failed; empty: none has
}

// arm lets the call number n of a port fail.
func (f *portFault) arm(p port, n int, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.port, f.left, f.after, f.what = p, n, after, ""
}

// disarm returns the call that failed; empty: there were fewer calls.
func (f *portFault) disarm() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
	return f.what
}

// fails counts a call and reports whether it is the one that fails.
func (f *portFault) fails(p port, what string, effect bool) (now, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p != f.port || f.left == 0 || f.after && !effect { // without an effect, a lost answer is the same as no call
		return false, false
	}
	f.left--
	if now = f.left == 0; now {
		f.what = what
	}
	return now, f.after
}

// call makes a call, unless it is the one that fails before its effect. Effect reports whether it changes something.
func (f *portFault) call(p port, what string, effect bool, run func() error) error {
	now, after := f.fails(p, what, effect)
	if now && !after {
		return failureOf(p, false)
	}
	err := run()
	if now && err == nil {
		return failureOf(p, true)
	}
	return err
}

// failureOf returns the error by which the adapter of a port reports that it got no answer.
func failureOf(p port, done bool) error {
	switch p {
	case portStore:
		return &outage.Error{Part: outage.Database, InDoubt: done, Err: errInjected}
	case portBlob, portRead:
		return &outage.Error{Part: outage.Blobs, Err: errInjected}
	case portKey:
		return &outage.Error{Part: outage.Keys, Err: errInjected}
	case portConverter:
		return fmt.Errorf("%w: %w", convert.ErrUnavailable, errInjected)
	}
	return errInjected
}

// uncounted marks calls that a process makes again and again while there is nothing to do.
type uncounted struct{}

// injectFaults puts the ports of a service that is not yet served behind f, except the stamp office, which is not open yet.
func (f *portFault) injectFaults(a *app) {
	a.store.Intercept(func(ctx context.Context, write bool, run func() error) error {
		if ctx.Value(uncounted{}) != nil {
			return run()
		}
		return f.call(portStore, fmt.Sprintf("transaction, write %v", write), write, run)
	})
	a.webhooks.Store = deliveringStore{a.webhooks.Store, &f.sending}
	docs := a.workflow.Documents
	of := docs.BlobsOf
	docs.Blobs = faultyBlobs{docs.Blobs, f}
	docs.BlobsOf = func(o contract.OrganisationID) blob.Store { return faultyBlobs{of(o), f} }
	a.workflow.Issuer = faultyIssuer{a.workflow.Issuer, f}
	a.workflow.Timestamper = faultyTimestamper{a.workflow.Timestamper, f}
	a.workflow.Converter, a.workflow.Turns = faultyConverter{f}, admission.NewQueue(admission.Limits{Slots: 1, Waiting: 10})
	a.notices.Sender = faultySender{a.notices.Sender, f}
	a.webhooks.Client.Transport = faultyTransport{a.webhooks.Client.Transport, f}
}

// deliveringStore counts the messages to webhooks that are under way, and does not count how often a process looks for work as calls.
type deliveringStore struct {
	webhook.Store
	sending *atomic.Int64
}

func (s deliveringStore) WebhooksWithWork(ctx context.Context, now time.Time) ([]contract.Webhook, error) {
	return s.Store.WebhooksWithWork(context.WithValue(ctx, uncounted{}, true), now)
}

func (s deliveringStore) BeginDelivery(ctx context.Context, d contract.WebhookDelivery, now time.Time, lease time.Duration) (contract.WebhookDelivery, error) {
	s.sending.Add(1)
	d, err := s.Store.BeginDelivery(ctx, d, now, lease)
	if err != nil {
		s.sending.Add(-1)
	}
	return d, err
}

func (s deliveringStore) EndDelivery(ctx context.Context, d contract.WebhookDelivery, p contract.WebhookProblem, e contract.Event) error {
	defer s.sending.Add(-1)
	return s.Store.EndDelivery(ctx, d, p, e)
}

type faultyBlobs struct {
	blob.Store
	fault *portFault
}

func (s faultyBlobs) Create(ctx context.Context, key blob.Key) (w blob.Writer, err error) {
	err = s.fault.call(portBlob, "Create", false, func() error {
		w, err = s.Store.Create(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return faultyWriter{w, s.fault}, nil
}

func (s faultyBlobs) Open(ctx context.Context, key blob.Key) (b blob.Blob, err error) {
	err = s.fault.call(portBlob, "Open", false, func() error {
		b, err = s.Store.Open(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return faultyBlob{b, s.fault}, nil
}

func (s faultyBlobs) Remove(ctx context.Context, key blob.Key) error {
	return s.fault.call(portBlob, "Remove", true, func() error { return s.Store.Remove(ctx, key) })
}

type faultyWriter struct {
	blob.Writer
	fault *portFault
}

func (w faultyWriter) Write(p []byte) (n int, err error) {
	err = w.fault.call(portRead, "Write", false, func() error {
		n, err = w.Writer.Write(p)
		return err
	})
	return n, err
}

func (w faultyWriter) Commit() error { return w.fault.call(portBlob, "Commit", true, w.Writer.Commit) }

type faultyBlob struct {
	blob.Blob
	fault *portFault
}

func (b faultyBlob) ReadAt(p []byte, at int64) (n int, err error) {
	if now, _ := b.fault.fails(portRead, "ReadAt", false); now {
		return 0, failureOf(portRead, false)
	}
	return b.Blob.ReadAt(p, at) // unchanged: io.EOF is part of the answer
}

type faultyIssuer struct {
	workflow.Issuer
	fault *portFault
}

func (i faultyIssuer) Certify(ctx context.Context, h workflow.Holder, key crypto.PublicKey) (chain []*x509.Certificate, err error) {
	err = i.fault.call(portKey, "Certify", true, func() error {
		chain, err = i.Issuer.Certify(ctx, h, key)
		return err
	})
	return chain, err
}

func (i faultyIssuer) IssueUnrecorded(h workflow.Holder, key crypto.PublicKey) (chain []*x509.Certificate, c contract.Certificate, err error) {
	err = i.fault.call(portKey, "IssueUnrecorded", true, func() error {
		chain, c, err = i.Issuer.IssueUnrecorded(h, key)
		return err
	})
	return chain, c, err
}

func (i faultyIssuer) IsRevoked(ctx context.Context, cert *x509.Certificate) (revoked bool, err error) {
	err = i.fault.call(portKey, "IsRevoked", false, func() error {
		revoked, err = i.Issuer.IsRevoked(ctx, cert)
		return err
	})
	return revoked, err
}

type faultyTimestamper struct {
	tsp.Timestamper
	fault *portFault
}

func (f faultyTimestamper) Timestamp(ctx context.Context, digest []byte) (token []byte, err error) {
	err = f.fault.call(portTimestamp, "Timestamp", true, func() error {
		token, err = f.Timestamper.Timestamp(ctx, digest)
		return err
	})
	return token, err
}

// faultyOffice is the stamp office as its driver presents it: an error other than [*emeterai.Problem] leaves open what happened.
type faultyOffice struct {
	emeterai.Stamper
	fault *portFault
}

func (o faultyOffice) BuySerial(ctx context.Context, order emeterai.Order) (serial string, err error) {
	err = o.fault.call(portOffice, "BuySerial", true, func() error {
		serial, err = o.Stamper.BuySerial(ctx, order)
		return err
	})
	return serial, err
}

func (o faultyOffice) Stamp(ctx context.Context, r emeterai.Request) (tail []byte, err error) {
	err = o.fault.call(portOffice, "Stamp", true, func() error {
		tail, err = o.Stamper.Stamp(ctx, r)
		return err
	})
	return tail, err
}

func (o faultyOffice) SerialStatus(ctx context.Context, serial string) (status emeterai.Status, err error) {
	err = o.fault.call(portOffice, "SerialStatus", false, func() error {
		status, err = o.Stamper.SerialStatus(ctx, serial)
		return err
	})
	return status, err
}

func (o faultyOffice) CheckAffixable(ctx context.Context, serial string) error {
	return o.fault.call(portOffice, "CheckAffixable", false, func() error { return o.Stamper.CheckAffixable(ctx, serial) })
}

// faultyConverter converts each document into the same PDF.
type faultyConverter struct{ fault *portFault }

func (faultyConverter) CheckAvailable() error  { return nil }
func (faultyConverter) FontFamilies() []string { return nil }

func (c faultyConverter) Convert(_ context.Context, _ convert.Kind, in io.Reader, out io.Writer) error {
	return c.fault.call(portConverter, "Convert", true, func() error {
		if _, err := io.Copy(io.Discard, in); err != nil {
			return err
		}
		_, err := out.Write(simple())
		return err
	})
}

type faultySender struct {
	notify.Sender
	fault *portFault
}

func (s faultySender) Send(ctx context.Context, m notify.Message) error {
	return s.fault.call(portMail, "Send", true, func() error { return s.Sender.Send(ctx, m) })
}

type faultyTransport struct {
	http.RoundTripper
	fault *portFault
}

func (t faultyTransport) RoundTrip(r *http.Request) (a *http.Response, err error) {
	err = t.fault.call(portWebhook, "POST", true, func() error {
		a, err = t.RoundTripper.RoundTrip(r)
		return err
	})
	if err != nil && a != nil { // the answer is lost
		err = errors.Join(err, a.Body.Close())
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}
