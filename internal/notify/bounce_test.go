package notify_test

import (
	"errors"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/store"
)

// newBounces returns a delivery whose notices were sent, each with its envelope sender.
func newBounces(t *testing.T) *delivery {
	t.Helper()
	d := newDelivery(t)
	d.Bounces = &notify.BounceAddresses{Address: "Bounces@example.test", Key: [32]byte{1}}
	d.run(t)
	if len(d.sent) != 2 {
		t.Fatalf("%d mails", len(d.sent))
	}
	return d
}

func TestEachMailHasAnEnvelopeSenderOfItsOwn(t *testing.T) {
	t.Parallel()
	d := newBounces(t)
	first, second := d.sent[0].Envelope, d.sent[1].Envelope
	local, domain, _ := strings.Cut(first, "@")
	if first == second || domain != "example.test" || !strings.HasPrefix(local, "Bounces+") || len(local) != len("Bounces+")+42 {
		t.Errorf("%s, %s", first, second)
	}
	if d.sent[0].From.Address != "segel@example.test" {
		t.Errorf("from %s", d.sent[0].From.Address)
	}
}

func TestABounceMarksItsNoticeOnce(t *testing.T) {
	t.Parallel()
	d := newBounces(t)
	to := []string{"postmaster@example.test", strings.ToUpper(d.sent[1].Envelope)} // a server changed the case
	for _, b := range []notify.Bounce{{To: to, Reason: "delayed"}, {To: to, Failed: true, Reason: "550 5.1.1 unknown"}, {To: to, Failed: true, Reason: "again"}} {
		n, err := d.TakeBounce(t.Context(), b)
		if err != nil || n.Person != "budi" {
			t.Fatalf("%+v, %v", n, err)
		}
		want := contract.NoticeSent
		if b.Failed {
			want = contract.NoticeFailed
		}
		stored, err := d.store.Notice(t.Context(), n.ID)
		if err != nil || stored.State != want || b.Failed && stored.Problem != "550 5.1.1 unknown" {
			t.Errorf("after %q: %+v, %v", b.Reason, stored, err)
		}
	}
	refusals := 0
	events, err := d.store.Events(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == contract.EventNoticeRefused {
			refusals++
			if e.Details["reason"] != "550 5.1.1 unknown" || e.Details["recipient"] != "budi" || e.Details["address"] != "budi@example.test" {
				t.Errorf("%v", e.Details)
			}
		}
	}
	if refusals != 1 {
		t.Errorf("%d events", refusals)
	}
}

func TestAForgedBounceMarksNoNotice(t *testing.T) {
	t.Parallel()
	d := newBounces(t)
	good, other := d.sent[0].Envelope, d.sent[1].Envelope
	foreign := &notify.BounceAddresses{Address: d.Bounces.Address, Key: [32]byte{2}}
	again := newDelivery(t)
	again.Bounces = foreign
	again.run(t)
	at := strings.IndexByte(good, '@')
	changed := byte('a')
	if good[at-1] == changed {
		changed = 'b'
	}
	for name, address := range map[string]string{
		"another MAC":             good[:at-1] + string(changed) + good[at:],
		"the MAC of another mail": good[:len("Bounces+")+26] + other[len("Bounces+")+26:],
		"another key":             again.sent[0].Envelope,
		"another domain":          good[:at] + "@evil.test",
		"another local part":      "x" + good,
		"no MAC":                  good[:len("Bounces+")+26] + "@example.test",
		"no notice":               "Bounces@example.test",
		"nothing":                 "",
		"not base32":              "Bounces+" + strings.Repeat("1", 42) + "@example.test",
	} {
		if _, err := d.TakeBounce(t.Context(), notify.Bounce{To: []string{address}, Failed: true}); !errors.Is(err, contract.ErrNoNotice) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p, err := d.store.ListNotices(t.Context(), store.NoticeQuery{State: contract.NoticeFailed, Limit: 10})
	if err != nil || p.Total != 0 {
		t.Errorf("%d notices failed, %v", p.Total, err)
	}
	d.Bounces = nil
	if _, err := d.TakeBounce(t.Context(), notify.Bounce{To: []string{good}, Failed: true}); !errors.Is(err, notify.ErrNoBounceAddress) {
		t.Errorf("without an address: %v", err)
	}
}
