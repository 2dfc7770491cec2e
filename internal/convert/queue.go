package convert

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrCrowded refuses a document whose organisation has too many waiting already.
var ErrCrowded = errors.New("too many documents wait to be converted")

// Queue gives turns to those who wait: a bounded number at once, and the organisations in rotation, so that one
// that sends a thousand documents makes another wait for one of them, not for all.
type Queue struct {
	perKey int

	mu    sync.Mutex // guards what follows, for moments only
	free  int
	order []string             // organisations with somebody waiting, whose turn is next first
	waits map[string][]*waiter // by organisation, the longest waiting first
}

type waiter struct {
	turn chan struct{} // closed when it is his turn
}

// NewQueue returns a queue in which atOnce have their turn at the same time and perKey of one organisation wait.
func NewQueue(atOnce, perKey int) *Queue {
	return &Queue{perKey: perKey, free: atOnce, waits: map[string][]*waiter{}}
}

// Wait returns when it is the turn of the caller, who belongs to the organisation key. Leave has to be called after the
// turn, once. ErrCrowded when too many of the organisation wait; the context's error when it ended before.
func (q *Queue) Wait(ctx context.Context, key string) (leave func(), err error) {
	q.mu.Lock()
	if q.free > 0 && len(q.order) == 0 {
		q.free--
		q.mu.Unlock()
		return q.leave, nil
	}
	if len(q.waits[key]) >= q.perKey {
		q.mu.Unlock()
		return nil, ErrCrowded
	}
	w := &waiter{turn: make(chan struct{})}
	if len(q.waits[key]) == 0 {
		q.order = append(q.order, key)
	}
	q.waits[key] = append(q.waits[key], w)
	q.mu.Unlock()

	select {
	case <-w.turn:
		return q.leave, nil
	case <-ctx.Done():
	}
	if !q.forget(key, w) {
		q.leave() // his turn came in the same moment; it is the next one's
	}
	return nil, ctx.Err()
}

// leave passes the turn on: to the longest waiting of the organisation whose turn is next, which then goes to the
// end of the rotation.
func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.order) == 0 {
		q.free++
		return
	}
	key := q.order[0]
	q.order = q.order[1:]
	next := q.waits[key][0]
	if rest := q.waits[key][1:]; len(rest) > 0 {
		q.waits[key] = rest
		q.order = append(q.order, key)
	} else {
		delete(q.waits, key)
	}
	close(next.turn)
}

// forget takes somebody who gave up out of the queue; false when he has his turn already.
func (q *Queue) forget(key string, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waits[key], w)
	if i < 0 {
		return false
	}
	q.waits[key] = slices.Delete(q.waits[key], i, i+1)
	if len(q.waits[key]) == 0 {
		delete(q.waits, key)
		q.order = slices.DeleteFunc(q.order, func(k string) bool { return k == key })
	}
	return true
}

// Crowded reports whether one more of an organisation would be refused.
func (q *Queue) Crowded(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waits[key]) >= q.perKey
}
