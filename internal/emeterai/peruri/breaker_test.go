package peruri

import (
	"log/slog"
	"testing"
	"time"
)

func TestWhileOneCallProbesOthersAreToldToWait(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	b := newBreaker(&Options{Clock: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), BreakAfter: 1, BreakFor: 10 * time.Second}, "office")
	if a := b.availability(); a.Down {
		t.Errorf("from the start: %+v", a)
	}
	b.recordCall("refused")
	now = now.Add(10 * time.Second)
	if a := b.availability(); a.Down {
		t.Errorf("when the next call is let through: %+v", a)
	}
	if err := b.Acquire(now); err != nil {
		t.Fatal(err)
	}
	if a := b.availability(); !a.Down || a.Until != now.Add(time.Second) {
		t.Errorf("while it is under way: %+v", a)
	}
	b.recordCall("")
	if a := b.availability(); a.Down {
		t.Errorf("after it succeeded: %+v", a)
	}
}
