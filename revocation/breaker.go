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
	maxFailures  = 3 // questions without an answer
	firstPause   = 30 * time.Second
	longestPause = 10 * time.Minute
	maxHosts     = 1000
)

// errPaused is a host that is left alone.
var errPaused = errors.New("host does not answer")

// breaker remembers which hosts do not answer. Its zero value knows none.
type breaker struct {
	mu    sync.Mutex // guards hosts
	hosts map[string]*hostState
}

// hostState is what is known about a host that did not answer.
type hostState struct {
	failures    int
	pausedUntil time.Time // when it may be asked again; zero: now
	probing     bool      // one question is under way that tells whether it answers again
}

// allowQuery returns an error if a host must not be asked now. Otherwise one of leave, failed and answered has to follow.
func (b *breaker) allowQuery(host string, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.hosts[host]
	switch {
	case s == nil || s.failures < maxFailures:
		return nil
	case now.Before(s.pausedUntil):
		return fmt.Errorf("%w, not asked again before %s", errPaused, s.pausedUntil.UTC().Format(time.RFC3339))
	case s.probing:
		return fmt.Errorf("%w, and is being asked", errPaused)
	}
	s.probing = true
	return nil
}

// cancelQuery takes back what allow let through.
func (b *breaker) cancelQuery(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.hosts[host]; s != nil {
		s.probing = false
	}
}

func (b *breaker) recordFailure(host string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hosts == nil || len(b.hosts) >= maxHosts && b.hosts[host] == nil {
		b.hosts = map[string]*hostState{} // forgetting all is rare and costs each a few questions
	}
	s := b.hosts[host]
	if s == nil {
		s = &hostState{}
		b.hosts[host] = s
	}
	s.failures++
	s.probing = false
	if doublings := s.failures - maxFailures; doublings >= 0 {
		s.pausedUntil = now.Add(min(firstPause<<min(doublings, 10), longestPause))
	}
}

func (b *breaker) recordAnswer(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.hosts, host)
}
