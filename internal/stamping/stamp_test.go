package stamping

import (
	"context"
	"testing"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// recordedAttempts is a store that has only attempts.
type recordedAttempts struct {
	Store
	all []contract.Attempt
}

func (r recordedAttempts) EachAttempt(_ context.Context, _ store.AttemptQuery, yield func(contract.Attempt) bool) error {
	for _, a := range r.all {
		if !yield(a) {
			break
		}
	}
	return nil
}

// TestTheLastAttemptThatMayHaveBoughtIsFoundByItsNumber lists attempts in the order of their times, which clocks of several nodes gave.
func TestTheLastAttemptThatMayHaveBoughtIsFoundByItsNumber(t *testing.T) {
	t.Parallel()
	unknown, quota := contract.Outcome(emeterai.Unknown), contract.Outcome(emeterai.Quota)
	attempt := func(number int, outcome contract.Outcome, code string) contract.Attempt {
		return contract.Attempt{Stamp: 1, Number: number, Order: "a", Outcome: outcome, Code: code}
	}
	other := attempt(6, contract.OutcomeUnanswered, "")
	other.Order = "b"
	elsewhere := attempt(6, contract.OutcomeUnanswered, "")
	elsewhere.Stamp = 0
	for what, c := range map[string]struct {
		attempts []contract.Attempt
		want     int
	}{
		"none":                                     {nil, 0},
		"only the present one":                     {[]contract.Attempt{attempt(7, "", "")}, 0},
		"a lost answer":                            {[]contract.Attempt{attempt(1, unknown, emeterai.CodeAnswer)}, 1},
		"a process that ended":                     {[]contract.Attempt{attempt(2, contract.OutcomeUnanswered, "")}, 2},
		"one left open":                            {[]contract.Attempt{attempt(2, "", "")}, 2},
		"processes that waited after it":           {[]contract.Attempt{attempt(1, unknown, emeterai.CodeAnswer), attempt(2, unknown, emeterai.CodeWait), attempt(3, unknown, emeterai.CodeWait)}, 1},
		"calls that certainly bought nothing":      {[]contract.Attempt{attempt(1, quota, "93"), attempt(2, contract.OutcomeNotCalled, "")}, 0},
		"a later one with an earlier time":         {[]contract.Attempt{attempt(3, unknown, emeterai.CodeAnswer), attempt(1, contract.OutcomeUnanswered, ""), attempt(2, unknown, emeterai.CodeWait)}, 3},
		"those of another order, or another stamp": {[]contract.Attempt{attempt(1, contract.OutcomeUnanswered, ""), other, elsewhere}, 1},
	} {
		stamps := []contract.Stamp{{}, {Order: "a", Attempts: 7}}
		r := &run{s: &Stamping{Store: recordedAttempts{all: c.attempts}}, d: contract.Document{Stamps: stamps}, i: 1, call: resumed}
		if got, err := r.findLastSent(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: attempt %d, %v, want %d", what, got, err, c.want)
		}
		r.call = continued
		if got, err := r.findLastSent(t.Context()); err != nil || got != 0 {
			t.Errorf("%s, and the call was certainly not made: attempt %d, %v", what, got, err)
		}
	}
}
