package blobtest

import (
	"bytes"
	"io"
	"sync"
	"testing"
)

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
