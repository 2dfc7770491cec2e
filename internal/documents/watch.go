package documents

import (
	"context"
	"errors"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// watchers wake the requests that wait for a document to change. Commits of this process wake them at once. Commits of
// other processes are reported to [Documents.FollowChanges]. While they are not, they are found by polling the versions of
// all watched documents in one query, which one of the waiting callers makes. The zero value is ready to use.
type watchers struct {
	mu      sync.Mutex // guards the fields below; held briefly
	waits   map[contract.DocumentID]map[*watcher]bool
	polling chan struct{} // holds one value while a caller polls for all
	reading chan struct{} // holds one value for each caller that reads its own document

	listening bool      // commits of other processes are reported
	polledAt  time.Time // by a caller that polls for all
}

// mostReading bounds those who wait and read their document at the same time. A change wakes all who wait for a document; were they to
// read at once, the store would refuse some of them, and other requests, as if it did not answer.
const mostReading = 32

type watcher struct {
	after int64         // version that the caller knows
	news  chan struct{} // closed when there is, or may be, a newer version
}

// pollInterval is how often the store is polled for changes of other processes.
const pollInterval = time.Second

// reportedPollInterval is how often it is polled while changes are reported, in case a report was lost.
const reportedPollInterval = 15 * time.Second

// isPollDue reports whether the caller that polls for all has to do so now.
func (w *watchers) isPollDue(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listening && now.Sub(w.polledAt) < reportedPollInterval {
		return false
	}
	w.polledAt = now
	return true
}

func (w *watchers) setListening(listening bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listening = listening
	w.polledAt = time.Time{} // what was committed until now may not have been reported
}

// listenAgainAfter is how long the versions are polled before the connection is tried again.
const listenAgainAfter = time.Second

// FollowChanges wakes callers that wait for documents which other processes change, until ctx ends, or returns at once if
// the database reports no changes. While the connection is down, the versions are polled.
func (s *Documents) FollowChanges(ctx context.Context, changes store.Changes) {
	for ctx.Err() == nil {
		err := changes.ListenForChanges(ctx, func() { s.watch.setListening(true) }, s.watch.notifyChanged)
		s.watch.setListening(false)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		if ctx.Err() == nil {
			s.Log.DebugContext(ctx, "changes of other processes are polled", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(listenAgainAfter):
		}
	}
}

// notifyChanged wakes the callers that wait for a version of a document; 0: it was deleted.
func (w *watchers) notifyChanged(id contract.DocumentID, version int64) {
	versions := map[contract.DocumentID]int64{id: version}
	if version == 0 {
		versions = nil
	}
	w.notifyNewer([]contract.DocumentID{id}, versions)
}

// startWait registers a wait. The caller must call leave.
func (w *watchers) startWait(id contract.DocumentID, after int64) (news <-chan struct{}, polling chan struct{}, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits == nil {
		w.waits, w.polling = map[contract.DocumentID]map[*watcher]bool{}, make(chan struct{}, 1)
		w.reading = make(chan struct{}, mostReading)
	}
	if w.waits[id] == nil {
		w.waits[id] = map[*watcher]bool{}
	}
	own := &watcher{after, make(chan struct{})}
	w.waits[id][own] = true
	return own.news, w.polling, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.waits[id], own); len(w.waits[id]) == 0 {
			delete(w.waits, id)
		}
	}
}

// read calls do as soon as few others read.
func (w *watchers) read(ctx context.Context, do func() error) error {
	w.mu.Lock()
	reading := w.reading // made by startWait
	w.mu.Unlock()
	select {
	case reading <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-reading }()
	return do()
}

// watchedIDs returns the documents that callers wait for.
func (w *watchers) watchedIDs() []contract.DocumentID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]contract.DocumentID, 0, len(w.waits))
	for id := range w.waits {
		ids = append(ids, id)
	}
	return ids
}

// notifyNewer wakes the callers that wait for one of the asked documents, if it has a newer version or no longer
// exists.
func (w *watchers) notifyNewer(asked []contract.DocumentID, versions map[contract.DocumentID]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range asked {
		version, exists := versions[id]
		for waiter := range w.waits[id] {
			if !exists || version > waiter.after {
				close(waiter.news)
				delete(w.waits[id], waiter)
			}
		}
		if len(w.waits[id]) == 0 {
			delete(w.waits, id)
		}
	}
}

// WaitForChange returns the document as soon as its version is above after. Thousands of goroutines may wait here:
// returning a pointer, and loading the document in a separate function, reduce their stacks to a quarter.
func (s *Documents) WaitForChange(ctx context.Context, by contract.Actor, id contract.DocumentID, after int64) (*contract.Document, error) {
	for {
		if err := s.waitForVersion(ctx, id, after); err != nil {
			return nil, err
		}
		d, err := s.newerDocument(ctx, by, id, after)
		if d != nil || err != nil {
			return d, err
		}
	}
}

// newerDocument returns the document if its version is above after, or nil.
//
//go:noinline
func (s *Documents) newerDocument(ctx context.Context, by contract.Actor, id contract.DocumentID, after int64) (*contract.Document, error) {
	var d contract.Document
	err := s.watch.read(ctx, func() (err error) {
		d, err = s.LoadAuthorised(ctx, by, contract.OpEvents, id)
		return err
	})
	if err != nil || d.Version <= after {
		return nil, err
	}
	return &d, nil
}

// waitForVersion returns when a document may have a version above after.
func (s *Documents) waitForVersion(ctx context.Context, id contract.DocumentID, after int64) error {
	news, polling, leave := s.watch.startWait(id, after)
	defer leave()
	// Check after registering, so that no change between the caller's last look and the wait is missed.
	if err := s.watch.read(ctx, func() error { return s.checkVersions(ctx, []contract.DocumentID{id}) }); err != nil {
		return err
	}
	select {
	case <-news:
		return nil
	default:
	}
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case polling <- struct{}{}: // this caller polls for all until its own wait is over
	}
	defer func() { <-polling }()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-news:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if !s.watch.isPollDue(time.Now()) {
			continue
		}
		if err := s.checkVersions(ctx, s.watch.watchedIDs()); err != nil {
			return err
		}
	}
}

// checkVersions wakes the callers that wait for one of these documents if it has changed.
func (s *Documents) checkVersions(ctx context.Context, ids []contract.DocumentID) error {
	versions, err := s.Store.Versions(ctx, ids)
	if err != nil {
		return err
	}
	s.watch.notifyNewer(ids, versions)
	return nil
}
