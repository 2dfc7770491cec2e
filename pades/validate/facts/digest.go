package facts

import (
	"cmp"
	"crypto"
	_ "crypto/md5"
	_ "crypto/sha1"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"
)

// digestRequest is a digest over the bytes that a signature covers: from the start of the file to the gap, and from
// there to end.
type digestRequest struct {
	hash               crypto.Hash
	gapAt, gapEnd, end int64

	running hash.Hash // nil before the gap is reached
	sum     []byte    // nil until it is complete
}

// requestDigest requests a digest of the signed bytes. Equal requests share one digest.
func (s *Signature) requestDigest(h crypto.Hash) {
	if h == 0 || !h.Available() || len(s.ByteRange) != 4 || s.ByteRange[0] != 0 {
		return
	}
	if slices.ContainsFunc(s.digests, func(w *digestRequest) bool { return w.hash == h }) {
		return
	}
	b := s.ByteRange
	s.digests = append(s.digests, &digestRequest{hash: h, gapAt: b[1], gapEnd: b[2], end: b[2] + b[3]})
}

// computedDigest returns the digest of the signed bytes, or nil if it was not computed.
func (s *Signature) computedDigest(h crypto.Hash) []byte {
	for _, w := range s.digests {
		if w.hash == h {
			return w.sum
		}
	}
	return nil
}

// hashFile reads the file once. All bytes go through one hash per algorithm; at the start of a gap its state is cloned,
// and the clone continues behind the gap. So nested signatures cost one hashing of the file, plus the few bytes of each
// behind its gap.
func (r *reader) hashFile() error {
	if r.o.ForSigning && len(r.file.Signatures) == 0 {
		return nil
	}
	var all []*digestRequest
	spare := r.o.Limits.Hashed
	for _, s := range r.file.Signatures {
		s.parseContainer(r)
		for _, w := range s.digests {
			if spare -= w.end - w.gapEnd; spare >= 0 {
				all = append(all, w)
			}
		}
	}
	p, err := newPass(all, r.file.Size)
	if err != nil {
		return err
	}
	if err := p.readFile(r); err != nil {
		return err
	}
	r.file.SHA256 = [32]byte(p.whole.Sum(nil))
	return nil
}

// hashPass is one pass over the file.
type hashPass struct {
	size    int64
	whole   hash.Hash // SHA-256 of the file
	prefix  map[crypto.Hash]*prefixHash
	waiting []*digestRequest // gap not reached, ordered by gapAt
	active  []*digestRequest // behind the gap, ordered by end
	cuts    []int64          // offsets at which a gap or a digest begins or ends
}

// prefixHash is the hash of the file so far, needed up to an offset.
type prefixHash struct {
	hash.Hash
	until int64
}

func newPass(all []*digestRequest, size int64) (*hashPass, error) {
	p := &hashPass{size: size, whole: crypto.SHA256.New(), prefix: map[crypto.Hash]*prefixHash{}, waiting: all}
	p.prefix[crypto.SHA256] = &prefixHash{p.whole, size}
	for _, d := range all {
		run := p.prefix[d.hash]
		if run == nil {
			run = &prefixHash{Hash: d.hash.New()}
			p.prefix[d.hash] = run
		}
		run.until = max(run.until, d.gapAt)
		p.cuts = append(p.cuts, d.gapAt, d.gapEnd, d.end)
	}
	slices.SortFunc(p.waiting, func(a, b *digestRequest) int { return cmp.Compare(a.gapAt, b.gapAt) })
	slices.Sort(p.cuts)
	p.cuts = slices.Compact(p.cuts)
	return p, p.applyCuts(0)
}

const hashChunk = 256 << 10

func (p *hashPass) readFile(r *reader) error {
	buf := r.borrowBuffer(hashChunk)
	for at := int64(0); at < p.size; {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		b := buf[:min(hashChunk, p.size-at)]
		if n, err := r.r.ReadAt(b, at); n < len(b) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read at %d: %w", at, err)
		}
		r.endScan.scanBytes(r, b, at)
		for len(b) > 0 {
			n := int64(len(b))
			if len(p.cuts) > 0 && p.cuts[0]-at < n {
				n = p.cuts[0] - at
			}
			p.writeChunk(b[:n], at)
			b, at = b[n:], at+n
			if err := p.applyCuts(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeChunk hashes bytes between two cuts.
func (p *hashPass) writeChunk(b []byte, at int64) {
	for _, run := range p.prefix {
		if at < run.until {
			run.Write(b)
		}
	}
	for _, d := range p.active {
		if at >= d.gapEnd {
			d.running.Write(b)
		}
	}
}

// applyCuts starts and finishes digests at an offset.
func (p *hashPass) applyCuts(offset int64) error {
	for len(p.cuts) > 0 && p.cuts[0] <= offset {
		p.cuts = p.cuts[1:]
	}
	for len(p.waiting) > 0 && p.waiting[0].gapAt == offset {
		d := p.waiting[0]
		cloner, ok := p.prefix[d.hash].Hash.(hash.Cloner)
		if !ok {
			return fmt.Errorf("hash %v cannot be cloned", d.hash)
		}
		clone, err := cloner.Clone()
		if err != nil {
			return fmt.Errorf("clone hash %v: %w", d.hash, err)
		}
		d.running = clone
		p.waiting, p.active = p.waiting[1:], append(p.active, d)
	}
	p.active = slices.DeleteFunc(p.active, func(d *digestRequest) bool {
		if offset >= d.end {
			d.sum, d.running = d.running.Sum(nil), nil
			return true
		}
		return false
	})
	return nil
}

// blockCache reads a file in aligned blocks and caches the last few: objects are read one by one, a few hundred bytes
// each, and what a signature appended lies close together. It holds at most a megabyte, whatever the size of the file.
type blockCache struct {
	r       io.ReaderAt
	size    int64
	entries [blockCount]block
	clock   uint64
}

const (
	blockSize  = 64 << 10
	blockCount = 16
)

// block is one cached block. Its bytes are nil until it is used.
type block struct {
	number int64
	bytes  []byte
	used   uint64 // clock at the last use; the least recently used block is replaced
	buffer *[blockSize]byte
}

// ReadAt implements io.ReaderAt. Reads longer than a block bypass the cache.
func (c *blockCache) ReadAt(p []byte, at int64) (int, error) {
	if len(p) > blockSize || at < 0 {
		return c.r.ReadAt(p, at)
	}
	n := 0
	for n < len(p) {
		from := at + int64(n)
		if from >= c.size {
			return n, io.EOF
		}
		b, err := c.readBlock(from / blockSize)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], b[from%blockSize:])
	}
	return n, nil
}

func (c *blockCache) readBlock(number int64) ([]byte, error) {
	c.clock++
	oldest := &c.entries[0]
	for i := range c.entries {
		k := &c.entries[i]
		if k.bytes != nil && k.number == number {
			k.used = c.clock
			return k.bytes, nil
		}
		if k.used < oldest.used {
			oldest = k
		}
	}
	if oldest.buffer == nil {
		oldest.buffer = blockBuffers.Get().(*[blockSize]byte)
	}
	buffer := oldest.buffer
	oldest.bytes, oldest.used = nil, 0 // invalid while it is being read
	b := buffer[:min(blockSize, c.size-number*blockSize)]
	if n, err := c.r.ReadAt(b, number*blockSize); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	*oldest = block{number, b, c.clock, buffer}
	return b, nil
}

// blockBuffers are reused for the next file.
var blockBuffers = sync.Pool{New: func() any { return new([blockSize]byte) }}

// releaseBlocks returns the buffers. Later reads take new ones.
func (c *blockCache) releaseBlocks() {
	for i := range c.entries {
		if buffer := c.entries[i].buffer; buffer != nil {
			blockBuffers.Put(buffer)
		}
		c.entries[i] = block{}
	}
}
