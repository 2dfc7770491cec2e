package sandbox

import (
	"context"
	"errors"
	"testing"
)

func TestOneAtATimeIsAtTheAdapterAndTheOthersWaitNoLongerThanTheyAreTo(t *testing.T) {
	t.Parallel()
	s := &Server{adapter: make(chan struct{}, 1)}
	leave, err := s.acquireAdapter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.acquireAdapter(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("it is taken, and nobody waits: %v", err)
	}
	leave()
	leave, err = s.acquireAdapter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leave()
}
