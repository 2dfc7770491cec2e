package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

var quotas = map[string]func(*testing.T, *bench){
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
		d = b.commit(contract.StampProblem(&d, 1, contract.Failure{Text: "no", Final: true}, b.now))
		b.commit(contract.Cancel(&d, "", owner, limits, b.now))
		expect(store.Quota{Granted: 1000, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		b.must(b.Grant(b.ctx, "org", contract.UnitStamp, 5, "bought", owner, b.now))
		expect(store.Quota{Granted: 1005, Spent: 1}, store.Quota{Granted: 1000, Spent: 2})
		if left := b.quota("org", contract.UnitStamp).Left(); left != 1004 {
			t.Fatalf("%d left", left)
		}
		b.same("stamps of others", b.quota("other", contract.UnitStamp), store.Quota{Granted: 1000})
	},
	"OfManyWhoReserveTheLastUnitsAsManySucceedAsThereAre": func(t *testing.T, b *bench) {
		const crowd, units = 8, 3
		b.must(b.Grant(b.ctx, "org", contract.UnitSignature, 2*units-1000, "correction", owner, b.now))
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
