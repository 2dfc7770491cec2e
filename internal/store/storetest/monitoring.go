package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var monitoringTests = map[string]func(*testing.T, *fixture){
	"TheBacklogIsWhatWaitsAndWhy": func(t *testing.T, b *fixture) {
		read := func() store.Backlog {
			t.Helper()
			got, err := b.ReadBacklog(b.ctx, store.BacklogQuery{QuotaBelow: 5, Quotas: 10})
			b.must(err)
			if got.At.IsZero() {
				t.Fatal("no time")
			}
			return got
		}
		reasons := func(l store.Backlog) map[contract.WaitingReason]int {
			found := map[contract.WaitingReason]int{}
			for _, d := range l.Documents {
				found[d.Reason] = d.Count
			}
			return found
		}
		empty := read()
		if len(empty.Jobs)+len(empty.Documents)+empty.Failed+empty.Notices+empty.Deliveries+empty.WebhooksEnded+len(empty.Quotas)+empty.RenewalsMissed != 0 ||
			!empty.LastBackup.IsZero() || !empty.RenewalDue.IsZero() || !empty.SealExpires.IsZero() || !empty.OldestNotice.IsZero() || !empty.OldestSend.IsZero() {
			t.Errorf("of an empty store: %+v", empty)
		}

		signed := func(stamps int) contract.Document {
			return b.signAs(b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, stamps), owner), first), second)
		}
		began := b.storedNow()
		fine := signed(2)
		waits := b.advance(time.Minute).bindSerial(signed(1), "W1")
		c, _, err := contract.RecordStampWait(&waits, 0, contract.Problem{Code: contract.ProblemOfficeDown, Detail: "12:00"}, contract.OutcomeNotCalled, b.now)
		b.commitChange(c, err)
		closing := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
		c, _, err = contract.DelayClosing(&closing, contract.Problem{Code: contract.ProblemTimestamp}, b.now)
		closing = b.commitChange(c, err)
		failing := b.bindSerial(signed(1), "F1")
		b.commitChange(contract.RecordStampFailure(&failing, 0, contract.Failure{Text: "no", Final: true}, b.now))
		b.uploadDraft(owner) // people have to act

		got := read()
		b.requireEqual("reasons", reasons(got), map[contract.WaitingReason]int{contract.WaitsForStamp: 1, contract.WaitsForOffice: 1, contract.WaitsForTimestamp: 1})
		b.requireEqual("failed", got.Failed, 1)
		for _, d := range got.Documents {
			if d.Reason == contract.WaitsForStamp && !d.Oldest.Equal(fine.LastSignedAt) || d.Oldest.Before(began) {
				t.Errorf("%s waits since %s, and was signed at %s", d.Reason, d.Oldest, fine.LastSignedAt)
			}
		}
		jobs := map[string]int{}
		for _, j := range got.Jobs {
			if j.State != store.JobAvailable || j.Oldest.IsZero() || j.Due.IsZero() || got.At.Sub(j.Oldest).Abs() > time.Hour {
				t.Errorf("a job of a moment ago at %s: %+v", got.At, j)
			}
			jobs[j.Kind] = j.Count
		}
		if jobs["stamp"] != 3 || jobs["complete"] == 0 {
			t.Errorf("jobs: %v", jobs)
		}

		closing = b.completeDocument(closing)
		if got := reasons(read()); got[contract.WaitsForTimestamp] != 0 {
			t.Errorf("after it was completed: %v", got)
		}
	},
	"TheBacklogHasWhatIsToBeSent": func(t *testing.T, b *fixture) {
		_, all := b.orderNotices()
		b.addWebhook("hook")
		b.orderAll("hook")
		got, err := b.ReadBacklog(b.ctx, store.BacklogQuery{})
		b.must(err)
		if got.Notices < len(all) || got.OldestNotice.IsZero() || got.OldestNotice.After(all[0].OrderedAt) {
			t.Errorf("%d messages since %s", got.Notices, got.OldestNotice)
		}
		if got.Deliveries == 0 || got.OldestSend.IsZero() {
			t.Errorf("%d deliveries since %s", got.Deliveries, got.OldestSend)
		}
		d := b.dueDeliveries("hook")[0]
		b.tryDelivery(d, contract.DeliveryDelivered, b.now)
		after, err := b.ReadBacklog(b.ctx, store.BacklogQuery{})
		b.must(err)
		b.requireEqual("deliveries after one", after.Deliveries, got.Deliveries-1)
		b.requireEqual("webhooks that the service disabled", after.WebhooksEnded, 0)
	},
	"TheBacklogListsTheLowestQuotas": func(t *testing.T, b *fixture) {
		b.grantQuota("org", contract.UnitStamp, -997, "correction", owner)
		b.grantQuota("other", contract.UnitStamp, -1000, "correction", owner)
		b.grantQuota("other", contract.UnitSignature, -996, "correction", owner)
		read := func(most int) store.Backlog {
			got, err := b.ReadBacklog(b.ctx, store.BacklogQuery{QuotaBelow: 5, Quotas: most})
			b.must(err)
			b.requireEqual("low quotas", got.LowQuotas, map[contract.Unit]int{contract.UnitStamp: 2, contract.UnitSignature: 1})
			return got
		}
		want := []store.LowQuota{{Organisation: "other", Unit: contract.UnitStamp}, {Organisation: "org", Unit: contract.UnitStamp, Left: 3}, {Organisation: "other", Unit: contract.UnitSignature, Left: 4}}
		b.requireEqual("all", read(10).Quotas, want)
		b.requireEqual("two of them", read(2).Quotas, want[:2])
	},
	"TheBacklogSaysWhatExpires": func(t *testing.T, b *fixture) {
		now := time.Now().Truncate(time.Microsecond).UTC() // the clock of the database decides what is valid
		past, year := now.Add(-time.Hour), now.AddDate(1, 0, 0)
		for _, at := range []time.Time{year, past} {
			d := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
			c, err := contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now)
			c.Renewal = at
			b.commitChange(c, err)
		}
		for i, c := range []store.SealedCredential{
			{Holder: "org", NotBefore: past, NotAfter: now.Add(time.Minute), CreatedAt: past}, // was replaced
			{Holder: "org", NotBefore: past, NotAfter: now.Add(24 * time.Hour), CreatedAt: now},
			{Holder: "other", NotBefore: past, NotAfter: now.Add(-time.Minute), CreatedAt: past},
			{Holder: "person", NotBefore: past, NotAfter: now.Add(time.Minute), CreatedAt: past},
		} {
			c.ID, c.Key, c.Chain = string(rune('a'+i)), []byte{1}, [][]byte{{1}}
			b.must(b.AddCredential(b.ctx, c))
		}
		b.must(b.BeginBackup(b.ctx, "1", "/backup", time.Minute))
		b.must(b.EndBackup(b.ctx, "1", true))
		last, err := b.LastBackup(b.ctx)
		b.must(err)
		got, err := b.ReadBacklog(b.ctx, store.BacklogQuery{})
		b.must(err)
		b.requireEqual("the seal expires", got.SealExpires, now.Add(24*time.Hour))
		b.requireEqual("the last backup", got.LastBackup, last.CompletedAt)
		b.requireEqual("renewal is due", got.RenewalDue, past)
		b.requireEqual("missed", got.RenewalsMissed, 1)
	},
}
