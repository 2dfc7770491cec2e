package storetest

import (
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var quotaTests = map[string]func(*testing.T, *fixture){
	"TheInitialGrantIsGivenOnce": func(t *testing.T, b *fixture) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "new", Name: "New", CreatedAt: b.now}))
		give := func(o contract.OrganisationID, u contract.Unit, n int) {
			t.Helper()
			b.must(b.GrantInitial(b.ctx, o, u, n, "sandbox", b.now))
		}
		before := b.eventCount()
		give("new", contract.UnitStamp, 7)
		b.requireEqual("first", b.quotaOf("new", contract.UnitStamp), store.Quota{Granted: 7})
		b.requireEqual("events", b.eventCount()-before, int64(1))
		give("new", contract.UnitStamp, 7)
		b.requireEqual("again", b.quotaOf("new", contract.UnitStamp), store.Quota{Granted: 7})
		b.grantQuota("new", contract.UnitStamp, -7, "taken back", owner)
		give("new", contract.UnitStamp, 7)
		b.requireEqual("after it was taken back", b.quotaOf("new", contract.UnitStamp), store.Quota{})

		// A decision for none is final.
		give("new", contract.UnitSignature, 0)
		give("new", contract.UnitSignature, 7)
		b.requireEqual("after nothing", b.quotaOf("new", contract.UnitSignature), store.Quota{})
		page, err := b.QuotaEntries(b.ctx, store.QuotaQuery{Organisation: "new", Unit: contract.UnitSignature, Limit: 10})
		b.must(err)
		b.requireEqual("ledger entries for no grant", page.Total, 0)

		// GrantInitial does nothing after an operator's grant.
		give("org", contract.UnitStamp, 7)
		b.requireEqual("after a grant by hand", b.quotaOf("org", contract.UnitStamp), store.Quota{Granted: 1000})

		// Of many concurrent calls, one grants.
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "newer", Name: "Newer", CreatedAt: b.now}))
		b.runCrowd(8, nil, func(int) error { return b.GrantInitial(b.ctx, "newer", contract.UnitStamp, 7, "sandbox", b.now) })
		b.requireEqual("by many", b.quotaOf("newer", contract.UnitStamp), store.Quota{Granted: 7})
	},
	"QuotaIsReservedSpentAndReleased": func(t *testing.T, b *fixture) {
		expect := func(stamps, signatures store.Quota) {
			t.Helper()
			b.requireEqual("stamps", b.quotaOf("org", contract.UnitStamp), stamps)
			b.requireEqual("signatures", b.quotaOf("org", contract.UnitSignature), signatures)
		}
		d := b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 2), owner)
		expect(store.Quota{Granted: 1000, Reserved: 2}, store.Quota{Granted: 1000, Reserved: 2})
		d = b.signAs(b.signAs(d, first), second)
		expect(store.Quota{Granted: 1000, Reserved: 2}, store.Quota{Granted: 1000, Spent: 2})
		d = b.affixStamp(b.bindSerial(d, "Q1"))
		expect(store.Quota{Granted: 1000, Reserved: 1, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		d = b.commitChange(contract.RecordStampFailure(&d, 1, contract.Failure{Text: "no", Final: true}, b.now))
		b.commitChange(contract.Cancel(&d, "", owner, limits, b.now))
		expect(store.Quota{Granted: 1000, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		b.grantQuota("org", contract.UnitStamp, 5, "bought", owner)
		expect(store.Quota{Granted: 1005, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		if left := b.quotaOf("org", contract.UnitStamp).Left(); left != 1004 {
			t.Fatalf("%d units left", left)
		}
		b.requireEqual("stamps of others", b.quotaOf("other", contract.UnitStamp), store.Quota{Granted: 1000})
	},
	"TheLedgerSaysWhatWasMovedForWhatAndByWhom": func(t *testing.T, b *fixture) {
		b.advance(time.Second).grantQuota("org", contract.UnitStamp, 5, "bought", owner)
		granted := b.now
		d := b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 2), owner)
		d = b.signAs(b.signAs(d, first), second)
		b.affixStamp(b.bindSerial(d, "S"))
		var got []store.QuotaEntry
		q := store.QuotaQuery{Organisation: "org", Unit: contract.UnitStamp}
		b.must(b.EachQuotaEntry(b.ctx, q, func(e store.QuotaEntry) bool { got = append(got, e); return true }))
		entry := func(n int64, op contract.QuotaOp, count int, id contract.DocumentID) store.QuotaEntry {
			return store.QuotaEntry{QuotaMove: contract.QuotaMove{Organisation: "org", Document: id, Unit: contract.UnitStamp, Op: op, Count: count}, Number: n, At: b.storedNow()}
		}
		start := entry(1, contract.QuotaGrant, 1000, 0)
		start.Reason, start.At = "first start", start.At.Add(-time.Second)
		bought := entry(2, contract.QuotaGrant, 5, 0)
		bought.Reason, bought.By = "bought", owner.Person
		b.requireEqual("ledger", got, []store.QuotaEntry{start, bought, entry(3, contract.QuotaReserve, 2, d.ID), entry(4, contract.QuotaSpend, 1, d.ID)})

		q.From, q.Offset, q.Limit = granted.Truncate(time.Microsecond), 1, 1
		requireRead(b, "page", store.QuotaPage{Entries: []store.QuotaEntry{got[2]}, Total: 3})(b.QuotaEntries(b.ctx, q))
		events, err := b.Events(b.ctx, 0)
		b.must(err)
		last := events[len(events)-1]
		if last.Type != contract.EventQuotaGranted || last.Person != owner.Person || last.Details["reason"] != "bought" || last.Details["count"] != "5" || last.Details["organisation"] != "org" {
			t.Errorf("%+v", last)
		}
	},
	"LowQuotaIsReportedOnceUntilThereIsEnoughAgain": func(t *testing.T, b *fixture) {
		var heard []string
		from, err := b.FeedEnd(b.ctx)
		b.must(err)
		report := func(want ...string) {
			t.Helper()
			b.runCrowd(4, nil, func(int) error { _, err := b.ReportLowQuota(b.ctx, 10, b.now); return err })
			page, err := b.ReadFeed(b.ctx, store.FeedQuery{Organisation: "org", From: from, Limit: 100})
			b.must(err)
			for _, e := range page.Events {
				heard = append(heard, fmt.Sprint(e.Type, " ", e.Cause.Details["unit"], " ", e.Cause.Details["left"]))
			}
			b.requireEqual("reported", heard, want)
			heard, from = nil, page.Next
		}
		grant := func(n int) { t.Helper(); b.grantQuota("org", contract.UnitStamp, n, "correction", owner) }
		report()
		grant(-990)
		report()
		grant(-1)
		report("quota.low emet 9")
		grant(-5)
		report() // it was reported
		grant(-4)
		report("quota.low emet 0")
		grant(3)
		report() // three are as few as before
		grant(-3)
		report("quota.low emet 0")
		grant(10)
		report()
		grant(-2)
		report("quota.low emet 8")
		if other, err := b.ReadFeed(b.ctx, store.FeedQuery{Organisation: "other", Limit: 100, Types: []contract.FeedType{contract.FeedQuotaLow}}); err != nil || len(other.Events) != 0 {
			t.Errorf("another organisation is told %v, %v", other.Events, err)
		}
	},
	"OfManyWhoReserveTheLastUnitsAsManySucceedAsThereAre": func(t *testing.T, b *fixture) {
		const crowd, units = 8, 3
		b.grantQuota("org", contract.UnitSignature, 2*units-1000, "correction", owner)
		var changes []contract.Change
		for i := range crowd {
			changes = append(changes, b.finalizeChange(b.uploadDraft(owner, withTitle(fmt.Sprint(i))), owner))
		}
		b.requireEqual("finalized on quota for three", b.commitCrowd(changes, contract.ErrQuota), units)
		b.requireEqual("signatures", b.quotaOf("org", contract.UnitSignature), store.Quota{Granted: 2 * units, Reserved: 2 * units})
	},
	"MoreThanWasReservedIsNeitherSpentNorReleased": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		for _, op := range []contract.QuotaOp{contract.QuotaSpend, contract.QuotaRelease, "steal"} {
			c, _, err := contract.Place(&d, nil, nil, owner, limits, b.now)
			b.must(err)
			c.Quota = []contract.QuotaMove{{Organisation: "org", Unit: contract.UnitStamp, Op: op, Count: 1}}
			b.requireNoEffect(t, c, nil, d.ID)
		}
	},
	"OrganisationWithoutGrantsHasNoQuota": func(t *testing.T, b *fixture) {
		q, err := b.Quota(b.ctx, "nobody")
		if err != nil || len(q) != 0 {
			t.Fatal(q, err)
		}
	},
}

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
