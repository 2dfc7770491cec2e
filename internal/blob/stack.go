package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"
)

// maxOpen bounds how many blobs of one stack are open at a time. A reader goes from the newest cross-reference section
// back to the base each time it opens the document: in a file with more tails than this it opens every blob again and
// again.
const maxOpen = 32

// Segment is one blob of a document: its base or a tail.
type Segment struct {
	Key  Key
	Size int64  // bytes
	Sums []byte // as in [Digest]
}

// CorruptError means that a store returned other bytes than were written.
type CorruptError struct {
	Key   Key
	Chunk int // counted from 0 within the blob; -1: the blob has another size
}

func (e *CorruptError) Error() string {
	if e.Chunk < 0 {
		return fmt.Sprintf("blob %s is corrupt: other size than written", e.Key)
	}
	return fmt.Sprintf("blob %s is corrupt in chunk %d", e.Key, e.Chunk)
}

// Stack reads a base and its tails as one file. It is safe for concurrent use; reads are serialised. Blobs are opened
// when first read, and at most [maxOpen] are open at a time.
type Stack struct {
	ctx   context.Context // for opening blobs, because reads have no context
	store Store

	mu       sync.Mutex // guards all below; held for the length of one ReadAt
	segments []Segment
	begins   []int64 // offset of each segment in the document
	size     int64
	open     []opened // most recently read first
	verified []*VerifiedReaderAt
	closed   bool
}

// opened is a blob of the stack that is open now.
type opened struct {
	index int
	blob  Blob
}

var errTooLong = errors.New("blobs of a document exceed the offsets of a file")

// OpenStack checks the segments and opens none of them yet: [ErrKey], [ErrSegment]. A missing or truncated blob is
// noticed when it is first read. The context covers the life of the stack.
func OpenStack(ctx context.Context, s Store, segments []Segment) (*Stack, error) {
	st := &Stack{ctx: ctx, store: s, segments: segments, begins: make([]int64, len(segments))}
	for i, seg := range segments {
		if err := seg.Key.Check(); err != nil {
			return nil, err
		}
		if seg.Size < 0 || int64(len(seg.Sums)) != chunkCount(seg.Size)*sha256.Size {
			return nil, fmt.Errorf("%w: blob %s: %d bytes of sums for %d bytes", ErrSegment, seg.Key, len(seg.Sums), seg.Size)
		}
		st.begins[i] = st.size
		if st.size += seg.Size; st.size < 0 {
			return nil, errTooLong
		}
	}
	return st, nil
}

// CheckPresent opens every blob to check that all exist: [ErrNotFound] names a missing one, [CorruptError] one of
// another size. Blobs that fit within the limit stay open.
func (s *Stack) CheckPresent() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.segments {
		if _, err := s.openSegment(i); err != nil {
			return err
		}
	}
	return nil
}

// AppendSegment adds a tail to the document. Open blobs stay open, and readers of the document as it was can continue.
func (s *Stack) AppendSegment(top Segment) error {
	more, err := OpenStack(s.ctx, s.store, []Segment{top})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+more.size < 0 {
		return errTooLong
	}
	s.segments = append(slices.Clip(s.segments), top)
	s.begins = append(s.begins, s.size)
	s.size += more.size
	return nil
}

// Size returns the size of the document in bytes.
func (s *Stack) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// ReadAt reads the document as the store returns it. Nothing is verified: see [Stack.VerifiedReader] and [Stack.VerifiedReaderAt].
func (s *Stack) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read document at %d: negative offset", off)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(p) {
		i, at := s.locateOffset(off + int64(n))
		if i == len(s.segments) {
			return n, io.EOF
		}
		part := p[n:min(int64(len(p)), int64(n)+s.segments[i].Size-at)]
		m, err := s.readSegment(i, part, at)
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Close closes the open blobs and returns the buffers of the readers. Later reads fail with [ErrClosed].
func (s *Stack) Close() error {
	s.mu.Lock()
	verified := s.verified
	var errs []error
	for _, o := range s.open {
		errs = append(errs, o.blob.Close())
	}
	s.open, s.verified, s.closed = nil, nil, true
	s.mu.Unlock()
	// A reader locks itself before it locks the stack.
	for _, v := range verified {
		v.releaseBuffers()
	}
	return errors.Join(errs...)
}

// locateOffset returns the segment that contains an offset of the document, and the offset in it; the number of
// segments if the offset is at or after the end.
func (s *Stack) locateOffset(off int64) (index int, at int64) {
	if off >= s.size {
		return len(s.segments), 0
	}
	// The last segment that begins at or before off; empty ones before it share its begin.
	i := sort.Search(len(s.begins), func(i int) bool { return s.begins[i] > off }) - 1
	return i, off - s.begins[i]
}

// readSegment fills p, which is within the segment, from its blob. The caller holds mu.
func (s *Stack) readSegment(i int, p []byte, at int64) (int, error) {
	b, err := s.openSegment(i)
	if err != nil {
		return 0, err
	}
	n, err := b.ReadAt(p, at)
	if n == len(p) {
		return n, nil
	}
	if err == nil || err == io.EOF {
		// Its size was right when it was opened: it was truncated since then.
		return n, &CorruptError{Key: s.segments[i].Key, Chunk: -1}
	}
	return n, fmt.Errorf("read blob %s at %d: %w", s.segments[i].Key, at, err)
}

// openSegment returns the open blob of a segment and moves it to the front. The caller holds mu.
func (s *Stack) openSegment(i int) (Blob, error) {
	if s.closed {
		return nil, ErrClosed
	}
	for j, o := range s.open {
		if o.index == i {
			copy(s.open[1:j+1], s.open[:j])
			s.open[0] = o
			return o.blob, nil
		}
	}
	seg := s.segments[i]
	b, err := s.store.Open(s.ctx, seg.Key)
	if err != nil {
		return nil, err
	}
	if b.Size() != seg.Size {
		return nil, errors.Join(&CorruptError{Key: seg.Key, Chunk: -1}, b.Close())
	}
	if len(s.open) == maxOpen {
		oldest := s.open[maxOpen-1]
		s.open = s.open[:maxOpen-1]
		if err := oldest.blob.Close(); err != nil {
			return nil, errors.Join(fmt.Errorf("close blob %s: %w", s.segments[oldest.index].Key, err), b.Close())
		}
	}
	s.open = append(s.open, opened{})
	copy(s.open[1:], s.open)
	s.open[0] = opened{i, b}
	return b, nil
}
