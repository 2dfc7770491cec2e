package blob

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"io"
	"sync"
)

// VerifiedReaderAt reads a document at any offset. Like [VerifiedReader] it returns no byte before its chunk was hashed and
// compared. It suits parsers, which read the same parts again and again: it retains a fingerprint of each part of a
// verified chunk, so that another small read costs only that part and not the whole chunk. It holds one chunk and one
// part in memory, and 8 bytes for each 64 KiB that were read. It is safe for concurrent use; reads are serialised. The
// stack must not grow meanwhile.
type VerifiedReaderAt struct {
	stack *Stack

	mu    sync.Mutex // guards all below; held for the length of one ReadAt
	seed  maphash.Seed
	known map[chunkID]fingerprints
	chunk []byte  // verified; empty before the first read
	at    chunkID // of chunk
	part  []byte  // read again and compared; empty before the first one
	of    chunkID // the chunk of part
	index int     // of part within the chunk
}

// chunkID is a chunk of one blob of a stack.
type chunkID struct {
	segment int
	number  int64
}

// partSize is how many bytes one fingerprint covers; the last part of a chunk is shorter. It divides [ChunkSize].
const partSize = 64 << 10

// fingerprints are the fingerprints of the parts of a chunk. The seed is random and never leaves the process, so a
// store cannot search for other bytes with the same fingerprint.
type fingerprints [ChunkSize / partSize]uint64

// VerifiedReaderAt returns a reader at any offset. It lives as long as the stack; several may read one stack.
func (s *Stack) VerifiedReaderAt() *VerifiedReaderAt {
	v := &VerifiedReaderAt{stack: s, seed: maphash.MakeSeed(), known: map[chunkID]fingerprints{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verified = append(s.verified, v)
	return v
}

// chunkBuffers and partBuffers hold buffers of closed stacks for the readers of others.
var (
	chunkBuffers sync.Pool // of *[]byte with any capacity
	partBuffers  = sync.Pool{New: func() any { return new([partSize]byte) }}
)

// borrowChunk returns a buffer of that size.
func borrowChunk(size int) []byte {
	if lent, ok := chunkBuffers.Get().(*[]byte); ok && cap(*lent) >= size {
		return (*lent)[:size]
	}
	return make([]byte, size)
}

// releaseBuffers returns the buffers. A later read finds no bytes in memory and fails, because the stack is closed.
func (v *VerifiedReaderAt) releaseBuffers() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if chunk := v.chunk; cap(chunk) > 0 {
		chunkBuffers.Put(&chunk)
	}
	if cap(v.part) == partSize {
		partBuffers.Put((*[partSize]byte)(v.part[:partSize]))
	}
	v.chunk, v.part = nil, nil
}

// ReadAt implements [io.ReaderAt]. A chunk that does not match its sum, or that changed since it was first read, is a
// [*CorruptError].
func (v *VerifiedReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read document at %d: negative offset", off)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n := 0
	for n < len(p) {
		i, at := v.stack.locateOffset(off + int64(n))
		if i == len(v.stack.segments) {
			return n, io.EOF
		}
		m, err := v.readChunk(p[n:], chunkID{i, at / ChunkSize}, int(at%ChunkSize))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readChunk fills p from one chunk, up to the end of the chunk or of the part at the offset.
func (v *VerifiedReaderAt) readChunk(p []byte, where chunkID, offset int) (int, error) {
	if len(v.chunk) > 0 && v.at == where {
		return copy(p, v.chunk[offset:]), nil
	}
	if known, ok := v.known[where]; ok {
		return v.rereadPart(p, where, offset, known)
	}
	if err := v.loadChunk(where); err != nil {
		return 0, err
	}
	return copy(p, v.chunk[offset:]), nil
}

// loadChunk reads and verifies a chunk, and computes its fingerprints.
func (v *VerifiedReaderAt) loadChunk(where chunkID) error {
	seg := v.stack.segments[where.segment]
	within := where.number * ChunkSize
	size := int(min(ChunkSize, seg.Size-within))
	if cap(v.chunk) < size {
		v.chunk = borrowChunk(size)
	}
	b := v.chunk[:size]
	v.chunk = v.chunk[:0] // its array is about to be overwritten, perhaps with wrong bytes
	if _, err := v.stack.ReadAt(b, v.stack.begins[where.segment]+within); err != nil {
		return err
	}
	if sum := sha256.Sum256(b); !bytes.Equal(sum[:], seg.Sums[where.number*sha256.Size:][:sha256.Size]) {
		return &CorruptError{Key: seg.Key, Chunk: int(where.number)}
	}
	var all fingerprints
	for i := 0; i*partSize < size; i++ {
		all[i] = maphash.Bytes(v.seed, b[i*partSize:min(size, (i+1)*partSize)])
	}
	v.known[where], v.chunk, v.at = all, b, where
	return nil
}

// rereadPart reads the part at the offset of a chunk that was verified before. It must still have the same
// fingerprint.
func (v *VerifiedReaderAt) rereadPart(p []byte, where chunkID, offset int, known fingerprints) (int, error) {
	i := offset / partSize
	if len(v.part) > 0 && v.of == where && v.index == i {
		return copy(p, v.part[offset%partSize:]), nil
	}
	seg := v.stack.segments[where.segment]
	within := where.number*ChunkSize + int64(i*partSize)
	if v.part == nil {
		v.part = partBuffers.Get().(*[partSize]byte)[:]
	}
	b := v.part[:min(partSize, seg.Size-within, (where.number+1)*ChunkSize-within)]
	v.part = v.part[:0]
	if _, err := v.stack.ReadAt(b, v.stack.begins[where.segment]+within); err != nil {
		return 0, err
	}
	if maphash.Bytes(v.seed, b) != known[i] {
		return 0, &CorruptError{Key: seg.Key, Chunk: int(where.number)}
	}
	v.part, v.of, v.index = b, where, i
	return copy(p, b[offset%partSize:]), nil
}
