package workflow

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"segel/internal/admission"
	"segel/internal/contract"
)

// fileSlots bounds how many files are examined at a time for requests. Limits bound the memory of one examination; the
// slots bound the sum. More slots than processors would not be faster. Organisations take turns, and there is one slot
// more than one organisation may hold, so a file never waits for all files of another organisation. The zero value is
// ready to use.
type fileSlots struct {
	once  sync.Once
	queue *admission.Queue
}

// Bounds on requests that wait for a slot, of all organisations and of one.
const (
	waitingForSlot       = 512
	waitingForSlotPerKey = 128
)

// errBusy refuses a request because too many others wait for a slot.
var errBusy = contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry()

// acquire waits for a slot until the context ends.
func (f *fileSlots) acquire(ctx context.Context, organisation contract.OrganisationID) (release func(), err error) {
	f.once.Do(func() {
		own := max(2, runtime.GOMAXPROCS(0))
		f.queue = admission.NewQueue(admission.Limits{Slots: own + 1, PerKey: own, Waiting: waitingForSlot, WaitingPerKey: waitingForSlotPerKey})
	})
	release, err = f.queue.Acquire(ctx, string(organisation))
	if errors.Is(err, admission.ErrFull) {
		return nil, errBusy.WithCause(err)
	}
	return release, err
}

// pageCache caches the content of pages, keyed by the digest of the revision. Placing boxes needs the same pages again
// and again, and examining one page may use the whole budget of a file.
type pageCache struct {
	mu    sync.Mutex // guards the fields below; never held while a page is examined
	known map[pageKey]pageMarks
	cost  int
}

type pageKey struct {
	revision [32]byte
	page     int
}

// maxPageCache bounds the cache, in approximate bytes.
const maxPageCache = 32 << 20

func (c *pageCache) findPage(k pageKey) (pageMarks, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.known[k]
	return p, ok
}

func (c *pageCache) addPage(k pageKey, p pageMarks) {
	cost := cacheCost(p)
	if cost > maxPageCache/4 {
		return // it would evict all others
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || c.cost+cost > maxPageCache {
		c.known, c.cost = map[pageKey]pageMarks{}, 0 // rare; costs one examination per page
	}
	if before, ok := c.known[k]; ok {
		c.cost -= cacheCost(before)
	}
	c.known[k] = p
	c.cost += cost
}

// cacheCost estimates how many bytes a page takes in memory.
func cacheCost(p pageMarks) int {
	const entry, each = 200, 100
	n := entry + each*len(p.covered)
	for _, c := range p.covered {
		n += len(c.Text)
	}
	return n
}

var _ contract.PageContent = (*pageReader)(nil)
