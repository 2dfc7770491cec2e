package documents

import (
	"context"
	"errors"
	"log/slog"
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

// reports are the changes that a database reports while its connection is up.
type reports struct {
	connected chan chan report // a connection; closed when it is lost
}

type report struct {
	id      contract.DocumentID
	version int64
}

func (r reports) ListenForChanges(ctx context.Context, listening func(), changed func(contract.DocumentID, int64)) error {
	select {
	case c := <-r.connected:
		listening()
		for n := range c {
			changed(n.id, n.version)
		}
		return errors.New("the connection is lost")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestReportedChangesAreSeenAtOnceAndOthersArePolledWhileNoneAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &versions{of: map[contract.DocumentID]int64{7: 1}}
		s := &Documents{Store: store, Log: slog.New(slog.DiscardHandler)}
		ctx, end := context.WithCancel(t.Context())
		var following sync.WaitGroup
		r := reports{make(chan chan report)}
		following.Go(func() { s.FollowChanges(ctx, r) })
		connection := make(chan report)
		r.connected <- connection
		seen := func(version int64, change func()) time.Duration {
			t.Helper()
			woken, began := make(chan error), time.Now()
			go func() { woken <- s.waitForVersion(ctx, 7, version-1) }()
			time.Sleep(2*pollInterval + pollInterval/2)
			asked := store.asked
			change()
			if err := <-woken; err != nil {
				t.Fatal(err)
			}
			if asked == 0 {
				t.Error("the version was not read after the wait began")
			}
			return time.Since(began) - 2*pollInterval - pollInterval/2
		}
		if late := seen(2, func() { store.set(7, 2); connection <- report{7, 2} }); late > 0 {
			t.Errorf("a reported change was seen after %s", late)
		}
		before := store.asked
		time.Sleep(reportedPollInterval - 5*pollInterval)
		if n := store.asked - before; n != 0 {
			t.Errorf("%d polls while changes are reported", n)
		}
		close(connection)
		synctest.Wait()
		if late := seen(3, func() { store.set(7, 3) }); late > pollInterval {
			t.Errorf("without reports a change was seen after %s", late)
		}
		connection = make(chan report)
		r.connected <- connection
		if late := seen(4, func() { store.set(7, 4); connection <- report{7, 4} }); late > 0 {
			t.Errorf("after the connection was lost, a reported change was seen after %s", late)
		}
		end()
		close(connection)
		following.Wait()
	})
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
