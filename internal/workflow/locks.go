package workflow

import (
	"context"
	"sync"

	"segel/internal/contract"
)

// documentLocks serialise, within this process, the builders of a document's next revision, so that a crowd of signers
// does not sign revisions that can no longer be committed. Correctness never rests on them: between processes,
// and after all, the commit's compare-and-swap decides.
type documentLocks struct {
	mu   sync.Mutex // guards held, for a moment only
	held map[contract.DocumentID]*documentLock
}

type documentLock struct {
	turn    chan struct{} // holds one value while nobody builds
	waiting int
}

// acquire waits for the document's turn. The returned function gives it back.
func (l *documentLocks) acquire(ctx context.Context, id contract.DocumentID) (release func(), err error) {
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
