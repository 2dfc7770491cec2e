package contract

import (
	"maps"
	"slices"
	"testing"
	"time"
)

func TestEveryTypeOfReportedEventOccurs(t *testing.T) {
	t.Parallel()
	left := map[FeedType]bool{}
	for _, f := range FeedTypes {
		left[f] = true
	}
	for _, e := range EventTypes {
		for _, details := range []map[string]string{nil, {detailLastStamp: "true"}, {detailPermanent: "true"}, {detailChannel: string(ChannelWhatsApp)}} {
			types := FeedTypesOf(Event{Type: e, Details: details})
			if len(types) > MaxFeedTypes || len(types) > 0 && !slices.Contains(ReportedEvents, e) {
				t.Errorf("%s is reported as %v", e, types)
			}
			for _, f := range types {
				if !slices.Contains(FeedTypes, f) {
					t.Errorf("%s is reported as %s, which cannot be chosen", e, f)
				}
				delete(left, f)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("nothing produces %v", slices.Sorted(maps.Keys(left)))
	}
	if !slices.IsSorted(ReportedEvents) {
		t.Error("the types of events are not sorted")
	}
}

func TestDeliveryIsTriedEverLaterForThreeDays(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
	d, now, last := WebhookDelivery{OrderedAt: begin}, begin, time.Duration(0)
	for {
		d.Tries++
		due, more := NextWebhookTry(d, now)
		if !more {
			break
		}
		if wait := due.Sub(now); wait < last || wait > 4*time.Hour || wait < 5*time.Second {
			t.Errorf("after try %d it waits for %s", d.Tries, wait)
		} else {
			last = wait
		}
		now = due
	}
	if took := now.Sub(begin); took < DeliveryLifetime || took > DeliveryLifetime+4*time.Hour || d.Tries > 40 {
		t.Errorf("it is given up after %d tries and %s", d.Tries, took)
	}
}

func TestIdentifiersOfMessagesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, n := range []FeedNumber{0, 1, 2414, -1, -1795447409561000} {
		d := WebhookDelivery{Number: n}
		if got, ok := ParseMessageID(d.MessageID()); !ok || got != n {
			t.Errorf("%s is read as %d, %v", d.MessageID(), got, ok)
		}
	}
	for _, s := range []string{"", "evt_", "evt_-1", "evt_07", "test_0", "test_-3", "2414", "evt_99999999999999999999"} {
		if n, ok := ParseMessageID(s); ok {
			t.Errorf("%q is read as %d", s, n)
		}
	}
}
