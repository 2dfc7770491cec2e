package peruri

import (
	"context"

	"segel/internal/emeterai"
)

// slot is the right to have one document stamped at an address.
type slot struct {
	url     string
	breaker *addressBreaker
}

// slots hands out slots in the order of requests: a channel serves its waiters first come, first served.
type slots struct {
	free     chan slot
	breakers []*addressBreaker
}

func newSlots(o *Options, urls []string) *slots {
	s := &slots{free: make(chan slot, len(urls)*o.Slots)}
	for _, u := range urls {
		s.breakers = append(s.breakers, newBreaker(o, "adapter "+u))
	}
	for range o.Slots { // so that the addresses are used in turn
		for i, u := range urls {
			s.free <- slot{u, s.breakers[i]}
		}
	}
	return s
}

// acquireSlot waits for a slot, preferring one whose address can be called.
func (s *slots) acquireSlot(ctx context.Context) (slot, error) {
	for tries := 0; ; tries++ {
		select {
		case got := <-s.free:
			if tries >= cap(s.free) || !got.breaker.availability().Down || s.availability().Down {
				return got, nil
			}
			s.free <- got // to the end of the queue
		case <-ctx.Done():
			return slot{}, ctx.Err()
		}
	}
}

func (s *slots) releaseSlot(used slot) { s.free <- used }

// availability is down only if every address is.
func (s *slots) availability() emeterai.Availability {
	var down emeterai.Availability
	for _, b := range s.breakers {
		a := b.availability()
		if !a.Down {
			return emeterai.Availability{}
		}
		if !down.Down || a.Until.Before(down.Until) {
			down = a
		}
	}
	return down
}

// purchaseGate is a lock that many callers share or one holds alone, like sync.RWMutex, but waiting ends with the
// context.
type purchaseGate struct {
	holders   chan struct{} // holds one element for each holder; full: locked exclusively
	exclusive chan struct{} // holds one element while a caller acquires or holds the exclusive lock
}

// maxHolders is how many callers may share the lock.
const maxHolders = 64

func newPurchaseGate() *purchaseGate {
	return &purchaseGate{holders: make(chan struct{}, maxHolders), exclusive: make(chan struct{}, 1)}
}

// lockShared waits until the lock is not held exclusively.
func (g *purchaseGate) lockShared(ctx context.Context) error { return sendOrCancel(ctx, g.holders) }

func (g *purchaseGate) unlockShared() { <-g.holders }

// lockExclusive waits until no caller holds the lock, and keeps others out until unlockExclusive.
func (g *purchaseGate) lockExclusive(ctx context.Context) error {
	if err := sendOrCancel(ctx, g.exclusive); err != nil {
		return err
	}
	for i := range maxHolders {
		if err := sendOrCancel(ctx, g.holders); err != nil {
			g.releaseHolders(i)
			<-g.exclusive
			return err
		}
	}
	return nil
}

func (g *purchaseGate) unlockExclusive() {
	g.releaseHolders(maxHolders)
	<-g.exclusive
}

func (g *purchaseGate) releaseHolders(n int) {
	for range n {
		<-g.holders
	}
}

func sendOrCancel(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
