package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var quotas = map[string]func(*testing.T, *bench){
	"TheInitialGrantIsGivenOnce": func(t *testing.T, b *bench) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "new", Name: "New", CreatedAt: b.now}))
		give := func(o contract.OrganisationID, u contract.Unit, n int) {
			t.Helper()
			b.must(b.GrantInitial(b.ctx, o, u, n, "sandbox", b.now))
		}
		before := b.size()
		give("new", contract.UnitStamp, 7)
		b.same("first", b.quota("new", contract.UnitStamp), store.Quota{Granted: 7})
		b.same("events", b.size()-before, int64(1))
		give("new", contract.UnitStamp, 7)
		b.same("again", b.quota("new", contract.UnitStamp), store.Quota{Granted: 7})
		b.grant("new", contract.UnitStamp, -7, "taken back", owner)
		give("new", contract.UnitStamp, 7)
		b.same("after it was taken back", b.quota("new", contract.UnitStamp), store.Quota{})

		// Nothing, decided once, stays nothing.
		give("new", contract.UnitSignature, 0)
		give("new", contract.UnitSignature, 7)
		b.same("after nothing", b.quota("new", contract.UnitSignature), store.Quota{})
		page, err := b.QuotaEntries(b.ctx, store.QuotaQuery{Organisation: "new", Unit: contract.UnitSignature, Limit: 10})
		b.must(err)
		b.same("lines of the ledger for nothing", page.Total, 0)

		// One that an operator has granted something starts with that.
		give("org", contract.UnitStamp, 7)
		b.same("after a grant by hand", b.quota("org", contract.UnitStamp), store.Quota{Granted: 1000})

		// Of many that grant at once, one does.
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "newer", Name: "Newer", CreatedAt: b.now}))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := b.GrantInitial(b.ctx, "newer", contract.UnitStamp, 7, "sandbox", b.now); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		b.same("by many", b.quota("newer", contract.UnitStamp), store.Quota{Granted: 7})
	},
	"QuotaIsReservedSpentAndReleased": func(t *testing.T, b *bench) {
		expect := func(stamps, signatures store.Quota) {
			t.Helper()
			b.same("stamps", b.quota("org", contract.UnitStamp), stamps)
			b.same("signatures", b.quota("org", contract.UnitSignature), signatures)
		}
		d := b.finalize(b.place(b.upload(owner), owner, 2), owner)
		expect(store.Quota{Granted: 1000, Reserved: 2}, store.Quota{Granted: 1000, Reserved: 2})
		d = b.sign(b.sign(d, first), second)
		expect(store.Quota{Granted: 1000, Reserved: 2}, store.Quota{Granted: 1000, Spent: 2})
		d = b.affix(b.bind(d, "Q1"))
		expect(store.Quota{Granted: 1000, Reserved: 1, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		d = b.commit(contract.RecordStampFailure(&d, 1, contract.Failure{Text: "no", Final: true}, b.now))
		b.commit(contract.Cancel(&d, "", owner, limits, b.now))
		expect(store.Quota{Granted: 1000, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		b.grant("org", contract.UnitStamp, 5, "bought", owner)
		expect(store.Quota{Granted: 1005, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		if left := b.quota("org", contract.UnitStamp).Left(); left != 1004 {
			t.Fatalf("%d left", left)
		}
		b.same("stamps of others", b.quota("other", contract.UnitStamp), store.Quota{Granted: 1000})
	},
	"TheLedgerSaysWhatWasMovedForWhatAndByWhom": func(t *testing.T, b *bench) {
		b.later(time.Second).grant("org", contract.UnitStamp, 5, "bought", owner)
		granted := b.now
		d := b.finalize(b.place(b.upload(owner), owner, 2), owner)
		d = b.sign(b.sign(d, first), second)
		b.affix(b.bind(d, "S"))
		var got []store.QuotaEntry
		q := store.QuotaQuery{Organisation: "org", Unit: contract.UnitStamp}
		b.must(b.EachQuotaEntry(b.ctx, q, func(e store.QuotaEntry) bool { got = append(got, e); return true }))
		entry := func(n int64, op contract.QuotaOp, count int, id contract.DocumentID) store.QuotaEntry {
			return store.QuotaEntry{QuotaMove: contract.QuotaMove{Organisation: "org", Document: id, Unit: contract.UnitStamp, Op: op, Count: count}, Number: n, At: b.seen()}
		}
		start := entry(1, contract.QuotaGrant, 1000, 0)
		start.Reason, start.At = "first start", start.At.Add(-time.Second)
		bought := entry(2, contract.QuotaGrant, 5, 0)
		bought.Reason, bought.By = "bought", owner.Person
		b.same("ledger", got, []store.QuotaEntry{start, bought, entry(3, contract.QuotaReserve, 2, d.ID), entry(4, contract.QuotaSpend, 1, d.ID)})

		q.From, q.Offset, q.Limit = granted.Truncate(time.Microsecond), 1, 1
		page, err := b.QuotaEntries(b.ctx, q)
		b.must(err)
		b.same("page", page, store.QuotaPage{Entries: []store.QuotaEntry{got[2]}, Total: 3})
		events, err := b.Events(b.ctx, 0)
		b.must(err)
		last := events[len(events)-1]
		if last.Type != contract.EventQuotaGranted || last.Person != owner.Person || last.Details["reason"] != "bought" || last.Details["count"] != "5" || last.Details["organisation"] != "org" {
			t.Errorf("%+v", last)
		}
	},
	"OfManyWhoReserveTheLastUnitsAsManySucceedAsThereAre": func(t *testing.T, b *bench) {
		const crowd, units = 8, 3
		b.grant("org", contract.UnitSignature, 2*units-1000, "correction", owner)
		var changes []contract.Change
		for i := range crowd {
			changes = append(changes, b.finalizing(b.upload(owner, titled(fmt.Sprint(i))), owner))
		}
		var won atomic.Int32
		var all sync.WaitGroup
		for _, c := range changes {
			all.Go(func() {
				_, err := b.Commit(b.ctx, c)
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, contract.ErrQuota):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if won.Load() != units {
			t.Fatalf("%d finalized on quota for %d", won.Load(), units)
		}
		b.same("signatures", b.quota("org", contract.UnitSignature), store.Quota{Granted: 2 * units, Reserved: 2 * units})
	},
	"MoreThanWasReservedIsNeitherSpentNorReleased": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		for _, op := range []contract.QuotaOp{contract.QuotaSpend, contract.QuotaRelease, "steal"} {
			c, _, err := contract.Place(&d, nil, nil, owner, limits, b.now)
			b.must(err)
			c.Quota = []contract.QuotaMove{{Organisation: "org", Unit: contract.UnitStamp, Op: op, Count: 1}}
			b.leavesNothing(t, c, nil, d.ID)
		}
	},
	"NobodyKnowsTheQuotaOfAnOrganisationThatNeverHadAny": func(t *testing.T, b *bench) {
		q, err := b.Quota(b.ctx, "nobody")
		if err != nil || len(q) != 0 {
			t.Fatal(q, err)
		}
	},
}
