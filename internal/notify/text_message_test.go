package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/store"
)

// texts is a provider of WhatsApp messages for a delivery, and the messages that it accepted.
type texts struct {
	d       *delivery
	refusal error
	sent    []notify.TextMessage
}

func (s *texts) SendText(_ context.Context, m notify.TextMessage) error {
	switch {
	case s.refusal != nil:
		return s.refusal
	case s.d.down:
		return errors.New("connection refused")
	}
	s.sent = append(s.sent, m)
	return nil
}

// newTextDelivery returns a delivery to one signer by mail and to the other by WhatsApp.
func newTextDelivery(t *testing.T) (*delivery, *texts) {
	t.Helper()
	d := newDelivery(t, func(d *contract.Document) {
		d.Participants[1].Phone = "+628123456789"
		d.Delivery.Channels = map[contract.PersonID]contract.Channel{"budi": contract.ChannelWhatsApp}
	})
	s := &texts{d: d}
	d.Texts = map[contract.Channel]notify.TextSender{contract.ChannelWhatsApp: s}
	return d, s
}

// noticeToBudi returns the notice by WhatsApp.
func (d *delivery) noticeToBudi(t *testing.T) contract.Notice {
	t.Helper()
	p, err := d.store.ListNotices(t.Context(), store.NoticeQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range p.Notices {
		if n.Person == "budi" {
			return n
		}
	}
	t.Fatal("there is no notice")
	return contract.Notice{}
}

func TestAPersonWithAPhoneChannelGetsATextAndNoMailAlsoAfterAnHourWithoutAProvider(t *testing.T) {
	t.Parallel()
	d, s := newTextDelivery(t)
	d.down = true
	d.run(t)
	if got := d.recipients(); !slices.Equal(got, []string{"siti@example.test"}) {
		t.Errorf("mails went to %v", got)
	}
	n := d.noticeToBudi(t)
	if len(s.sent) != 1 || n.State != contract.NoticeSent || n.Channel != contract.ChannelWhatsApp || n.Address != "+628123456789" || n.Tries < 3 {
		t.Fatalf("%d texts, %+v", len(s.sent), n)
	}
	m := s.sent[0]
	if m.ID != string(n.ID) || m.Number != n.Address || m.Kind != contract.NoticeReminder || m.Title != "Sewa" || m.Link == "" || !strings.HasSuffix(m.Text, "\n"+m.Link) {
		t.Errorf("the text: %+v", m)
	}
}

func TestACrashBetweenSendingAndRecordingSendsTheSameTextOnceMore(t *testing.T) {
	t.Parallel()
	d, s := newTextDelivery(t)
	d.Texts[contract.ChannelWhatsApp] = &losing{texts: s, store: d.store}
	if err := d.Deliver(t.Context(), d.id); err == nil {
		t.Fatal("the failure was not reported")
	}
	d.run(t)
	if len(s.sent) != 2 || s.sent[0].ID != s.sent[1].ID || d.noticeToBudi(t).State != contract.NoticeSent {
		t.Errorf("%+v", s.sent)
	}
}

// losing makes the result of the first text get lost.
type losing struct {
	*texts
	store *flakyStore
	done  bool
}

func (s *losing) SendText(ctx context.Context, m notify.TextMessage) error {
	if !s.done {
		s.done, s.store.failEnd = true, errors.New("killed")
	}
	return s.texts.SendText(ctx, m)
}

func TestARefusedTextIsNotSentAgainUntilAnOperatorOrdersIt(t *testing.T) {
	t.Parallel()
	d, s := newTextDelivery(t)
	s.refusal = &notify.Refusal{Recipient: true, Reason: "HTTP 400 not on WhatsApp"}
	d.run(t)
	if n := d.noticeToBudi(t); n.State != contract.NoticeFailed || n.Problem != "HTTP 400 not on WhatsApp" || n.Tries != 1 {
		t.Fatalf("%+v", n)
	}
	s.refusal = nil
	operator := contract.Actor{Person: contract.Person{Name: "segel mail"}, IP: "192.0.2.7"} // as on the command line
	again := d.noticeToBudi(t)
	for range 2 { // the second one changes nothing
		if _, err := d.Retry(t.Context(), operator, again.ID); err != nil {
			t.Fatal(err)
		}
	}
	log, err := d.store.AuditLog(t.Context(), store.LogQuery{Type: contract.EventNoticeRetried, Limit: 10})
	if err != nil || len(log.Events) != 1 {
		t.Fatalf("%+v, %v", log, err)
	}
	if e := log.Events[0]; e.Person.Name != "segel mail" || e.IP != "192.0.2.7" || e.Document != 0 || e.Details["notice"] != string(again.Kind) || e.Details["document"] != fmt.Sprint(again.Document) ||
		e.Details["person"] != string(again.Person) || e.Details["organisation"] != string(again.Organisation) {
		t.Errorf("logged as %+v", e)
	}
	d.run(t)
	if n := d.noticeToBudi(t); n.State != contract.NoticeSent || len(s.sent) != 1 {
		t.Errorf("%+v, %d texts", n, len(s.sent))
	}
	d.Texts = nil
	if _, err := d.Retry(t.Context(), operator, d.noticeToBudi(t).ID); !errors.Is(err, contract.ErrNoPhoneProvider) {
		t.Errorf("without a provider: %v", err)
	}
}
