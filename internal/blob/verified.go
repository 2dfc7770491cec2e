package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// Verified reads a document from any offset and hands out no byte whose chunk was not hashed and compared
// first. It keeps one chunk in memory and belongs to one goroutine.
type Verified struct {
	stack  *Stack
	offset int64  // of the next byte in the document
	begin  int64  // offset of chunk in the document
	chunk  []byte // verified; empty before the first read
}

// Verified returns a reader at the start of the document, good for [net/http.ServeContent]. It lives as long
// as the stack; several may read one stack.
func (s *Stack) Verified() *Verified { return &Verified{stack: s} }

// Read reads up to the end of one chunk. A chunk that does not match its sum is a [*CorruptError].
func (v *Verified) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if v.offset >= v.stack.size {
		return 0, io.EOF
	}
	if v.offset < v.begin || v.offset >= v.begin+int64(len(v.chunk)) {
		if err := v.loadChunk(); err != nil {
			return 0, err
		}
	}
	n := copy(p, v.chunk[v.offset-v.begin:])
	v.offset += int64(n)
	return n, nil
}

// Seek moves to an offset; behind the end is allowed and reads io.EOF.
func (v *Verified) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += v.offset
	case io.SeekEnd:
		offset += v.stack.size
	default:
		return 0, fmt.Errorf("seek document: unknown whence %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("seek document: before its start")
	}
	v.offset = offset
	return offset, nil
}

// loadChunk reads and verifies the chunk that holds the current offset.
func (v *Verified) loadChunk() error {
	i, at := v.stack.locateOffset(v.offset)
	seg := v.stack.segments[i]
	number := at / ChunkSize
	within := number * ChunkSize // offset of the chunk in its blob
	n := int(min(ChunkSize, seg.Size-within))

	buf := v.chunk[:0]
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	v.chunk = v.chunk[:0] // its array is about to be overwritten, and what comes may turn out wrong

	begin := v.stack.begins[i] + within
	if _, err := v.stack.ReadAt(buf, begin); err != nil {
		return err
	}
	sum := sha256.Sum256(buf)
	if !bytes.Equal(sum[:], seg.Sums[number*sha256.Size:][:sha256.Size]) {
		return &CorruptError{Key: seg.Key, Chunk: int(number)}
	}
	v.begin, v.chunk = begin, buf
	return nil
}
