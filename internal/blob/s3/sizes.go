package s3

import (
	"maps"
	"sync"
	"time"

	"segel/internal/blob"
)

// sizeLife and maxSizes bound how long and for how many blobs a [sizeCache] knows sizes.
const (
	sizeLife = time.Minute
	maxSizes = 16384
)

// sizeCache holds the sizes of blobs that this process wrote or opened in the last minute, so that the steps of one job do not ask the server for each
// file again. A size never changes. A blob that is removed by another process, or while it is being opened, can be opened here for that time, and reading it
// returns [blob.ErrNotFound], as for one that is removed while it is open. The zero value is empty.
type sizeCache struct {
	mu   sync.Mutex // guards held
	held map[blob.Key]heldSize
}

type heldSize struct {
	size int64
	at   time.Time // when the server stored or stated it
}

// findSize returns the size of a blob.
func (c *sizeCache) findSize(key blob.Key, now time.Time) (size int64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, known := c.held[key]
	return h.size, known && now.Sub(h.at) < sizeLife
}

// keepSize adds the size of a blob that the server has just stored or stated. If there are too many, it drops those that have expired, and
// if that does not help, all.
func (c *sizeCache) keepSize(key blob.Key, size int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) >= maxSizes {
		maps.DeleteFunc(c.held, func(_ blob.Key, h heldSize) bool { return now.Sub(h.at) >= sizeLife })
	}
	if c.held == nil || len(c.held) >= maxSizes {
		c.held = map[blob.Key]heldSize{}
	}
	c.held[key] = heldSize{size, now}
}

// forgetSize drops the size of a blob.
func (c *sizeCache) forgetSize(key blob.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, key)
}
