package specimen

import (
	"context"
	"sync"
)

// decodingMemory bounds the bytes that all pictures that are being decoded take together. One of the largest takes all
// of it.
const decodingMemory = 192 << 20

// decodingBudget is one for the process, as its memory is.
var decodingBudget = newMemory(decodingMemory)

// memory lends bytes to callers, first come, first served: a large picture is not overtaken by small ones for ever.
type memory struct {
	size int64

	mu       sync.Mutex // guards the rest
	acquired int64
	waiting  []*waiter
}

// waiter is a caller that waits for its turn.
type waiter struct {
	bytes int64
	ready chan struct{} // closed when the bytes are lent
}

func newMemory(size int64) *memory { return &memory{size: size} }

// acquireBytes waits until that many bytes are free, and lends them until release. More than there are counts as all of them.
// Its only error is that of the context.
func (m *memory) acquireBytes(ctx context.Context, bytes int64) (release func(), err error) {
	bytes = min(bytes, m.size)
	w := &waiter{bytes, make(chan struct{})}
	m.mu.Lock()
	m.waiting = append(m.waiting, w)
	m.admitWaiting()
	m.mu.Unlock()
	release = sync.OnceFunc(func() { m.releaseBytes(bytes) })
	select {
	case <-w.ready:
		return release, nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	for i, other := range m.waiting {
		if other == w {
			m.waiting = append(m.waiting[:i], m.waiting[i+1:]...)
			m.admitWaiting() // who stood behind may fit
			m.mu.Unlock()
			return nil, ctx.Err()
		}
	}
	m.mu.Unlock()
	release() // they were lent at the same moment
	return nil, ctx.Err()
}

func (m *memory) releaseBytes(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.acquired -= bytes
	m.admitWaiting()
}

// admitWaiting lends to those who wait, in their order, as far as there is enough. The caller holds mu.
func (m *memory) admitWaiting() {
	for len(m.waiting) > 0 && m.acquired+m.waiting[0].bytes <= m.size {
		w := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.acquired += w.bytes
		close(w.ready)
	}
}
