package workflow

import (
	"context"
	"runtime"
	"sync"

	"segel/internal/contract"
)

// fileSlots bounds how many files are examined at a time on behalf of requests: what one takes in memory is bounded by its
// limits, and this bounds the sum. More at a time than there are processors would not be faster. Its zero value is ready.
type fileSlots struct {
	once  sync.Once
	slots chan struct{}
}

// acquire waits for a slot as long as the context lets it.
func (f *fileSlots) acquire(ctx context.Context) (release func(), err error) {
	f.once.Do(func() { f.slots = make(chan struct{}, max(2, runtime.GOMAXPROCS(0))) })
	select {
	case f.slots <- struct{}{}:
		return func() { <-f.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pageCache remembers what lies on the pages of files, by the digest of the revision. Placing boxes asks for the same pages
// again and again, and looking one through may take all the work that a file may cost.
type pageCache struct {
	mu    sync.Mutex // guards the rest; never held while a page is looked through
	known map[pageKey]painted
	cost  int
}

type pageKey struct {
	revision [32]byte
	page     int
}

// maxPageCache bounds what is remembered of all pages, in bytes, about.
const maxPageCache = 32 << 20

func (c *pageCache) get(k pageKey) (painted, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.known[k]
	return p, ok
}

func (c *pageCache) put(k pageKey, p painted) {
	cost := costOf(p)
	if cost > maxPageCache/4 {
		return // it would drive out all others
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || c.cost+cost > maxPageCache {
		c.known, c.cost = map[pageKey]painted{}, 0 // forgetting all is rare, and costs each page one look
	}
	if before, ok := c.known[k]; ok {
		c.cost -= costOf(before)
	}
	c.known[k] = p
	c.cost += cost
}

// costOf is how many bytes a page takes in memory, about.
func costOf(p painted) int {
	const entry, each = 200, 100
	n := entry + each*len(p.covered)
	for _, c := range p.covered {
		n += len(c.Text)
	}
	return n
}

var _ contract.PageContent = (*pages)(nil)
