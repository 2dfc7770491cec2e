package workflow

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"segel/internal/admission"
	"segel/internal/contract"
)

// fileSlots bounds how many files are examined at a time on behalf of requests: what one takes in memory is bounded by its
// limits, and this bounds the sum. More at a time than there are processors would not be faster. Organisations take turns, and
// there is one slot more than one of them may have, so that another's file never waits for all of its files. Its zero value
// is ready.
type fileSlots struct {
	once  sync.Once
	queue *admission.Queue
}

// Bounds on requests that wait for a slot, of all organisations and of one.
const (
	waitingForSlot       = 512
	waitingForSlotPerKey = 128
)

// errBusy refuses a request because too many wait for the same.
var errBusy = contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry()

// acquire waits for a slot as long as the context lets it.
func (f *fileSlots) acquire(ctx context.Context, of contract.OrganisationID) (release func(), err error) {
	f.once.Do(func() {
		own := max(2, runtime.GOMAXPROCS(0))
		f.queue = admission.NewQueue(admission.Limits{Slots: own + 1, PerKey: own, Waiting: waitingForSlot, WaitingPerKey: waitingForSlotPerKey})
	})
	release, err = f.queue.Acquire(ctx, string(of))
	if errors.Is(err, admission.ErrFull) {
		return nil, errBusy.WithCause(err)
	}
	return release, err
}

// pageCache remembers what lies on the pages of files, by the digest of the revision. Placing boxes asks for the same pages
// again and again, and looking one through may take all the work that a file may cost.
type pageCache struct {
	mu    sync.Mutex // guards the rest; never held while a page is looked through
	known map[pageKey]pageMarks
	cost  int
}

type pageKey struct {
	revision [32]byte
	page     int
}

// maxPageCache bounds what is remembered of all pages, in bytes, about.
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
		return // it would drive out all others
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || c.cost+cost > maxPageCache {
		c.known, c.cost = map[pageKey]pageMarks{}, 0 // forgetting all is rare, and costs each page one look
	}
	if before, ok := c.known[k]; ok {
		c.cost -= cacheCost(before)
	}
	c.known[k] = p
	c.cost += cost
}

// cacheCost is how many bytes a page takes in memory, about.
func cacheCost(p pageMarks) int {
	const entry, each = 200, 100
	n := entry + each*len(p.covered)
	for _, c := range p.covered {
		n += len(c.Text)
	}
	return n
}

var _ contract.PageContent = (*pageReader)(nil)
