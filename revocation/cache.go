package revocation

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// defaultCacheSize is the default of Fetcher.CacheSize in bytes.
const defaultCacheSize = 64 << 20

// entryOverhead is the size of an entry without its bytes.
const entryOverhead = 512

// cache keeps answers until they expire or the space is needed; the least recently used goes first. The zero value is
// ready to use.
type cache struct {
	mu      sync.Mutex // guards everything but queries; not held during a query
	entries map[string]*list.Element
	order   list.List // of *entry, most recently used first
	size    int64
	queries singleflight.Group
}

type entry struct {
	key   string
	der   []byte
	err   error // why there is no answer
	until time.Time
}

func (e *entry) answer() ([]byte, error) {
	if e.err != nil {
		return nil, fmt.Errorf("not queried again before %s: %w", e.until.UTC().Format(time.RFC3339), e.err)
	}
	return e.der, nil
}

// PanicError is a panic in a query, which runs in a separate goroutine: unrecovered, it would end the process.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // of the goroutine, as text
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic in a query: %v", e.Value) }

// runRecovered returns what query returns, or a *PanicError.
func runRecovered[T any](query func() (T, error)) (answer T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return query()
}

// errCanceled is a request that ended because its caller went away; the waiters start another.
var errCanceled = errors.New("the caller went away")

// getOrFetch returns the cached answer of a key, or calls fetch and caches its answer for the duration that it returns.
// Only one caller at a time fetches a key.
func (c *cache) getOrFetch(ctx context.Context, f *Fetcher, key string, fetch func(now time.Time) ([]byte, time.Duration, error)) ([]byte, error) {
	for {
		if e := c.findEntry(key, f.Clock()); e != nil {
			return e.answer()
		}
		query := func() (any, error) {
			now := f.Clock()
			if e := c.findEntry(key, now); e != nil { // stored by a query that ended just now
				return e.answer()
			}
			der, lifetime, err := fetch(now)
			if err != nil && ctx.Err() != nil {
				return nil, fmt.Errorf("%w: %w", errCanceled, err)
			}
			if err != nil {
				lifetime = cacheFailure
			}
			if limit := cmp.Or(f.CacheSize, defaultCacheSize); lifetime > 0 && limit > 0 {
				c.storeEntry(&entry{key, der, err, now.Add(lifetime)}, limit)
			}
			return der, err
		}
		answer := c.queries.DoChan(key, func() (any, error) { return runRecovered(query) })
		select {
		case r := <-answer:
			if der, _ := r.Val.([]byte); ctx.Err() != nil || !errors.Is(r.Err, errCanceled) {
				return der, r.Err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// findEntry returns the cached entry of a key that has not expired, or nil.
func (c *cache) findEntry(key string, now time.Time) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.entries[key]
	if !ok {
		return nil
	}
	e := at.Value.(*entry)
	if !now.Before(e.until) {
		c.removeEntry(at)
		return nil
	}
	c.order.MoveToFront(at)
	return e
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
