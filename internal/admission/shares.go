package admission

import "sync"

// Shares bounds what callers hold at the same time, such as bytes or connections, in total and for each key. It is safe
// for concurrent use. Nil bounds nothing.
type Shares struct {
	all, perKey int64

	mu   sync.Mutex // guards the fields below; held briefly
	held map[string]int64
	sum  int64
}

// NewShares returns shares of which nothing is held. A limit of zero means unlimited.
func NewShares(all, perKey int64) *Shares {
	return &Shares{all: all, perKey: perKey, held: map[string]int64{}}
}

// Take takes n for a key and reports whether that was possible. If not, it takes nothing.
func (s *Shares) Take(key string, n int64) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all > 0 && s.sum+n > s.all || s.perKey > 0 && s.held[key]+n > s.perKey {
		return false
	}
	s.sum += n
	s.held[key] += n
	return true
}

// Return returns n of what was taken for a key.
func (s *Shares) Return(key string, n int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum -= n
	if s.held[key] -= n; s.held[key] == 0 {
		delete(s.held, key)
	}
}
