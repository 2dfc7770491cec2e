package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
)

var ageing = map[string]func(*testing.T, *bench){
	"DocumentsAreRenewedWhenTheirTimeHasCome": func(t *testing.T, b *bench) {
		closed := func(at time.Time) contract.Document {
			d := b.sign(b.sign(b.finalize(b.upload(owner), owner), first), second)
			c, err := contract.Complete(&d, []contract.Revision{b.tail(&d, contract.RevisionSeal)}, b.now)
			c.Renewal = at
			return b.commit(c, err)
		}
		year := b.now.AddDate(1, 0, 0)
		late, soon := closed(year.Add(time.Hour)), closed(year)
		b.upload(owner)
		due := func(at time.Time, limit int, want ...contract.DocumentID) {
			t.Helper()
			got, err := b.Ageing(b.ctx, at, limit)
			b.must(err)
			b.same("due at "+at.String(), got, want)
		}
		due(year.Add(-time.Second), 10)
		due(year, 10, soon.ID)
		due(year.Add(time.Hour), 10, soon.ID, late.ID)
		due(year.Add(time.Hour), 1, soon.ID)
		soon = b.commit(contract.Renew(&soon, []contract.Revision{b.tail(&soon, contract.RevisionTimestamp)}, year.AddDate(1, 0, 0), b.now))
		b.reads(soon)
		due(year.Add(time.Hour), 10, late.ID)
		b.commit(contract.PostponeRenewal(&late, year.AddDate(2, 0, 0)))
		due(year.Add(time.Hour), 10)
		due(year.AddDate(3, 0, 0), 10, soon.ID, late.ID)
		b.must(b.CheckLog(b.ctx))
	},
}
