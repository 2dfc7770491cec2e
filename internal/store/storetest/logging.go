package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/store"
)

var logging = map[string]func(*testing.T, *bench){
	"EventsAreReadAsTheyWereLogged": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		e := contract.Event{
			Type: contract.EventViewed, Document: d.ID, At: b.now, Person: first.Person, IP: "2001:db8::1",
			Details: map[string]string{"of": "the original", "empty": ""},
		}
		b.must(b.Note(b.ctx, e, contract.Event{Type: contract.EventPasswordForgot, At: b.now, Person: first.Person}))
		events, err := b.Events(b.ctx, d.ID)
		b.must(err)
		e.At = e.At.Truncate(1000)
		b.same("last event", events[len(events)-1], e)
		b.same("types", b.logged(d.ID), []contract.EventType{contract.EventUploaded, contract.EventViewed})
		b.same("types of no document", b.logged(0), []contract.EventType{contract.EventPasswordForgot})
		none, err := b.Events(b.ctx, 99)
		if err != nil || none == nil || len(none) != 0 {
			t.Fatalf("events of a document that never was: %v, %v", none, err)
		}
	},
	"TheLogGrowsByEveryEventAndAgreesWithThem": func(t *testing.T, b *bench) {
		_, last, err := b.Size(b.ctx)
		b.must(err)
		roots := [][32]byte{last}
		if n := b.size(); n != 0 {
			t.Fatalf("a new log has %d events", n)
		}
		b.must(b.CheckLog(b.ctx))
		for i := range 20 {
			b.must(b.Note(b.ctx, contract.Event{Type: contract.EventViewed, Document: contract.DocumentID(i), At: b.now}))
			n, root, err := b.Size(b.ctx)
			b.must(err)
			if n != granted+int64(i+1) || root == last {
				t.Fatalf("after %d events: %d, root changed: %t", i+1, n, root != last)
			}
			last = root
			roots = append(roots, root)
			b.must(b.CheckLog(b.ctx))
		}
		for i, want := range roots {
			root, err := b.RootAt(b.ctx, granted+int64(i))
			b.must(err)
			b.same(fmt.Sprintf("root after %d events", i), root, want)
		}
		for _, n := range []int64{-1, granted + int64(len(roots))} {
			if _, err := b.RootAt(b.ctx, n); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("root of %d leaves, which there are not: %v", n, err)
			}
		}
		b.must(b.Note(b.ctx))
		if n := b.size(); n != 20 {
			t.Fatalf("nothing was logged, and the log has %d events", n)
		}
	},
	"EveryEventOfADocumentIsProvenAmongOthers": func(t *testing.T, b *bench) {
		mine := contract.Event{Type: contract.EventViewed, Document: 7, At: b.now.Truncate(1000), Person: first.Person, IP: "192.0.2.1", Details: map[string]string{"of": "the original"}}
		other := contract.Event{Type: contract.EventViewed, Document: 8, At: b.now}
		for range 6 {
			b.must(b.Note(b.ctx, other, mine, other, other))
		}
		for leaves := granted; leaves <= granted+24; leaves++ {
			root, err := b.RootAt(b.ctx, int64(leaves))
			b.must(err)
			proven, err := b.Prove(b.ctx, mine.Document, int64(leaves))
			b.must(err)
			b.same(fmt.Sprintf("how many there are among %d", leaves), len(proven), (leaves-granted+2)/4)
			for i, p := range proven {
				b.same("event", p.Event, mine)
				b.same("its number", p.Leaf, int64(granted+1+4*i))
				var hashes tlog.RecordProof
				for _, h := range p.Path {
					hashes = append(hashes, h)
				}
				if err := tlog.CheckRecord(hashes, int64(leaves), root, p.Leaf, tlog.RecordHash(audit.EncodeLeaf(mine))); err != nil {
					t.Errorf("event %d of %d: %v", p.Leaf, leaves, err)
				}
			}
		}
		none, err := b.Prove(b.ctx, 99, granted)
		if err != nil || none == nil || len(none) != 0 {
			t.Errorf("a document that never was: %v, %v", none, err)
		}
		for _, leaves := range []int64{-1, granted + 25} {
			if _, err := b.Prove(b.ctx, mine.Document, leaves); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("among %d leaves, which there are not: %v", leaves, err)
			}
		}
	},
	"ManyAppendAtTheSameTime": func(t *testing.T, b *bench) {
		const crowd, each = 8, 4
		var all sync.WaitGroup
		for i := range crowd {
			all.Go(func() {
				for j := range each {
					e := contract.Event{Type: contract.EventViewed, Document: contract.DocumentID(i), At: b.now, Details: map[string]string{"n": fmt.Sprint(j)}}
					if err := b.Note(b.ctx, e, e); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n := b.size(); n != 2*crowd*each {
			t.Fatalf("%d events", n)
		}
		b.must(b.CheckLog(b.ctx))
	},
}
