package peruri

import (
	"context"

	"segel/internal/emeterai"
)

// slot is the right to have one document worked on at an address.
type slot struct {
	url     string
	breaker *breaker
}

// slots hands out slots in the order in which they are asked for: whoever waits at a channel is served first come,
// first served.
type slots struct {
	free     chan slot
	breakers []*breaker
}

func newSlots(o *Options, urls []string) *slots {
	s := &slots{free: make(chan slot, len(urls)*o.Slots)}
	for _, u := range urls {
		s.breakers = append(s.breakers, newBreaker(o, "adapter "+u))
	}
	for range o.Slots { // so that addresses take turns
		for i, u := range urls {
			s.free <- slot{u, s.breakers[i]}
		}
	}
	return s
}

// acquireSlot waits for a slot, preferring one whose address is not left alone.
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

// purchaseGate is entered by many at a time, or closed by one.
type purchaseGate struct {
	holders   chan struct{} // holds one for each that is inside; full: closed
	exclusive chan struct{} // holds one while somebody closes it or has it closed
}

// maxHolders is how many may be inside.
const maxHolders = 64

func newPurchaseGate() *purchaseGate {
	return &purchaseGate{holders: make(chan struct{}, maxHolders), exclusive: make(chan struct{}, 1)}
}

// lockShared waits until the gate is open.
func (g *purchaseGate) lockShared(ctx context.Context) error { return sendOrCancel(ctx, g.holders) }

func (g *purchaseGate) unlockShared() { <-g.holders }

// lockExclusive waits until nobody is inside, and lets nobody in until open.
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
