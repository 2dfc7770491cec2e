package peruri

import (
	"fmt"
	"testing"
	"time"
)

func TestCallsToStampAreForgottenAfterTwoDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	d := &Driver{o: Options{Clock: func() time.Time { return now }}, stampCalls: map[string]time.Time{}}
	for i := range 3 {
		if d.recordStampCall(fmt.Sprint(i)) {
			t.Errorf("serial %d was stamped before", i)
		}
	}
	now = now.Add(orderRetention)
	if !d.recordStampCall("0") || len(d.stampCalls) != 3 {
		t.Errorf("after two days: %v", d.stampCalls)
	}
	now = now.Add(sweepStampCalls + time.Second)
	if !d.recordStampCall("0") || len(d.stampCalls) != 1 {
		t.Errorf("later: %v", d.stampCalls)
	}
}

func BenchmarkRecordStampCall(b *testing.B) {
	now := time.Now()
	d := &Driver{o: Options{Clock: func() time.Time { return now }}, stampCalls: map[string]time.Time{}}
	for i := range 100_000 {
		d.stampCalls[fmt.Sprint(i)] = now
	}
	for b.Loop() {
		d.recordStampCall("0")
	}
}
