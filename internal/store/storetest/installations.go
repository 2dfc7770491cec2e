package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var installationTests = map[string]func(*testing.T, *fixture){
	"AnInstallationIsReplacedByWhoHasReadIt": func(t *testing.T, b *fixture) {
		none, empty, err := b.Installation(b.ctx)
		b.must(err)
		b.requireEqual("at first", none, store.Installation{})
		b.requireEqual("empty", empty, false)
		one := store.Installation{ID: "0123456789abcdef0123456789abcdef", CreatedAt: b.now.Truncate(time.Microsecond)}
		b.must(b.ReplaceInstallation(b.ctx, none, one))
		if err := b.ReplaceInstallation(b.ctx, none, store.Installation{ID: "other"}); !errors.Is(err, store.ErrConflict) {
			t.Errorf("a second one was added: %v", err)
		}
		two := one
		two.Authority, two.CompletedAt, two.StampOffice = [32]byte{1, 31: 2}, one.CreatedAt.Add(time.Second), "sandbox"
		b.must(b.ReplaceInstallation(b.ctx, one, two))
		if err := b.ReplaceInstallation(b.ctx, one, one); !errors.Is(err, store.ErrConflict) {
			t.Errorf("replaced a record that was not read: %v", err)
		}
		got, _, err := b.Installation(b.ctx)
		b.must(err)
		b.requireEqual("in the end", got, two)
	},
	"OfManyThatAddAnInstallationOneDoes": func(t *testing.T, b *fixture) {
		var all sync.WaitGroup
		var added atomic.Int64
		for i := range 8 {
			all.Go(func() {
				err := b.ReplaceInstallation(b.ctx, store.Installation{}, store.Installation{ID: string(rune('a' + i)), CreatedAt: b.now})
				if err == nil {
					added.Add(1)
				} else if !errors.Is(err, store.ErrConflict) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		b.requireEqual("added", added.Load(), int64(1))
	},
	"EvidenceIsOfTheNewestDocumentsAndTheLastCertificate": func(t *testing.T, b *fixture) {
		none, err := b.Evidence(b.ctx, 2)
		b.must(err)
		b.requireEqual("at first", none, store.Evidence{})
		var last contract.Document
		for range 3 {
			last = b.uploadDraft(owner)
		}
		b.must(b.AddCertificate(b.ctx, store.Certificate{Serial: "1", DER: []byte{1}, IssuedAt: b.now}))
		b.must(b.AddCertificate(b.ctx, store.Certificate{Serial: "2", DER: []byte{2}, IssuedAt: b.now.Add(time.Second)}))
		e, err := b.Evidence(b.ctx, 2)
		b.must(err)
		b.requireEqual("documents", e.Documents, 3)
		b.requireEqual("certificate", e.Certificate, []byte{2})
		b.requireEqual("files", len(e.Files), 2)
		b.requireEqual("the newest file", e.Files[1].Key, last.Revisions[0].Tail.Key)
	},
}
