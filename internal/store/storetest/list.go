package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Summarise returns what [store.ListQuery.Summary] leaves of a document.
func Summarise(d contract.Document) contract.Document {
	s := contract.Document{
		ID: d.ID, Organisation: d.Organisation, Owner: contract.Person{ID: d.Owner.ID, Name: d.Owner.Name}, Team: d.Team, Template: d.Template, Name: d.Name, Title: d.Title,
		State: d.State, Mode: d.Mode, Parallel: d.Parallel, Delivery: d.Delivery, Delegations: d.Delegations, Conversion: contract.Conversion{State: d.Conversion.State},
		CreatedAt: d.CreatedAt, FinalizedAt: d.FinalizedAt, ExpiresAt: d.ExpiresAt, Specimen: d.Specimen,
	}
	if d.IsRemoved() {
		s.Original.Key = d.Original.Key
	}
	for _, p := range d.Participants {
		p.Phone, p.Field, p.IntentAt = "", "", time.Time{}
		s.Participants = append(s.Participants, p)
	}
	for _, p := range d.Stamps {
		s.Stamps = append(s.Stamps, contract.Stamp{State: p.State})
	}
	return s
}

var listTests = map[string]func(*testing.T, *fixture){
	"PagesLeadThroughAListFromItsNewestEnd": func(t *testing.T, b *fixture) {
		const all = 23
		for range all {
			b.uploadDraft(owner)
		}
		b.uploadDraft(first)
		var got []contract.DocumentID
		for offset := 0; offset < all+20; offset += 10 {
			l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Offset: offset, Limit: 10})
			if l.Total != all {
				t.Fatalf("at offset %d counted as %d", offset, l.Total)
			}
			if l.Documents == nil {
				t.Fatalf("at offset %d documents are nil, not empty", offset)
			}
			got = append(got, b.documentIDs(l)...)
		}
		if len(got) != all || !slices.IsSortedFunc(got, func(a, b contract.DocumentID) int { return int(b - a) }) {
			t.Fatalf("pages together: %v", got)
		}
	},
	"AListHasWholeDocumentsOrSummaries": func(t *testing.T, b *fixture) {
		d1 := b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 2), owner), first)
		d2 := b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 1), owner)
		all := []contract.Document{d2, d1}
		b.requireEqual("list", b.listPage(store.ListQuery{Person: second.ID, Box: store.Inbox}).Documents, all)
		for i := range all {
			all[i] = Summarise(all[i])
		}
		b.requireEqual("summary", b.listPage(store.ListQuery{Person: second.ID, Box: store.Inbox, Summary: true}).Documents, all)
	},
	"ListKeepsWhatItsPersonHasSeen": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		in := func(a contract.Actor, want int) {
			t.Helper()
			if l := b.listPage(store.ListQuery{Person: a.ID, Box: store.Inbox}); l.Total != want || len(l.Documents) != want {
				t.Fatalf("%s has %d, counted as %d, want %d", a.ID, len(l.Documents), l.Total, want)
			}
		}
		in(first, 0)
		d = b.finalizeDraft(d, owner)
		in(first, 1)
		in(second, 1)
		in(viewer, 0)
		in(otherOwner, 0)
		d = b.signAs(d, first)
		in(viewer, 0)
		d = b.signAs(d, second)
		in(viewer, 1)
		b.completeDocument(d)
		in(viewer, 1)

		d = b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first)
		b.commitChange(contract.Reject(&d, "no", second, limits, b.now))
		in(second, 2)
		in(viewer, 1)
	},
	"AnOwnerWhoSignsHasItInTheirSentListOnly": func(t *testing.T, b *fixture) {
		b.finalizeDraft(b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, owner)}
		}), owner)
		if l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Inbox}); l.Total != 0 {
			t.Fatal("their own document is in their inbox")
		}
		if l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox}); l.Total != 1 {
			t.Fatal("their own document is not in their outbox")
		}
	},
	"APeriodBeginsAtMidnightInJakarta": func(t *testing.T, b *fixture) {
		midnight := time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC) // start of 2 March in Jakarta
		for i, at := range []time.Time{
			midnight.AddDate(-1, 0, 0).Add(-time.Second), midnight.AddDate(-1, 0, 0), midnight.AddDate(0, 0, -31), midnight.AddDate(0, 0, -30),
			midnight.AddDate(0, 0, -8), midnight.AddDate(0, 0, -7), midnight.Add(-time.Microsecond), midnight, midnight.Add(23 * time.Hour),
		} {
			b.now = at
			b.uploadDraft(owner, withTitle(fmt.Sprint("document ", i+1)))
		}
		for _, now := range []time.Time{midnight.Add(23 * time.Hour), midnight.Add(24*time.Hour - 1)} {
			for p, want := range map[store.Period]int{
				"": 9, store.PeriodAll: 9, store.PeriodYear: 8, store.PeriodMonth: 6, store.PeriodWeek: 4, store.PeriodToday: 2,
			} {
				l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Period: p, Now: now})
				if l.Total != want || len(l.Documents) != want {
					t.Errorf("%q has %d, counted as %d, want %d", p, len(l.Documents), l.Total, want)
				}
			}
		}
		l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Period: store.PeriodWeek, Search: "DOCUMENT", State: contract.Draft, Limit: 3, Now: midnight})
		if l.Total != 4 || !slices.Equal(b.documentIDs(l), []contract.DocumentID{9, 8, 7}) {
			t.Errorf("all at once: %v of %d", b.documentIDs(l), l.Total)
		}
	},
	"AStateNarrowsAList": func(t *testing.T, b *fixture) {
		b.uploadDraft(owner)
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, State: contract.Processing})
		if l.Total != 1 || l.Documents[0].ID != d.ID {
			t.Fatalf("%v of %d", b.documentIDs(l), l.Total)
		}
		if l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, State: contract.Completed}); l.Total != 0 {
			t.Fatalf("%d completed", l.Total)
		}
	},
	"ASearchFindsPartsOfTitlesInAnyCaseAndNothingElse": func(t *testing.T, b *fixture) {
		titles := []string{"Perjanjian Sewa", "ÄÖÜ Verträge", "Cafe\u0301 Ωmega", "100% sure_thing", `back\slash`, "Straße"}
		for _, title := range titles {
			b.uploadDraft(owner, withTitle(title))
		}
		for search, want := range map[string][]contract.DocumentID{
			"perJANjian": {1}, "SEWA": {1}, "äöü": {2}, "VERTRÄGE": {2}, "caf\u00e9": {3}, "CAFÉ": {3}, "ω": {3}, "Ω": {3},
			"%": {4}, "100%": {4}, "e_t": {4}, "_": {4}, `\`: {5}, `k\s`: {5}, "STRASSE": {6}, "s": {6, 5, 4, 1},
			"nowhere": {}, "a%e": {}, "x_x": {}, "\x00": {}, "\xff": {},
		} {
			l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Search: search})
			if !slices.Equal(b.documentIDs(l), want) || l.Total != len(want) {
				t.Errorf("%q finds %v, counted as %d, want %v", search, b.documentIDs(l), l.Total, want)
			}
		}
		long := make([]byte, 1<<20)
		for i := range long {
			long[i] = 'a'
		}
		if l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Search: string(long)}); l.Total != 0 {
			t.Error("a search longer than any title found something")
		}
		if l := b.listPage(store.ListQuery{Person: first.ID, Box: store.Inbox, Search: "sewa"}); l.Total != 0 {
			t.Error("a search found a document of another person's list")
		}
	},
	"ADocumentWaitsForThoseWhoseTurnItIs": func(t *testing.T, b *fixture) {
		waiting := func(want map[contract.PersonID]int) {
			t.Helper()
			for _, a := range []contract.Actor{owner, first, second, viewer} {
				l := b.listPage(store.ListQuery{Person: a.ID, Box: store.Inbox, Waiting: true})
				n, err := b.CountList(b.ctx, store.ListQuery{Person: a.ID, Box: store.Inbox, Now: b.now})
				b.must(err)
				if l.Total != want[a.ID] || len(l.Documents) != want[a.ID] || n.Waiting != want[a.ID] {
					t.Errorf("for %s wait %d, counted as %d and %d, want %d", a.ID, len(l.Documents), l.Total, n.Waiting, want[a.ID])
				}
			}
		}
		d, other := b.uploadDraft(owner), b.uploadDraft(owner)
		waiting(nil)
		d = b.finalizeDraft(d, owner)
		waiting(map[contract.PersonID]int{first.ID: 1})
		other = b.finalizeDraft(other, owner)
		d = b.signAs(d, first)
		waiting(map[contract.PersonID]int{first.ID: 1, second.ID: 1})
		b.signAs(d, second)
		waiting(map[contract.PersonID]int{first.ID: 1})
		b.commitChange(contract.Cancel(&other, "", owner, limits, b.now))
		waiting(nil)
	},
	"ADeadlineOrdersThoseThatHaveOneFirst": func(t *testing.T, b *fixture) {
		due := func(days int) contract.DocumentID {
			return b.uploadDraft(owner, func(u *contract.Upload) { u.ExpiresAt = b.now.AddDate(0, 0, days) }).ID
		}
		none := b.uploadDraft(owner).ID
		late, soon, alike := due(9), due(2), due(9)
		for limit := 1; limit <= 4; limit++ {
			var got []contract.DocumentID
			for offset := 0; offset < 4; offset += limit {
				got = append(got, b.documentIDs(b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Order: store.OrderDeadline, Offset: offset, Limit: limit}))...)
			}
			if want := []contract.DocumentID{soon, alike, late, none}; !slices.Equal(got, want) {
				t.Errorf("by %d: %v, want %v", limit, got, want)
			}
		}
	},
	"ContactsAreThePeopleOfOwnListsAlone": func(t *testing.T, b *fixture) {
		b.uploadDraft(otherOwner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, second)}
		})
		d := b.uploadDraft(owner)
		all, err := b.ListContacts(b.ctx, first.ID)
		b.must(err)
		if len(all) != 0 {
			t.Errorf("the people of a draft are contacts of those who do not see it: %v", all)
		}
		b.finalizeDraft(d, owner)
		for of, want := range map[contract.PersonID]int{owner.ID: 4, first.ID: 4, otherOwner.ID: 2, viewer.ID: 0} {
			all, err := b.ListContacts(b.ctx, of)
			b.must(err)
			if len(all) != want {
				t.Errorf("contacts of %s: %v", of, all)
			}
			for _, c := range all {
				if of != otherOwner.ID && c.Email == otherOwner.Email {
					t.Errorf("%s learns of %s", of, c.Email)
				}
			}
		}
		if l := b.listPage(store.ListQuery{Person: first.ID, Box: store.Inbox, With: otherOwner.Email}); l.Total != 0 {
			t.Errorf("%d documents with a person of another list", l.Total)
		}
	},
	"HiddenAddressesAreFoundByTheOwnerAlone": func(t *testing.T, b *fixture) {
		for range 40 { // more than a short list has
			d := b.uploadDraft(owner, func(u *contract.Upload) { u.Delivery.HideAddresses = true })
			d = b.requireStored(b.finalizeDraft(d, owner))
			b.requireEqual("hides addresses", d.Delivery.HideAddresses, true)
		}
		for of, want := range map[contract.PersonID]int{owner.ID: 4, first.ID: 1} {
			all, err := b.ListContacts(b.ctx, of)
			b.must(err)
			b.requireEqual("contacts of "+string(of), len(all), want)
		}
		b.finalizeDraft(b.uploadDraft(owner), owner)
		for _, c := range []struct {
			who  contract.PersonID
			box  store.Box
			with string
			want int
		}{{owner.ID, store.Outbox, second.Email, 41}, {first.ID, store.Inbox, second.Email, 1}, {first.ID, store.Inbox, first.Email, 41}, {first.ID, store.Inbox, owner.Email, 41}} {
			if l := b.listPage(store.ListQuery{Person: c.who, Box: c.box, With: c.with}); l.Total != c.want {
				t.Errorf("%s finds %d documents with %s", c.who, l.Total, c.with)
			}
		}
	},
}
