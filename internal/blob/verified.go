package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"sync"
)

// VerifiedReader reads a document from any offset and hands out no byte whose chunk was not hashed and compared first.
// It belongs to one goroutine. The stack must not grow meanwhile.
//
// A client that takes a document slowly has its reader for a long time, so the reader does not hold the chunk. It reads a chunk
// twice: to compare its SHA-256, and piece by piece to hand it out. Of each piece it keeps the hash under a seed of its own,
// 8 bytes, so that what changes between the two is noticed as well.
type VerifiedReader struct {
	stack  *Stack
	offset int64 // of the next byte in the document

	begin, end int64 // offsets in the document of the chunk that was compared; equal before the first read
	corrupt    CorruptError
	seed       maphash.Seed
	pieces     []uint64 // hashes of the pieces of the chunk

	held   []byte // the piece that was read last for a smaller buffer than itself; empty: none
	heldAt int64  // its offset in the document
}

// pieceSize is how much of a chunk is read at a time.
const pieceSize = 16 << 10

// buffers holds buffers of one piece each, which are lent while a chunk is compared.
var buffers = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// VerifiedReader returns a reader at the start of the document, good for [net/http.ServeContent]. It lives as long
// as the stack; several may read one stack.
func (s *Stack) VerifiedReader() *VerifiedReader {
	return &VerifiedReader{stack: s, seed: maphash.MakeSeed()}
}

// Read reads up to the end of one piece. A chunk that does not match its sum is a [*CorruptError]. A buffer of 16 KiB or more
// is read into directly; for smaller ones the reader has one of its own.
func (v *VerifiedReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if v.offset >= v.stack.size {
		return 0, io.EOF
	}
	if at := v.offset - v.heldAt; at >= 0 && at < int64(len(v.held)) {
		n := copy(p, v.held[at:])
		v.offset += int64(n)
		return n, nil
	}
	if v.offset < v.begin || v.offset >= v.end {
		if err := v.verifyChunk(); err != nil {
			return 0, err
		}
	}
	i := (v.offset - v.begin) / pieceSize
	from := v.begin + i*pieceSize
	size := int(min(pieceSize, v.end-from))
	if v.offset == from && len(p) >= size {
		if err := v.readPiece(p[:size], from, v.pieces[i]); err != nil {
			return 0, err
		}
		v.offset += int64(size)
		return size, nil
	}
	if v.held = v.held[:0]; cap(v.held) < size {
		v.held = make([]byte, 0, size)
	}
	if err := v.readPiece(v.held[:size], from, v.pieces[i]); err != nil {
		return 0, err
	}
	v.held, v.heldAt = v.held[:size], from
	n := copy(p, v.held[v.offset-from:])
	v.offset += int64(n)
	return n, nil
}

// readPiece reads a piece of the chunk that was compared. After an error nothing of it is left in p.
func (v *VerifiedReader) readPiece(p []byte, from int64, want uint64) error {
	if _, err := v.stack.ReadAt(p, from); err != nil {
		clear(p)
		return err
	}
	if maphash.Bytes(v.seed, p) != want {
		clear(p)
		v.end = v.begin // what else was known of the chunk may be as old
		changed := v.corrupt
		return &changed
	}
	return nil
}

// Seek moves to an offset; after the end is allowed and reads io.EOF.
func (v *VerifiedReader) Seek(offset int64, whence int) (int64, error) {
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

// verifyChunk reads the chunk that holds the current offset and compares it with its sum.
func (v *VerifiedReader) verifyChunk() error {
	i, at := v.stack.locateOffset(v.offset)
	seg := v.stack.segments[i]
	number := at / ChunkSize
	within := number * ChunkSize // offset of the chunk in its blob
	begin := v.stack.begins[i] + within
	end := begin + min(ChunkSize, seg.Size-within)

	v.begin, v.end = begin, begin // until it was compared
	v.pieces = v.pieces[:0]
	v.corrupt = CorruptError{Key: seg.Key, Chunk: int(number)}
	buf := buffers.Get().(*[pieceSize]byte)
	defer buffers.Put(buf)
	h := sha256.New()
	for from := begin; from < end; from += pieceSize {
		piece := buf[:min(pieceSize, end-from)]
		if _, err := v.stack.ReadAt(piece, from); err != nil {
			return err
		}
		h.Write(piece)
		v.pieces = append(v.pieces, maphash.Bytes(v.seed, piece))
	}
	if !bytes.Equal(h.Sum(nil), seg.Sums[number*sha256.Size:][:sha256.Size]) {
		changed := v.corrupt
		return &changed
	}
	v.end = end
	return nil
}
