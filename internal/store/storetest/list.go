package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var listing = map[string]func(*testing.T, *bench){
	"PagesLeadThroughAListFromItsNewestEnd": func(t *testing.T, b *bench) {
		const all = 23
		for range all {
			b.upload(owner)
		}
		b.upload(first)
		var got []contract.DocumentID
		for offset := 0; offset < all+20; offset += 10 {
			l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, Offset: offset, Limit: 10})
			if l.Total != all {
				t.Fatalf("at offset %d counted as %d", offset, l.Total)
			}
			if l.Documents == nil {
				t.Fatalf("at offset %d documents are nil, not empty", offset)
			}
			got = append(got, b.ids(l)...)
		}
		if len(got) != all || !slices.IsSortedFunc(got, func(a, b contract.DocumentID) int { return int(b - a) }) {
			t.Fatalf("pages together: %v", got)
		}
	},
	"AListHasWholeDocuments": func(t *testing.T, b *bench) {
		d1 := b.sign(b.finalize(b.place(b.upload(owner), owner, 2), owner), first)
		d2 := b.finalize(b.place(b.upload(owner), owner, 1), owner)
		b.same("list", b.list(store.ListQuery{Person: second.ID, Box: store.Inbox}).Documents, []contract.Document{d2, d1})
	},
	"SomebodysListHasWhatHeSawOnceForGood": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		in := func(a contract.Actor, want int) {
			t.Helper()
			if l := b.list(store.ListQuery{Person: a.ID, Box: store.Inbox}); l.Total != want || len(l.Documents) != want {
				t.Fatalf("%s has %d, counted as %d, want %d", a.ID, len(l.Documents), l.Total, want)
			}
		}
		in(first, 0)
		d = b.finalize(d, owner)
		in(first, 1)
		in(second, 1)
		in(viewer, 0)
		in(stranger, 0)
		d = b.sign(d, first)
		in(viewer, 0)
		d = b.sign(d, second)
		in(viewer, 1)
		b.complete(d)
		in(viewer, 1)

		d = b.sign(b.finalize(b.upload(owner), owner), first)
		b.commit(contract.Reject(&d, "no", second, limits, b.now))
		in(second, 2)
		in(viewer, 1)
	},
	"AnOwnerWhoSignsHasItInHisSentListOnly": func(t *testing.T, b *bench) {
		b.finalize(b.upload(owner, func(u *contract.Upload) { u.Participants = []contract.Participant{as(contract.Signer, 1, owner)} }), owner)
		if l := b.list(store.ListQuery{Person: owner.ID, Box: store.Inbox}); l.Total != 0 {
			t.Fatal("his own document came in")
		}
		if l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox}); l.Total != 1 {
			t.Fatal("his own document is not in his sent list")
		}
	},
	"APeriodBeginsAtMidnightInJakarta": func(t *testing.T, b *bench) {
		midnight := time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC) // of 2 March in Jakarta
		for i, at := range []time.Time{
			midnight.AddDate(-1, 0, 0).Add(-time.Second), midnight.AddDate(-1, 0, 0), midnight.AddDate(0, 0, -31), midnight.AddDate(0, 0, -30),
			midnight.AddDate(0, 0, -8), midnight.AddDate(0, 0, -7), midnight.Add(-time.Microsecond), midnight, midnight.Add(23 * time.Hour),
		} {
			b.now = at
			b.upload(owner, titled(fmt.Sprint("document ", i+1)))
		}
		for _, now := range []time.Time{midnight.Add(23 * time.Hour), midnight.Add(24*time.Hour - 1)} {
			for p, want := range map[store.Period]int{
				"": 9, store.PeriodAll: 9, store.PeriodYear: 8, store.PeriodMonth: 6, store.PeriodWeek: 4, store.PeriodToday: 2,
			} {
				l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, Period: p, Now: now})
				if l.Total != want || len(l.Documents) != want {
					t.Errorf("%q has %d, counted as %d, want %d", p, len(l.Documents), l.Total, want)
				}
			}
		}
		l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, Period: store.PeriodWeek, Search: "DOCUMENT", State: contract.Draft, Limit: 3, Now: midnight})
		if l.Total != 4 || !slices.Equal(b.ids(l), []contract.DocumentID{9, 8, 7}) {
			t.Errorf("all at once: %v of %d", b.ids(l), l.Total)
		}
	},
	"AStateNarrowsAList": func(t *testing.T, b *bench) {
		b.upload(owner)
		d := b.finalize(b.upload(owner), owner)
		l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, State: contract.Processing})
		if l.Total != 1 || l.Documents[0].ID != d.ID {
			t.Fatalf("%v of %d", b.ids(l), l.Total)
		}
		if l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, State: contract.Completed}); l.Total != 0 {
			t.Fatalf("%d completed", l.Total)
		}
	},
	"ASearchFindsPartsOfTitlesInAnyCaseAndNothingElse": func(t *testing.T, b *bench) {
		titles := []string{"Perjanjian Sewa", "ÄÖÜ Verträge", "Cafe\u0301 Ωmega", "100% sure_thing", `back\slash`, "Straße"}
		for _, title := range titles {
			b.upload(owner, titled(title))
		}
		for search, want := range map[string][]contract.DocumentID{
			"perJANjian": {1}, "SEWA": {1}, "äöü": {2}, "VERTRÄGE": {2}, "caf\u00e9": {3}, "CAFÉ": {3}, "ω": {3}, "Ω": {3},
			"%": {4}, "100%": {4}, "e_t": {4}, "_": {4}, `\`: {5}, `k\s`: {5}, "STRASSE": {6}, "s": {6, 5, 4, 1},
			"nowhere": {}, "a%e": {}, "x_x": {}, "\x00": {}, "\xff": {},
		} {
			l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, Search: search})
			if !slices.Equal(b.ids(l), want) || l.Total != len(want) {
				t.Errorf("%q finds %v, counted as %d, want %v", search, b.ids(l), l.Total, want)
			}
		}
		long := make([]byte, 1<<20)
		for i := range long {
			long[i] = 'a'
		}
		if l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox, Search: string(long)}); l.Total != 0 {
			t.Error("a search longer than any title found something")
		}
		if l := b.list(store.ListQuery{Person: first.ID, Box: store.Inbox, Search: "sewa"}); l.Total != 0 {
			t.Error("a search found a document of another one's list")
		}
	},
}
