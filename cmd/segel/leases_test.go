package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/outage"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// joinLeases adds a node to those of a database, and returns its leases. Its transactions pass through fault; nil: none does.
func joinLeases(t *testing.T, dsn string, fault sqlstore.Interceptor) (*officeLeases, *proc.Node) {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	if fault != nil {
		s.Intercept(fault)
	}
	node, err := proc.JoinNodes(t.Context(), s, store.Node{}, nil, proc.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := newOfficeLeases(s, func() proc.Process { return node }, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		o.close()
		if err := errors.Join(node.Leave(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return o, node
}

// TestPurchasesAndSlotsHoldForAllNodes takes leases at two nodes that share nothing but the database.
func TestPurchasesAndSlotsHoldForAllNodes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	var leases [2]*officeLeases
	var nodes [2]*proc.Node
	for i := range leases {
		leases[i], nodes[i] = joinLeases(t, dsn, nil)
	}
	ctx := t.Context()
	var shared, exclusive, slots atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		o := leases[i%2]
		all.Go(func() {
			release, err := o.Take(ctx, "adapter", 2, "pt-a")
			if err != nil {
				t.Error(err)
				return
			}
			if n := slots.Add(1); n > 2 {
				t.Errorf("%d slots are taken", n)
			}
			slots.Add(-1)
			release()
		})
		all.Go(func() {
			if i%4 == 0 {
				release, err := o.TakeExclusive(ctx, "purchase")
				if err != nil {
					t.Error(err)
					return
				}
				if exclusive.Add(1) != 1 || shared.Load() != 0 {
					t.Error("a shared purchase runs beside an exclusive one")
				}
				exclusive.Add(-1)
				release()
				return
			}
			release, err := o.TakeShared(ctx, "purchase", 64)
			if err != nil {
				t.Error(err)
				return
			}
			shared.Add(1)
			if exclusive.Load() != 0 {
				t.Error("a shared purchase runs beside an exclusive one")
			}
			shared.Add(-1)
			release()
		})
	}
	all.Wait()
	// What a node has ends with it; who waits gets it then.
	if _, err := leases[0].TakeShared(ctx, "purchase", 64); err != nil {
		t.Fatal(err)
	}
	within, cancel := context.WithTimeout(ctx, 2*leasePoll)
	defer cancel()
	if _, err := leases[1].TakeExclusive(within, "purchase"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("exclusive beside a shared one: %v", err)
	}
	if err := nodes[0].Leave(); err != nil {
		t.Fatal(err)
	}
	long, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	release, err := leases[1].TakeExclusive(long, "purchase")
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// TestPurchasesOfAProcessShareALeaseAndLetOneThatIsAloneThrough has purchases begin all the time, so that there is hardly a moment without one.
func TestPurchasesOfAProcessShareALeaseAndLetOneThatIsAloneThrough(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	var writes atomic.Int64
	own, node := joinLeases(t, dsn, func(ctx context.Context, write bool, run func() error) error {
		if write && proc.Of(ctx) != nil {
			writes.Add(1)
		}
		return run()
	})
	other, _ := joinLeases(t, dsn, nil)
	working, cancel := node.Term().Begin(t.Context())
	defer cancel()
	buying, stop := context.WithCancel(working)
	defer stop()
	var purchases, runs atomic.Int64
	var buyers sync.WaitGroup
	enough := make(chan struct{})
	for range 4 {
		buyers.Go(func() {
			for {
				release, err := own.TakeShared(buying, "purchase", 64)
				if err != nil {
					return
				}
				purchases.Add(1)
				if runs.Add(1) == 200 {
					close(enough)
				}
				_ = wait(buying, 5*time.Millisecond)
				purchases.Add(-1)
				release()
			}
		})
	}
	<-enough
	if n := writes.Load(); n > 200 {
		t.Errorf("%d transactions that write for 200 purchases, which took 400 by themselves", n)
	}
	within, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	release, err := other.TakeExclusive(within, "purchase")
	if err != nil {
		t.Fatal(err)
	}
	if n := purchases.Load(); n != 0 {
		t.Errorf("%d purchases at work beside one that is alone", n)
	}
	release()
	stop()
	buyers.Wait()
	requireFree(t, "all purchases", func(ctx context.Context) (func(), error) { return own.TakeExclusive(ctx, "purchase") })
}

// leaseFaults lets transactions of jobs fail that write, and no others: the node renews its lease.
type leaseFaults struct {
	lost atomic.Int64 // how many of the next ones are committed while their answer is lost
	then func()       // called when an answer was lost; nil: nothing is
	away atomic.Bool  // the database carries out none
	hang atomic.Int64 // how many of the next ones are not answered at all before their context ends
	n    atomic.Int64 // that failed because of away
}

func (f *leaseFaults) intercept(ctx context.Context, write bool, run func() error) error {
	switch {
	case !write || proc.Of(ctx) == nil:
		return run()
	case f.away.Load():
		f.n.Add(1)
		if f.hang.Add(-1) >= 0 {
			<-ctx.Done()
		}
		return &outage.Error{Part: outage.Database, Err: errors.New("away")}
	}
	err := run()
	if err == nil && f.lost.Add(-1) >= 0 {
		if f.then != nil {
			f.then()
		}
		err = &outage.Error{Part: outage.Database, InDoubt: true, Err: errors.New("the answer is lost")}
	}
	return err
}

// requireFree requires that another node gets what a node had.
func requireFree(t *testing.T, what string, take func(ctx context.Context) (func(), error)) {
	t.Helper()
	within, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	release, err := take(within)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	release()
}

func TestALeaseIsTakenOrGivenUpAlthoughTheAnswerToItsCommitIsLost(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	faults := &leaseFaults{}
	own, node := joinLeases(t, dsn, faults.intercept)
	other, _ := joinLeases(t, dsn, nil)
	for name, take := range map[string]struct {
		own, other func(*officeLeases, context.Context) (func(), error)
	}{
		"a slot": {
			func(o *officeLeases, ctx context.Context) (func(), error) { return o.Take(ctx, "slot", 1, "pt-a") },
			func(o *officeLeases, ctx context.Context) (func(), error) { return o.Take(ctx, "slot", 1, "pt-b") },
		},
		"all purchases": {
			func(o *officeLeases, ctx context.Context) (func(), error) { return o.TakeExclusive(ctx, "purchase") },
			func(o *officeLeases, ctx context.Context) (func(), error) { return o.TakeShared(ctx, "purchase", 64) },
		},
	} {
		within, cancel := node.Term().Begin(t.Context())
		faults.lost.Store(2)
		release, err := take.own(own, within)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		short, stop := context.WithTimeout(t.Context(), 2*leasePoll)
		if _, err := take.other(other, short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s is taken at the same time by another node: %v", name, err)
		}
		stop()
		release()
		requireFree(t, name+" that was released", func(ctx context.Context) (func(), error) { return take.other(other, ctx) })

		// The work ends before it learns that it has the lease.
		faults.then = cancel
		faults.lost.Store(1)
		if _, err := take.own(own, within); err == nil {
			t.Fatalf("%s is taken by work that was cancelled", name)
		}
		faults.then = nil
		faults.lost.Store(0)
		requireFree(t, name+" whose work was cancelled", func(ctx context.Context) (func(), error) { return take.other(other, ctx) })
	}
	if node.Term().Check() != nil {
		t.Error("the term of the node ended, and its leases with it")
	}
}

func TestAReleaseThatFailsIsRepeatedUntilItSucceedsOrItsTermEnds(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	faults := &leaseFaults{}
	own, node := joinLeases(t, dsn, faults.intercept)
	other, _ := joinLeases(t, dsn, nil)
	working, cancel := node.Term().Begin(t.Context())
	defer cancel()
	take := func() func() {
		t.Helper()
		release, err := own.Take(working, "slot", 1, "pt-a")
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	release := take()
	faults.hang.Store(1)
	faults.away.Store(true)
	began := time.Now()
	release()
	if waited := time.Since(began); waited < leaseRelease {
		t.Fatalf("the first try ended after %s", waited)
	}
	if n, err := other.store.CountLeases(t.Context(), "slot"); n != 1 || err != nil {
		t.Fatalf("%d slots are taken, %v", n, err)
	}
	faults.away.Store(false)
	requireFree(t, "a slot", func(ctx context.Context) (func(), error) { return other.Take(ctx, "slot", 1, "pt-b") })
	own.working.Wait() // nothing is repeated any more
	if node.Term().Check() != nil {
		t.Error("the term of the node ended, and its leases with it")
	}

	release = take()
	faults.away.Store(true)
	release()
	if err := node.Leave(); err != nil {
		t.Fatal(err)
	}
	own.working.Wait() // with the term it is free
	requireFree(t, "a slot of a node that left", func(ctx context.Context) (func(), error) { return other.Take(ctx, "slot", 1, "pt-b") })
}

func TestReleasesAreNotRepeatedAfterTheServiceHasStopped(t *testing.T) {
	t.Parallel()
	faults := &leaseFaults{}
	own, node := joinLeases(t, pgtest.Database(t, sqlstore.Migrate), faults.intercept)
	working, cancel := node.Term().Begin(t.Context())
	defer cancel()
	var releases []func()
	for range 2 {
		release, err := own.Take(working, "slot", 2, "pt-a")
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	faults.away.Store(true)
	releases[0]()
	own.close() // it returns when nothing is repeated any more
	releases[1]()
	if tries := faults.n.Load(); tries < 2 {
		t.Errorf("%d tries", tries)
	}
	own.working.Wait()
}
