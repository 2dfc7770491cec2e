package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var administrationTests = map[string]func(*testing.T, *fixture){
	"SentDocumentsOfAnOrganisationAreListedNewestFirst": func(t *testing.T, b *fixture) {
		b.uploadDraft(owner)
		var sent []contract.Document
		for range 3 {
			sent = append([]contract.Document{b.finalizeDraft(b.uploadDraft(owner), owner)}, sent...)
		}
		sent[1] = b.commitChange(contract.Cancel(&sent[1], "", owner, limits, b.now))
		of := owner.Organisation
		for what, c := range map[string]struct {
			q    store.DocumentQuery
			want []contract.Document
			all  int
		}{
			"all":                {store.DocumentQuery{Organisation: of, Limit: 10}, sent, 3},
			"a page":             {store.DocumentQuery{Organisation: of, Offset: 1, Limit: 1}, sent[1:2], 3},
			"of all":             {store.DocumentQuery{Limit: 10}, sent, 3},
			"canceled":           {store.DocumentQuery{Organisation: of, State: contract.Canceled, Limit: 10}, sent[1:2], 1},
			"of the owner":       {store.DocumentQuery{Organisation: of, Owner: strings.ToUpper(owner.Email), Limit: 10}, sent, 3},
			"of another owner":   {store.DocumentQuery{Organisation: of, Owner: "nobody@example.test", Limit: 10}, []contract.Document{}, 0},
			"with a title":       {store.DocumentQuery{Organisation: of, Search: strings.ToUpper(sent[0].Title), Limit: 10}, sent, 3},
			"with another title": {store.DocumentQuery{Organisation: of, Search: "none has it", Limit: 10}, []contract.Document{}, 0},
			"elsewhere":          {store.DocumentQuery{Organisation: "elsewhere", Limit: 10}, []contract.Document{}, 0},
		} {
			requireRead(b, what, store.List{Documents: c.want, Total: c.all})(b.SentDocuments(b.ctx, c.q))
		}
	},
	"UsersOfAllOrganisationsAreFound": func(t *testing.T, b *fixture) {
		a := newUser("u1", "Änne", "anne@example.test", "org")
		c := newUser("u2", "Citra", "citra@example.test", "org")
		s := newUser("u3", "Bima", "bima_x@example.test", "other")
		for _, u := range []store.User{c, s, a} {
			b.must(b.CreateUser(b.ctx, u))
		}
		for _, q := range []struct {
			of            contract.OrganisationID
			search        string
			offset, limit int
			total         int
			want          []store.User
		}{
			{"", "", 0, 10, 3, []store.User{s, c, a}}, {"org", "", 0, 10, 2, []store.User{c, a}}, {"", "ÄNNE", 0, 10, 1, []store.User{a}},
			{"", "", 1, 1, 3, []store.User{c}}, {"", "a%x", 0, 10, 0, []store.User{}}, {"", "bima_x", 0, 10, 1, []store.User{s}}, {"nowhere", "", 0, 10, 0, []store.User{}},
		} {
			got, err := b.Users(b.ctx, store.UserQuery{Organisation: q.of, Search: q.search, Offset: q.offset, Limit: q.limit})
			b.must(err)
			b.requireEqual(fmt.Sprintf("%q in %q", q.search, q.of), got.Users, q.want)
			b.requireEqual("total", got.Total, q.total)
		}
		all, err := b.Organisations(b.ctx)
		b.must(err)
		if len(all) != 2 || all[0].ID != "org" || all[1].Name != "Name of other" {
			t.Errorf("organisations %v", all)
		}
	},
	"WhatMakesNoProgressWaitsAndWhatFailedToo": func(t *testing.T, b *fixture) {
		b.uploadDraft(owner)                         // a draft waits for no service
		b.finalizeDraft(b.uploadDraft(owner), owner) // people have to sign first
		failed := b.failStamp(b.stampDue(1), contract.Failure{Text: "no", Final: true})
		other := b.uploadDraft(otherOwner, func(u *contract.Upload) {
			u.Word, u.Pages, u.Participants = true, 0, []contract.Participant{participantAs(contract.Signer, 1, otherOwner)}
		})
		waits := b.bindSerial(b.stampDue(1), "W")
		since := b.storedNow().Add(time.Microsecond)
		waits = b.commitChange(contract.RecordStampFailure(&waits, 0, contract.Failure{Class: "transient", Text: "later"}, b.advance(10*time.Minute).now))
		b.stampDue(1) // just now
		waiting := func(q store.WaitingQuery, total int, want ...contract.DocumentID) {
			t.Helper()
			l, err := b.Waiting(b.ctx, q)
			b.must(err)
			b.requireEqual("waiting", b.documentIDs(l), want)
			b.requireEqual("total", l.Total, total)
		}
		waiting(store.WaitingQuery{Before: since, Limit: 10}, 3, failed.ID, other.ID, waits.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Organisation: "org"}, 2, failed.ID, waits.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 1, Offset: 2}, 3, waits.ID)
		waiting(store.WaitingQuery{Before: since.Add(-time.Minute), Limit: 10}, 1, failed.ID)

		sealing := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
		since = b.advance(time.Minute).now
		waiting(store.WaitingQuery{Before: since, Limit: 10, Failed: true}, 1, failed.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Step: contract.StepConverted}, 1, other.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Step: contract.StepSealed}, 1, sealing.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Step: contract.StepStamped, Failed: true}, 1, failed.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Step: contract.StepSealed, Failed: true}, 0)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Owner: strings.ToUpper(otherOwner.Email)}, 1, other.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Owner: "nobody@example.test"}, 0)
		waiting(store.WaitingQuery{Before: since, Limit: 1, Search: strings.ToUpper(other.Title), Owner: otherOwner.Email, Organisation: other.Organisation}, 1, other.ID)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Search: "%"}, 0)
		waiting(store.WaitingQuery{Before: since, Limit: 10, Search: strings.Repeat("x", 20_000)}, 0)
		l, err := b.Waiting(b.ctx, store.WaitingQuery{Before: since, Limit: 10})
		b.must(err)
		for _, d := range l.Documents { // the filter agrees with the rule
			found, err := b.Waiting(b.ctx, store.WaitingQuery{Before: since, Limit: 10, Step: d.WaitingStep()})
			b.must(err)
			if !slices.Contains(b.documentIDs(found), d.ID) {
				t.Errorf("document %d is not among those that wait to be %s", d.ID, d.WaitingStep())
			}
		}
	},
	"DocumentsAndSerialsAreCalledByName": func(t *testing.T, b *fixture) {
		d := b.bindSerial(b.stampDue(2), "N")
		titles, err := b.Titles(b.ctx, "outsider", []contract.DocumentID{d.ID, 999})
		b.must(err)
		pages := map[int]int{0: d.Placements[0].Page, 1: d.Placements[1].Page}
		b.requireEqual("titles", titles, map[contract.DocumentID]store.Title{d.ID: {Name: d.Name, Title: d.Title, Pages: pages}})
		for reader, listed := range map[contract.PersonID]bool{d.Owner.ID: true, d.Participants[0].ID: true, "outsider": false, "": false} {
			titles, err := b.Titles(b.ctx, reader, []contract.DocumentID{d.ID})
			b.must(err)
			b.requireEqual(fmt.Sprintf("%q has it in a list", reader), titles[d.ID].Listed, listed)
		}
		requireRead(b, "states", map[string]contract.SerialState{"N": contract.SerialBound})(b.SerialStates(b.ctx, []string{"N", "NONE"}))
		for range 2 {
			titles, err := b.Titles(b.ctx, "outsider", nil)
			b.must(err)
			states, err := b.SerialStates(b.ctx, nil)
			b.must(err)
			if len(titles)+len(states) != 0 {
				t.Error("an empty query returned something")
			}
		}
	},
	"CertificatesThatEndFirstComeFirst": func(t *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", "Own", "own@example.test", "org")))
		b.must(b.CreateUser(b.ctx, newUser("8f14e45f-ceea-467f-a0e6-1b1f0c8d3a02", "Other", "other@example.test", "other")))
		guest := participantAs(contract.Signer, 1, newActor("guest", ""))
		guest.Guest = true
		b.uploadDraft(owner, func(u *contract.Upload) { u.Participants = []contract.Participant{guest} })
		now := b.now
		for _, c := range []struct {
			serial, holder string
			ends           time.Duration
		}{
			{"01", "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", 3 * time.Hour},
			{"02", "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a02", time.Hour},
			{"03", "org", 2 * time.Hour}, {"04", "guest", 4 * time.Hour}, {"05", "org", -time.Hour},
			{"06", "org", -2 * time.Hour}, {"07", "org", time.Hour}, {"08", "", time.Minute},
		} {
			b.must(b.AddCertificate(b.ctx, contract.Certificate{
				Serial: c.serial, Subject: "CN=" + c.holder, Holder: c.holder, DER: []byte{1}, IssuedAt: now, NotAfter: now.Add(c.ends),
			}))
		}
		b.must(b.RevokeCertificate(b.ctx, "07", 1, now, contract.Event{Type: contract.EventCertificateRevoked, At: now}))
		for _, q := range []struct {
			of     contract.OrganisationID
			status contract.CertificateStatus
			want   []string
		}{
			{"", contract.CertificateValid, []string{"08", "02", "03", "01", "04"}},
			{"org", contract.CertificateValid, []string{"03", "01", "04"}},
			{"other", contract.CertificateValid, []string{"02"}},
			{"", contract.CertificateEnded, []string{"05", "06"}},
			{"org", contract.CertificateRevoked, []string{"07"}},
			{"other", contract.CertificateRevoked, nil},
			{"other", "", []string{"02"}},
		} {
			p, err := b.CertificateList(b.ctx, store.CertificateQuery{Organisation: q.of, Status: q.status, Now: now, Limit: 10})
			b.must(err)
			var got []string
			for _, c := range p.Certificates {
				got = append(got, c.Serial)
				if q.status != "" && c.Status(now) != q.status {
					t.Errorf("certificate %s has status %s", c.Serial, c.Status(now))
				}
			}
			b.requireEqual(fmt.Sprintf("%s of %q", q.status, q.of), got, q.want)
			b.requireEqual("total", p.Total, len(q.want))
		}
	},
	"TheLogIsReadFromItsNewestEnd": func(t *testing.T, b *fixture) {
		mine, theirs := b.uploadDraft(owner), b.uploadDraft(otherOwner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, otherOwner)}
		})
		gone := b.uploadDraft(owner)
		b.commitChange(contract.Delete(&gone, owner, b.now))
		b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventPasswordChange, At: b.now, Person: owner.Person}))
		events := func(q store.LogQuery) (ids []contract.DocumentID, total int) {
			t.Helper()
			p, err := b.AuditLog(b.ctx, q)
			b.must(err)
			for i, e := range p.Events {
				ids = append(ids, e.Document)
				if i > 0 && e.Leaf >= p.Events[i-1].Leaf {
					t.Errorf("leaf %d behind %d", e.Leaf, p.Events[i-1].Leaf)
				}
			}
			return ids, p.Total
		}
		all, total := events(store.LogQuery{Limit: 100})
		if n, _, err := b.Size(b.ctx); err != nil || int64(total) != n || len(all) != total || all[0] != 0 {
			t.Errorf("the whole log: %v, %d of %d", all, total, n)
		}
		for _, c := range []struct {
			q    store.LogQuery
			want []contract.DocumentID
		}{
			{store.LogQuery{Organisation: "org"}, []contract.DocumentID{mine.ID}}, {store.LogQuery{Organisation: "other"}, []contract.DocumentID{theirs.ID}},
			{store.LogQuery{Document: gone.ID}, []contract.DocumentID{gone.ID, gone.ID}}, {store.LogQuery{Organisation: "org", Document: theirs.ID}, nil},
			{store.LogQuery{Type: contract.EventUploaded}, []contract.DocumentID{gone.ID, theirs.ID, mine.ID}},
			{store.LogQuery{Type: contract.EventUploaded, Document: mine.ID, Organisation: "org"}, []contract.DocumentID{mine.ID}},
		} {
			c.q.Limit = 100
			got, total := events(c.q)
			b.requireEqual(fmt.Sprintf("%+v", c.q), got, c.want)
			b.requireEqual("total", total, len(c.want))
		}
		page, total := events(store.LogQuery{Type: contract.EventUploaded, Offset: 1, Limit: 1})
		b.requireEqual("page", page, []contract.DocumentID{theirs.ID})
		b.requireEqual("total of a page", total, 3)
	},
	"TheLogIsSearchedByPersonAndTime": func(t *testing.T, b *fixture) {
		first := b.storedNow()
		ani, budi := contract.Person{ID: "ani", Name: "Ani", Email: "Ani@Example.test"}, contract.Person{ID: "budi", Name: "Budi", Email: "budi@example.test"}
		account := func(by contract.Person, o string, after time.Duration) contract.Event {
			return contract.Event{Type: contract.EventPersonDisabled, At: first.Add(after), Person: by, Details: map[string]string{
				"organisation": o, "person": "u", "name": `"organisation":"other"`,
			}}
		}
		base, _, err := b.Size(b.ctx)
		b.must(err)
		b.must(b.LogEvents(b.ctx, account(ani, "org", time.Hour), account(budi, "other", 3*time.Hour), account(ani, "o%g", 2*time.Hour),
			contract.Event{Type: contract.EventClockConfirmed, At: first.Add(4 * time.Hour), Person: ani, Details: map[string]string{"organisation": "org"}}))
		for _, c := range []struct {
			what string
			q    store.LogQuery
			want []int64 // numbers from the first of these events
		}{
			{"by a person", store.LogQuery{Person: "ani"}, []int64{3, 2, 0}},
			{"by an e-mail", store.LogQuery{Email: "aNI@example.TEST"}, []int64{3, 2, 0}},
			{"by an unknown person", store.LogQuery{Person: "nobody"}, nil},
			{"of a time", store.LogQuery{From: first.Add(2 * time.Hour), Until: first.Add(4 * time.Hour)}, []int64{1, 2}},
			{"from a time on", store.LogQuery{From: first.Add(3 * time.Hour)}, []int64{3, 1}},
			{"of a person, a type and a time", store.LogQuery{Person: "ani", Type: contract.EventPersonDisabled, Until: first.Add(150 * time.Minute), From: first.Add(time.Minute)}, []int64{2, 0}},
			{"about the accounts of an organisation", store.LogQuery{Organisation: "org", From: first.Add(time.Minute)}, []int64{0}},
			{"about the accounts of another one", store.LogQuery{Organisation: "other", From: first.Add(time.Minute)}, []int64{1}},
		} {
			c.q.Limit = 10
			p, err := b.AuditLog(b.ctx, c.q)
			b.must(err)
			var page, each []int64
			for _, e := range p.Events {
				page = append(page, e.Leaf-base)
			}
			b.requireEqual(c.what, page, c.want)
			b.requireEqual(c.what+", total", p.Total, len(c.want))
			b.must(b.EachEvent(b.ctx, c.q, func(e store.Logged) bool {
				each = append(each, e.Leaf-base)
				return true
			}))
			slices.Reverse(each)
			b.requireEqual(c.what+", each", each, c.want)
		}
		// All of them, in more than one batch, and until the reader has enough.
		crowd := make([]contract.Event, 1100)
		for i := range crowd {
			crowd[i] = account(budi, "org", time.Duration(i%7)*time.Hour)
		}
		b.must(b.LogEvents(b.ctx, crowd...))
		for _, q := range []store.LogQuery{{Email: "budi@example.test"}, {Email: "budi@example.test", From: first}} {
			seen := map[int64]bool{}
			b.must(b.EachEvent(b.ctx, q, func(e store.Logged) bool {
				seen[e.Leaf] = true
				return true
			}))
			b.requireEqual("events of several batches", len(seen), len(crowd)+1)
		}
		n := 0
		b.must(b.EachEvent(b.ctx, store.LogQuery{}, func(store.Logged) bool { n++; return n < 3 }))
		b.requireEqual("events until the reader had enough", n, 3)
	},
	"TheLastReconciliationIsKeptWhole": func(t *testing.T, b *fixture) {
		if _, err := b.LastReconciliation(b.ctx); err == nil {
			t.Fatal("there is no reconciliation")
		}
		at := b.storedNow().UTC()
		r := contract.Reconciliation{
			At: at, EndedAt: at.Add(time.Second), By: newPerson("op"), Office: contract.OfficeCount{Left: 1, Unused: 2, Affixed: 3, Reported: 4},
			Register: map[contract.SerialState]int{contract.SerialFree: 5}, Unexplained: 1,
			Omitted: 6, OmittedOf: map[contract.OrganisationID]contract.Omission{"org": {Count: 6, Unexplained: 2}},
			Differences: []contract.Difference{{
				Kind: contract.DifferMissing, Serial: "S", Organisation: "org", Document: 7,
				OfficeState: contract.OfficeUnused, RegisterState: contract.SerialFree, File: "a\"b.pdf",
			}},
		}
		n, err := b.AddReconciliation(b.ctx, r, contract.Event{Type: contract.EventReconciled, At: at, Person: newPerson("op")})
		b.must(err)
		b.requireEqual("log", b.eventTypes(0), []contract.EventType{contract.EventReconciled})
		r.Number = n
		requireRead(b, "report", r)(b.LastReconciliation(b.ctx))
		numbers := make([]int64, 6)
		b.runCrowd(len(numbers), nil, func(i int) (err error) {
			numbers[i], err = b.AddReconciliation(b.ctx, contract.Reconciliation{At: at, Problem: "the office is closed"})
			return err
		})
		last, err := b.LastReconciliation(b.ctx)
		b.must(err)
		if top := slices.Max(numbers); last.Number != 7 || top != 7 || last.Problem == "" {
			t.Errorf("the last of seven is %d, want %d", last.Number, top)
		}
	},
}
