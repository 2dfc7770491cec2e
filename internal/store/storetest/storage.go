package storetest

import (
	"testing"

	"segel/internal/contract"
)

var storageTests = map[string]func(*testing.T, *fixture){
	"WhatADocumentTakesIsCountedAllItsLife": func(t *testing.T, b *fixture) {
		takes := func(what string, drafts int, bytes int64) {
			t.Helper()
			requireRead(b, what, contract.Storage{Drafts: drafts, Bytes: bytes})(b.Storage(b.ctx, "org"))
		}
		takes("at first", 0, 0)
		d, other := b.uploadDraft(owner), b.uploadDraft(owner)
		takes("two drafts", 2, 2000)
		b.commitChange(contract.Delete(&other, owner, b.now))
		takes("one is deleted", 1, 1000)
		d = b.placeStamps(d, owner, 1)
		takes("a placement", 1, 1000)
		d = b.finalizeDraft(d, owner)
		takes("no draft any more", 0, d.Current().End)
		d = b.completeDocument(b.affixStamp(b.bindSerial(b.signAs(b.signAs(d, first), second), "A1")))
		takes("completed", 0, d.Current().End)
	},
	"BeyondTheLimitAnUploadLeavesNothing": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		for code, limit := range map[string]contract.Storage{
			"storage.too_many_drafts": {Drafts: 1, Bytes: 1 << 20}, "storage.full": {Drafts: 10, Bytes: 1999},
		} {
			c, err := b.uploadChange(owner)
			b.must(err)
			c.StorageLimit = &limit
			b.requireNoEffect(t, c, contract.Refuse(contract.NoQuota, code), d.ID)
			requireRead(b, "storage", contract.Storage{Drafts: 1, Bytes: 1000})(b.Storage(b.ctx, "org"))
		}
		c, err := b.uploadChange(owner)
		b.must(err)
		c.StorageLimit = &contract.Storage{Drafts: 1, Bytes: 1000}
		b.commitChange(contract.Delete(&d, owner, b.now))
		b.commitChange(c, nil) // deleting released its storage
	},
	"OfUploadsAtOnceNoMoreAreMadeThanTheLimitAllows": func(t *testing.T, b *fixture) {
		var changes []contract.Change
		for range 10 {
			c, err := b.uploadChange(owner)
			b.must(err)
			c.StorageLimit = &contract.Storage{Drafts: 3, Bytes: 1 << 20}
			changes = append(changes, c)
		}
		b.requireEqual("made", b.commitCrowd(changes, contract.Refuse(contract.NoQuota, "storage.too_many_drafts")), 3)
	},
}
