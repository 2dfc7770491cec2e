package facts

import (
	"io"
	"sync"
)

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
	room := oldest.buffer
	oldest.bytes, oldest.used = nil, 0 // invalid while it is being read
	b := room[:min(blockSize, c.size-number*blockSize)]
	if n, err := c.r.ReadAt(b, number*blockSize); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	*oldest = block{number, b, c.clock, room}
	return b, nil
}

// blockBuffers are reused for the next file.
var blockBuffers = sync.Pool{New: func() any { return new([blockSize]byte) }}

// releaseBlocks returns the buffers. Later reads take new ones.
func (c *blockCache) releaseBlocks() {
	for i := range c.entries {
		if room := c.entries[i].buffer; room != nil {
			blockBuffers.Put(room)
		}
		c.entries[i] = block{}
	}
}
