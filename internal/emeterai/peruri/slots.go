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
