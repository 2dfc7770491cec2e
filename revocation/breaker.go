package revocation

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A host that did not answer a few times in a row is left alone for a while, which doubles up to a bound each time that it
// still does not answer. So a host that takes every connection and says nothing costs its deadline a few times and not
// once for each address and certificate.
const (
	patience     = 3 // questions without an answer
	firstRest    = 30 * time.Second
	longestRest  = 10 * time.Minute
	maxRestHosts = 1000
)

// errResting is a host that is left alone.
var errResting = errors.New("host does not answer")

// breaker remembers which hosts do not answer. Its zero value knows none.
type breaker struct {
	mu    sync.Mutex // guards hosts
	hosts map[string]*silence
}

// silence is what is known about a host that did not answer.
type silence struct {
	failures int
	until    time.Time // when it may be asked again; zero: now
	probing  bool      // one question is under way that tells whether it answers again
}

// allow returns an error if a host must not be asked now. Otherwise one of leave, failed and answered has to follow.
func (b *breaker) allow(host string, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.hosts[host]
	switch {
	case s == nil || s.failures < patience:
		return nil
	case now.Before(s.until):
		return fmt.Errorf("%w, not asked again before %s", errResting, s.until.UTC().Format(time.RFC3339))
	case s.probing:
		return fmt.Errorf("%w, and is being asked", errResting)
	}
	s.probing = true
	return nil
}

// leave takes back what allow let through.
func (b *breaker) leave(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.hosts[host]; s != nil {
		s.probing = false
	}
}

func (b *breaker) failed(host string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hosts == nil || len(b.hosts) >= maxRestHosts && b.hosts[host] == nil {
		b.hosts = map[string]*silence{} // forgetting all is rare and costs each a few questions
	}
	s := b.hosts[host]
	if s == nil {
		s = &silence{}
		b.hosts[host] = s
	}
	s.failures++
	s.probing = false
	if doublings := s.failures - patience; doublings >= 0 {
		s.until = now.Add(min(firstRest<<min(doublings, 10), longestRest))
	}
}

func (b *breaker) answered(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.hosts, host)
}
