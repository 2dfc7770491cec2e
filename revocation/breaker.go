package revocation

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A host that does not answer a few times in a row is not queried for a pause, which doubles up to a limit while the
// host stays silent. So a host that accepts connections but never answers costs its timeout a few times, not once for
// each address and certificate.
const (
	maxFailures  = 3 // consecutive queries without an answer
	firstPause   = 30 * time.Second
	longestPause = 10 * time.Minute
	maxHosts     = 1000
)

// errPaused is a host that is not queried during its pause.
var errPaused = errors.New("host does not answer")

// breaker remembers which hosts do not answer. The zero value is ready to use.
type breaker struct {
	mu    sync.Mutex // guards hosts
	hosts map[string]*hostState
}

// hostState is the state of a host that did not answer.
type hostState struct {
	failures    int
	pausedUntil time.Time // when it may be queried again; zero: now
	probing     bool      // a query is testing whether the host answers again
}

// allowQuery returns an error if a host must not be queried now. Otherwise the caller must call cancelQuery,
// recordFailure or recordAnswer.
func (b *breaker) allowQuery(host string, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.hosts[host]
	switch {
	case s == nil || s.failures < maxFailures:
		return nil
	case now.Before(s.pausedUntil):
		return fmt.Errorf("%w, not queried again before %s", errPaused, s.pausedUntil.UTC().Format(time.RFC3339))
	case s.probing:
		return fmt.Errorf("%w, and is being queried", errPaused)
	}
	s.probing = true
	return nil
}

// cancelQuery ends a query that says nothing about the host.
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
		b.hosts = map[string]*hostState{} // forgetting all is rare and costs a few queries for each host
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
