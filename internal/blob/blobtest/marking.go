package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"segel/internal/blob"
)

// readMark demands the mark of a store.
func readMark(t *testing.T, s blob.Store) []byte {
	t.Helper()
	m, err := s.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func markedOnce(t *testing.T, sub Subject) {
	s := sub.Open(t)
	if m, err := s.Mark(t.Context()); !errors.Is(err, blob.ErrNoMark) || m != nil {
		t.Errorf("a new store: %q, %v", m, err)
	}
	if err := s.SetMark(t.Context(), make([]byte, blob.MaxMark+1)); !errors.Is(err, blob.ErrMark) {
		t.Errorf("a mark that is too long: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.SetMark(gone, []byte("canceled")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := s.Mark(t.Context()); !errors.Is(err, blob.ErrNoMark) {
		t.Errorf("after refusals: %v", err)
	}
	longest := Content(1, blob.MaxMark)
	if err := s.SetMark(t.Context(), longest); err != nil {
		t.Fatal(err)
	}
	if err := s.SetMark(t.Context(), []byte("another")); !errors.Is(err, blob.ErrExists) {
		t.Errorf("a second mark: %v", err)
	}
	if !bytes.Equal(readMark(t, s), longest) {
		t.Error("the mark is not what was written")
	}
	if again := sub.Open(t); sub.Crash != nil && !bytes.Equal(readMark(t, again), longest) {
		t.Error("the mark is not there when the store is opened again")
	}
}

func oneMarkStands(t *testing.T, sub Subject) {
	s := sub.Open(t)
	var mu sync.Mutex
	var set []string
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			m := fmt.Sprint("mark ", i)
			err := s.SetMark(t.Context(), []byte(m))
			if errors.Is(err, blob.ErrExists) {
				return
			}
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			set = append(set, m)
		})
	}
	all.Wait()
	if got := string(readMark(t, s)); len(set) != 1 || set[0] != got {
		t.Errorf("set: %q, there is %q", set, got)
	}
}

func markIsNoBlob(t *testing.T, sub Subject) {
	s := sub.Open(t)
	CommitBlob(t, s, Key(1), []byte("a"))
	if err := s.SetMark(t.Context(), []byte("mark")); err != nil {
		t.Fatal(err)
	}
	if keys := listKeys(t, s); !slices.Equal(keys, []blob.Key{Key(1)}) {
		t.Errorf("listed: %v", keys)
	}
}
