package admission

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull refuses a caller because too many wait already.
var ErrFull = errors.New("too many wait for the same")

// Limits are those of a [Queue].
type Limits struct {
	Slots         int // callers served at the same time; at least 1
	PerKey        int // callers of one key served at the same time; 0: as many as there are slots
	Waiting       int // callers that wait; 0: nobody waits
	WaitingPerKey int // callers of one key that wait; 0: as many as may wait at all
}

// Queue gives slots to callers. When a slot is free, the key with the fewest slots is next, and among those the one whose turn
// was longest ago, so that a thousand callers with one key delay the caller with another by one slot, not by a thousand.
// It is safe for concurrent use.
type Queue struct {
	limits Limits

	mu      sync.Mutex // guards all below, for a moment only
	free    int
	served  map[string]int
	last    map[string]uint64 // when each key that has a slot, or waits for one, had its last turn
	turns   uint64
	waiting int
	lines   [2]line // who goes ahead, and all others
}

// The lines of a queue.
const (
	ahead = iota
	normal
)

// line is callers that wait, by key.
type line struct {
	order []string // keys of those who wait, the one that came first at the beginning
	waits map[string][]*waiter
}

type waiter struct {
	turn chan struct{} // closed when the wait is over
	err  error         // why it is over without a slot; written before turn is closed
}

// NewQueue returns a queue in which nobody waits.
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

// Acquire waits for a slot; one that is free is taken even if the context has ended. The caller calls release when it needs the
// slot no more; only the first call counts. Errors: [ErrFull]; the context's error when it ended first.
func (q *Queue) Acquire(ctx context.Context, key string) (release func(), err error) {
	return q.acquire(ctx, key, normal)
}

// AcquireAhead is Acquire for a caller that is served before all that wait by Acquire.
func (q *Queue) AcquireAhead(ctx context.Context, key string) (release func(), err error) {
	return q.acquire(ctx, key, ahead)
}

func (q *Queue) acquire(ctx context.Context, key string, in int) (release func(), err error) {
	w, err := q.enter(key, in)
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() { q.leave(key) })
	if w == nil {
		return release, nil
	}
	select {
	case <-w.turn:
	case <-ctx.Done():
		if q.forget(key, in, w) {
			return nil, ctx.Err()
		}
		<-w.turn // the wait ended in the same moment
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

// enter takes a slot, and then returns nil, or a place in a line.
func (q *Queue) enter(key string, in int) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// Who waits although a slot is free has as many as its key may have, so this caller overtakes nobody.
	if q.free > 0 && q.served[key] < q.limits.PerKey {
		q.serve(key)
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

// serve gives a slot to a key.
func (q *Queue) serve(key string) {
	q.free--
	q.served[key]++
	q.turns++
	q.last[key] = q.turns
}

// makeRoom refuses the caller that came last of the key with the most, if the new caller's key would still have fewer; a caller
// that goes ahead takes the place of any that does not. It reports whether there is room.
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
	q.remove(longest, normal, len(waits)-1)
	last.err = ErrFull
	close(last.turn)
	return true
}

func (q *Queue) waitingOf(key string) int {
	return len(q.lines[ahead].waits[key]) + len(q.lines[normal].waits[key])
}

// leave gives a slot back, and passes on all that are free.
func (q *Queue) leave(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	if q.served[key]--; q.served[key] == 0 {
		delete(q.served, key)
	}
	q.forgetIdle(key)
	for q.free > 0 {
		next, in, ok := q.next()
		if !ok {
			return
		}
		w := q.lines[in].waits[next][0]
		q.serve(next)
		q.remove(next, in, 0)
		close(w.turn)
	}
}

// next chooses the key whose turn it is.
func (q *Queue) next() (key string, in int, ok bool) {
	for in := range q.lines {
		for _, k := range q.lines[in].order {
			if q.served[k] < q.limits.PerKey && (!ok || q.before(k, key)) {
				key, ok = k, true
			}
		}
		if ok {
			return key, in, true
		}
	}
	return "", 0, false
}

// before reports whether key a has its turn before key b.
func (q *Queue) before(a, b string) bool {
	return cmp.Or(cmp.Compare(q.served[a], q.served[b]), cmp.Compare(q.last[a], q.last[b])) < 0
}

// forgetIdle forgets when a key had its turn that neither has a slot nor waits.
func (q *Queue) forgetIdle(key string) {
	if q.served[key] == 0 && q.waitingOf(key) == 0 {
		delete(q.last, key)
	}
}

// remove takes a caller out of a line.
func (q *Queue) remove(key string, in, i int) {
	l := &q.lines[in]
	q.waiting--
	if l.waits[key] = slices.Delete(l.waits[key], i, i+1); len(l.waits[key]) == 0 {
		delete(l.waits, key)
		l.order = slices.DeleteFunc(l.order, func(k string) bool { return k == key })
	}
	q.forgetIdle(key)
}

// forget takes a caller that gave up out of the line; false when its wait is over already.
func (q *Queue) forget(key string, in int, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.lines[in].waits[key], w)
	if i < 0 {
		return false
	}
	q.remove(key, in, i)
	return true
}

// Load returns how many callers have a slot, and how many wait.
func (q *Queue) Load() (served, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limits.Slots - q.free, q.waiting
}

// Full reports whether as many callers of a key wait as may.
func (q *Queue) Full(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waitingOf(key) >= q.limits.WaitingPerKey
}
