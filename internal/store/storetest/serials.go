package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var serialTests = map[string]func(*testing.T, *fixture){
	"ASerialLeadsToItsDocument": func(t *testing.T, b *fixture) {
		b.bindSerial(b.stampDue(1), "SERIAL-1")
		d := b.bindSerial(b.stampDue(1), "SERIAL-2")
		requireRead(b, "document", d.ID)(b.DocumentWithSerial(b.ctx, "SERIAL-2"))
		d = b.affixStamp(d)
		requireRead(b, "document", d.ID)(b.DocumentWithSerial(b.ctx, "SERIAL-2"))
		for _, none := range []string{"", "SERIAL-3", "serial-1", "SERIAL-"} {
			_, err := b.DocumentWithSerial(b.ctx, none)
			b.requireError(fmt.Sprintf("serial %q", none), err, store.ErrNotFound)
		}
	},
	"TheRegisterFollowsASerialAllItsLife": func(t *testing.T, b *fixture) {
		d := b.bindSerial(b.stampDue(2), "S")
		want := contract.StampSerial{
			Serial: "S", Organisation: "org", State: contract.SerialBound, Document: d.ID, Source: d.Current().Digest, RegisteredAt: b.storedNow(), ChangedAt: b.storedNow(),
		}
		b.requireSerial(want)
		d = b.failStamp(d, contract.Failure{Class: "quarantine", Text: "another page", Quarantine: true, Evidence: evidenceFile("e1")})
		want.State, want.Problem, want.Evidence, want.ChangedAt = contract.SerialQuarantined, "another page", evidenceFile("e1"), b.storedNow()
		b.requireSerial(want)
		d = b.commitChange(contract.Restamp(&d, contract.RestampOptions{}, owner, b.advance(time.Minute).now))
		want.State, want.ChangedAt = contract.SerialBound, b.storedNow()
		b.requireSerial(want)
		d = b.failStamp(d, contract.Failure{Class: "refused", Text: "no"})
		b.requireSerial(want)
		b.requireStored(d)
		b.commitChange(contract.Cancel(&d, "", owner, limits, b.advance(time.Minute).now))
		want.State, want.Document, want.FormerDocument, want.ReleaseCount, want.Problem, want.ChangedAt = contract.SerialBought, 0, d.ID, 1, "no", b.storedNow()
		b.requireSerial(want)
		_, err := b.DocumentWithSerial(b.ctx, "S")
		b.requireError("a released serial belongs to a document", err, store.ErrNotFound)
		b.freeSerial(want)
		want.State = contract.SerialFree
		b.requireSerial(want)

		next := b.stampDue(1)
		next = b.requireStored(b.reuseSerial(next, want))
		want.State, want.Document, want.ChangedAt = contract.SerialBound, next.ID, b.storedNow()
		want.Problem = ""
		b.requireSerial(want)
		b.affixStamp(next)
		want.State = contract.SerialAffixed
		b.requireSerial(want)
		_, err = b.Serial(b.ctx, "NEVER")
		b.requireError("an unknown serial", err, store.ErrNotFound)
	},
	"OfManyWhoClaimOneFreeSerialOneWins": func(t *testing.T, b *fixture) {
		b.registerSerial("F", "org", contract.SerialFree)
		free, err := b.FreeSerial(b.ctx, "org", 0)
		b.must(err)
		const crowd = 6
		var changes []contract.Change
		for range crowd {
			d := b.stampDue(1)
			c, err := contract.ClaimSerial(&d, 0, free, true, b.now)
			b.must(err)
			changes = append(changes, c)
		}
		b.requireEqual("documents that claimed one serial", b.commitCrowd(changes, store.ErrConflict), 1)
		_, err = b.FreeSerial(b.ctx, "org", 0)
		b.requireError("it is still free", err, store.ErrNotFound)
	},
	"TheOldestFreeSerialIsOfferedToOthersOfItsOrganisationOnly": func(t *testing.T, b *fixture) {
		d := b.bindSerial(b.stampDue(1), "OLD")
		d = b.failStamp(d, contract.Failure{Text: "no"})
		serial := d.Stamps[0].Serial
		d = b.commitChange(contract.Restamp(&d, contract.RestampOptions{ReplaceSerial: serial}, owner, b.now))
		b.advance(time.Minute).registerSerial("NEW", "org", contract.SerialFree)
		b.registerSerial("TAKEN", "org", contract.SerialBought)
		for _, c := range []struct {
			o        contract.OrganisationID
			claimant contract.DocumentID
			want     string
		}{{"org", d.ID + 1, "OLD"}, {"org", d.ID, "NEW"}, {"other", d.ID + 1, ""}} {
			got, err := b.FreeSerial(b.ctx, c.o, c.claimant)
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			b.must(err)
			b.requireEqual("free serial", got.Serial, c.want)
		}
	},
	"OnePlacementNeverHasTwoSerials": func(t *testing.T, b *fixture) {
		d := b.bindSerial(b.stampDue(1), "ONE")
		c, err := contract.ReopenAttempt(&d, 0, b.now)
		b.must(err)
		c.Serials = append(c.Serials, contract.SerialMove{To: contract.StampSerial{Serial: "TWO", Organisation: "org", State: contract.SerialBound, Document: d.ID, ChangedAt: b.now, RegisteredAt: b.now}})
		b.requireNoEffect(t, c, nil, d.ID)
		_, err = b.Serial(b.ctx, "TWO")
		b.requireError("a second serial", err, store.ErrNotFound)
	},
	"ASerialIsMovedOnlyFromWhereItIs": func(t *testing.T, b *fixture) {
		b.bindSerial(b.stampDue(1), "BOUND")
		b.registerSerial("TAKEN", "org", contract.SerialBought)
		free := contract.StampSerial{Serial: "TAKEN", Organisation: "org", State: contract.SerialFree, ChangedAt: b.now}
		events := b.eventCount()
		for name, moves := range map[string][]contract.SerialMove{
			"new, and known":        {{To: contract.StampSerial{Serial: "BOUND", State: contract.SerialBought, ChangedAt: b.now, RegisteredAt: b.now}}},
			"another's":             {{From: contract.SerialBound, To: contract.StampSerial{Serial: "BOUND", State: contract.SerialBought, FormerDocument: 99, ChangedAt: b.now}}},
			"unassigned":            {{From: contract.SerialBought, To: contract.StampSerial{Serial: "BOUND", State: contract.SerialFree, ChangedAt: b.now}}},
			"unknown":               {{From: contract.SerialBought, To: contract.StampSerial{Serial: "NONE", State: contract.SerialFree, ChangedAt: b.now}}},
			"one of two is nowhere": {{From: contract.SerialBought, To: free}, {From: contract.SerialFree, To: contract.StampSerial{Serial: "NONE", State: contract.SerialBought}}},
		} {
			b.requireError(name, b.MoveSerials(b.ctx, moves, contract.Event{Type: contract.EventSerialQuarantined, At: b.now}), store.ErrConflict)
		}
		s, err := b.Serial(b.ctx, "TAKEN")
		b.must(err)
		if s.State != contract.SerialBought || b.eventCount() != events {
			t.Errorf("a part was applied: %s, %d events more", s.State, b.eventCount()-events)
		}
		b.must(b.CheckLog(b.ctx))
	},
	"ASerialThatHasAnOwnerKeepsIt": func(t *testing.T, b *fixture) {
		b.registerSerial("F", "", contract.SerialBought)
		unassigned, err := b.Serial(b.ctx, "F")
		b.must(err)
		move := func(to contract.OrganisationID, state contract.SerialState) error { // for a caller that read it before it had an organisation
			m := contract.SerialMove{From: unassigned.State, To: unassigned}
			m.To.Organisation, m.To.State = to, state
			return b.MoveSerials(b.ctx, []contract.SerialMove{m})
		}
		b.must(move("org", contract.SerialBought))
		for _, to := range []contract.OrganisationID{"other", ""} {
			if err := move(to, contract.SerialBought); !errors.Is(err, store.ErrConflict) {
				t.Errorf("given to %q as well: %v", to, err)
			}
		}
		got, err := b.Serial(b.ctx, "F")
		b.must(err)
		b.requireEqual("owner", string(got.Organisation), "org")
		b.must(move("org", contract.SerialFree))
	},
	"TheRegisterIsListedByPagesAndAsAWhole": func(t *testing.T, b *fixture) {
		var want []string
		for i := range 7 {
			s := fmt.Sprintf("S%d", i)
			b.advance(time.Second).registerSerial(s, "org", contract.SerialBought)
			want = append(want, s)
		}
		b.registerSerial("UNASSIGNED", "", contract.SerialBought)
		b.registerSerial("OTHERS", "other", contract.SerialFree)
		d := b.bindSerial(b.stampDue(1), "BOUND")
		page, err := b.Serials(b.ctx, store.SerialQuery{Organisation: "org", States: []contract.SerialState{contract.SerialBought}, Offset: 1, Limit: 2})
		b.must(err)
		if page.Total != 7 || len(page.Serials) != 2 || page.Serials[0].Serial != "S5" || page.Serials[1].Serial != "S4" {
			t.Errorf("%d: %+v", page.Total, page.Serials)
		}
		for _, c := range []struct {
			q    store.SerialQuery
			want []string
		}{
			{store.SerialQuery{Organisation: "org"}, append([]string{"BOUND"}, want...)},
			{store.SerialQuery{Unassigned: true}, []string{"UNASSIGNED"}},
			{store.SerialQuery{States: []contract.SerialState{contract.SerialFree, contract.SerialBound}}, []string{"BOUND", "OTHERS"}},
			{store.SerialQuery{Document: d.ID}, []string{"BOUND"}},
		} {
			var got []string
			b.must(b.EachSerial(b.ctx, c.q, func(s contract.StampSerial) bool { got = append(got, s.Serial); return true }))
			b.requireEqual(fmt.Sprintf("%+v", c.q), got, c.want)
		}
		n := 0
		b.must(b.EachSerial(b.ctx, store.SerialQuery{}, func(contract.StampSerial) bool { n++; return n < 3 }))
		b.requireEqual("stops when yield returns false", n, 3)
	},
	"AnOrderIsInDoubtUntilItsSerialIsBoundOrItsDocumentEnds": func(t *testing.T, b *fixture) {
		order := func(d contract.Document, order string) contract.Document {
			return b.commitChange(contract.OrderSerial(&d, d.NextStamp(), order, b.now))
		}
		doubtful := func(want ...string) {
			t.Helper()
			all, err := b.OrdersInDoubt(b.ctx)
			b.must(err)
			got := []string{}
			for _, o := range all {
				got = append(got, o.Order)
			}
			b.requireEqual("orders in doubt", got, want)
		}
		doubtful()
		d, e := order(b.stampDue(1), "o1"), order(b.stampDue(1), "o2")
		doubtful("o1", "o2")
		d = b.commitChange(contract.BindSerial(&d, 0, contract.StampSerial{Serial: "S"}, true, b.now))
		e = b.commitChange(contract.RecordStampFailure(&e, 0, contract.Failure{Text: "which?", Final: true}, b.now))
		doubtful("o2")
		b.commitChange(contract.Cancel(&e, "", owner, limits, b.now))
		doubtful()

		d = b.failStamp(d, contract.Failure{Text: "no"})
		d = b.commitChange(contract.Restamp(&d, contract.RestampOptions{ReplaceSerial: "S"}, owner, b.now))
		d = order(d, "o3")
		for order, want := range map[string]contract.DocumentID{"o1": d.ID, "o2": e.ID, "o3": d.ID} {
			requireRead(b, "document of "+order, want)(b.DocumentWithOrder(b.ctx, order))
		}
		for _, none := range []string{"", "o4"} {
			_, err := b.DocumentWithOrder(b.ctx, none)
			b.requireError(fmt.Sprintf("order %q", none), err, store.ErrNotFound)
		}
	},
}

// stampDue returns a document that needs only that many stamps.
func (b *fixture) stampDue(stamps int) contract.Document {
	b.t.Helper()
	return b.signAs(b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, stamps), owner), first), second)
}

// failStamp makes the document's next stamp fail permanently.
func (b *fixture) failStamp(d contract.Document, f contract.Failure) contract.Document {
	b.t.Helper()
	f.Final = true
	return b.commitChange(contract.RecordStampFailure(&d, d.NextStamp(), f, b.advance(time.Minute).now))
}

func (b *fixture) reuseSerial(d contract.Document, s contract.StampSerial) contract.Document {
	b.t.Helper()
	return b.commitChange(contract.ClaimSerial(&d, d.NextStamp(), s, true, b.advance(time.Minute).now))
}

// registerSerial adds a serial that no document uses to the register.
func (b *fixture) registerSerial(serial string, o contract.OrganisationID, state contract.SerialState) {
	b.t.Helper()
	s := contract.StampSerial{Serial: serial, Organisation: o, State: state, RegisteredAt: b.now, ChangedAt: b.now}
	b.must(b.MoveSerials(b.ctx, []contract.SerialMove{{To: s}}))
}

// freeSerial frees a serial that was bought.
func (b *fixture) freeSerial(s contract.StampSerial) {
	b.t.Helper()
	m := contract.SerialMove{From: s.State, To: s}
	m.To.State = contract.SerialFree
	b.must(b.MoveSerials(b.ctx, []contract.SerialMove{m}))
}

// requireSerial requires that the register has the serial with these values.
func (b *fixture) requireSerial(want contract.StampSerial) {
	b.t.Helper()
	requireRead(b, "serial "+want.Serial, want)(b.Serial(b.ctx, want.Serial))
}

// storedNow returns the fixture's time with the stored precision.
func (b *fixture) storedNow() time.Time { return b.now.Truncate(time.Microsecond) }

func evidenceFile(key string) contract.File {
	return contract.File{Key: key, Size: 5, Digest: [32]byte{5, 5}, Sums: slices.Repeat([]byte{6}, 32)}
}

var attemptTests = map[string]func(*testing.T, *fixture){
	"AnAttemptIsReadAsItWasOpenedAndAnswered": func(t *testing.T, b *fixture) {
		d := b.stampDue(1)
		d = b.commitChange(contract.OrderSerial(&d, 0, "order", b.now))
		want := contract.Attempt{Document: d.ID, Organisation: "org", Number: 1, Call: contract.CallBuy, Order: "order", At: b.storedNow()}
		b.requireAttempts(store.AttemptQuery{Open: true}, want)
		d = b.requireStored(b.commitChange(contract.BindSerial(&d, 0, contract.StampSerial{Serial: "S"}, true, b.advance(time.Second).now)))
		want.Serial, want.AnsweredAt, want.Outcome = "S", b.storedNow(), contract.OutcomeOK
		b.requireAttempts(store.AttemptQuery{Until: b.storedNow()}, want)
		open := contract.Attempt{
			Document: d.ID, Organisation: "org", Number: 2, Call: contract.CallStamp, Order: "order", Serial: "S", Source: d.Current().Digest, At: b.storedNow(),
		}
		b.requireAttempts(store.AttemptQuery{Open: true}, open)

		d = b.requireStored(b.commitChange(contract.ReopenAttempt(&d, 0, b.advance(time.Second).now))) // after a crash
		unanswered := open
		unanswered.AnsweredAt, unanswered.Outcome = b.storedNow(), contract.OutcomeUnanswered
		open.Number, open.At = 3, b.storedNow()
		b.requireAttempts(store.AttemptQuery{Open: true}, open)
		d = b.requireStored(b.failStamp(d, contract.Failure{Class: "quarantine", Code: "return_refused", Text: "another page", Quarantine: true, Evidence: evidenceFile("e")}))
		open.AnsweredAt, open.Outcome, open.Code, open.Text, open.Evidence = b.storedNow(), "quarantine", "return_refused", "another page", evidenceFile("e")
		b.requireAttempts(store.AttemptQuery{Open: true})
		b.requireAttempts(store.AttemptQuery{Document: d.ID}, want, unanswered, open)
		b.requireAttempts(store.AttemptQuery{Serial: "S"}, want, unanswered, open)
		b.requireAttempts(store.AttemptQuery{From: unanswered.At.Add(time.Microsecond)}, open)
		b.requireAttempts(store.AttemptQuery{Organisation: "other"})
	},
	"AttemptsAreListedByPagesAndAsAWhole": func(t *testing.T, b *fixture) {
		var ids []contract.DocumentID
		for i := range 5 {
			d := b.advance(time.Second).stampDue(1)
			b.commitChange(contract.OrderSerial(&d, 0, fmt.Sprint("order", i), b.now))
			ids = append(ids, d.ID)
		}
		page, err := b.Attempts(b.ctx, store.AttemptQuery{Organisation: "org", Offset: 1, Limit: 2})
		b.must(err)
		if page.Total != 5 || len(page.Attempts) != 2 || page.Attempts[0].Document != ids[3] || page.Attempts[1].Document != ids[2] {
			t.Errorf("%d: %+v", page.Total, page.Attempts)
		}
		n := 0
		b.must(b.EachAttempt(b.ctx, store.AttemptQuery{}, func(a contract.Attempt) bool {
			b.requireEqual("in order", a.Document, ids[n])
			n++
			return n < 3
		}))
		b.requireEqual("stops when yield returns false", n, 3)
	},
	"AWholeListIsToldHoweverLongItIs": func(t *testing.T, b *fixture) {
		d := b.bindSerial(b.stampDue(1), "S")
		const tries = 1100 // more than two batches, many of them at the same moment
		c, err := contract.ReopenAttempt(&d, 0, b.now)
		b.must(err)
		a := c.Attempts[len(c.Attempts)-1]
		for i := range tries {
			a.Number = 100 + i
			a.At = b.now.Add(time.Duration(i/700) * time.Second)
			c.Attempts = append(c.Attempts, a)
		}
		b.commitChange(c, nil)
		last, n := 99, 0
		b.must(b.EachAttempt(b.ctx, store.AttemptQuery{Document: d.ID}, func(a contract.Attempt) bool {
			if a.Number >= 100 {
				b.requireEqual("number", a.Number, last+1)
				last = a.Number
				n++
			}
			return true
		}))
		b.requireEqual("attempts", n, tries)
	},
	"EveryFileOfAnAttemptIsNamed": func(t *testing.T, b *fixture) {
		d := b.bindSerial(b.stampDue(1), "S")
		for _, key := range []string{"first", "second"} {
			d = b.failStamp(d, contract.Failure{Quarantine: true, Text: "no", Evidence: evidenceFile(key)})
			d = b.commitChange(contract.Restamp(&d, contract.RestampOptions{}, owner, b.now))
			d = b.commitChange(contract.ReopenAttempt(&d, 0, b.now))
		}
		got := map[string]contract.File{}
		b.must(b.Files(b.ctx, func(f contract.File) bool { got[f.Key] = f; return true }))
		for _, key := range []string{"first", "second"} {
			b.requireEqual(key, got[key], evidenceFile(key))
		}
	},
}

// requireAttempts requires that exactly these attempts match, oldest first.
func (b *fixture) requireAttempts(q store.AttemptQuery, want ...contract.Attempt) {
	b.t.Helper()
	got := []contract.Attempt{}
	b.must(b.EachAttempt(b.ctx, q, func(a contract.Attempt) bool { got = append(got, a); return true }))
	b.requireEqual(fmt.Sprintf("attempts %+v", q), got, want)
}
