package revocation

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// defaultCacheSize is how many bytes a fetcher keeps.
const defaultCacheSize = 64 << 20

// entryOverhead is what an entry counts for besides its bytes.
const entryOverhead = 512

// cache keeps answers until they are too old or others take their room; what was used least goes first. Its zero
// value is empty.
type cache struct {
	mu      sync.Mutex // guards everything; never held while an address is asked
	entries map[string]*list.Element
	order   list.List // of *entry, used last first
	size    int64
	flights map[string]*flight
}

type entry struct {
	key   string
	der   []byte
	err   error // why there is none
	until time.Time
}

// flight is a request under way. Who waits for it reads the rest when done is closed.
type flight struct {
	done chan struct{}
	der  []byte
	err  error
}

// errCanceled is a request whose caller went away before it ended, which says nothing to others who wait for it.
var errCanceled = errors.New("who asked went away")

// getOrFetch returns what is kept under a key, or else what ask returns, which it keeps for as long as ask says. Only one
// caller at a time asks for a key.
func (c *cache) getOrFetch(ctx context.Context, f *Fetcher, key string, ask func(now time.Time) ([]byte, time.Duration, error)) ([]byte, error) {
	for {
		now := f.Clock()
		e, fl, first := c.findOrStart(key, now)
		switch {
		case e != nil && e.err != nil:
			return nil, fmt.Errorf("not asked again before %s: %w", e.until.UTC().Format(time.RFC3339), e.err)
		case e != nil:
			return e.der, nil
		case first:
			der, keep, err := ask(now)
			if err != nil && ctx.Err() != nil {
				c.finishFlight(key, fl, nil, errCanceled)
				return nil, err
			}
			if err != nil {
				keep = cacheFailure
			}
			if room := cmp.Or(f.CacheSize, defaultCacheSize); keep > 0 && room > 0 {
				c.storeEntry(&entry{key, der, err, now.Add(keep)}, room)
			}
			c.finishFlight(key, fl, der, err)
			return der, err
		}
		select {
		case <-fl.done:
			if !errors.Is(fl.err, errCanceled) {
				return fl.der, fl.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// findOrStart returns what is kept, or the flight for it, and whether the caller is the one to fly.
func (c *cache) findOrStart(key string, now time.Time) (*entry, *flight, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[key]; ok {
		e := at.Value.(*entry)
		if now.Before(e.until) {
			c.order.MoveToFront(at)
			return e, nil, false
		}
		c.removeEntry(at)
	}
	if fl, ok := c.flights[key]; ok {
		return nil, fl, false
	}
	if c.flights == nil {
		c.flights = map[string]*flight{}
	}
	fl := &flight{done: make(chan struct{})}
	c.flights[key] = fl
	return nil, fl, true
}

// finishFlight ends a flight.
func (c *cache) finishFlight(key string, fl *flight, der []byte, err error) {
	fl.der, fl.err = der, err
	c.mu.Lock()
	delete(c.flights, key)
	c.mu.Unlock()
	close(fl.done)
}

// storeEntry adds an entry and makes room for it. One that is larger than a quarter of all room is not kept: it would
// drive out everything else.
func (c *cache) storeEntry(e *entry, room int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.memorySize() > room/4 {
		return
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	if at, ok := c.entries[e.key]; ok {
		c.removeEntry(at)
	}
	c.entries[e.key] = c.order.PushFront(e)
	c.size += e.memorySize()
	for c.size > room {
		c.removeEntry(c.order.Back())
	}
}

// removeEntry removes an entry. The caller holds mu.
func (c *cache) removeEntry(at *list.Element) {
	e := c.order.Remove(at).(*entry)
	delete(c.entries, e.key)
	c.size -= e.memorySize()
}

func (e *entry) memorySize() int64 { return int64(len(e.key)+len(e.der)) + entryOverhead }
