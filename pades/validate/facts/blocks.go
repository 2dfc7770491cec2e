package facts

import (
	"io"
	"sync"
)

// blockCache reads a file in aligned blocks and keeps the last few: objects are read one by one, a few hundred bytes each, and
// what a signature appended lies close together. It holds no more than a megabyte, whatever the file.
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

// block is one piece of the file. Its bytes are nil until it is used.
type block struct {
	number int64
	bytes  []byte
	used   uint64 // by the clock; the longest unused is given up
	buffer *[blockSize]byte
}

// ReadAt does what io.ReaderAt says. Readings longer than a block pass it by.
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
	oldest.bytes, oldest.used = nil, 0 // it is no block while it is being read
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

// blockBuffers are for the blocks of the next file.
var blockBuffers = sync.Pool{New: func() any { return new([blockSize]byte) }}

// releaseBlocks gives the blocks back. Whoever reads on reads into others.
func (c *blockCache) releaseBlocks() {
	for i := range c.entries {
		if room := c.entries[i].buffer; room != nil {
			blockBuffers.Put(room)
		}
		c.entries[i] = block{}
	}
}
