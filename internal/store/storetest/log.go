package storetest

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/store"
)

var logTests = map[string]func(*testing.T, *fixture){
	"EventsAreReadAsTheyWereLogged": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		e := contract.Event{
			Type: contract.EventViewed, Document: d.ID, At: b.now, Person: first.Person, IP: "2001:db8::1",
			Details: map[string]string{"of": "the original", "empty": ""},
		}
		b.must(b.LogEvents(b.ctx, e, contract.Event{Type: contract.EventPasswordForgot, At: b.now, Person: first.Person}))
		events, err := b.Events(b.ctx, d.ID)
		b.must(err)
		e.At = e.At.Truncate(1000)
		b.requireEqual("last event", events[len(events)-1], e)
		b.requireEqual("types", b.eventTypes(d.ID), []contract.EventType{contract.EventUploaded, contract.EventViewed})
		b.requireEqual("types of no document", b.eventTypes(0), []contract.EventType{contract.EventPasswordForgot})
		none, err := b.Events(b.ctx, 99)
		if err != nil || none == nil || len(none) != 0 {
			t.Fatalf("events of a document that never existed: %v, %v", none, err)
		}
	},
	"TheLogGrowsByEveryEventAndAgreesWithThem": func(t *testing.T, b *fixture) {
		_, last, err := b.Size(b.ctx)
		b.must(err)
		roots := [][32]byte{last}
		if n := b.eventCount(); n != 0 {
			t.Fatalf("a new log has %d events", n)
		}
		b.must(b.CheckLog(b.ctx))
		for i := range 20 {
			b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventViewed, Document: contract.DocumentID(i), At: b.now}))
			n, root, err := b.Size(b.ctx)
			b.must(err)
			if n != initialEvents+int64(i+1) || root == last {
				t.Fatalf("after %d events: %d, root changed: %t", i+1, n, root != last)
			}
			last = root
			roots = append(roots, root)
			b.must(b.CheckLog(b.ctx))
		}
		for i, want := range roots {
			requireRead(b, fmt.Sprintf("root after %d events", i), want)(b.RootAt(b.ctx, initialEvents+int64(i)))
		}
		for _, n := range []int64{-1, initialEvents + int64(len(roots))} {
			_, err := b.RootAt(b.ctx, n)
			b.requireError(fmt.Sprintf("root of %d leaves, more than exist", n), err, store.ErrNotFound)
		}
		b.must(b.LogEvents(b.ctx))
		if n := b.eventCount(); n != 20 {
			t.Fatalf("nothing was logged, and the log has %d events", n)
		}
	},
	"EveryEventOfADocumentIsProvenAmongOthers": func(t *testing.T, b *fixture) {
		mine := contract.Event{Type: contract.EventViewed, Document: 7, At: b.now.Truncate(1000), Person: first.Person, IP: "192.0.2.1", Details: map[string]string{"of": "the original"}}
		other := contract.Event{Type: contract.EventViewed, Document: 8, At: b.now}
		for range 6 {
			b.must(b.LogEvents(b.ctx, other, mine, other, other))
		}
		for leaves := initialEvents; leaves <= initialEvents+24; leaves++ {
			root, err := b.RootAt(b.ctx, int64(leaves))
			b.must(err)
			proven, err := b.Prove(b.ctx, mine.Document, int64(leaves))
			b.must(err)
			b.requireEqual(fmt.Sprintf("how many there are among %d", leaves), len(proven), (leaves-initialEvents+2)/4)
			for i, p := range proven {
				b.requireEqual("event", p.Event, mine)
				b.requireEqual("its number", p.Leaf, int64(initialEvents+1+4*i))
				var hashes tlog.RecordProof
				for _, h := range p.Path {
					hashes = append(hashes, h)
				}
				if err := tlog.CheckRecord(hashes, int64(leaves), root, p.Leaf, tlog.RecordHash(audit.EncodeLeaf(mine))); err != nil {
					t.Errorf("event %d of %d: %v", p.Leaf, leaves, err)
				}
			}
		}
		none, err := b.Prove(b.ctx, 99, initialEvents)
		if err != nil || none == nil || len(none) != 0 {
			t.Errorf("a document that never existed: %v, %v", none, err)
		}
		for _, leaves := range []int64{-1, initialEvents + 25} {
			_, err := b.Prove(b.ctx, mine.Document, leaves)
			b.requireError(fmt.Sprintf("among %d leaves, more than exist", leaves), err, store.ErrNotFound)
		}
	},
	"ManyAppendAtTheSameTime": func(t *testing.T, b *fixture) {
		const crowd, each = 8, 4
		b.runCrowd(crowd, nil, func(i int) error {
			for j := range each {
				e := contract.Event{Type: contract.EventViewed, Document: contract.DocumentID(i), At: b.now, Details: map[string]string{"n": fmt.Sprint(j)}}
				if err := b.LogEvents(b.ctx, e, e); err != nil {
					return err
				}
			}
			return nil
		})
		if n := b.eventCount(); n != 2*crowd*each {
			t.Fatalf("%d events", n)
		}
		b.must(b.CheckLog(b.ctx))
	},
}
