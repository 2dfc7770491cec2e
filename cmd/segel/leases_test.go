package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// TestPurchasesAndSlotsHoldForAllNodes takes leases at two nodes that share nothing but the database.
func TestPurchasesAndSlotsHoldForAllNodes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	var leases [2]officeLeases
	var nodes [2]*proc.Node
	for i := range leases {
		s, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Writing})
		if err != nil {
			t.Fatal(err)
		}
		if nodes[i], err = proc.JoinNodes(t.Context(), s, store.Node{}, nil, proc.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(nodes[i].Leave(), s.Close()); err != nil {
				t.Error(err)
			}
		})
		leases[i] = officeLeases{s, func() proc.Process { return nodes[i] }, slog.New(slog.DiscardHandler)}
	}
	ctx := t.Context()
	var beside, alone, slots atomic.Int64
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
				release, err := o.TakeAlone(ctx, "purchase")
				if err != nil {
					t.Error(err)
					return
				}
				if alone.Add(1) != 1 || beside.Load() != 0 {
					t.Error("a purchase runs beside one that is alone")
				}
				alone.Add(-1)
				release()
				return
			}
			release, err := o.TakeBeside(ctx, "purchase", 64)
			if err != nil {
				t.Error(err)
				return
			}
			beside.Add(1)
			if alone.Load() != 0 {
				t.Error("a purchase runs beside one that is alone")
			}
			beside.Add(-1)
			release()
		})
	}
	all.Wait()
	// What a node has ends with it; who waits gets it then.
	if _, err := leases[0].TakeBeside(ctx, "purchase", 64); err != nil {
		t.Fatal(err)
	}
	within, cancel := context.WithTimeout(ctx, 2*leasePoll)
	defer cancel()
	if _, err := leases[1].TakeAlone(within, "purchase"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("alone beside a purchase: %v", err)
	}
	if err := nodes[0].Leave(); err != nil {
		t.Fatal(err)
	}
	long, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	release, err := leases[1].TakeAlone(long, "purchase")
	if err != nil {
		t.Fatal(err)
	}
	release()
}
