package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSameSeedMakesTheSameFaults(t *testing.T) {
	t.Parallel()
	tenth := 0.1
	run := func(seed uint64, beside bool) (struck []int) {
		f := newFaultSchedule(Plan{Seed: seed, Rules: []Rule{{Call: CallBuy, Fault: FaultLost, P: &tenth}}}, time.Now)
		for n := range 1000 {
			if beside {
				f.nextRule(CallStatus)
			}
			if f.nextRule(CallBuy).Fault == FaultLost {
				struck = append(struck, n)
			}
		}
		return struck
	}
	first := run(7, false)
	if len(first) < 60 || len(first) > 140 {
		t.Errorf("%d of 1000 calls were struck", len(first))
	}
	if !slices.Equal(first, run(7, true)) {
		t.Error("calls of another kind changed what strikes")
	}
	if slices.Equal(first, run(8, false)) {
		t.Error("another seed makes the same faults")
	}
}

func TestRulesStrikeWhenTheySay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	plan, err := ReadPlan(strings.NewReader(`{"rules": [
		{"call": "docSigningZ", "fault": "error", "code": "94", "at": [1, 3]},
		{"fault": "outage", "from": "1m", "to": "2m"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	f := newFaultSchedule(plan, func() time.Time { return now })
	var got []Fault
	for range 3 {
		got = append(got, f.nextRule(CallStamp).Fault)
	}
	for range 3 {
		got = append(got, f.nextRule(CallLogin).Fault)
		now = now.Add(time.Minute)
	}
	if want := []Fault{FaultError, FaultNone, FaultError, FaultNone, FaultOutage, FaultNone}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPlanThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{
		`{`, `{"rule": []}`, `{"rules": [{"fault": "flood"}]}`, `{"rules": [{"call": "mail", "fault": "lost"}]}`, `{"rules": [{"call": "stampv2", "fault": "half"}]}`,
		`{"rules": [{"fault": "lost", "code": "93"}]}`, `{"rules": [{"call": "stampv2", "fault": "status"}]}`, `{"rules": [{"fault": "lost", "p": 2}]}`,
		`{"rules": [{"fault": "slow", "delay": "-1s"}]}`, `{"rules": [{"fault": "slow", "delay": 5}]}`,
	} {
		if _, err := ReadPlan(strings.NewReader(plan)); err == nil {
			t.Errorf("accepted %s", plan)
		}
	}
}
