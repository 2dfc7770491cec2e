package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var installationTests = map[string]func(*testing.T, *fixture){
	"AnInstallationIsReplacedOnlyAsItWasRead": func(t *testing.T, b *fixture) {
		none, empty, err := b.Installation(b.ctx)
		b.must(err)
		b.requireEqual("at first", none, store.Installation{})
		b.requireEqual("empty", empty, false)
		one := store.Installation{ID: "0123456789abcdef0123456789abcdef", CreatedAt: b.now.Truncate(time.Microsecond)}
		b.must(b.ReplaceInstallation(b.ctx, none, one))
		b.requireError("a second one was added", b.ReplaceInstallation(b.ctx, none, store.Installation{ID: "other"}), store.ErrConflict)
		two := one
		two.Authority, two.CompletedAt, two.StampOffice = [32]byte{1, 31: 2}, one.CreatedAt.Add(time.Second), "sandbox"
		b.must(b.ReplaceInstallation(b.ctx, one, two))
		b.requireError("replaced a record that was not read", b.ReplaceInstallation(b.ctx, one, one), store.ErrConflict)
		got, _, err := b.Installation(b.ctx)
		b.must(err)
		b.requireEqual("in the end", got, two)
	},
	"OfManyThatAddAnInstallationOneDoes": func(t *testing.T, b *fixture) {
		added := b.runCrowd(8, store.ErrConflict, func(i int) error {
			return b.ReplaceInstallation(b.ctx, store.Installation{}, store.Installation{ID: string(rune('a' + i)), CreatedAt: b.now})
		})
		b.requireEqual("added", added, 1)
	},
	"ATLSRecordIsReplacedAsAWhole": func(t *testing.T, b *fixture) {
		_, err := b.TLSRecord(b.ctx, "certificate")
		b.requireError("no record", err, store.ErrNotFound)
		for _, content := range [][]byte{{0, 1, 255}, {2}, {}} {
			b.must(b.StoreTLSRecord(b.ctx, "certificate", content, b.now))
			requireRead(b, "content", content)(b.TLSRecord(b.ctx, "certificate"))
		}
		_, err = b.TLSRecord(b.ctx, "account")
		b.requireError("another name", err, store.ErrNotFound)
	},
	"AKeyFileIsAddedOnceAndNeverReplaced": func(t *testing.T, b *fixture) {
		_, err := b.KeyFile(b.ctx, "authority.json")
		b.requireError("at first", err, store.ErrNotFound)
		b.must(b.AddKeyFile(b.ctx, "authority.json", []byte{0, 1, 255}, b.now))
		b.requireError("a second one was added", b.AddKeyFile(b.ctx, "authority.json", []byte{2}, b.now), store.ErrExists)
		requireRead(b, "content", []byte{0, 1, 255})(b.KeyFile(b.ctx, "authority.json"))
		_, err = b.KeyFile(b.ctx, "guests.json")
		b.requireError("another name", err, store.ErrNotFound)
		added := b.runCrowd(8, store.ErrExists, func(i int) error { return b.AddKeyFile(b.ctx, "tsa-2.json", []byte{byte(i)}, b.now) })
		b.requireEqual("added", added, 1)
	},
	"EvidenceIsOfTheNewestDocumentsAndTheLastCertificate": func(t *testing.T, b *fixture) {
		requireRead(b, "at first", store.Evidence{})(b.Evidence(b.ctx, 2))
		var last contract.Document
		for range 3 {
			last = b.uploadDraft(owner)
		}
		b.must(b.AddCertificate(b.ctx, contract.Certificate{Serial: "1", DER: []byte{1}, IssuedAt: b.now}))
		b.must(b.AddCertificate(b.ctx, contract.Certificate{Serial: "2", DER: []byte{2}, IssuedAt: b.now.Add(time.Second)}))
		e, err := b.Evidence(b.ctx, 2)
		b.must(err)
		b.requireEqual("documents", e.Documents, 3)
		b.requireEqual("certificate", e.Certificate, []byte{2})
		b.requireEqual("files", len(e.Files), 2)
		b.requireEqual("the newest file", e.Files[1].Key, last.Revisions[0].Tail.Key)
	},
}
