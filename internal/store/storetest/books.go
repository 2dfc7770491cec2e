package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"segel/internal/contract"
	"segel/internal/store"
)

var books = map[string]func(*testing.T, *bench){
	// Stamps meet every fate that the rules know, in any order. What the register, the attempts and the quota should
	// hold is told by looking at the documents.
	"RegisterAttemptsAndQuotaAgreeWithTheStampsWhateverBecomesOfThem": func(t *testing.T, b *bench) {
		round := 0
		rapid.Check(t, func(r *rapid.T) {
			round++ // an organisation of its own: the store is the same
			c := newClerk(r, b, round)
			for range rapid.IntRange(1, 25).Draw(r, "steps") {
				c.step(r)
			}
			c.audit()
		})
		b.must(b.CheckLog(b.ctx))
	},
}

// clerk is the model: the documents of one organisation as they were committed, and how many serials were bought.
type clerk struct {
	b         *bench
	owner     contract.Actor
	documents []contract.Document
	bought    int
}

func newClerk(r *rapid.T, b *bench, round int) *clerk {
	own := *b
	own.t, own.now, own.n = r, start, uint64(round)<<32
	c := &clerk{b: &own, owner: actor("owner", fmt.Sprintf("r%d", round))}
	own.must(own.CreateOrganisation(own.ctx, store.Organisation{ID: c.owner.Organisation, Name: "Name of " + string(c.owner.Organisation), CreatedAt: own.now}))
	own.must(own.Grant(own.ctx, c.owner.Organisation, contract.UnitStamp, 100, "test", contract.Actor{}, own.now))
	for n := range 3 {
		d := own.upload(c.owner, func(u *contract.Upload) { u.Participants = nil })
		c.documents = append(c.documents, own.finalize(own.place(d, c.owner, 1+n%2), c.owner))
	}
	return c
}

// step lets something happen to one of the stamps; what the rules refuse does not happen.
func (c *clerk) step(r *rapid.T) {
	b := c.b.later(1)
	at := rapid.IntRange(0, len(c.documents)-1).Draw(r, "document")
	d := &c.documents[at]
	i := max(d.NextStamp(), 0)
	switch rapid.SampledFrom([]string{"order", "bind", "again", "waits", "busy", "refused", "astray", "affix", "restamp", "new serial", "cancel", "free", "claim"}).Draw(r, "what") {
	case "order":
		c.try(d)(contract.OrderSerial(d, i, fmt.Sprintf("%s-%d", c.owner.Organisation, b.now.UnixNano()), b.now))
	case "bind":
		if ch, err := contract.BindSerial(d, i, contract.StampSerial{Serial: fmt.Sprintf("%s-%d", c.owner.Organisation, c.bought)}, true, b.now); err == nil {
			c.bought++
			c.try(d)(ch, nil)
		}
	case "again":
		c.try(d)(contract.TryAgain(d, i, b.now))
	case "waits":
		if ch, changed, err := contract.StampWaits(d, i, contract.OutcomeUnanswered, b.now); changed {
			c.try(d)(ch, err)
		}
	case "busy":
		c.try(d)(contract.StampProblem(d, i, contract.Failure{Class: "transient", Text: "busy"}, b.now))
	case "refused":
		c.try(d)(contract.StampProblem(d, i, contract.Failure{Class: "refused", Text: "no", Final: true}, b.now))
	case "astray":
		c.try(d)(contract.StampProblem(d, i, contract.Failure{Class: "quarantine", Text: "elsewhere", Final: true, Quarantine: true}, b.now))
	case "affix":
		c.try(d)(contract.Affix(d, i, b.tail(d, contract.RevisionStamp), b.now))
	case "restamp":
		c.try(d)(contract.Restamp(d, contract.RestampOptions{}, c.owner, b.now))
	case "new serial":
		if i := d.RefusedStamp(); i >= 0 {
			c.try(d)(contract.Restamp(d, contract.RestampOptions{Instead: d.Stamps[i].Serial}, c.owner, b.now))
		}
	case "cancel":
		c.try(d)(contract.Cancel(d, "", c.owner, limits, b.now))
	case "free":
		b.must(b.EachSerial(b.ctx, store.SerialQuery{Organisation: c.owner.Organisation, States: []contract.SerialState{contract.SerialTaken}}, func(s contract.StampSerial) bool {
			b.free(s)
			return true
		}))
	case "claim":
		if s, err := b.FreeSerial(b.ctx, c.owner.Organisation, d.ID); err == nil {
			c.try(d)(contract.ClaimSerial(d, i, s, true, b.now))
		}
	}
}

func (c *clerk) try(d *contract.Document) func(contract.Change, error) {
	return func(ch contract.Change, err error) {
		c.b.t.Helper()
		if err == nil {
			*d = c.b.reads(c.b.commit(ch, nil))
		}
	}
}

// audit compares the books with the documents.
func (c *clerk) audit() {
	b := c.b
	held := map[string]contract.SerialState{}
	open, owed, affixed := 0, 0, 0
	for _, d := range c.documents {
		for _, s := range d.Stamps {
			switch s.State {
			case contract.StampAffixed:
				held[s.Serial] = contract.SerialAffixed
				affixed++
			case contract.StampQuarantined:
				held[s.Serial] = contract.SerialQuarantined
			case contract.StampBound, contract.StampRefused:
				held[s.Serial] = contract.SerialBound
			}
			if !s.AskedAt.IsZero() {
				open++
			}
			if s.State != contract.StampAffixed && !d.State.Final() {
				owed++
			}
		}
	}
	delete(held, "") // of documents that let go of theirs
	inRegister, registered, lost := map[string]contract.SerialState{}, 0, 0
	b.must(b.EachSerial(b.ctx, store.SerialQuery{Organisation: c.owner.Organisation}, func(s contract.StampSerial) bool {
		registered++
		if s.Document != 0 {
			inRegister[s.Serial] = s.State
		}
		if s.State == contract.SerialQuarantined && s.Document == 0 {
			lost++
		}
		return true
	}))
	b.same("serials of documents", inRegister, held)
	b.same("serials in the register", registered, c.bought)
	asked := 0
	b.must(b.EachAttempt(b.ctx, store.AttemptQuery{Organisation: c.owner.Organisation, Open: true}, func(contract.Attempt) bool { asked++; return true }))
	b.same("open attempts", asked, open)
	b.same("units", b.quota(c.owner.Organisation, contract.UnitStamp), store.Quota{Granted: 100, Reserved: owed, Spent: affixed + lost})
}
