package jobs

import (
	"testing"
	"time"
)

func TestWaitsGrowToALimit(t *testing.T) {
	t.Parallel()
	last := time.Duration(0)
	for n := 1; n < 40; n++ {
		wait := backoff(n, 0)
		if wait < last || wait > longestWait {
			t.Fatalf("after try %d: %s, before %s", n, wait, last)
		}
		last = wait
	}
	if first := backoff(1, 0); first != firstWait || last != longestWait {
		t.Fatalf("from %s to %s", first, last)
	}
	for _, n := range []int{-1, 0, 1 << 40} {
		if wait := backoff(n, 0); wait < firstWait || wait > longestWait {
			t.Errorf("after try %d: %s", n, wait)
		}
	}
}

func TestJobsThatFailedTogetherAreSpread(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	for id := range int64(16) {
		wait := backoff(9, id)
		if wait < backoff(9, 0) || wait > backoff(9, 0)*6/5 {
			t.Fatalf("job %d waits %s", id, wait)
		}
		seen[wait] = true
	}
	if len(seen) != 16 {
		t.Fatalf("16 jobs wait %d different times", len(seen))
	}
}
