package sandbox

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sync/semaphore"
)

func TestOneAtATimeIsAtTheAdapterAndTheOthersWaitNoLongerThanTheyAreTo(t *testing.T) {
	t.Parallel()
	s := &Server{adapter: semaphore.NewWeighted(1)}
	if err := s.adapter.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.adapter.Acquire(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("the adapter is busy and the caller gave up: %v", err)
	}
	s.adapter.Release(1)
	if err := s.adapter.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
}
