package blob_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
)

func TestVerifiedReadsAtAnyOffsetAreTheDocument(t *testing.T) {
	t.Parallel()
	for name, sizes := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &blobtest.Memory{}
			segments, document := storeSegments(t, m, sizes...)
			st := openStack(t, m, segments)
			v := st.VerifiedReaderAt()
			if err := iotest.TestReader(io.NewSectionReader(v, 0, st.Size()), document); err != nil {
				t.Error(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				off := random.IntN(len(document) + 1)
				p := make([]byte, random.IntN(200_000))
				n, err := v.ReadAt(p, int64(off))
				want := document[off:min(len(document), off+len(p))]
				if string(p[:n]) != string(want) || (err != nil) != (n < len(p)) || err != nil && err != io.EOF {
					t.Fatalf("%d bytes at %d: %d, %v", len(p), off, n, err)
				}
			}
			if n, err := v.ReadAt(make([]byte, 1), -1); n != 0 || err == nil || err == io.EOF {
				t.Errorf("before the start: %d, %v", n, err)
			}
		})
	}
}

func TestVerifiedReadsNoticeBytesThatChangeBetweenThem(t *testing.T) {
	t.Parallel()
	m := &countingStore{Memory: &blobtest.Memory{}}
	segments, _ := storeSegments(t, m, 2*blob.ChunkSize+10, 500)
	const at = blob.ChunkSize + 700
	p := make([]byte, 100)
	corrupt := func(name string, v *blob.VerifiedReaderAt) {
		t.Helper()
		var c *blob.CorruptError
		if n, err := v.ReadAt(p, at-50); !errors.As(err, &c) || c.Key != segments[0].Key || c.Chunk != 1 || n != 0 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	v := openStack(t, m, segments).VerifiedReaderAt()
	for _, off := range []int64{at - 50, 0} { // the chunk at hand is another one then
		if _, err := v.ReadAt(p, off); err != nil {
			t.Fatal(err)
		}
	}
	m.lie.Store(at)
	corrupt("verified before", v)
	corrupt("never read", openStack(t, m, segments).VerifiedReaderAt())
	if _, err := v.ReadAt(p, blob.ChunkSize+partSize); err != nil {
		t.Errorf("another part of the chunk: %v", err)
	}
	m.lie.Store(0)
	if _, err := v.ReadAt(p, at-50); err != nil {
		t.Errorf("back as it was: %v", err)
	}
}

// partSize is how much is read again of a chunk that was verified.
const partSize = 64 << 10

// TestVerifiedReadsHashAChunkOnce: random small reads do not cost a whole chunk each.
func TestVerifiedReadsHashAChunkOnce(t *testing.T) {
	t.Parallel()
	m := &countingStore{Memory: &blobtest.Memory{}}
	const chunks, reads = 8, 2000
	segments, document := storeSegments(t, m, chunks*blob.ChunkSize)
	v := openStack(t, m, segments).VerifiedReaderAt()
	random := rand.New(rand.NewPCG(3, 4))
	for range reads {
		if _, err := v.ReadAt(make([]byte, 16), random.Int64N(int64(len(document)-16))); err != nil {
			t.Fatal(err)
		}
	}
	if most := int64(chunks*blob.ChunkSize + 2*reads*partSize); m.read.Load() > most {
		t.Errorf("%d bytes were read for %d small reads, at most %d are needed", m.read.Load(), reads, most)
	}
}

// countingStore counts the bytes that are read from its blobs, and returns another byte at one offset.
type countingStore struct {
	*blobtest.Memory
	read, lie atomic.Int64 // 0: it hands out what was written
}

func (c *countingStore) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	b, err := c.Memory.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return countingBlob{b, c}, nil
}

type countingBlob struct {
	blob.Blob
	store *countingStore
}

func (c countingBlob) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Blob.ReadAt(p, at)
	c.store.read.Add(int64(n))
	if lie := c.store.lie.Load(); lie != 0 && lie >= at && lie < at+int64(n) {
		p[lie-at] ^= 1
	}
	return n, err
}

func TestVerifiedReadsAfterCloseFailAndOtherReadersAreNotDisturbed(t *testing.T) {
	t.Parallel()
	var working sync.WaitGroup
	for i := range 4 {
		m := &blobtest.Memory{}
		segments, document := storeSegments(t, m, blob.ChunkSize+1000*i, 500)
		working.Go(func() {
			for range 30 {
				st, err := blob.OpenStack(t.Context(), m, segments)
				if err != nil {
					t.Error(err)
					return
				}
				v := st.VerifiedReaderAt()
				read := func(off int) (string, error) {
					p := make([]byte, 300)
					n, err := v.ReadAt(p, int64(off))
					return string(p[:n]), err
				}
				// The first chunk, the next one, and a part of the first one again.
				for _, off := range []int{0, blob.ChunkSize - 100, 70_000, 70_100} {
					if got, err := read(off); err != nil || got != string(document[off:off+300]) {
						t.Errorf("at %d: %v", off, err)
					}
				}
				var closing sync.WaitGroup
				closing.Go(func() { // either the bytes or an error, never other bytes
					if got, err := read(70_200); err == nil && got != string(document[70_200:70_500]) || err != nil && !errors.Is(err, blob.ErrClosed) {
						t.Errorf("while it is closed: %v", err)
					}
				})
				if err := st.Close(); err != nil {
					t.Error(err)
				}
				closing.Wait()
				for _, off := range []int{0, 70_000} {
					if got, err := read(off); !errors.Is(err, blob.ErrClosed) || got != "" {
						t.Errorf("after it was closed: %d bytes, %v", len(got), err)
					}
				}
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
}
