package storetest

import (
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var dueTests = map[string]func(*testing.T, *fixture){
	"OnlyWhatCanExpireIsDue": func(t *testing.T, b *fixture) {
		soon := b.now.Add(time.Hour)
		draft := b.uploadDraft(owner, withExpiry(soon))
		b.uploadDraft(owner)
		b.uploadDraft(owner, withExpiry(b.now.Add(3*time.Hour)))
		open := b.finalizeDraft(b.uploadDraft(owner, withExpiry(soon.Add(time.Minute))), owner)
		b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner, withExpiry(soon)), owner), first), second) // waits for the service
		canceled := b.finalizeDraft(b.uploadDraft(owner, withExpiry(soon)), owner)
		b.commitChange(contract.Cancel(&canceled, "", owner, limits, b.now))

		for _, c := range []struct {
			at   time.Time
			want []contract.DocumentID
		}{
			{soon.Add(-time.Second), nil}, {soon, []contract.DocumentID{draft.ID}},
			{soon.Add(time.Hour), []contract.DocumentID{draft.ID, open.ID}},
		} {
			requireRead(b, "due at "+c.at.String(), c.want)(b.PastDeadline(b.ctx, c.at, 10))
		}
		if got, err := b.PastDeadline(b.ctx, soon.Add(time.Hour), 1); err != nil || !slices.Equal(got, []contract.DocumentID{draft.ID}) {
			t.Fatalf("the first that is due: %v, %v", got, err)
		}
	},
	"RemindersAreDueAsTheirDocumentsSay": func(t *testing.T, b *fixture) {
		remind := func(u *contract.Upload) { u.Delivery.Reminders = contract.Reminders{After: 2, Every: 1} }
		b.uploadDraft(owner, remind)
		d := b.finalizeDraft(b.uploadDraft(owner, remind), owner)
		b.finalizeDraft(b.uploadDraft(owner), owner)
		due := d.NextReminder()
		if due.IsZero() {
			t.Fatal("the document has no reminder")
		}
		requireRead(b, "before", []contract.DocumentID(nil))(b.RemindersDue(b.ctx, due.Add(-time.Microsecond), 10, store.Among{}))
		requireRead(b, "then", []contract.DocumentID{d.ID})(b.RemindersDue(b.ctx, due, 10, store.Among{}))
		own, others := []contract.OrganisationID{"x", d.Organisation}, []contract.OrganisationID{"other"}
		requireRead(b, "of it", []contract.DocumentID{d.ID})(b.RemindersDue(b.ctx, due, 10, store.Among{Only: own, Except: others}))
		requireRead(b, "of others", []contract.DocumentID(nil))(b.RemindersDue(b.ctx, due, 10, store.Among{Only: others}))
		requireRead(b, "of all but it", []contract.DocumentID(nil))(b.RemindersDue(b.ctx, due, 10, store.Among{Except: own}))
		c, changed := contract.RemindBySchedule(&d, due)
		if !changed {
			t.Fatal("no reminder is due")
		}
		d = b.commitChange(c, nil)
		requireRead(b, "after it", []contract.DocumentID(nil))(b.RemindersDue(b.ctx, due, 10, store.Among{}))
		requireRead(b, "a day later", []contract.DocumentID{d.ID})(b.RemindersDue(b.ctx, due.Add(24*time.Hour), 10, store.Among{}))
		b.commitChange(contract.Cancel(&d, "", owner, limits, due))
		requireRead(b, "after the end", []contract.DocumentID(nil))(b.RemindersDue(b.ctx, due.AddDate(1, 0, 0), 10, store.Among{}))
	},
	"ADocumentIsStuckWhileItWaitsForTheService": func(t *testing.T, b *fixture) {
		d := b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 1), owner), first)
		stuck := func(want ...contract.DocumentID) {
			t.Helper()
			requireRead(b, "stuck", want)(stuckDocuments(b, b.now.Add(time.Second)))
		}
		stuck()
		d = b.signAs(d, second)
		stuck(d.ID)
		if got, err := stuckDocuments(b, b.now); err != nil || len(got) != 0 {
			t.Fatalf("stuck from the first moment: %v, %v", got, err)
		}
		d = b.advance(time.Hour).bindSerial(d, "S1")
		if got, err := stuckDocuments(b, b.now); err != nil || len(got) != 0 {
			t.Fatalf("stuck although it has just made progress: %v, %v", got, err)
		}
		d = b.commitChange(contract.ReopenAttempt(&d, 0, b.advance(time.Hour).now))
		if got, err := stuckDocuments(b, b.now); err != nil || len(got) != 0 {
			t.Fatalf("stuck although it is being tried: %v, %v", got, err)
		}
		c, _, err := contract.RecordStampWait(&d, 0, contract.Problem{Code: contract.ProblemOfficeDown}, contract.OutcomeNotCalled, b.advance(time.Hour).now)
		d = b.requireStored(b.commitChange(c, err))
		if got, err := stuckDocuments(b, b.now); err != nil || len(got) != 0 {
			t.Fatalf("stuck although its reason was just recorded: %v, %v", got, err)
		}
		d = b.affixStamp(d)
		stuck(d.ID)
		b.completeDocument(d)
		stuck()
	},
	"StuckDocumentsAreReadInPages": func(t *testing.T, b *fixture) {
		var want []contract.DocumentID
		for i := range 5 {
			if i%2 == 1 {
				b.advance(time.Hour) // else they wait since the same moment
			}
			want = append(want, b.uploadDraft(owner, func(u *contract.Upload) { u.Word = true }).ID)
		}
		b.uploadDraft(owner)
		for size := 1; size <= len(want); size++ {
			var got []contract.DocumentID
			for last := (store.StuckDocument{}); ; {
				page, err := b.Stuck(b.ctx, b.now.Add(time.Second), last, size)
				b.must(err)
				for _, d := range page {
					got = append(got, d.ID)
				}
				if len(page) < size || len(got) > len(want) {
					break
				}
				last = page[size-1]
			}
			b.requireEqual("in pages", got, want)
		}
	},
	"VersionsOfManyDocumentsAreReadAtOnce": func(t *testing.T, b *fixture) {
		want := map[contract.DocumentID]int64{}
		var ids []contract.DocumentID
		for i := range 3 {
			d := b.uploadDraft(owner)
			if i == 0 {
				d = b.finalizeDraft(d, owner)
			}
			want[d.ID] = d.Version
			ids = append(ids, d.ID)
		}
		for id := range contract.DocumentID(250) { // missing documents, in more than one statement
			ids = append(ids, 1_000_000+id)
		}
		requireRead(b, "versions", want)(b.Versions(b.ctx, ids))
		if got, err := b.Versions(b.ctx, nil); err != nil || len(got) != 0 {
			t.Fatalf("of no documents: %v, %v", got, err)
		}
	},
	"EveryFileIsNamedOnce": func(t *testing.T, b *fixture) {
		d1 := b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first)
		c, err := b.uploadChange(owner)
		b.must(err)
		c.After.Original = contract.File{Key: "rewritten before the first signature", Size: 7, Digest: [32]byte{7}, Sums: []byte{7}}
		d2 := b.commitChange(c, nil)

		want := map[string]contract.File{d2.Original.Key: d2.Original}
		for _, r := range slices.Concat(d1.Revisions, d2.Revisions) {
			want[r.Tail.Key] = r.Tail
		}
		got := map[string]contract.File{}
		b.must(b.Files(b.ctx, func(f contract.File) bool {
			if _, twice := got[f.Key]; twice {
				t.Errorf("%s is named twice", f.Key)
			}
			got[f.Key] = f
			return true
		}))
		b.requireEqual("files", got, want)

		n := 0
		b.must(b.Files(b.ctx, func(contract.File) bool { n++; return false }))
		if n != 1 {
			t.Fatalf("%d files after yield returned false", n)
		}
	},
}

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

// stuckDocuments returns the documents that are stuck before a moment.
func stuckDocuments(b *fixture, before time.Time) (ids []contract.DocumentID, err error) {
	all, err := b.Stuck(b.ctx, before, store.StuckDocument{}, 10)
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	return ids, err
}
