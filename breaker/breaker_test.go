package breaker

import (
	"math"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

func newTestBreaker() *Breaker {
	return &Breaker{Threshold: 2, FirstPause: 10 * time.Second, LongestPause: 30 * time.Second}
}

// fail makes a call that fails.
func fail(t *testing.T, b *Breaker, now time.Time) time.Duration {
	t.Helper()
	if err := b.Acquire(now); err != nil {
		t.Fatalf("at %s: %v", now.Sub(start), err)
	}
	_, pause := b.Fail(now, "refused")
	return pause
}

func TestPausesDoubleUpToTheLongest(t *testing.T) {
	t.Parallel()
	b, now := newTestBreaker(), start
	for i, want := range []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second, 30 * time.Second} {
		got := fail(t, b, now)
		if got != want {
			t.Errorf("pause after failure %d is %s, want %s", i+1, got, want)
		}
		if want == 0 {
			continue
		}
		if err := b.Acquire(now.Add(want - 1)); err == nil || err.Until != now.Add(want) || err.Reason != "refused" {
			t.Errorf("during the pause after failure %d: %+v", i+1, err)
		}
		now = now.Add(want)
	}
	if !b.Succeed() || b.Succeed() {
		t.Error("only the first success allows calls again")
	}
	if pause := fail(t, b, now); pause != 0 {
		t.Errorf("the first failure after a success begins a pause of %s", pause)
	}
}

func TestLongPausesDoNotOverflow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ first, longest, want time.Duration }{
		"two days":             {48 * time.Hour, 7 * 24 * time.Hour, 7 * 24 * time.Hour},
		"the longest there is": {time.Hour, math.MaxInt64, math.MaxInt64},
		"first is the longer":  {48 * time.Hour, time.Hour, 48 * time.Hour},
		"no first pause":       {0, time.Hour, 0},
	} {
		b := &Breaker{Threshold: 1, FirstPause: c.first, LongestPause: c.longest}
		last := time.Duration(0)
		for n := range 100 {
			_, pause := b.Fail(start, "refused")
			if pause < last {
				t.Fatalf("%s: pause after failure %d is %s, after %s", name, n+1, pause, last)
			}
			last = pause
		}
		if last != c.want {
			t.Errorf("%s: the last pause is %s, want %s", name, last, c.want)
		}
	}
}

func TestOneCallProbesAndACancelledProbeLeavesTheNextOne(t *testing.T) {
	t.Parallel()
	b := newTestBreaker()
	fail(t, b, start)
	now := start.Add(fail(t, b, start))
	if err := b.Check(now); err != nil {
		t.Errorf("when the pause is over: %v", err)
	}
	for range 2 {
		if err := b.Acquire(now); err != nil {
			t.Fatalf("the probe: %v", err)
		}
		if err := b.Acquire(now); err == nil || !err.Until.IsZero() || !strings.Contains(err.Error(), "being probed") {
			t.Errorf("beside the probe: %+v", err)
		}
		b.Cancel()
	}
}

func TestFailuresOfCallsThatBeganBeforeThePauseCount(t *testing.T) {
	t.Parallel()
	b := newTestBreaker()
	for range 3 {
		if err := b.Acquire(start); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		b.Fail(start, "refused")
	}
	if failures, pause := b.Fail(start.Add(time.Second), "late"); failures != 3 || pause != 20*time.Second {
		t.Errorf("%d failures, pause %s", failures, pause)
	}
}
