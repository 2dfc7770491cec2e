package storetest

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"segel/internal/contract"
	"segel/internal/store"
)

var bookTests = map[string]func(*testing.T, *fixture){
	// Stamps take every path that the rules permit, in any order. The expected register, attempts and quota follow from
	// the documents.
	"RegisterAttemptsAndQuotaAgreeWithTheStampsWhateverBecomesOfThem": func(t *testing.T, b *fixture) {
		round := 0
		rapid.Check(t, func(r *rapid.T) {
			round++ // a separate organisation: the store is shared by all rounds
			c := newStampModel(r, b, round)
			for range rapid.IntRange(1, 30).Draw(r, "steps") {
				c.takeStep(r)
			}
			c.checkBooks()
		})
		b.must(b.CheckLog(b.ctx))
	},
}

// stampModel is the model: the documents of one organisation as they were committed, and the number of bought serials.
type stampModel struct {
	b         *fixture
	owner     contract.Actor
	documents []contract.Document
	bought    int
}

func newStampModel(r *rapid.T, b *fixture, round int) *stampModel {
	own := *b
	own.t, own.now, own.n = r, start, uint64(round)<<32
	c := &stampModel{b: &own, owner: newActor("owner", fmt.Sprintf("r%d", round))}
	own.must(own.CreateOrganisation(own.ctx, store.Organisation{ID: c.owner.Organisation, Name: "Name of " + string(c.owner.Organisation), CreatedAt: own.now}))
	own.grantQuota(c.owner.Organisation, contract.UnitStamp, 100, "test", contract.Actor{})
	for n := range 4 {
		d := own.uploadDraft(c.owner, func(u *contract.Upload) { u.Participants = nil })
		c.documents = append(c.documents, own.finalizeDraft(own.placeStamps(d, c.owner, 1+n%2), c.owner))
	}
	return c
}

// takeStep applies one random change that the rules permit to a document, and frees a released serial.
func (c *stampModel) takeStep(r *rapid.T) {
	b := c.b.advance(time.Second)
	at := rapid.IntRange(0, len(c.documents)-1).Draw(r, "document")
	d := &c.documents[at]
	if possible := c.possibleChanges(d); len(possible) > 0 {
		*d = b.requireStored(b.commitChange(possible[rapid.IntRange(0, len(possible)-1).Draw(r, "what")], nil))
		c.bought += c.countBought(d)
	}
	if rapid.Bool().Draw(r, "office is asked") {
		b.must(b.EachSerial(b.ctx, store.SerialQuery{Organisation: c.owner.Organisation, States: []contract.SerialState{contract.SerialBought}}, func(s contract.StampSerial) bool {
			b.freeSerial(s)
			return true
		}))
	}
}

// possibleChanges returns the changes that are possible for a document now.
func (c *stampModel) possibleChanges(d *contract.Document) (all []contract.Change) {
	b, i := c.b, max(d.NextStamp(), 0)
	add := func(ch contract.Change, err error) {
		if err == nil {
			all = append(all, ch)
		}
	}
	failure := func(class contract.Outcome, final, quarantine bool) contract.Failure {
		return contract.Failure{Class: class, Text: "it is " + string(class), Final: final, Quarantine: quarantine}
	}
	add(contract.OrderSerial(d, i, fmt.Sprintf("order %d", b.now.Unix()), b.now))
	add(contract.BindSerial(d, i, contract.StampSerial{Serial: c.nextSerial()}, true, b.now))
	add(contract.ReopenAttempt(d, i, b.now))
	if ch, changed, err := contract.RecordStampWait(d, i, contract.Problem{Code: contract.ProblemStampFileMissing}, contract.OutcomeUnanswered, b.now); changed {
		add(ch, err)
	}
	if d.Stamps[i].State != contract.StampOrdered {
		add(contract.RecordStampFailure(d, i, failure("transient", false, false), b.now))
		add(contract.RecordStampFailure(d, i, failure("refused", true, false), b.now))
		add(contract.RecordStampFailure(d, i, failure("quarantine", true, true), b.now))
	}
	add(contract.AffixStamp(d, i, b.newTail(d, contract.RevisionStamp), b.now))
	add(contract.Restamp(d, contract.RestampOptions{}, c.owner, b.now))
	if i := d.RefusedStamp(); i >= 0 {
		add(contract.Restamp(d, contract.RestampOptions{ReplaceSerial: d.Stamps[i].Serial}, c.owner, b.now))
	}
	add(contract.Cancel(d, "", c.owner, limits, b.now))
	if s, err := b.FreeSerial(b.ctx, c.owner.Organisation, d.ID); err == nil {
		add(contract.ClaimSerial(d, i, s, true, b.now))
	}
	return all
}

// nextSerial returns the serial that the office issues next.
func (c *stampModel) nextSerial() string {
	return fmt.Sprintf("%s serial %d", c.owner.Organisation, c.bought)
}

// countBought returns 1 if the document has just been given that serial.
func (c *stampModel) countBought(d *contract.Document) int {
	for _, s := range d.Stamps {
		if s.Serial == c.nextSerial() {
			return 1
		}
	}
	return 0
}

// checkBooks compares register, attempts and quota with the documents.
func (c *stampModel) checkBooks() {
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
			if !s.AttemptedAt.IsZero() {
				open++
			}
			if s.State != contract.StampAffixed && !d.State.IsFinal() {
				owed++
			}
		}
	}
	delete(held, "") // of documents that released theirs
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
	b.requireEqual("serials of documents", inRegister, held)
	b.requireEqual("serials in the register", registered, c.bought)
	asked := 0
	b.must(b.EachAttempt(b.ctx, store.AttemptQuery{Organisation: c.owner.Organisation, Open: true}, func(contract.Attempt) bool { asked++; return true }))
	b.requireEqual("open attempts", asked, open)
	b.requireEqual("units", b.quotaOf(c.owner.Organisation, contract.UnitStamp), store.Quota{Granted: 100, Reserved: owed, Spent: affixed + lost})
}
