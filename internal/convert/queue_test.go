package convert

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// line queues names one after the other and records in which order their turns come.
type line struct {
	t     *testing.T
	q     *Queue
	wg    sync.WaitGroup
	mu    sync.Mutex
	order []string
}

func (l *line) add(key, name string) {
	l.t.Helper()
	before := l.waiting(key)
	l.wg.Go(func() {
		leave, err := l.q.Wait(l.t.Context(), key)
		if err != nil {
			l.t.Error(name, err)
			return
		}
		l.mu.Lock()
		l.order = append(l.order, name)
		l.mu.Unlock()
		leave()
	})
	for l.waiting(key) <= before {
		time.Sleep(time.Millisecond) // until the other goroutine is in the queue, however long that takes
	}
}

func (l *line) waiting(key string) int {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	return len(l.q.waits[key])
}

func TestOrganisationsTakeTurns(t *testing.T) {
	t.Parallel()
	l := &line{t: t, q: NewQueue(1, 10)}
	leave, err := l.q.Wait(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a1", "a2", "a3", "b1", "c1", "b2"} {
		l.add(name[:1], name)
	}
	leave()
	l.wg.Wait()
	if want := []string{"a1", "b1", "c1", "a2", "b2", "a3"}; !slices.Equal(l.order, want) {
		t.Errorf("the order was %v, not %v", l.order, want)
	}
	if l.q.free != 1 || len(l.q.waits) != 0 || len(l.q.order) != 0 {
		t.Errorf("the queue is not empty: %+v", l.q)
	}
}

func TestOneOrganisationMayNotFillTheQueue(t *testing.T) {
	t.Parallel()
	l := &line{t: t, q: NewQueue(1, 1)}
	leave, err := l.q.Wait(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	l.add("a", "a1")
	if _, err := l.q.Wait(t.Context(), "a"); !errors.Is(err, ErrCrowded) {
		t.Errorf("the third of one organisation: %v", err)
	}
	l.add("b", "b1")
	leave()
	l.wg.Wait()
}

func TestWhoeverGivesUpHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	q := NewQueue(1, 10)
	leave, err := q.Wait(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Wait(gone, "b"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	leave()
	if leave, err = q.Wait(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	leave()
	if q.free != 1 {
		t.Errorf("%d turns are free, not 1", q.free)
	}
}
