package blobtest

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"segel/internal/blob"
)

// Subject is an implementation under test.
type Subject struct {
	// Open returns a store that keeps its blobs until the test ends. It is empty at the first call.
	Open func(t *testing.T) blob.Store

	// Crash does to the writers what the death of their process does, and opens what is then left of the store.
	// Nil for a store without a life after death.
	Crash func(t *testing.T, s blob.Store, writers ...blob.Writer) blob.Store
}

// Run proves what every store owes. Fresh makes a new subject for each test.
func Run(t *testing.T, fresh func(t *testing.T) Subject) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Subject)
	}{
		{"WhatWasCommittedIsRead", readsBack},
		{"ABlobIsReadFromAnyOffset", readsAnywhere},
		{"ReadersGoOnSideBySide", readsSideBySide},
		{"NothingIsThereBeforeCommit", hiddenBeforeCommit},
		{"AbortLeavesNothing", abortLeavesNothing},
		{"AFinalBlobIsNeverOverwritten", neverOverwritten},
		{"OfManyWritersOfOneKeyOneWins", oneWins},
		{"AWriterEndsOnce", endsOnce},
		{"RemoveIsRepeatable", removeRepeats},
		{"WhatIsNotThereIsNotFound", missingIsNotFound},
		{"OnlyKeysAreKeys", onlyKeys},
		{"ACanceledContextChangesNothing", canceledChangesNothing},
		{"ListNamesEveryBlob", listsAll},
		{"ListStopsWhenToldTo", listStops},
		{"AStoreIsMarkedOnce", markedOnce},
		{"OfManyMarksOneStands", oneMarkStands},
		{"AMarkIsNoBlob", markIsNoBlob},
		{"ACrashLeavesOnlyCommittedBlobs", crashLeavesCommitted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, fresh(t))
		})
	}
}

// Key returns the n-th of a fixed row of keys.
func Key(n int) blob.Key {
	k, err := blob.NewKey(rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}))
	if err != nil {
		panic("blobtest: ChaCha8 never fails: " + err.Error())
	}
	return k
}

// Content returns n bytes that look random and differ with the seed.
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

// listKeys returns the keys a store lists, sorted.
func listKeys(t *testing.T, s blob.Store) (keys []blob.Key) {
	t.Helper()
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, info.Key)
	}
	slices.Sort(keys)
	return keys
}
