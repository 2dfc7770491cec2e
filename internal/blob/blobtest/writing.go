package blobtest

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"

	"segel/internal/blob"
)

func hiddenBeforeCommit(t *testing.T, sub Subject) {
	s := sub.Open(t)
	w := createWriter(t, s, Key(1), []byte("half"))
	if _, err := s.Open(t.Context(), Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	if keys := listKeys(t, s); len(keys) != 0 {
		t.Errorf("listed: %v", keys)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if keys := listKeys(t, s); !slices.Equal(keys, []blob.Key{Key(1)}) {
		t.Errorf("listed after commit: %v", keys)
	}
}

func abortLeavesNothing(t *testing.T, sub Subject) {
	s := sub.Open(t)
	createWriter(t, s, Key(1), []byte("wrong")).Abort()
	if _, err := s.Open(t.Context(), Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	CommitBlob(t, s, Key(1), []byte("right"))
	if got := readBlob(t, s, Key(1)); string(got) != "right" {
		t.Errorf("read %q", got)
	}
}

func neverOverwritten(t *testing.T, sub Subject) {
	s := sub.Open(t)
	early := createWriter(t, s, Key(1), []byte("early, but late to commit"))
	CommitBlob(t, s, Key(1), []byte("first"))
	late := createWriter(t, s, Key(1), []byte("second"))
	for _, w := range []blob.Writer{early, late} {
		if err := w.Commit(); !errors.Is(err, blob.ErrExists) {
			t.Errorf("commit: %v", err)
		}
	}
	if got := readBlob(t, s, Key(1)); string(got) != "first" {
		t.Errorf("read %q", got)
	}
}

func oneWins(t *testing.T, sub Subject) {
	s := sub.Open(t)
	const writers = 8
	won := make([]bool, writers)
	var wg sync.WaitGroup
	for i := range writers {
		w := createWriter(t, s, Key(1), bytes.Repeat([]byte{byte(i)}, 1000))
		wg.Go(func() {
			switch err := w.Commit(); {
			case err == nil:
				won[i] = true
			case !errors.Is(err, blob.ErrExists):
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	winner := slices.Index(won, true)
	if winner < 0 || slices.Contains(won[winner+1:], true) {
		t.Fatalf("winners: %v", won)
	}
	if got := readBlob(t, s, Key(1)); !bytes.Equal(got, bytes.Repeat([]byte{byte(winner)}, 1000)) {
		t.Errorf("writer %d won, but another's bytes are there", winner)
	}
}

func endsOnce(t *testing.T, sub Subject) {
	s := sub.Open(t)
	w := createWriter(t, s, Key(1), []byte("a"))
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if _, err := w.Write([]byte("b")); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("write after commit: %v", err)
	}
	if err := w.Commit(); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("second commit: %v", err)
	}
	if got := readBlob(t, s, Key(1)); string(got) != "a" {
		t.Errorf("read %q", got)
	}
	w = createWriter(t, s, Key(2), []byte("a"))
	w.Abort()
	w.Abort()
	if err := w.Commit(); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("commit after abort: %v", err)
	}
	if keys := listKeys(t, s); !slices.Equal(keys, []blob.Key{Key(1)}) {
		t.Errorf("listed: %v", keys)
	}
}

func crashLeavesCommitted(t *testing.T, sub Subject) {
	if sub.Crash == nil {
		t.Skip("the store ends with its process")
	}
	s := sub.Open(t)
	CommitBlob(t, s, Key(1), []byte("safe"))
	empty := createWriter(t, s, Key(2), nil)
	half := createWriter(t, s, Key(3), Content(3, 100_000))
	s = sub.Crash(t, s, empty, half)
	if keys := listKeys(t, s); !slices.Equal(keys, []blob.Key{Key(1)}) {
		t.Errorf("listed: %v", keys)
	}
	if got := readBlob(t, s, Key(1)); string(got) != "safe" {
		t.Errorf("read %q", got)
	}
	CommitBlob(t, s, Key(3), []byte("again"))
	if got := readBlob(t, s, Key(3)); string(got) != "again" {
		t.Errorf("read %q", got)
	}
}
