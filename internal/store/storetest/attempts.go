package storetest

import (
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

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
