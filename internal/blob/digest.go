package blob

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"
)

// ChunkSize is how many bytes one chunk sum covers. The last chunk of a blob is shorter. It is part of the stored
// format: changing it invalidates every stored sum.
const ChunkSize = 1 << 20

// MidstateLen is the length of a midstate: magic, eight words, one block, and the number of hashed bytes.
const MidstateLen = 4 + sha256.Size + sha256.BlockSize + 8

// ErrMidstate means that a midstate is invalid, or not that of the bytes with the known digest.
var ErrMidstate = errors.New("not the midstate of this document")

// midstateMagic are the first bytes of the state of crypto/sha256, which are its version.
var midstateMagic = []byte("sha\x03")

// Digest is the result of one pass over a blob.
type Digest struct {
	Size      int64             // bytes of the blob
	BlobSum   [sha256.Size]byte // SHA-256 over the blob
	ChunkSums []byte            // SHA-256 of each chunk of the blob, concatenated; empty for an empty blob

	End         int64             // bytes of the document including the blob
	DocumentSum [sha256.Size]byte // SHA-256 over the document [0, End); equal to Sum for a base
	Midstate    []byte            // state of that hash before padding, for the tail that follows
}

// Digester computes the [Digest] of what is written to it. It never fails and retains only the sums.
type Digester struct {
	begin    int64     // bytes of the document before the blob
	size     int64     // bytes written
	document hash.Hash // from offset 0 of the document
	own      hash.Hash // from offset 0 of the blob; the same hash as document for a base
	chunk    hash.Hash // from the last multiple of ChunkSize in the blob
	sums     []byte
}

// NewDigester returns a digester for the base of a document.
func NewDigester() *Digester {
	h := sha256.New()
	return &Digester{document: h, own: h, chunk: sha256.New()}
}

// ResumeDigester returns a digester for the tail that follows the first begin bytes of a document. Midstate is the
// state of the SHA-256 over these bytes, and total their digest. The bytes are not read. See [ResumeHash].
func ResumeDigester(midstate []byte, begin int64, total [sha256.Size]byte) (*Digester, error) {
	h, err := ResumeHash(midstate, begin, total)
	if err != nil {
		return nil, err
	}
	return &Digester{begin: begin, document: h, own: sha256.New(), chunk: sha256.New()}, nil
}

// ResumeHash returns the SHA-256 state of a document after begin bytes, whose digest is total. A signature made from a
// wrong state does not verify, and a check that resumes from the same state does not notice it. So a state that does
// not finish as total is [ErrMidstate].
func ResumeHash(midstate []byte, begin int64, total [sha256.Size]byte) (hash.Hash, error) {
	if len(midstate) != MidstateLen || !bytes.HasPrefix(midstate, midstateMagic) {
		return nil, fmt.Errorf("%w: %d bytes of another form", ErrMidstate, len(midstate))
	}
	if n := binary.BigEndian.Uint64(midstate[MidstateLen-8:]); begin < 0 || n != uint64(begin) {
		return nil, fmt.Errorf("%w: covers %d bytes, not %d", ErrMidstate, n, begin)
	}
	h := sha256.New()
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(midstate); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMidstate, err)
	}
	if [sha256.Size]byte(h.Sum(nil)) != total {
		return nil, fmt.Errorf("%w: it is the state of other bytes", ErrMidstate)
	}
	return h, nil
}

// Write hashes p. The error is always nil.
func (d *Digester) Write(p []byte) (int, error) {
	written := len(p)
	d.document.Write(p)
	if d.own != d.document {
		d.own.Write(p)
	}
	for len(p) > 0 {
		n := min(len(p), ChunkSize-int(d.size%ChunkSize))
		d.chunk.Write(p[:n])
		d.size += int64(n)
		p = p[n:]
		if d.size%ChunkSize == 0 {
			d.sums = d.chunk.Sum(d.sums)
			d.chunk.Reset()
		}
	}
	return written, nil
}

// Size returns the number of bytes written so far.
func (d *Digester) Size() int64 { return d.size }

// Digest returns the digest of what was written so far. Writing may continue. The slices belong to the caller.
func (d *Digester) Digest() Digest {
	midstate, err := d.document.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic("blob: crypto/sha256 promises a state that can be marshalled: " + err.Error())
	}
	out := Digest{Size: d.size, End: d.begin + d.size, ChunkSums: slices.Clone(d.sums), Midstate: midstate}
	if d.size%ChunkSize != 0 {
		out.ChunkSums = d.chunk.Sum(out.ChunkSums)
	}
	d.own.Sum(out.BlobSum[:0])
	d.document.Sum(out.DocumentSum[:0])
	return out
}

// chunkCount returns the number of chunks of a blob of that size.
func chunkCount(size int64) int64 { return (size + ChunkSize - 1) / ChunkSize }
