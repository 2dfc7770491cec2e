package admission

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

// callers are the callers of one test and record in which order they are served.
type callers struct {
	t      *testing.T
	q      *Queue
	served []string
	refuse []string
	free   []func()
}

// call asks for a slot and returns when the caller is served, refused or waits. Call it only within synctest.
func (c *callers) call(name, key string, ahead bool) (hangUp context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.t.Context())
	go func() {
		acquire := c.q.Acquire
		if ahead {
			acquire = c.q.AcquireAhead
		}
		release, err := acquire(ctx, key)
		switch {
		case errors.Is(err, ErrFull):
			c.refuse = append(c.refuse, name)
		case err == nil:
			c.served = append(c.served, name)
			c.free = append(c.free, release)
		}
	}()
	synctest.Wait()
	return cancel
}

// release releases the slot that was taken first.
func (c *callers) release() {
	free := c.free[0]
	c.free = c.free[1:]
	free()
	synctest.Wait()
}

func (c *callers) want(served ...string) {
	c.t.Helper()
	if !slices.Equal(c.served, served) {
		c.t.Fatalf("served %v, want %v", c.served, served)
	}
}

func inQueue(t *testing.T, l Limits, test func(*callers)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &callers{t: t, q: NewQueue(l)}
		test(c)
		for len(c.free) > 0 {
			c.release()
		}
	})
}

func TestAThousandCallersDelayAnotherByOneSlot(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 2000}, func(c *callers) {
		for range 1000 {
			c.call("many", "a", false)
		}
		c.call("one", "b", false)
		c.release()
		c.want("many", "one")
	})
}

func TestKeysTakeTurns(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 100}, func(c *callers) {
		for _, n := range []string{"a1", "a2", "a3", "b1", "b2", "c1"} {
			c.call(n, n[:1], false)
		}
		for range 5 {
			c.release()
		}
		c.want("a1", "b1", "c1", "a2", "b2", "a3")
	})
}

func TestTheKeyWithTheFewestSlotsIsNext(t *testing.T) {
	inQueue(t, Limits{Slots: 3, Waiting: 100}, func(c *callers) {
		for _, n := range []string{"b1", "a1", "a2", "a3", "b2"} {
			c.call(n, n[:1], false)
		}
		c.release() // b1: b has no slot now, a has two
		c.want("b1", "a1", "a2", "b2")
	})
}

func TestAKeyHasNoMoreSlotsThanItMayAlthoughOthersAreFree(t *testing.T) {
	inQueue(t, Limits{Slots: 3, PerKey: 1, Waiting: 100}, func(c *callers) {
		for _, n := range []string{"a1", "a2", "b1"} {
			c.call(n, n[:1], false)
		}
		c.want("a1", "b1")
		c.release()
		c.want("a1", "b1", "a2")
	})
}

func TestCallersThatGoAheadAreServedFirst(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 3}, func(c *callers) {
		c.call("a1", "a", false)
		c.call("a2", "a", false)
		c.call("b1", "b", false)
		c.call("c1", "c", true)
		c.call("d1", "d", true) // there is room for three: b1 or a2 is refused
		c.release()
		c.release()
		c.want("a1", "c1", "d1")
		if len(c.refuse) != 1 {
			t.Errorf("refused %v", c.refuse)
		}
	})
}

func TestAFullQueueHasRoomForAKeyWithFewerCallers(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 4}, func(c *callers) {
		for _, n := range []string{"a0", "a1", "a2", "a3", "a4"} {
			c.call(n, "a", false)
		}
		c.call("a5", "a", false)
		c.call("b1", "b", false)
		if want := []string{"a5", "a4"}; !slices.Equal(c.refuse, want) {
			t.Fatalf("refused %v, want %v", c.refuse, want)
		}
		c.release()
		c.release()
		c.want("a0", "b1", "a1")
	})
}

func TestNoMoreOfAKeyWaitThanMay(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 10, WaitingPerKey: 2}, func(c *callers) {
		for _, n := range []string{"a0", "a1", "a2", "a3", "b1"} {
			c.call(n, n[:1], false)
		}
		if !slices.Equal(c.refuse, []string{"a3"}) || !c.q.Full("a") || c.q.Full("b") {
			t.Fatalf("refused %v", c.refuse)
		}
	})
}

func TestCallerThatGivesUpKeepsNoSlot(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 10}, func(c *callers) {
		c.call("a1", "a", false)
		hangUp := c.call("b1", "b", false)
		c.call("c1", "c", false)
		hangUp()
		synctest.Wait()
		c.release()
		c.want("a1", "c1")
		c.release()
		c.call("d1", "d", false)
		c.want("a1", "c1", "d1")
	})
}

func TestASlotIsGivenBackOnce(t *testing.T) {
	inQueue(t, Limits{Slots: 1, Waiting: 10}, func(c *callers) {
		c.call("a1", "a", false)
		c.free[0]()
		c.release()
		c.call("a2", "a", false)
		c.call("a3", "a", false)
		c.want("a1", "a2")
	})
}
