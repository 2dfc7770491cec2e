// Package blobtest contains the tests that every [blob.Store] must pass, and stores for the tests of other packages:
// [Memory], which stores nothing permanently, and [Faulty], which fails on demand.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"segel/internal/blob"
)

// Subject is an implementation under test.
type Subject struct {
	// Open returns a store that retains its blobs until the test ends. It is empty at the first call.
	Open func(t *testing.T) blob.Store

	// Crash does to the writers what the death of their process does, and opens what is left of the store. Nil for a
	// store that does not survive its process.
	Crash func(t *testing.T, s blob.Store, writers ...blob.Writer) blob.Store

	// StoredSize returns how many bytes a store lists for a blob of a size. Nil: the same.
	StoredSize func(size int64) int64

	// Marked says that every store of Open has a mark already, so that the tests that set one are left out.
	Marked bool
}

// Run tests a store. Fresh returns a new subject for each test.
func Run(t *testing.T, fresh func(t *testing.T) Subject) {
	for _, c := range []struct {
		name  string
		test  func(*testing.T, Subject)
		marks bool
	}{
		{name: "WhatWasCommittedIsRead", test: readsBack},
		{name: "ABlobIsReadFromAnyOffset", test: readsAnywhere},
		{name: "ReadersGoOnSideBySide", test: readsSideBySide},
		{name: "NothingIsThereBeforeCommit", test: hiddenBeforeCommit},
		{name: "AbortLeavesNothing", test: abortLeavesNothing},
		{name: "AFinalBlobIsNeverOverwritten", test: neverOverwritten},
		{name: "OfManyWritersOfOneKeyOneWins", test: oneWins},
		{name: "AWriterEndsOnce", test: endsOnce},
		{name: "RemoveIsRepeatable", test: removeRepeats},
		{name: "WhatIsNotThereIsNotFound", test: missingIsNotFound},
		{name: "OnlyKeysAreKeys", test: onlyKeys},
		{name: "ACanceledContextChangesNothing", test: canceledChangesNothing},
		{name: "ListNamesEveryBlob", test: listsAll},
		{name: "ListStopsWhenToldTo", test: listStops},
		{name: "AStoreIsMarkedOnce", test: markedOnce, marks: true},
		{name: "OfManyMarksOneIsSet", test: oneMarkStands, marks: true},
		{name: "AMarkIsNoBlob", test: markIsNoBlob, marks: true},
		{name: "ACrashLeavesOnlyCommittedBlobs", test: crashLeavesCommitted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sub := fresh(t)
			if c.marks && sub.Marked {
				return
			}
			c.test(t, sub)
		})
	}
}

func readsBack(t *testing.T, sub Subject) {
	s := sub.Open(t)
	for i, n := range []int{0, 1, 511, 1 << 20, 5<<20 + 3} {
		want := Content(byte(i), n)
		w, err := s.Create(t.Context(), Key(i))
		if err != nil {
			t.Fatal(err)
		}
		// In pieces of growing size, the way uploads come.
		for p, size := want, 1; len(p) > 0; size *= 3 {
			m := min(size, len(p))
			if k, err := w.Write(p[:m]); k != m || err != nil {
				t.Fatalf("write of %d: %d, %v", m, k, err)
			}
			p = p[m:]
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := readBlob(t, s, Key(i)); !bytes.Equal(got, want) {
			t.Errorf("%d bytes came back as %d others", n, len(got))
		}
	}
}

func readsAnywhere(t *testing.T, sub Subject) {
	s, want := sub.Open(t), Content(1, 10_000)
	CommitBlob(t, s, Key(1), want)
	b, err := s.Open(t.Context(), Key(1))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.Size() != int64(len(want)) {
		t.Errorf("size %d of %d", b.Size(), len(want))
	}
	p := make([]byte, 100)
	if n, err := b.ReadAt(p, 5000); n != 100 || err != nil || !bytes.Equal(p, want[5000:5100]) {
		t.Errorf("in the middle: %d, %v", n, err)
	}
	if n, err := b.ReadAt(p, 9950); n != 50 || err != io.EOF || !bytes.Equal(p[:n], want[9950:]) {
		t.Errorf("across the end: %d, %v", n, err)
	}
	if n, err := b.ReadAt(p, 10_000); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
	if n, err := b.ReadAt(p, -1); n != 0 || err == nil || err == io.EOF {
		t.Errorf("before the start: %d, %v", n, err)
	}
}

func readsSideBySide(t *testing.T, sub Subject) {
	s, want := sub.Open(t), Content(1, 1<<20)
	CommitBlob(t, s, Key(1), want)
	b, err := s.Open(t.Context(), Key(1))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			p := make([]byte, 1000)
			for off := i; off+len(p) <= len(want); off += 9973 {
				if _, err := b.ReadAt(p, int64(off)); err != nil || !bytes.Equal(p, want[off:off+len(p)]) {
					t.Errorf("at %d: %v", off, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func hiddenBeforeCommit(t *testing.T, sub Subject) {
	s := sub.Open(t)
	w := createWriter(t, s, Key(1), []byte("half"))
	if _, err := s.Open(t.Context(), Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	requireKeys(t, s)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	requireKeys(t, s, Key(1))
}

func abortLeavesNothing(t *testing.T, sub Subject) {
	s := sub.Open(t)
	createWriter(t, s, Key(1), []byte("wrong")).Abort()
	if _, err := s.Open(t.Context(), Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	CommitBlob(t, s, Key(1), []byte("right"))
	requireBlob(t, s, Key(1), "right")
}

func neverOverwritten(t *testing.T, sub Subject) {
	s := sub.Open(t)
	early := createWriter(t, s, Key(1), []byte("early, but late to commit"))
	CommitBlob(t, s, Key(1), []byte("first"))
	late := createWriter(t, s, Key(1), []byte("second"))
	for _, w := range []blob.Writer{early, late} {
		requireError(t, "commit", w.Commit(), blob.ErrExists)
	}
	requireBlob(t, s, Key(1), "first")
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
	requireError(t, "second commit", w.Commit(), blob.ErrClosed)
	requireBlob(t, s, Key(1), "a")
	w = createWriter(t, s, Key(2), []byte("a"))
	w.Abort()
	w.Abort()
	requireError(t, "commit after abort", w.Commit(), blob.ErrClosed)
	requireKeys(t, s, Key(1))
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
	requireKeys(t, s, Key(1))
	requireBlob(t, s, Key(1), "safe")
	CommitBlob(t, s, Key(3), []byte("again"))
	requireBlob(t, s, Key(3), "again")
}

func removeRepeats(t *testing.T, sub Subject) {
	s := sub.Open(t)
	CommitBlob(t, s, Key(1), []byte("a"))
	CommitBlob(t, s, Key(2), []byte("b"))
	for range 2 {
		if err := s.Remove(t.Context(), Key(1)); err != nil {
			t.Fatal(err)
		}
	}
	requireKeys(t, s, Key(2))
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
	requireError(t, "commit", w.Commit(), context.Canceled)
	if _, err := s.Create(ctx, Key(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v", err)
	}
	if _, err := s.Open(ctx, Key(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	requireError(t, "remove", s.Remove(ctx, Key(1)), context.Canceled)
	for _, err := range s.List(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("list: %v", err)
		}
	}
	requireKeys(t, s, Key(1))
}

func listsAll(t *testing.T, sub Subject) {
	s := sub.Open(t)
	want := map[blob.Key]int64{}
	for i := range 20 {
		want[Key(i)] = int64(i * 100)
		CommitBlob(t, s, Key(i), Content(byte(i), i*100))
	}
	var first, last time.Time
	var before blob.Key
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Key <= before {
			t.Errorf("listed %s after %s", info.Key, before)
		}
		before = info.Key
		size, ok := want[info.Key]
		if sub.StoredSize != nil {
			size = sub.StoredSize(size)
		}
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

// readMark returns the mark of a store, which must have one.
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
	requireError(t, "a mark that is too long", s.SetMark(t.Context(), make([]byte, blob.MaxMark+1)), blob.ErrMark)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	requireError(t, "canceled", s.SetMark(gone, []byte("canceled")), context.Canceled)
	if _, err := s.Mark(t.Context()); !errors.Is(err, blob.ErrNoMark) {
		t.Errorf("after refusals: %v", err)
	}
	longest := Content(1, blob.MaxMark)
	if err := s.SetMark(t.Context(), longest); err != nil {
		t.Fatal(err)
	}
	requireError(t, "a second mark", s.SetMark(t.Context(), []byte("another")), blob.ErrExists)
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
	requireKeys(t, s, Key(1))
}

// Key returns the n-th of a fixed sequence of keys.
func Key(n int) blob.Key {
	k, err := blob.NewKey(rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}))
	if err != nil {
		panic("blobtest: ChaCha8 never fails: " + err.Error())
	}
	return k
}

// Content returns n pseudo-random bytes that depend on the seed.
func Content(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{31: seed}).Read(b)
	return b
}

// CommitBlob commits content under a key.
func CommitBlob(t testing.TB, s blob.Store, key blob.Key, content []byte) blob.Digest {
	t.Helper()
	d := blob.NewDigester()
	d.Write(content)
	if err := commitContent(t, s, key, content); err != nil {
		t.Fatal(err)
	}
	return d.Digest()
}

func commitContent(t testing.TB, s blob.Store, key blob.Key, content []byte) error {
	w, err := s.Create(t.Context(), key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(content); err != nil {
		return err
	}
	return w.Commit()
}

// readBlob reads all of a blob.
func readBlob(t *testing.T, s blob.Store, key blob.Key) []byte {
	t.Helper()
	b, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	return content
}

// createWriter begins a blob and writes its content.
func createWriter(t *testing.T, s blob.Store, key blob.Key, content []byte) blob.Writer {
	t.Helper()
	w, err := s.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	return w
}

// listKeys returns the keys that a store lists.
func listKeys(t *testing.T, s blob.Store) (keys []blob.Key) {
	t.Helper()
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, info.Key)
	}
	return keys
}

// requireKeys requires that a store lists exactly these keys, which are sorted.
func requireKeys(t *testing.T, s blob.Store, want ...blob.Key) {
	t.Helper()
	if keys := listKeys(t, s); !slices.Equal(keys, want) {
		t.Errorf("listed: %v, want %v", keys, want)
	}
}

// requireBlob requires the content of a blob.
func requireBlob(t *testing.T, s blob.Store, key blob.Key, want string) {
	t.Helper()
	if got := readBlob(t, s, key); string(got) != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

// requireError requires an error that is want.
func requireError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
