package admission

import (
	"testing"
	"time"
)

// transfer returns how long a peer may take that sends pieces at an interval, and how many bytes arrive.
func transfer(p Pace, size int64, piece int, every time.Duration) (took time.Duration, came int64) {
	a := p.Allow(size)
	for came < size {
		if left := a.Left(); every > left {
			return took + left, came
		}
		a.Spend(every, piece)
		took, came = took+every, came+int64(piece)
	}
	return took, came
}

func TestPeerThatIsTooSlowIsCutOff(t *testing.T) {
	t.Parallel()
	p := Pace{Rate: 1 << 10, Grace: 30 * time.Second}
	for name, c := range map[string]struct {
		size  int64
		piece int
		every time.Duration
		whole bool
		most  time.Duration
	}{
		"nothing":                        {1000, 1, time.Hour, false, 30 * time.Second},
		"a byte every ten seconds":       {1 << 20, 1, 10 * time.Second, false, 31 * time.Second},
		"a byte a second":                {1 << 20, 1, time.Second, false, 31 * time.Second},
		"half the least rate":            {1 << 20, 512, time.Second, false, 61 * time.Second},
		"a small body in slow pieces":    {256, 16, time.Second, true, 16 * time.Second},
		"a mobile network at 32 kbit/s":  {3 << 20, 4 << 10, time.Second, true, 13 * time.Minute},
		"a mobile network that stalls":   {3 << 20, 128 << 10, 25 * time.Second, true, 11 * time.Minute},
		"the least rate for a long time": {50 << 20, 1100, time.Second, false, 4 * time.Hour},
	} {
		took, came := transfer(p, c.size, c.piece, c.every)
		if (came >= c.size) != c.whole || took > c.most {
			t.Errorf("%s: %d of %d bytes in %v", name, came, c.size, took)
		}
	}
}

func TestFastStartDoesNotPayForASlowEnd(t *testing.T) {
	t.Parallel()
	a := Pace{Rate: 1 << 10, Grace: 30 * time.Second}.Allow(100 << 20)
	a.Spend(time.Second, 50<<20)
	waited := time.Duration(0)
	for range 1000 {
		if a.Left() < time.Second {
			break
		}
		a.Spend(time.Second, 1)
		waited += time.Second
	}
	if waited > 31*time.Second {
		t.Errorf("a peer with one byte a second had %v", waited)
	}
}
