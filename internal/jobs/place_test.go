package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/process"
)

// TestWorkOfAProcessThatDiedIsTakenOverAtTheNextStart would wait for eleven minutes without the takeover.
func TestWorkOfAProcessThatDiedIsTakenOverAtTheNextStart(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		places := t.TempDir()
		dead := join(t, places)
		h, begun, end := b.handlers(), make(chan contract.DocumentID, 10), make(chan struct{})
		var calls atomic.Int32
		h.Stamp = func(ctx context.Context, id contract.DocumentID) error {
			if calls.Add(1) > 2 {
				b.stamped <- id
				return nil
			}
			begun <- id
			<-end
			return nil
		}
		b.run(h, jobs.Options{Process: dead})
		t.Cleanup(func() { close(end) }) // before the runners are stopped
		first, second := b.draft(contract.JobStamp), b.draft(contract.JobStamp)
		next(t, begun)
		next(t, begun)
		b.must(dead.Leave())
		b.run(h, jobs.Options{Process: join(t, places)})
		if got := map[contract.DocumentID]bool{next(t, b.stamped): true, next(t, b.stamped): true}; !got[first.ID] || !got[second.ID] {
			t.Errorf("stamped %v", got)
		}
	})
}

func TestWorkOfAProcessThatLivesIsLeftToIt(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		places := t.TempDir()
		h, begun, end := b.handlers(), make(chan struct{}), make(chan struct{})
		var calls atomic.Int32
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			if calls.Add(1) == 1 {
				close(begun)
				<-end
			}
			b.stamped <- id
			return nil
		}
		b.run(h, jobs.Options{Process: join(t, places), Workers: 1})
		d := b.draft(contract.JobStamp)
		next(t, begun)
		b.run(h, jobs.Options{Process: join(t, places), Workers: 1})
		last := b.draft(contract.JobStamp)
		if id := next(t, b.stamped); id != last.ID {
			t.Errorf("stamped %d, which another process works on", id)
		}
		close(end)
		if id := next(t, b.stamped); id != d.ID {
			t.Errorf("stamped %d, want %d", id, d.ID)
		}
	})
}

// join takes a name for the duration of a test.
func join(t *testing.T, dir string) process.Process {
	t.Helper()
	p, err := process.JoinFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Leave(); err != nil {
			t.Error(err)
		}
	})
	return p
}
