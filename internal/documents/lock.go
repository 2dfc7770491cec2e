package documents

import (
	"context"
	"sync"

	"segel/internal/contract"
)

// documentLocks serialise the builders of a document's next revision within this process, so that concurrent signers do
// not sign revisions that can no longer be committed. Correctness does not depend on them: the commit's
// compare-and-swap decides, also between processes.
type documentLocks struct {
	mu   sync.Mutex // guards held; held briefly
	held map[contract.DocumentID]*documentLock
}

type documentLock struct {
	turn    chan struct{} // holds one value while the lock is free
	waiting int
}

// LockDocument waits until the caller alone builds the next revision of a document. The returned function releases it.
func (s *Documents) LockDocument(ctx context.Context, id contract.DocumentID) (release func(), err error) {
	l := &s.locks
	l.mu.Lock()
	if l.held == nil {
		l.held = map[contract.DocumentID]*documentLock{}
	}
	k := l.held[id]
	if k == nil {
		k = &documentLock{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		l.held[id] = k
	}
	k.waiting++
	l.mu.Unlock()

	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.waiting--; k.waiting == 0 {
			delete(l.held, id)
		}
	}
	select {
	case <-k.turn:
		return func() { k.turn <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
