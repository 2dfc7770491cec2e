package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var serials = map[string]func(*testing.T, *bench){
	"ASerialLeadsToItsDocument": func(t *testing.T, b *bench) {
		b.bind(b.stampDue(1), "SERIAL-1")
		d := b.bind(b.stampDue(1), "SERIAL-2")
		got, err := b.DocumentWithSerial(b.ctx, "SERIAL-2")
		b.must(err)
		b.same("document", got, d.ID)
		d = b.affix(d)
		got, err = b.DocumentWithSerial(b.ctx, "SERIAL-2")
		b.must(err)
		b.same("document", got, d.ID)
		for _, none := range []string{"", "SERIAL-3", "serial-1", "SERIAL-"} {
			if _, err := b.DocumentWithSerial(b.ctx, none); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("serial %q: %v", none, err)
			}
		}
	},
	"TheRegisterFollowsASerialAllItsLife": func(t *testing.T, b *bench) {
		d := b.bind(b.stampDue(2), "S")
		want := contract.StampSerial{
			Serial: "S", Organisation: "org", State: contract.SerialBound, Document: d.ID, Source: d.Current().Digest, RegisteredAt: b.seen(), ChangedAt: b.seen(),
		}
		b.registered(want)
		d = b.fail(d, contract.Failure{Class: "quarantine", Text: "another page", Quarantine: true, Evidence: evidence("e1")})
		want.State, want.Problem, want.Evidence, want.ChangedAt = contract.SerialQuarantined, "another page", evidence("e1"), b.seen()
		b.registered(want)
		d = b.commit(contract.Restamp(&d, contract.RestampOptions{}, owner, b.later(time.Minute).now))
		want.State, want.ChangedAt = contract.SerialBound, b.seen()
		b.registered(want)
		d = b.fail(d, contract.Failure{Class: "refused", Text: "no"})
		b.registered(want)
		b.reads(d)
		b.commit(contract.Cancel(&d, "", owner, limits, b.later(time.Minute).now))
		want.State, want.Document, want.FormerDocument, want.ReleaseCount, want.Problem, want.ChangedAt = contract.SerialBought, 0, d.ID, 1, "no", b.seen()
		b.registered(want)
		if _, err := b.DocumentWithSerial(b.ctx, "S"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a serial that was let go of belongs to a document: %v", err)
		}
		b.free(want)
		want.State = contract.SerialFree
		b.registered(want)

		next := b.stampDue(1)
		next = b.reads(b.reuse(next, want))
		want.State, want.Document, want.ChangedAt = contract.SerialBound, next.ID, b.seen()
		want.Problem = ""
		b.registered(want)
		b.affix(next)
		want.State = contract.SerialAffixed
		b.registered(want)
		if _, err := b.Serial(b.ctx, "NEVER"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a serial that was never heard of: %v", err)
		}
	},
	"OfManyWhoClaimOneFreeSerialOneWins": func(t *testing.T, b *bench) {
		b.found("F", "org", contract.SerialFree)
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
		var won atomic.Int32
		var all sync.WaitGroup
		for _, c := range changes {
			all.Go(func() {
				switch _, err := b.Commit(b.ctx, c); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, store.ErrConflict):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d claimed one serial", won.Load())
		}
		if _, err := b.FreeSerial(b.ctx, "org", 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("it is free still: %v", err)
		}
	},
	"TheOldestFreeSerialIsOfferedToOthersOfItsOrganisationOnly": func(t *testing.T, b *bench) {
		d := b.bind(b.stampDue(1), "OLD")
		d = b.fail(d, contract.Failure{Text: "no"})
		serial := d.Stamps[0].Serial
		d = b.commit(contract.Restamp(&d, contract.RestampOptions{ReplaceSerial: serial}, owner, b.now))
		b.later(time.Minute).found("NEW", "org", contract.SerialFree)
		b.found("TAKEN", "org", contract.SerialBought)
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
			b.same("free serial", got.Serial, c.want)
		}
	},
	"OnePlacementNeverHasTwoSerials": func(t *testing.T, b *bench) {
		d := b.bind(b.stampDue(1), "ONE")
		c, err := contract.ReopenAttempt(&d, 0, b.now)
		b.must(err)
		c.Serials = append(c.Serials, contract.SerialMove{To: contract.StampSerial{Serial: "TWO", Organisation: "org", State: contract.SerialBound, Document: d.ID, ChangedAt: b.now, RegisteredAt: b.now}})
		b.leavesNothing(t, c, nil, d.ID)
		if _, err := b.Serial(b.ctx, "TWO"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%v", err)
		}
	},
	"ASerialIsMovedOnlyFromWhereItIs": func(t *testing.T, b *bench) {
		b.bind(b.stampDue(1), "BOUND")
		b.found("TAKEN", "org", contract.SerialBought)
		free := contract.StampSerial{Serial: "TAKEN", Organisation: "org", State: contract.SerialFree, ChangedAt: b.now}
		events := b.size()
		for name, moves := range map[string][]contract.SerialMove{
			"new, and known":        {{To: contract.StampSerial{Serial: "BOUND", State: contract.SerialBought, ChangedAt: b.now, RegisteredAt: b.now}}},
			"another's":             {{From: contract.SerialBound, To: contract.StampSerial{Serial: "BOUND", State: contract.SerialBought, FormerDocument: 99, ChangedAt: b.now}}},
			"nobody's":              {{From: contract.SerialBought, To: contract.StampSerial{Serial: "BOUND", State: contract.SerialFree, ChangedAt: b.now}}},
			"unknown":               {{From: contract.SerialBought, To: contract.StampSerial{Serial: "NONE", State: contract.SerialFree, ChangedAt: b.now}}},
			"one of two is nowhere": {{From: contract.SerialBought, To: free}, {From: contract.SerialFree, To: contract.StampSerial{Serial: "NONE", State: contract.SerialBought}}},
		} {
			if err := b.MoveSerials(b.ctx, moves, contract.Event{Type: contract.EventSerialQuarantined, At: b.now}); !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s: %v", name, err)
			}
		}
		s, err := b.Serial(b.ctx, "TAKEN")
		b.must(err)
		if s.State != contract.SerialBought || b.size() != events {
			t.Errorf("half of it was done: %s, %d events more", s.State, b.size()-events)
		}
		b.must(b.CheckLog(b.ctx))
	},
	"ASerialThatHasAnOwnerKeepsIt": func(t *testing.T, b *bench) {
		b.found("F", "", contract.SerialBought)
		nobodys, err := b.Serial(b.ctx, "F")
		b.must(err)
		move := func(to contract.OrganisationID, state contract.SerialState) error { // as whoever read it while it was nobody's
			m := contract.SerialMove{From: nobodys.State, To: nobodys}
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
		b.same("owner", string(got.Organisation), "org")
		b.must(move("org", contract.SerialFree))
	},
	"TheRegisterIsListedByPagesAndAsAWhole": func(t *testing.T, b *bench) {
		var want []string
		for i := range 7 {
			s := fmt.Sprintf("S%d", i)
			b.later(time.Second).found(s, "org", contract.SerialBought)
			want = append(want, s)
		}
		b.found("NOBODYS", "", contract.SerialBought)
		b.found("OTHERS", "other", contract.SerialFree)
		d := b.bind(b.stampDue(1), "BOUND")
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
			{store.SerialQuery{Nobodys: true}, []string{"NOBODYS"}},
			{store.SerialQuery{States: []contract.SerialState{contract.SerialFree, contract.SerialBound}}, []string{"BOUND", "OTHERS"}},
			{store.SerialQuery{Document: d.ID}, []string{"BOUND"}},
		} {
			var got []string
			b.must(b.EachSerial(b.ctx, c.q, func(s contract.StampSerial) bool { got = append(got, s.Serial); return true }))
			b.same(fmt.Sprintf("%+v", c.q), got, c.want)
		}
		n := 0
		b.must(b.EachSerial(b.ctx, store.SerialQuery{}, func(contract.StampSerial) bool { n++; return n < 3 }))
		b.same("told when enough", n, 3)
	},
	"AnOrderIsInDoubtUntilItsSerialIsBoundOrItsDocumentEnds": func(t *testing.T, b *bench) {
		order := func(d contract.Document, order string) contract.Document {
			return b.commit(contract.OrderSerial(&d, d.NextStamp(), order, b.now))
		}
		doubtful := func(want ...string) {
			t.Helper()
			all, err := b.InDoubt(b.ctx)
			b.must(err)
			got := []string{}
			for _, o := range all {
				got = append(got, o.Order)
			}
			b.same("orders in doubt", got, want)
		}
		doubtful()
		d, e := order(b.stampDue(1), "o1"), order(b.stampDue(1), "o2")
		doubtful("o1", "o2")
		d = b.commit(contract.BindSerial(&d, 0, contract.StampSerial{Serial: "S"}, true, b.now))
		e = b.commit(contract.RecordStampFailure(&e, 0, contract.Failure{Text: "which?", Final: true}, b.now))
		doubtful("o2")
		b.commit(contract.Cancel(&e, "", owner, limits, b.now))
		doubtful()

		d = b.fail(d, contract.Failure{Text: "no"})
		d = b.commit(contract.Restamp(&d, contract.RestampOptions{ReplaceSerial: "S"}, owner, b.now))
		d = order(d, "o3")
		for order, want := range map[string]contract.DocumentID{"o1": d.ID, "o2": e.ID, "o3": d.ID} {
			got, err := b.DocumentWithOrder(b.ctx, order)
			b.must(err)
			b.same("document of "+order, got, want)
		}
		for _, none := range []string{"", "o4"} {
			if _, err := b.DocumentWithOrder(b.ctx, none); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("order %q: %v", none, err)
			}
		}
	},
}

// stampDue returns a document on which nothing but that many stamps are owed.
func (b *bench) stampDue(stamps int) contract.Document {
	b.t.Helper()
	return b.sign(b.sign(b.finalize(b.place(b.upload(owner), owner, stamps), owner), first), second)
}

// fail fails the document's next stamp for good.
func (b *bench) fail(d contract.Document, f contract.Failure) contract.Document {
	b.t.Helper()
	f.Final = true
	return b.commit(contract.RecordStampFailure(&d, d.NextStamp(), f, b.later(time.Minute).now))
}

func (b *bench) reuse(d contract.Document, s contract.StampSerial) contract.Document {
	b.t.Helper()
	return b.commit(contract.ClaimSerial(&d, d.NextStamp(), s, true, b.later(time.Minute).now))
}

// found puts a serial into the register that no document has.
func (b *bench) found(serial string, o contract.OrganisationID, state contract.SerialState) {
	b.t.Helper()
	s := contract.StampSerial{Serial: serial, Organisation: o, State: state, RegisteredAt: b.now, ChangedAt: b.now}
	b.must(b.MoveSerials(b.ctx, []contract.SerialMove{{To: s}}))
}

// free frees a serial that was taken.
func (b *bench) free(s contract.StampSerial) {
	b.t.Helper()
	m := contract.SerialMove{From: s.State, To: s}
	m.To.State = contract.SerialFree
	b.must(b.MoveSerials(b.ctx, []contract.SerialMove{m}))
}

// registered checks that the register has a serial like this.
func (b *bench) registered(want contract.StampSerial) {
	b.t.Helper()
	got, err := b.Serial(b.ctx, want.Serial)
	b.must(err)
	b.same("serial "+want.Serial, got, want)
}

// seen is the bench's time as it is stored.
func (b *bench) seen() time.Time { return b.now.Truncate(time.Microsecond) }

func evidence(key string) contract.File {
	return contract.File{Key: key, Size: 5, Digest: [32]byte{5, 5}, Sums: slices.Repeat([]byte{6}, 32)}
}
