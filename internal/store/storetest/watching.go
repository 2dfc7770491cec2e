package storetest

import (
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
)

var watching = map[string]func(*testing.T, *bench){
	"OnlyWhatCanExpireIsDue": func(t *testing.T, b *bench) {
		soon := b.now.Add(time.Hour)
		draft := b.upload(owner, expiring(soon))
		b.upload(owner)
		b.upload(owner, expiring(b.now.Add(3*time.Hour)))
		open := b.finalize(b.upload(owner, expiring(soon.Add(time.Minute))), owner)
		b.sign(b.sign(b.finalize(b.upload(owner, expiring(soon)), owner), first), second) // waits for the service
		canceled := b.finalize(b.upload(owner, expiring(soon)), owner)
		b.commit(contract.Cancel(&canceled, "", owner, limits, b.now))

		for _, c := range []struct {
			at   time.Time
			want []contract.DocumentID
		}{
			{soon.Add(-time.Second), nil}, {soon, []contract.DocumentID{draft.ID}},
			{soon.Add(time.Hour), []contract.DocumentID{draft.ID, open.ID}},
		} {
			got, err := b.Due(b.ctx, c.at, 10)
			b.must(err)
			b.same("due at "+c.at.String(), got, c.want)
		}
		if got, err := b.Due(b.ctx, soon.Add(time.Hour), 1); err != nil || !slices.Equal(got, []contract.DocumentID{draft.ID}) {
			t.Fatalf("the first that is due: %v, %v", got, err)
		}
	},
	"ADocumentIsStuckWhileItWaitsForTheService": func(t *testing.T, b *bench) {
		d := b.sign(b.finalize(b.place(b.upload(owner), owner, 1), owner), first)
		stuck := func(want ...contract.DocumentID) {
			t.Helper()
			got, err := b.Stuck(b.ctx, b.now.Add(time.Second), 10)
			b.must(err)
			b.same("stuck", got, want)
		}
		stuck()
		d = b.sign(d, second)
		stuck(d.ID)
		if got, err := b.Stuck(b.ctx, b.now, 10); err != nil || len(got) != 0 {
			t.Fatalf("stuck from the first moment: %v, %v", got, err)
		}
		d = b.later(time.Hour).bind(d, "S1")
		if got, err := b.Stuck(b.ctx, b.now, 10); err != nil || len(got) != 0 {
			t.Fatalf("stuck although it has just come further: %v, %v", got, err)
		}
		d = b.commit(contract.ReopenAttempt(&d, 0, b.later(time.Hour).now))
		if got, err := b.Stuck(b.ctx, b.now, 10); err != nil || len(got) != 0 {
			t.Fatalf("stuck although it is being tried: %v, %v", got, err)
		}
		c, _, err := contract.RecordStampWait(&d, 0, contract.OfficeDown, contract.OutcomeNotCalled, b.later(time.Hour).now)
		d = b.reads(b.commit(c, err))
		if got, err := b.Stuck(b.ctx, b.now, 10); err != nil || len(got) != 0 {
			t.Fatalf("stuck although it has just been said what it waits for: %v, %v", got, err)
		}
		d = b.affix(d)
		stuck(d.ID)
		b.complete(d)
		stuck()
	},
	"EveryFileIsNamedOnce": func(t *testing.T, b *bench) {
		d1 := b.sign(b.finalize(b.upload(owner), owner), first)
		c, err := b.uploading(owner)
		b.must(err)
		c.After.Original = contract.File{Key: "rewritten before the first signature", Size: 7, Digest: [32]byte{7}, Sums: []byte{7}}
		d2 := b.commit(c, nil)

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
		b.same("files", got, want)

		n := 0
		b.must(b.Files(b.ctx, func(contract.File) bool { n++; return false }))
		if n != 1 {
			t.Fatalf("%d files after the caller had enough", n)
		}
	},
}
