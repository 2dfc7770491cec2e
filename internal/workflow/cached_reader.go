package workflow

import (
	"io"
	"sync"
)

// cachedReader reads a file that is read a little at a time, again and again, as by whoever follows a cross-reference back to the
// base, and has in memory what was read last. Bytes that were read must stay as they are; the file may grow. It may be used
// by several goroutines.
type cachedReader struct {
	r io.ReaderAt

	mu     sync.Mutex             // guards held; not held while much is read
	blocks [maxBlocks]cachedBlock // a piece has one place, which it shares with every mostPieces-th
}

type cachedBlock struct {
	number int64
	b      []byte // as much of it as there was; nil: none is held
}

const (
	blockLen  = 4 << 10
	maxBlocks = 128 // half a megabyte

	// What is longer is a copy of the file, and goes past the pieces. A stamp's signature is shorter.
	maxCachedRead = 24 << 10
)

// ReadAt reads from the pieces that are held, and much at once, such as a copy of the file, past them.
func (c *cachedReader) ReadAt(p []byte, at int64) (int, error) {
	if len(p) > maxCachedRead || at < 0 {
		return c.r.ReadAt(p, at)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(p) {
		from := at + int64(n)
		start := int(from % blockLen)
		end := min(start+len(p)-n, blockLen)
		b := c.readBlock(from/blockLen, end)
		if len(b) < end { // there is no more, or not just now: the file says
			m, err := c.r.ReadAt(p[n:], from)
			return n + m, err
		}
		n += copy(p[n:], b[start:end])
	}
	return n, nil
}

// readBlock returns a piece, or as much of it as there is; to the end at least, if it can be had. The caller holds mu.
func (c *cachedReader) readBlock(number int64, end int) []byte {
	held := &c.blocks[number%maxBlocks]
	if held.b != nil && held.number == number && len(held.b) >= end {
		return held.b
	}
	b := held.b[:cap(held.b)]
	if b == nil {
		b = make([]byte, blockLen)
	}
	n, _ := c.r.ReadAt(b, number*blockLen) // an error comes again with the bytes that are asked for
	held.number, held.b = number, b[:n]
	return held.b
}
