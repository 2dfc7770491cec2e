package peruri

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"segel/internal/emeterai"
)

// Breakers.
const (
	breakAfter = 5
	breakFor   = 10 * time.Second
	maxBreak   = 5 * time.Minute
)

// breaker leaves an address alone that fails again and again. After a while it lets one call through: if that
// succeeds all is well, else it waits twice as long.
type breaker struct {
	name  string
	clock func() time.Time
	log   *slog.Logger
	after int
	first time.Duration

	mu      sync.Mutex // guards all below
	failed  int        // in a row
	wait    time.Duration
	until   time.Time // when the next call is let through; zero: closed
	probing bool      // that call is under way
	reason  string    // of the last failure
}

func newBreaker(o *Options, name string) *breaker {
	return &breaker{name: name, clock: o.Clock, log: o.Log, after: o.BreakAfter, first: o.BreakFor}
}

// allowCall lets a call through, which has to end in done, or says why not.
func (b *breaker) allowCall() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	left := b.until.Sub(b.clock())
	if left > 0 || b.probing {
		return &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeNotCalled, After: max(left, time.Second),
			Text: fmt.Sprintf("%s is left alone for now: %s", b.name, b.reason)}
	}
	b.probing = true
	return nil
}

// recordCall tells how a call ended: with an answer of the protocol, whatever it said, or by failing for that reason.
func (b *breaker) recordCall(reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if reason == "" {
		if !b.until.IsZero() {
			b.log.Info("stamp office answers again", "address", b.name)
		}
		b.failed, b.wait, b.until, b.reason = 0, 0, time.Time{}, ""
		return
	}
	b.failed++
	b.reason = reason
	if b.failed < b.after {
		return
	}
	if b.wait = 2 * b.wait; b.wait == 0 {
		b.wait = b.first
	}
	b.wait = min(b.wait, max(maxBreak, b.first))
	b.until = b.clock().Add(b.wait)
	b.log.Warn("stamp office is left alone", "address", b.name, "for", b.wait, "failures", b.failed, "reason", reason)
}

// abandonCall ends a call that says nothing about the address: nobody waited for it.
func (b *breaker) abandonCall() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// availability is down until a call is let through again, and while that one is under way.
func (b *breaker) availability() emeterai.Availability {
	b.mu.Lock()
	defer b.mu.Unlock()
	until, now := b.until, b.clock()
	if b.probing && !until.After(now) {
		until = now.Add(time.Second)
	}
	if !until.After(now) {
		return emeterai.Availability{}
	}
	return emeterai.Availability{Down: true, Until: until, Reason: b.name + ": " + b.reason}
}
