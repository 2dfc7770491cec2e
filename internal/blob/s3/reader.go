package s3

import (
	"container/list"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/minio/minio-go/v7"

	"segel/internal/blob"
)

// rangeSize is how many bytes of a blob one request fetches: one chunk, as the readers of package blob compare whole chunks and read
// them again in small pieces. maxRanges bounds what all blobs of a store hold of that in memory, in bytes.
const (
	rangeSize = blob.ChunkSize
	maxRanges = 32 << 20
)

// openedBlob is a blob open for reading.
type openedBlob struct {
	ctx   context.Context
	store *Store
	key   blob.Key
	size  int64

	mu     sync.Mutex // guards closed, and is held while a range is fetched, so that readers of the same one fetch it once
	closed bool
}

// ReadAt implements [io.ReaderAt].
func (b *openedBlob) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read blob %s at %d: negative offset", b.key, off)
	}
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at >= b.size {
			return n, io.EOF
		}
		content, err := b.loadRange(at / rangeSize)
		if err != nil {
			return n, fmt.Errorf("read blob %s at %d: %w", b.key, at, err)
		}
		n += copy(p[n:], content[at%rangeSize:])
	}
	return n, nil
}

// loadRange returns a range from memory or from the server. It must not be changed.
func (b *openedBlob) loadRange(number int64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, blob.ErrClosed
	}
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	id := rangeID{b.key, number}
	if content := b.store.ranges.findRange(id); content != nil {
		return content, nil
	}
	begin := number * rangeSize
	content := make([]byte, min(rangeSize, b.size-begin))
	if err := b.fetchRange(content, begin); err != nil {
		return nil, err
	}
	b.store.ranges.keepRange(id, content)
	return content, nil
}

// fetchRange fills p from an offset of the blob.
func (b *openedBlob) fetchRange(p []byte, begin int64) error {
	end := begin + int64(len(p)) - 1
	var o minio.GetObjectOptions
	if err := o.SetRange(begin, end); err != nil {
		return err
	}
	s := b.store
	err := s.retryRequest(b.ctx, func(ctx context.Context) error {
		body, info, header, err := s.core.GetObject(ctx, s.bucket, s.blobName(b.key), o)
		if err != nil {
			return err
		}
		defer body.Close()
		got, whole := header.Get("Content-Range"), begin == 0 && end == b.size-1
		if got != fmt.Sprintf("bytes %d-%d/%d", begin, end, b.size) && !(got == "" && whole && info.Size == b.size) {
			return fmt.Errorf("%w: %q", errRange, got)
		}
		if n, err := io.ReadFull(body, p); err != nil {
			return fmt.Errorf("%w after %d of %d bytes: %w", errTruncated, n, len(p), err)
		}
		return nil
	})
	if isMissing(err) {
		s.sizes.forgetSize(b.key)
		return blob.ErrNotFound // it was removed since it was opened
	}
	return explainError(b.ctx, err)
}

// Size returns the size that the blob had when it was opened; it has no other.
func (b *openedBlob) Size() int64 { return b.size }

// Close ends reading. It waits for a request that is under way.
func (b *openedBlob) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

// rangeCache holds the ranges that were read last, of all blobs of a store. A blob is never changed, so a range is as good as on the day on which it
// was fetched; whether the blob exists is asked when it is opened.
type rangeCache struct {
	mu    sync.Mutex // guards all below
	held  map[rangeID]*list.Element
	order list.List // of *heldRange, the one read last first
	bytes int
}

type rangeID struct {
	key    blob.Key
	number int64
}

type heldRange struct {
	id      rangeID
	content []byte
}

// findRange returns a range, or nil.
func (c *rangeCache) findRange(id rangeID) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.held[id]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*heldRange).content
}

// keepRange adds a range, and drops those that were read the longest ago.
func (c *rangeCache) keepRange(id rangeID, content []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[rangeID]*list.Element{}
	}
	if e := c.held[id]; e != nil { // of another reader of the same blob
		c.dropRange(e)
	}
	c.held[id] = c.order.PushFront(&heldRange{id, content})
	for c.bytes += len(content); c.bytes > maxRanges; {
		c.dropRange(c.order.Back())
	}
}

// forgetBlob drops the ranges of a blob.
func (c *rangeCache) forgetBlob(key blob.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, e := range c.held {
		if id.key == key {
			c.dropRange(e)
		}
	}
}

// dropRange removes a range. The caller holds mu.
func (c *rangeCache) dropRange(e *list.Element) {
	r := c.order.Remove(e).(*heldRange)
	delete(c.held, r.id)
	c.bytes -= len(r.content)
}
