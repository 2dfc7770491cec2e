package blobtest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"segel/internal/blob"
)

func removeRepeats(t *testing.T, sub Subject) {
	s := sub.Open(t)
	CommitBlob(t, s, Key(1), []byte("a"))
	CommitBlob(t, s, Key(2), []byte("b"))
	for range 2 {
		if err := s.Remove(t.Context(), Key(1)); err != nil {
			t.Fatal(err)
		}
	}
	if keys := listKeys(t, s); !slices.Equal(keys, []blob.Key{Key(2)}) {
		t.Errorf("listed: %v", keys)
	}
	if _, err := s.Open(t.Context(), Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
}

func missingIsNotFound(t *testing.T, sub Subject) {
	if _, err := sub.Open(t).Open(t.Context(), Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
}

func onlyKeys(t *testing.T, sub Subject) {
	s := sub.Open(t)
	for _, k := range []blob.Key{"", "a", "../../../../../../etc/passwd0000", "ABCDEFABCDEFABCDEFABCDEFABCDEFAB", Key(1) + "0", Key(1)[:31] + "g"} {
		if _, err := s.Create(t.Context(), k); !errors.Is(err, blob.ErrKey) {
			t.Errorf("create %q: %v", k, err)
		}
		if _, err := s.Open(t.Context(), k); !errors.Is(err, blob.ErrKey) {
			t.Errorf("open %q: %v", k, err)
		}
		if err := s.Remove(t.Context(), k); !errors.Is(err, blob.ErrKey) {
			t.Errorf("remove %q: %v", k, err)
		}
	}
}

func canceledChangesNothing(t *testing.T, sub Subject) {
	s := sub.Open(t)
	CommitBlob(t, s, Key(1), []byte("a"))
	ctx, cancel := context.WithCancel(t.Context())
	w, err := s.Create(ctx, Key(2))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.Write([]byte("b")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Commit(); !errors.Is(err, context.Canceled) {
		t.Errorf("commit: %v", err)
	}
	if _, err := s.Create(ctx, Key(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v", err)
	}
	if _, err := s.Open(ctx, Key(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	if err := s.Remove(ctx, Key(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("remove: %v", err)
	}
	for _, err := range s.List(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("list: %v", err)
		}
	}
	if keys := listKeys(t, s); !slices.Equal(keys, []blob.Key{Key(1)}) {
		t.Errorf("listed: %v", keys)
	}
}

func listsAll(t *testing.T, sub Subject) {
	s := sub.Open(t)
	want := map[blob.Key]int64{}
	for i := range 20 {
		want[Key(i)] = int64(i * 100)
		CommitBlob(t, s, Key(i), Content(byte(i), i*100))
	}
	var first, last time.Time
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		size, ok := want[info.Key]
		if !ok || size != info.Size {
			t.Errorf("listed %s with %d bytes", info.Key, info.Size)
		}
		delete(want, info.Key)
		if first.IsZero() || info.Modified.Before(first) {
			first = info.Modified
		}
		if info.Modified.After(last) {
			last = info.Modified
		}
	}
	if len(want) != 0 {
		t.Errorf("not listed: %v", want)
	}
	if first.IsZero() || last.Sub(first) > time.Hour {
		t.Errorf("written within seconds, but dated %v to %v", first, last)
	}
}

func listStops(t *testing.T, sub Subject) {
	s := sub.Open(t)
	for i := range 5 {
		CommitBlob(t, s, Key(i), nil)
	}
	n := 0
	for _, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("yielded %d", n)
	}
}
