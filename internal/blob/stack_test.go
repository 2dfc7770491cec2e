package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
)

// storeSegments commits blobs of these sizes and returns them with the document they make.
func storeSegments(t *testing.T, s blob.Store, sizes ...int) (segments []blob.Segment, document []byte) {
	t.Helper()
	for i, n := range sizes {
		content := blobtest.Content(byte(i), n)
		d := blobtest.CommitBlob(t, s, blobtest.Key(i), content)
		segments = append(segments, blob.Segment{Key: blobtest.Key(i), Size: d.Size, Sums: d.ChunkSums})
		document = append(document, content...)
	}
	return segments, document
}

// openStack opens a stack that is closed with the test.
func openStack(t *testing.T, s blob.Store, segments []blob.Segment) *blob.Stack {
	t.Helper()
	st, err := blob.OpenStack(t.Context(), s, segments)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

// shapes are documents of many forms, by the sizes of their blobs.
var shapes = map[string][]int{
	"nothing":            {},
	"an empty base":      {0},
	"a base":             {1000},
	"whole chunks":       {2 * blob.ChunkSize, blob.ChunkSize},
	"a base and tails":   {2*blob.ChunkSize + 5, 300, 1, 70_000},
	"with empty tails":   {0, 10, 0, 0, 20, 0},
	"more than are open": append([]int{100}, slices.Repeat([]int{5, 4, 3, 2, 1}, 8)...),
}

func TestAStackIsTheFileItsBlobsMake(t *testing.T) {
	t.Parallel()
	for name, sizes := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &blobtest.Memory{}
			segments, document := storeSegments(t, m, sizes...)
			st := openStack(t, m, segments)
			if st.Size() != int64(len(document)) {
				t.Fatalf("size %d of %d", st.Size(), len(document))
			}
			if err := iotest.TestReader(io.NewSectionReader(st, 0, st.Size()), document); err != nil {
				t.Errorf("plain: %v", err)
			}
			if err := iotest.TestReader(st.VerifiedReader(), document); err != nil {
				t.Errorf("verified: %v", err)
			}
			for off := 0; off <= len(document); off += 1 + len(document)/200 {
				p := make([]byte, 50)
				n, err := st.ReadAt(p, int64(off))
				want := document[off:min(len(document), off+50)]
				if !bytes.Equal(p[:n], want) || (err != nil) != (n < 50) || err != nil && err != io.EOF {
					t.Fatalf("at %d: %d bytes, %v", off, n, err)
				}
			}
			if n, err := st.ReadAt(make([]byte, 1), -1); n != 0 || err == nil || err == io.EOF {
				t.Errorf("before the start: %d, %v", n, err)
			}
		})
	}
}

func TestAStackTellsWhetherAllItsBlobsArePresent(t *testing.T) {
	t.Parallel()
	for name, sizes := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &blobtest.Memory{}
			segments, _ := storeSegments(t, m, sizes...)
			if err := openStack(t, m, segments).CheckPresent(); err != nil {
				t.Errorf("all are: %v", err)
			}
			for i, s := range segments {
				if err := m.Remove(t.Context(), s.Key); err != nil {
					t.Fatal(err)
				}
				if err := openStack(t, m, segments).CheckPresent(); !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("without blob %d: %v", i, err)
				}
				blobtest.CommitBlob(t, m, s.Key, blobtest.Content(1, int(s.Size)+1))
				var corrupt *blob.CorruptError
				if err := openStack(t, m, segments).CheckPresent(); !errors.As(err, &corrupt) || corrupt.Key != s.Key {
					t.Errorf("with a longer blob %d: %v", i, err)
				}
				if err := m.Remove(t.Context(), s.Key); err != nil {
					t.Fatal(err)
				}
				blobtest.CommitBlob(t, m, s.Key, blobtest.Content(byte(i), int(s.Size)))
			}
		})
	}
}

func TestAStackGrowsUnderWhoReadsIt(t *testing.T) {
	t.Parallel()
	for name, sizes := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &blobtest.Memory{}
			segments, document := storeSegments(t, s, sizes...)
			st := openStack(t, s, nil)
			size := int64(0)
			for i, seg := range segments {
				before := io.NewSectionReader(st, 0, size)
				if err := st.AppendSegment(seg); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(before)
				if err != nil || !bytes.Equal(got, document[:size]) {
					t.Errorf("as it was before blob %d: %d bytes, %v", i, len(got), err)
				}
				size += seg.Size
				if st.Size() != size {
					t.Errorf("size %d with blob %d, not %d", st.Size(), i, size)
				}
			}
			if got, err := io.ReadAll(io.NewSectionReader(st, 0, size)); err != nil || !bytes.Equal(got, document) {
				t.Errorf("%d bytes of %d in the end, %v", len(got), len(document), err)
			}
			if err := st.AppendSegment(blob.Segment{Key: blobtest.Key(99), Size: 5}); err == nil || st.Size() != size {
				t.Errorf("a blob without its sums is laid on top, %v", err)
			}
		})
	}
}

func TestAStackIsServedInRanges(t *testing.T) {
	t.Parallel()
	m := &blobtest.Memory{}
	segments, document := storeSegments(t, m, 3*blob.ChunkSize+11, 500, 40)
	st := openStack(t, m, segments)
	for header, want := range map[string][]byte{
		"":                      document,
		"bytes=0-9":             document[:10],
		"bytes=1048570-1048590": document[1048570:1048591],
		"bytes=-30":             document[len(document)-30:],
		"bytes=3145730-":        document[3145730:],
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Range", header)
		w := httptest.NewRecorder()
		http.ServeContent(w, r, "a.pdf", time.Time{}, st.VerifiedReader())
		if !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("range %q: status %d, %d bytes, want %d", header, w.Code, w.Body.Len(), len(want))
		}
	}
}

// counted counts how many blobs are open.
type counted struct {
	blob.Store
	mu                sync.Mutex
	open, most, total int
}

func (c *counted) Open(ctx context.Context, k blob.Key) (blob.Blob, error) {
	b, err := c.Store.Open(ctx, k)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	c.total++
	c.most = max(c.most, c.open)
	return &countedBlob{b, c}, nil
}

type countedBlob struct {
	blob.Blob
	store *counted
}

func (b *countedBlob) Close() error {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	b.store.open--
	return b.Blob.Close()
}

func TestFewBlobsAreOpenAndNoneAfterClose(t *testing.T) {
	t.Parallel()
	c := &counted{Store: &blobtest.Memory{}}
	segments, document := storeSegments(t, c, shapes["more than are open"]...)
	st, err := blob.OpenStack(t.Context(), c, segments)
	if err != nil {
		t.Fatal(err)
	}
	if c.total != 0 {
		t.Errorf("%d blobs opened before a read", c.total)
	}
	// Newest first, as cross-reference sections lead, with a read of the base in between.
	for off := len(document) - 1; off >= 100; off-- {
		for _, at := range []int{off, 5} {
			if _, err := st.ReadAt(make([]byte, 1), int64(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.total != len(segments) {
		t.Errorf("%d blobs opened %d times", len(segments), c.total)
	}
	if c.most > 33 { // one more while it takes the place of the oldest
		t.Errorf("%d blobs open at a time", c.most)
	}
	if err := st.Close(); err != nil || c.open != 0 {
		t.Errorf("%d left open, %v", c.open, err)
	}
	if _, err := st.ReadAt(make([]byte, 1), 0); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
	if c.open != 0 {
		t.Errorf("%d opened after close", c.open)
	}
}

func TestManyReadersShareAStack(t *testing.T) {
	t.Parallel()
	m := &blobtest.Memory{}
	segments, document := storeSegments(t, m, shapes["more than are open"]...)
	st := openStack(t, m, segments)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := io.ReadAll(iotest.OneByteReader(st.VerifiedReader()))
			if err != nil || !bytes.Equal(got, document) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	wg.Wait()
}

func TestNoByteOfASpoiltChunkIsHandedOut(t *testing.T) {
	t.Parallel()
	m := &blobtest.Memory{}
	segments, document := storeSegments(t, m, 3*blob.ChunkSize, 500)
	m.CorruptByte(blobtest.Key(0), 2*blob.ChunkSize-1)
	st := openStack(t, m, segments)

	v := st.VerifiedReader()
	got, err := io.ReadAll(v)
	corrupt, ok := errors.AsType[*blob.CorruptError](err)
	if !ok || corrupt.Key != blobtest.Key(0) || corrupt.Chunk != 1 {
		t.Errorf("error %v", err)
	}
	if !bytes.Equal(got, document[:blob.ChunkSize]) {
		t.Errorf("%d bytes handed out", len(got))
	}
	// The error persists, and the other chunks stay readable.
	if n, err := v.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("read again: %d, %v", n, err)
	}
	if _, err := v.Seek(2*blob.ChunkSize, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(v); err != nil || !bytes.Equal(got, document[2*blob.ChunkSize:]) {
		t.Errorf("behind it: %d bytes, %v", len(got), err)
	}
	// Signing reads without verification.
	if _, err := st.ReadAt(make([]byte, 10), blob.ChunkSize); err != nil {
		t.Errorf("plain: %v", err)
	}
}

func TestALostOrCutBlobIsNamed(t *testing.T) {
	t.Parallel()
	m := &blobtest.Memory{}
	segments, _ := storeSegments(t, m, 100, 100, 100)
	m.TruncateBlob(blobtest.Key(1), 99)
	if err := m.Remove(t.Context(), blobtest.Key(2)); err != nil {
		t.Fatal(err)
	}
	st := openStack(t, m, segments)
	for _, read := range []func(off int64) error{
		func(off int64) error { _, err := st.ReadAt(make([]byte, 1), off); return err },
		func(off int64) error {
			v := st.VerifiedReader()
			if _, err := v.Seek(off, io.SeekStart); err != nil {
				return err
			}
			_, err := v.Read(make([]byte, 1))
			return err
		},
	} {
		if err := read(99); err != nil {
			t.Errorf("the whole one: %v", err)
		}
		if e, ok := errors.AsType[*blob.CorruptError](read(100)); !ok || e.Key != blobtest.Key(1) || e.Chunk != -1 {
			t.Errorf("the cut one: %v", e)
		}
		if err := read(200); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("the lost one: %v", err)
		}
	}
}

func TestSegmentsOfAnotherShapeAreRefused(t *testing.T) {
	t.Parallel()
	for name, seg := range map[string]blob.Segment{
		"no key":        {Key: "", Size: 0},
		"no sums":       {Key: blobtest.Key(1), Size: 1},
		"sums too many": {Key: blobtest.Key(1), Size: blob.ChunkSize, Sums: make([]byte, 64)},
		"sums cut":      {Key: blobtest.Key(1), Size: 1, Sums: make([]byte, 31)},
		"negative size": {Key: blobtest.Key(1), Size: -1},
	} {
		if _, err := blob.OpenStack(t.Context(), &blobtest.Memory{}, []blob.Segment{seg}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestVerifiedSeeksLikeAFile(t *testing.T) {
	t.Parallel()
	m := &blobtest.Memory{}
	segments, document := storeSegments(t, m, 100, 50)
	v := openStack(t, m, segments).VerifiedReader()
	if at, err := v.Seek(-10, io.SeekEnd); at != 140 || err != nil {
		t.Errorf("from the end: %d, %v", at, err)
	}
	if at, err := v.Seek(5, io.SeekCurrent); at != 145 || err != nil {
		t.Errorf("from here: %d, %v", at, err)
	}
	if got, err := io.ReadAll(v); err != nil || !bytes.Equal(got, document[145:]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := v.Seek(-1, io.SeekStart); err == nil {
		t.Error("sought before the start")
	}
	if _, err := v.Seek(0, 9); err == nil {
		t.Error("sought from nowhere")
	}
	if _, err := v.Seek(1000, io.SeekStart); err != nil {
		t.Errorf("behind the end: %v", err)
	}
	if n, err := v.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read behind the end: %d, %v", n, err)
	}
}

func TestKeysAreDrawnFromTheGivenRandomness(t *testing.T) {
	t.Parallel()
	k, err := blob.NewKey(bytes.NewReader([]byte("0123456789abcdef")))
	if err != nil || k != "30313233343536373839616263646566" || k.Check() != nil {
		t.Errorf("%q, %v", k, err)
	}
	if _, err := blob.NewKey(bytes.NewReader([]byte("short"))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("short randomness: %v", err)
	}
}

// changing is a store whose blobs change once they were read to a limit.
type changing struct {
	*blobtest.Memory
	after int64 // bytes read
	read  int64
}

func (c *changing) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	b, err := c.Memory.Open(ctx, key)
	return &changingBlob{b, c}, err
}

type changingBlob struct {
	blob.Blob
	store *changing
}

func (b *changingBlob) ReadAt(p []byte, at int64) (int, error) {
	n, err := b.Blob.ReadAt(p, at)
	if b.store.read += int64(n); b.store.read > b.store.after {
		p[0] ^= 1
	}
	return n, err
}

func TestWhatChangesAfterItWasComparedIsNotHandedOut(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 100, 16 << 10, 64 << 10} {
		m := &blobtest.Memory{}
		segments, document := storeSegments(t, m, blob.ChunkSize)
		c := &changing{Memory: m, after: blob.ChunkSize + 200<<10} // once to compare, and a part to hand out
		v := openStack(t, c, segments).VerifiedReader()
		var got bytes.Buffer
		_, err := io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{v}, make([]byte, size))
		if e, ok := errors.AsType[*blob.CorruptError](err); !ok || e.Key != blobtest.Key(0) || e.Chunk != 0 {
			t.Errorf("by %d bytes: %v", size, err)
		}
		if got.Len() < 180<<10 || got.Len() > 200<<10 || !bytes.Equal(got.Bytes(), document[:got.Len()]) {
			t.Errorf("by %d bytes: %d were handed out", size, got.Len())
		}
	}
}

func TestReadersThatWaitHoldLittleMemory(t *testing.T) {
	// Not parallel: it looks at the memory of the program.
	m := &blobtest.Memory{}
	segments, _ := storeSegments(t, m, 2*blob.ChunkSize)
	st := openStack(t, m, segments)
	readers := make([]*blob.VerifiedReader, 1000)
	buf := make([]byte, 16<<10)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range readers {
		readers[i] = st.VerifiedReader()
		if _, err := io.ReadFull(readers[i], buf); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / int64(len(readers)); each > 4<<10 {
		t.Errorf("%d bytes each", each)
	}
	runtime.KeepAlive(readers)
}
