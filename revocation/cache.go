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

// defaultCacheSize is the default of Fetcher.CacheSize in bytes.
const defaultCacheSize = 64 << 20

// entryOverhead is the size of an entry without its bytes.
const entryOverhead = 512

// cache keeps answers until they expire or the space is needed; the least recently used goes first. The zero value is
// ready to use.
type cache struct {
	mu      sync.Mutex // guards everything; not held during a query
	entries map[string]*list.Element
	order   list.List // of *entry, most recently used first
	size    int64
	flights map[string]*flight
}

type entry struct {
	key   string
	der   []byte
	err   error // why there is no answer
	until time.Time
}

// flight is a request in progress. Waiters read the other fields after done is closed.
type flight struct {
	done chan struct{}
	der  []byte
	err  error
}

// errCanceled is a request that ended because its caller went away; the waiters start another.
var errCanceled = errors.New("the caller went away")

// getOrFetch returns the cached answer of a key, or calls fetch and caches its answer for the duration that it returns.
// Only one caller at a time fetches a key.
func (c *cache) getOrFetch(ctx context.Context, f *Fetcher, key string, fetch func(now time.Time) ([]byte, time.Duration, error)) ([]byte, error) {
	for {
		now := f.Clock()
		e, fl, first := c.findOrStart(key, now)
		switch {
		case e != nil && e.err != nil:
			return nil, fmt.Errorf("not queried again before %s: %w", e.until.UTC().Format(time.RFC3339), e.err)
		case e != nil:
			return e.der, nil
		case first:
			der, lifetime, err := fetch(now)
			if err != nil && ctx.Err() != nil {
				c.finishFlight(key, fl, nil, errCanceled)
				return nil, err
			}
			if err != nil {
				lifetime = cacheFailure
			}
			if limit := cmp.Or(f.CacheSize, defaultCacheSize); lifetime > 0 && limit > 0 {
				c.storeEntry(&entry{key, der, err, now.Add(lifetime)}, limit)
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

// findOrStart returns the cached entry, or the flight of the key and whether the caller has to fetch.
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

// storeEntry adds an entry and removes others if the space is needed. An entry larger than a quarter of the space is
// not stored: it would displace all others.
func (c *cache) storeEntry(e *entry, limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.memorySize() > limit/4 {
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
	for c.size > limit {
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
