package blob

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"io"
	"sync"
)

// VerifiedAt reads a document at any offset and, like [Verified], hands out no byte whose chunk was not hashed and
// compared first. It is for readers that come back to the same bytes: of a chunk that was verified once it remembers a
// fingerprint of each part, so that a small read that comes back to it costs that part and not the chunk. It keeps one
// chunk and one part in memory, and 8 bytes for each 64 KiB that were read. It may be used by several goroutines, which
// take turns; the stack must not grow meanwhile.
type VerifiedAt struct {
	stack *Stack

	mu    sync.Mutex // guards all below; held for the length of one ReadAt
	seed  maphash.Seed
	known map[place]prints
	chunk []byte // verified; empty before the first read
	at    place  // of chunk
	part  []byte // read again and the same still; empty before the first one
	of    place  // the chunk of part
	index int    // of part within the chunk
}

// place is a chunk of one blob of a stack.
type place struct {
	segment int
	number  int64
}

// partSize is how many bytes one fingerprint covers; the last part of a chunk is shorter. It divides [ChunkSize].
const partSize = 64 << 10

// prints are fingerprints of the parts of a chunk. The seed is drawn at random and never leaves the process, so that a
// store cannot look for other bytes with the same fingerprint.
type prints [ChunkSize / partSize]uint64

// VerifiedAt returns a reader at any offset. It lives as long as the stack; several may read one stack.
func (s *Stack) VerifiedAt() *VerifiedAt {
	return &VerifiedAt{stack: s, seed: maphash.MakeSeed(), known: map[place]prints{}}
}

// ReadAt reads from as many chunks as it takes. A chunk that does not match its sum, or is another one than when it
// was read first, is a [*CorruptError].
func (v *VerifiedAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read document at %d: negative offset", off)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n := 0
	for n < len(p) {
		i, at := v.stack.locate(off + int64(n))
		if i == len(v.stack.segments) {
			return n, io.EOF
		}
		m, err := v.read(p[n:], place{i, at / ChunkSize}, int(at%ChunkSize))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// read fills p from one chunk, as far as the chunk or the part goes that holds the offset.
func (v *VerifiedAt) read(p []byte, where place, offset int) (int, error) {
	if len(v.chunk) > 0 && v.at == where {
		return copy(p, v.chunk[offset:]), nil
	}
	if known, ok := v.known[where]; ok {
		return v.again(p, where, offset, known)
	}
	if err := v.load(where); err != nil {
		return 0, err
	}
	return copy(p, v.chunk[offset:]), nil
}

// load reads and verifies a chunk, and takes its fingerprints.
func (v *VerifiedAt) load(where place) error {
	seg := v.stack.segments[where.segment]
	within := where.number * ChunkSize
	size := int(min(ChunkSize, seg.Size-within))
	if cap(v.chunk) < size {
		v.chunk = make([]byte, size)
	}
	b := v.chunk[:size]
	v.chunk = v.chunk[:0] // its array is about to be overwritten, and what comes may turn out wrong
	if _, err := v.stack.ReadAt(b, v.stack.begins[where.segment]+within); err != nil {
		return err
	}
	if sum := sha256.Sum256(b); !bytes.Equal(sum[:], seg.Sums[where.number*sha256.Size:][:sha256.Size]) {
		return &CorruptError{Key: seg.Key, Chunk: int(where.number)}
	}
	var all prints
	for i := 0; i*partSize < size; i++ {
		all[i] = maphash.Bytes(v.seed, b[i*partSize:min(size, (i+1)*partSize)])
	}
	v.known[where], v.chunk, v.at = all, b, where
	return nil
}

// again reads from a chunk that was verified before: the part that holds the offset, which has to be the same still.
func (v *VerifiedAt) again(p []byte, where place, offset int, known prints) (int, error) {
	i := offset / partSize
	if len(v.part) > 0 && v.of == where && v.index == i {
		return copy(p, v.part[offset%partSize:]), nil
	}
	seg := v.stack.segments[where.segment]
	within := where.number*ChunkSize + int64(i*partSize)
	if v.part == nil {
		v.part = make([]byte, partSize)
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
