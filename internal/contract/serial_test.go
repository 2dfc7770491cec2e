package contract

import (
	"errors"
	"testing"
)

// refusedStamp returns a document with one affixed stamp, one that was refused permanently, and one that is only
// ordered.
func refusedStamp(t *testing.T, f Failure) *Document {
	d := finalizeDraft(t, placeBoxes(t, newDraft(t, withoutPeople), stampRequest("owner"), stampRequest("owner"), stampRequest("owner")))
	d = bindNextStamp(t, affixNextStamp(t, d))
	f.Text, f.Final = "the file cannot be parsed", true
	c, err := RecordStampFailure(d, 1, f, t0)
	return applyChange(t, c, err)
}

func unitsByMove(c Change) map[QuotaOp]int {
	moved := map[QuotaOp]int{}
	for _, m := range c.Quota {
		moved[m.Op] += m.Count
	}
	return moved
}

func TestCanceledDocumentReleasesItsSerialAndUnit(t *testing.T) {
	t.Parallel()
	d := refusedStamp(t, Failure{})
	serial := d.Stamps[1].Serial
	c, err := Cancel(d, "", owner, limits, t0)
	d = applyChange(t, c, err)
	if got := unitsByMove(c); got[QuotaSpend] != 0 || got[QuotaRelease] != 2 {
		t.Errorf("units: %v", got)
	}
	if len(c.Serials) != 1 || d.Stamps[1].Serial != "" {
		t.Fatalf("%d moves, the stamp has %q", len(c.Serials), d.Stamps[1].Serial)
	}
	m := c.Serials[0]
	if m.From != SerialBound || m.Holder() != d.ID || m.To.Serial != serial || m.To.State != SerialBought || m.To.Document != 0 || m.To.FormerDocument != d.ID || m.To.ReleaseCount != 1 {
		t.Errorf("%+v", m)
	}
	if got := d.Counters(); got != (Counters{Used: Count{Stamps: 1}, Success: Count{Stamps: 1}, Failed: Count{Stamps: 2}}) {
		t.Errorf("counters: %+v", got)
	}
}

func TestUnitOfAQuarantinedSerialIsSpent(t *testing.T) {
	t.Parallel()
	d := refusedStamp(t, Failure{Quarantine: true})
	if d.Stamps[1].State != StampQuarantined {
		t.Fatal(d.Stamps[1].State)
	}
	c, err := Cancel(d, "", owner, limits, t0)
	applyChange(t, c, err)
	if got := unitsByMove(c); got[QuotaSpend] != 1 || got[QuotaRelease] != 1 || c.Serials[0].To.State != SerialQuarantined {
		t.Errorf("units: %v, %+v", got, c.Serials[0])
	}
}

func TestSerialThatTwoDocumentsReleasedIsLost(t *testing.T) {
	t.Parallel()
	d := signedByAll(t)
	free := StampSerial{Serial: "USED", Organisation: d.Organisation, State: SerialFree, FormerDocument: d.ID + 1, ReleaseCount: 1}
	c, err := ClaimSerial(d, 0, free, true, t0)
	d = applyChange(t, c, err)
	if s := d.Stamps[0]; s.State != StampBound || s.Serial != "USED" || s.Source != d.Current().Digest || c.Serials[0].From != SerialFree {
		t.Fatalf("%+v, %+v", s, c.Serials)
	}
	c, err = RecordStampFailure(d, 0, Failure{Text: "no", Final: true}, t0)
	d = applyChange(t, c, err)
	c, err = Restamp(d, RestampOptions{ReplaceSerial: "USED"}, owner, t0)
	d = applyChange(t, c, err)
	if s := d.Stamps[0]; s.State != StampOrdered || s.Serial != "" || s.Order != "" || c.Serials[0].To.State != SerialQuarantined || c.Serials[0].To.ReleaseCount != 2 {
		t.Errorf("%+v, %+v", s, c.Serials)
	}
	if got := unitsByMove(c); got[QuotaSpend] != 1 || got[QuotaReserve] != 1 {
		t.Errorf("the lost serial is paid for, and the new one is to be: %v", got)
	}
}

func TestNewSerialIsGivenOnlyForTheOneThatWasRefused(t *testing.T) {
	t.Parallel()
	d := refusedStamp(t, Failure{})
	if _, err := Restamp(d, RestampOptions{ReplaceSerial: "ANOTHER"}, owner, t0); !errors.Is(err, ErrNotRefused) {
		t.Error(err)
	}
	if _, err := Restamp(d, RestampOptions{ReplaceSerial: d.Stamps[1].Serial}, second, t0); err == nil {
		t.Error("for another organisation")
	}
	c, err := Restamp(d, RestampOptions{ReplaceSerial: d.Stamps[1].Serial}, owner, t0)
	d = applyChange(t, c, err)
	if m := c.Serials[0]; m.To.State != SerialFree || m.To.FormerDocument != d.ID || len(c.Quota) != 0 || d.Stamps[1].State != StampOrdered {
		t.Errorf("%+v, quota %v", m, c.Quota)
	}
	// It failed before it had a serial: the order continues.
	d = signedByAll(t)
	c, err = OrderSerial(d, 0, "order", t0)
	d = applyChange(t, c, err)
	c, err = RecordStampFailure(d, 0, Failure{Text: "cannot be told apart", Final: true}, t0)
	d = applyChange(t, c, err)
	if _, err := Restamp(d, RestampOptions{ReplaceSerial: "ANY"}, owner, t0); !errors.Is(err, ErrNotRefused) {
		t.Error(err)
	}
}

func TestDocumentNeverClaimsASerialThatItReleasedOrOfAnotherOrganisation(t *testing.T) {
	t.Parallel()
	d := signedByAll(t)
	for name, s := range map[string]StampSerial{
		"its own former":  {State: SerialFree, Organisation: d.Organisation, FormerDocument: d.ID},
		"another's":       {State: SerialFree, Organisation: "other"},
		"not free so far": {State: SerialBought, Organisation: d.Organisation},
	} {
		s.Serial = "X"
		if _, err := ClaimSerial(d, 0, s, true, t0); !errors.Is(err, ErrSerialElsewhere) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := OrderSerial(d, 0, "order", t0)
	d = applyChange(t, c, err)
	for _, s := range []StampSerial{
		{State: SerialBound, Organisation: d.Organisation}, {State: SerialQuarantined, Organisation: d.Organisation},
		{State: SerialBought, Organisation: "other"}, {State: SerialBought, Organisation: d.Organisation, ReleaseCount: 1},
	} {
		s.Serial = "X"
		if _, err := BindSerial(d, 0, s, true, t0); !errors.Is(err, ErrSerialElsewhere) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestEveryAttemptIsOpenedBeforeTheCallAndClosedByWhatFollows(t *testing.T) {
	t.Parallel()
	d := signedByAll(t)
	attempts := map[int]Attempt{}
	apply := func(c Change, err error) {
		t.Helper()
		for _, a := range c.Attempts {
			attempts[a.Number] = a
		}
		d = applyChange(t, c, err)
	}
	apply(OrderSerial(d, 0, "order", t0))
	if a := attempts[1]; a.Call != CallBuy || a.Order != "order" || a.At.IsZero() || !a.AnsweredAt.IsZero() || a.Outcome != "" {
		t.Errorf("opened: %+v", a)
	}
	apply(ReopenAttempt(d, 0, t0)) // after a crash
	apply(RecordStampFailure(d, 0, Failure{Class: "transient", Code: "94", Text: "busy"}, t0))
	apply(ReopenAttempt(d, 0, t0)) // none was left open
	apply(BindSerial(d, 0, StampSerial{Serial: "S"}, true, t0))
	c, changed, err := RecordStampWait(d, 0, Problem{Code: ProblemOfficeDown}, OutcomeNotCalled, t0)
	if !changed || len(c.Events) > 0 {
		t.Errorf("waiting changes %v and says %v", changed, c.Events)
	}
	apply(c, err)
	if _, changed, _ := RecordStampWait(d, 0, Problem{Code: ProblemOfficeDown}, OutcomeNotCalled, t0); changed {
		t.Error("it is said twice that the stamp waits")
	}
	apply(ReopenAttempt(d, 0, t0))
	apply(AffixStamp(d, 0, nextRevision(d, 10), t0))
	want := []struct {
		call    AttemptCall
		outcome Outcome
		serial  string
	}{
		{CallBuy, OutcomeUnanswered, ""}, {CallBuy, "transient", ""}, {CallBuy, OutcomeOK, "S"},
		{CallStamp, OutcomeNotCalled, "S"}, {CallStamp, OutcomeOK, "S"},
	}
	if len(attempts) != len(want) || d.Stamps[0].Attempts != len(want) || !d.Stamps[0].AttemptedAt.IsZero() {
		t.Fatalf("%d attempts, %+v", len(attempts), d.Stamps[0])
	}
	for i, w := range want {
		if a := attempts[i+1]; a.Call != w.call || a.Outcome != w.outcome || a.Serial != w.serial || a.AnsweredAt.IsZero() {
			t.Errorf("attempt %d: %+v", i+1, a)
		}
	}
}
