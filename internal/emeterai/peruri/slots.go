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

// acquire waits for a slot, preferring one whose address is not left alone.
func (s *slots) acquire(ctx context.Context) (slot, error) {
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

func (s *slots) release(used slot) { s.free <- used }

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

// gate is entered by many at a time, or closed by one.
type gate struct {
	room    chan struct{} // holds one for each that is inside; full: closed
	closing chan struct{} // holds one while somebody closes it or has it closed
}

// gateRoom is how many may be inside.
const gateRoom = 64

func newGate() *gate {
	return &gate{room: make(chan struct{}, gateRoom), closing: make(chan struct{}, 1)}
}

// enter waits until the gate is open.
func (g *gate) enter(ctx context.Context) error { return put(ctx, g.room) }

func (g *gate) leave() { <-g.room }

// close waits until nobody is inside, and lets nobody in until open.
func (g *gate) close(ctx context.Context) error {
	if err := put(ctx, g.closing); err != nil {
		return err
	}
	for i := range gateRoom {
		if err := put(ctx, g.room); err != nil {
			g.empty(i)
			<-g.closing
			return err
		}
	}
	return nil
}

func (g *gate) open() {
	g.empty(gateRoom)
	<-g.closing
}

func (g *gate) empty(n int) {
	for range n {
		<-g.room
	}
}

func put(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
