package storetest

import (
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var attempts = map[string]func(*testing.T, *bench){
	"AnAttemptIsReadAsItWasOpenedAndAnswered": func(t *testing.T, b *bench) {
		d := b.stampDue(1)
		d = b.commit(contract.OrderSerial(&d, 0, "order", b.now))
		want := contract.Attempt{Document: d.ID, Organisation: "org", Number: 1, Call: contract.CallBuy, Order: "order", At: b.seen()}
		b.attempted(store.AttemptQuery{Open: true}, want)
		d = b.reads(b.commit(contract.BindSerial(&d, 0, contract.StampSerial{Serial: "S"}, true, b.later(time.Second).now)))
		want.Serial, want.AnsweredAt, want.Outcome = "S", b.seen(), contract.OutcomeOK
		b.attempted(store.AttemptQuery{Until: b.seen()}, want)
		open := contract.Attempt{
			Document: d.ID, Organisation: "org", Number: 2, Call: contract.CallStamp, Order: "order", Serial: "S", Source: d.Current().Digest, At: b.seen(),
		}
		b.attempted(store.AttemptQuery{Open: true}, open)

		d = b.reads(b.commit(contract.ReopenAttempt(&d, 0, b.later(time.Second).now))) // after a crash
		unanswered := open
		unanswered.AnsweredAt, unanswered.Outcome = b.seen(), contract.OutcomeUnanswered
		open.Number, open.At = 3, b.seen()
		b.attempted(store.AttemptQuery{Open: true}, open)
		d = b.reads(b.fail(d, contract.Failure{Class: "quarantine", Code: "return_refused", Text: "another page", Quarantine: true, Evidence: evidence("e")}))
		open.AnsweredAt, open.Outcome, open.Code, open.Text, open.Evidence = b.seen(), "quarantine", "return_refused", "another page", evidence("e")
		b.attempted(store.AttemptQuery{Open: true})
		b.attempted(store.AttemptQuery{Document: d.ID}, want, unanswered, open)
		b.attempted(store.AttemptQuery{Serial: "S"}, want, unanswered, open)
		b.attempted(store.AttemptQuery{From: unanswered.At.Add(time.Microsecond)}, open)
		b.attempted(store.AttemptQuery{Organisation: "other"})
	},
	"AttemptsAreListedByPagesAndAsAWhole": func(t *testing.T, b *bench) {
		var ids []contract.DocumentID
		for i := range 5 {
			d := b.later(time.Second).stampDue(1)
			b.commit(contract.OrderSerial(&d, 0, fmt.Sprint("order", i), b.now))
			ids = append(ids, d.ID)
		}
		page, err := b.Attempts(b.ctx, store.AttemptQuery{Organisation: "org", Offset: 1, Limit: 2})
		b.must(err)
		if page.Total != 5 || len(page.Attempts) != 2 || page.Attempts[0].Document != ids[3] || page.Attempts[1].Document != ids[2] {
			t.Errorf("%d: %+v", page.Total, page.Attempts)
		}
		n := 0
		b.must(b.EachAttempt(b.ctx, store.AttemptQuery{}, func(a contract.Attempt) bool {
			b.same("in order", a.Document, ids[n])
			n++
			return n < 3
		}))
		b.same("told when enough", n, 3)
	},
	"AWholeListIsToldHoweverLongItIs": func(t *testing.T, b *bench) {
		d := b.bind(b.stampDue(1), "S")
		const tries = 1100 // more than two batches, many of them at the same moment
		c, err := contract.ReopenAttempt(&d, 0, b.now)
		b.must(err)
		a := c.Attempts[len(c.Attempts)-1]
		for i := range tries {
			a.Number = 100 + i
			a.At = b.now.Add(time.Duration(i/700) * time.Second)
			c.Attempts = append(c.Attempts, a)
		}
		b.commit(c, nil)
		last, n := 99, 0
		b.must(b.EachAttempt(b.ctx, store.AttemptQuery{Document: d.ID}, func(a contract.Attempt) bool {
			if a.Number >= 100 {
				b.same("number", a.Number, last+1)
				last = a.Number
				n++
			}
			return true
		}))
		b.same("attempts", n, tries)
	},
	"EveryFileOfAnAttemptIsNamed": func(t *testing.T, b *bench) {
		d := b.bind(b.stampDue(1), "S")
		for _, key := range []string{"first", "second"} {
			d = b.fail(d, contract.Failure{Quarantine: true, Text: "no", Evidence: evidence(key)})
			d = b.commit(contract.Restamp(&d, contract.RestampOptions{}, owner, b.now))
			d = b.commit(contract.ReopenAttempt(&d, 0, b.now))
		}
		got := map[string]contract.File{}
		b.must(b.Files(b.ctx, func(f contract.File) bool { got[f.Key] = f; return true }))
		for _, key := range []string{"first", "second"} {
			b.same(key, got[key], evidence(key))
		}
	},
}

// attempted checks that these attempts match, oldest first, and no other.
func (b *bench) attempted(q store.AttemptQuery, want ...contract.Attempt) {
	b.t.Helper()
	got := []contract.Attempt{}
	b.must(b.EachAttempt(b.ctx, q, func(a contract.Attempt) bool { got = append(got, a); return true }))
	b.same(fmt.Sprintf("attempts %+v", q), got, want)
}
