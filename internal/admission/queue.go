package admission

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull refuses a caller because too many already wait.
var ErrFull = errors.New("too many wait for the same")

// Limits are the limits of a [Queue].
type Limits struct {
	Slots         int // callers served at the same time; at least 1
	PerKey        int // callers of one key served at the same time; 0: Slots
	Waiting       int // callers that wait; 0: none may wait
	WaitingPerKey int // callers of one key that wait; 0: Waiting
}

// Queue assigns slots to callers. A free slot goes to the key with the fewest slots, and among those to the one whose
// last turn was longest ago. So a thousand callers with one key delay a caller with another key by one slot, not by a
// thousand. It is safe for concurrent use.
type Queue struct {
	limits Limits

	mu      sync.Mutex // guards the fields below; held briefly
	free    int
	served  map[string]int
	last    map[string]uint64 // last turn of each key that has a slot or waits
	turns   uint64
	waiting int
	lines   [2]line // callers that go ahead, and all others
}

// The lines of a queue.
const (
	ahead = iota
	normal
)

// line holds waiting callers by key.
type line struct {
	order []string // keys of the waiting callers, in order of arrival
	waits map[string][]*waiter
}

type waiter struct {
	turn chan struct{} // closed when the wait is over
	err  error         // why the wait ended without a slot; written before turn is closed
}

// NewQueue returns an empty queue.
func NewQueue(l Limits) *Queue {
	if l.PerKey == 0 {
		l.PerKey = l.Slots
	}
	if l.WaitingPerKey == 0 {
		l.WaitingPerKey = l.Waiting
	}
	q := &Queue{limits: l, free: l.Slots, served: map[string]int{}, last: map[string]uint64{}}
	for i := range q.lines {
		q.lines[i].waits = map[string][]*waiter{}
	}
	return q
}

// Acquire waits for a slot. It takes a free one even if the context has ended. The caller calls release when it no
// longer needs the slot; only the first call counts. Errors: [ErrFull]; the context's error if it ended first.
func (q *Queue) Acquire(ctx context.Context, key string) (release func(), err error) {
	return q.acquire(ctx, key, normal)
}

// AcquireAhead is Acquire for a caller that is served before all callers of Acquire.
func (q *Queue) AcquireAhead(ctx context.Context, key string) (release func(), err error) {
	return q.acquire(ctx, key, ahead)
}

func (q *Queue) acquire(ctx context.Context, key string, in int) (release func(), err error) {
	w, err := q.takeOrWait(key, in)
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() { q.releaseSlot(key) })
	if w == nil {
		return release, nil
	}
	select {
	case <-w.turn:
	case <-ctx.Done():
		if q.abandonWait(key, in, w) {
			return nil, ctx.Err()
		}
		<-w.turn // the wait ended at the same moment
		if w.err == nil {
			release()
		}
		return nil, ctx.Err()
	}
	if w.err != nil {
		return nil, w.err
	}
	return release, nil
}

// takeOrWait takes a free slot and returns nil, or returns a place in a line.
func (q *Queue) takeOrWait(key string, in int) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// If callers wait although a slot is free, their keys are at PerKey, so this caller overtakes none of them.
	if q.free > 0 && q.served[key] < q.limits.PerKey {
		q.assignSlot(key)
		return nil, nil
	}
	if q.waitingOf(key) >= q.limits.WaitingPerKey || q.waiting >= q.limits.Waiting && !q.makeRoom(key, in) {
		return nil, ErrFull
	}
	w := &waiter{turn: make(chan struct{})}
	l := &q.lines[in]
	if len(l.waits[key]) == 0 {
		l.order = append(l.order, key)
	}
	l.waits[key] = append(l.waits[key], w)
	q.waiting++
	return w, nil
}

// assignSlot assigns a slot to a key.
func (q *Queue) assignSlot(key string) {
	q.free--
	q.served[key]++
	q.turns++
	q.last[key] = q.turns
}

// makeRoom refuses the last caller of the key with the most waiting callers, if the new caller's key would still have
// fewer. A caller that goes ahead replaces any that does not. It reports whether there is room.
func (q *Queue) makeRoom(key string, in int) bool {
	l := &q.lines[normal]
	longest := ""
	for _, k := range l.order {
		if longest == "" || len(l.waits[k]) > len(l.waits[longest]) {
			longest = k
		}
	}
	if longest == "" || in == normal && len(l.waits[longest]) <= q.waitingOf(key)+1 {
		return false
	}
	waits := l.waits[longest]
	last := waits[len(waits)-1]
	q.removeWaiter(longest, normal, len(waits)-1)
	last.err = ErrFull
	close(last.turn)
	return true
}

func (q *Queue) waitingOf(key string) int {
	return len(q.lines[ahead].waits[key]) + len(q.lines[normal].waits[key])
}

// releaseSlot releases a slot and assigns all free slots.
func (q *Queue) releaseSlot(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	if q.served[key]--; q.served[key] == 0 {
		delete(q.served, key)
	}
	q.forgetIdle(key)
	for q.free > 0 {
		next, in, ok := q.nextKey()
		if !ok {
			return
		}
		w := q.lines[in].waits[next][0]
		q.assignSlot(next)
		q.removeWaiter(next, in, 0)
		close(w.turn)
	}
}

// nextKey returns the key whose turn it is.
func (q *Queue) nextKey() (key string, in int, ok bool) {
	for in := range q.lines {
		for _, k := range q.lines[in].order {
			if q.served[k] < q.limits.PerKey && (!ok || q.precedes(k, key)) {
				key, ok = k, true
			}
		}
		if ok {
			return key, in, true
		}
	}
	return "", 0, false
}

// precedes reports whether the turn of key a comes before that of key b.
func (q *Queue) precedes(a, b string) bool {
	return cmp.Or(cmp.Compare(q.served[a], q.served[b]), cmp.Compare(q.last[a], q.last[b])) < 0
}

// forgetIdle removes the last turn of a key that neither has a slot nor waits.
func (q *Queue) forgetIdle(key string) {
	if q.served[key] == 0 && q.waitingOf(key) == 0 {
		delete(q.last, key)
	}
}

// removeWaiter removes a caller from a line.
func (q *Queue) removeWaiter(key string, in, i int) {
	l := &q.lines[in]
	q.waiting--
	if l.waits[key] = slices.Delete(l.waits[key], i, i+1); len(l.waits[key]) == 0 {
		delete(l.waits, key)
		l.order = slices.DeleteFunc(l.order, func(k string) bool { return k == key })
	}
	q.forgetIdle(key)
}

// abandonWait removes a caller that gave up from the line. It returns false if its wait is already over.
func (q *Queue) abandonWait(key string, in int, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.lines[in].waits[key], w)
	if i < 0 {
		return false
	}
	q.removeWaiter(key, in, i)
	return true
}

// Load returns how many callers have a slot and how many wait.
func (q *Queue) Load() (served, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limits.Slots - q.free, q.waiting
}

// Full reports whether a key has reached its limit of waiting callers.
func (q *Queue) Full(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waitingOf(key) >= q.limits.WaitingPerKey
}
