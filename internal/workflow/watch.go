package workflow

import (
	"context"
	"sync"
	"time"

	"segel/internal/contract"
)

// watchers wake those who wait for a document to change. A change made by another process is seen at the next
// look instead.
type watchers struct {
	mu    sync.Mutex // guards waits, for a moment only
	waits map[contract.DocumentID]chan struct{}
}

// lookEvery is how long a watcher waits for news from this process before it looks by itself.
const lookEvery = time.Second

// wait returns a channel that is closed at the document's next change.
func (w *watchers) wait(id contract.DocumentID) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits == nil {
		w.waits = map[contract.DocumentID]chan struct{}{}
	}
	c := w.waits[id]
	if c == nil {
		c = make(chan struct{})
		w.waits[id] = c
	}
	return c
}

func (w *watchers) changed(id contract.DocumentID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.waits[id]; c != nil {
		close(c)
		delete(w.waits, id)
	}
}

// Next returns the document as soon as its version is above after.
func (s *Service) Next(ctx context.Context, by contract.Actor, id contract.DocumentID, after int64) (contract.Document, error) {
	for {
		// The channel is asked for before the look, so that a change between the two wakes us.
		news := s.watch.wait(id)
		d, err := s.Detail(ctx, by, contract.OpEvents, id)
		if err != nil || d.Version > after {
			return d, err
		}
		look := time.NewTimer(lookEvery)
		select {
		case <-news:
		case <-look.C:
		case <-ctx.Done():
			look.Stop()
			return contract.Document{}, ctx.Err()
		}
		look.Stop()
	}
}
