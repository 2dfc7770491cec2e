package documents

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// versions is a store that only implements Versions.
type versions struct {
	Store
	mu    sync.Mutex // guards the fields below
	of    map[contract.DocumentID]int64
	asked int
}

func (v *versions) Versions(_ context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked++
	found := map[contract.DocumentID]int64{}
	for _, id := range ids {
		if n, ok := v.of[id]; ok {
			found[id] = n
		}
	}
	return found, nil
}

func (v *versions) set(id contract.DocumentID, version int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.of[id] = version
}

func TestTheStoreIsAskedOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const watchers, seconds = 500, 20
		store := &versions{of: map[contract.DocumentID]int64{}}
		s := &Documents{Store: store}
		ctx, end := context.WithCancel(t.Context())
		woken := make(chan contract.DocumentID, watchers)
		for i := range contract.DocumentID(watchers) {
			store.set(i, 1)
			go func() {
				if err := s.waitForVersion(ctx, i, 1); err == nil {
					woken <- i
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}()
		}
		time.Sleep(seconds*time.Second + time.Millisecond)
		synctest.Wait()
		if store.asked > watchers+seconds {
			t.Errorf("the store was polled %d times by %d watchers in %d seconds", store.asked, watchers, seconds)
		}
		store.set(7, 2) // by another process
		began := time.Now()
		if id := <-woken; id != 7 || time.Since(began) > pollInterval {
			t.Errorf("document %d changed, seen after %v", id, time.Since(began))
		}
		began = time.Now()
		s.watch.notifyNewer([]contract.DocumentID{8}, nil) // by this one
		if id := <-woken; id != 8 || time.Since(began) > 0 {
			t.Errorf("document %d changed, seen after %v", id, time.Since(began))
		}
		end()
		synctest.Wait()
		if n := len(s.watch.waits); n != 0 || len(woken) != 0 {
			t.Errorf("%d documents are still watched, %d woken", n, len(woken))
		}
	})
}

func TestAnotherWaiterPollsWhenThePollingCallerLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &versions{of: map[contract.DocumentID]int64{1: 1, 2: 1}}
		s := &Documents{Store: store}
		first, leave := context.WithCancel(t.Context())
		go func() { _ = s.waitForVersion(first, 1, 1) }()
		synctest.Wait()
		seen := make(chan error, 1)
		go func() { seen <- s.waitForVersion(t.Context(), 2, 1) }()
		synctest.Wait()
		leave()
		synctest.Wait()
		store.set(2, 2)
		if err := <-seen; err != nil {
			t.Error(err)
		}
	})
}

func TestAChangeBeforeTheWaitIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Documents{Store: &versions{of: map[contract.DocumentID]int64{1: 5}}}
		began := time.Now()
		if err := s.waitForVersion(t.Context(), 1, 4); err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := s.waitForVersion(t.Context(), 9, 4); err != nil { // the document was deleted
			t.Error(err)
		}
	})
}

// crowd is a store that tells how many ask it at the same time.
type crowd struct {
	*versions
	now, most atomic.Int64
}

func (c *crowd) ask() {
	now := c.now.Add(1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	time.Sleep(time.Millisecond)
	c.now.Add(-1)
}

func (c *crowd) Versions(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error) {
	c.ask()
	return c.versions.Versions(ctx, ids)
}

func (c *crowd) DocumentFor(context.Context, contract.DocumentID, contract.PersonID) (contract.Document, error) {
	c.ask()
	return contract.Document{}, store.ErrNotFound
}

func TestThoseWhoWaitForOneDocumentDoNotReadItAllAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const watchers = 2000
		crowded := &crowd{versions: &versions{of: map[contract.DocumentID]int64{1: 1}}}
		s := &Documents{Store: crowded}
		var served sync.WaitGroup
		for range watchers {
			served.Go(func() {
				by := contract.Actor{Person: contract.Person{ID: "somebody"}}
				if _, err := s.WaitForChange(t.Context(), by, 1, 1); !errors.Is(err, contract.ErrNotFound) { // which DocumentFor leads to
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Minute)
		s.watch.notifyNewer([]contract.DocumentID{1}, nil)
		served.Wait()
		if n := crowded.most.Load(); n > mostReading+1 { // one looks for all
			t.Errorf("%d of %d asked the store at the same time", n, watchers)
		}
	})
}
