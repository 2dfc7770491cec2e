package process

import (
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestAClockThatIsSetIsNoticedAndShowsInNoTimeUntilItIsCompared(t *testing.T) {
	t.Parallel()
	const tolerance = 2 * time.Minute
	near := func(at, want time.Time) bool { return at.Sub(want).Abs() < time.Minute }
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		var moved time.Duration
		c := NewClock(func() time.Time { return time.Now().Add(moved) }, tolerance)
		moved = jump
		if now := c.Now(); !near(now, time.Now().Add(jump)) || c.Check() != nil {
			t.Errorf("before the first comparison, %v away: %v, %v", jump, now, c.Check())
		}
		c.recordReading(time.Now())
		if now := c.Now(); !near(now, time.Now().Add(jump)) || !errors.Is(c.Check(), contract.ErrClock) {
			t.Errorf("compared, %v away: %v, %v", jump, now, c.Check())
		}
		moved = 0
		c.recordReading(time.Now())
		if now := c.Now(); !near(now, time.Now()) || c.Check() != nil {
			t.Errorf("corrected: %v, %v", now, c.Check())
		}
		moved = jump
		if now := c.Now(); !near(now, time.Now()) || !near(c.Machine(), time.Now().Add(jump)) || !errors.Is(c.Check(), contract.ErrClock) {
			t.Errorf("set by %v: %v, of the machine %v, %v", jump, now, c.Machine(), c.Check())
		}
		c.recordReading(time.Now())
		if now := c.Now(); !near(now, time.Now()) || !errors.Is(c.Check(), contract.ErrClock) {
			t.Errorf("set by %v and compared: %v, %v", jump, now, c.Check())
		}
		c.recordReading(time.Now().Add(jump))
		if now := c.Now(); !near(now, time.Now().Add(jump)) || c.Check() != nil {
			t.Errorf("both were set by %v: %v, %v", jump, now, c.Check())
		}
	}
}

func TestAClockWhoseDatabaseIsSetGoesOnAndIsInDoubt(t *testing.T) {
	t.Parallel()
	c := NewClock(time.Now, 2*time.Minute)
	c.recordReading(time.Now())
	c.recordReading(time.Now().Add(time.Hour))
	if now := c.Now(); time.Since(now).Abs() > time.Minute || !errors.Is(c.Check(), contract.ErrClock) {
		t.Errorf("%v, %v", now, c.Check())
	}
}

func TestAClockWithoutAToleranceOnlyReads(t *testing.T) {
	t.Parallel()
	var moved time.Duration
	c := NewClock(func() time.Time { return time.Now().Add(moved) }, 0)
	c.recordReading(time.Now())
	moved = -time.Hour
	if now := c.Now(); time.Since(now) < 59*time.Minute || c.Check() != nil {
		t.Errorf("%v, %v", now, c.Check())
	}
}
