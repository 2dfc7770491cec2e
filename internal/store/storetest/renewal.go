package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
)

var renewalTests = map[string]func(*testing.T, *fixture){
	"DocumentsAreRenewedWhenTheirTimeHasCome": func(t *testing.T, b *fixture) {
		closed := func(at time.Time) contract.Document {
			d := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
			c, err := contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now)
			c.Renewal = at
			return b.commitChange(c, err)
		}
		year := b.now.AddDate(1, 0, 0)
		late, soon := closed(year.Add(time.Hour)), closed(year)
		b.uploadDraft(owner)
		due := func(at time.Time, limit int, want ...contract.DocumentID) {
			t.Helper()
			requireRead(b, "due at "+at.String(), want)(b.DueForRenewal(b.ctx, at, limit))
		}
		due(year.Add(-time.Second), 10)
		due(year, 10, soon.ID)
		due(year.Add(time.Hour), 10, soon.ID, late.ID)
		due(year.Add(time.Hour), 1, soon.ID)
		soon = b.commitChange(contract.Renew(&soon, []contract.Revision{b.newTail(&soon, contract.RevisionTimestamp)}, year.AddDate(1, 0, 0), b.now))
		b.requireStored(soon)
		due(year.Add(time.Hour), 10, late.ID)
		b.commitChange(contract.PostponeRenewal(&late, year.AddDate(2, 0, 0)))
		due(year.Add(time.Hour), 10)
		due(year.AddDate(3, 0, 0), 10, soon.ID, late.ID)
		b.must(b.CheckLog(b.ctx))
	},
}
