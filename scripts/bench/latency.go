package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"segel/scripts/running"
)

// The rate of orders at which latency is measured.
const (
	ordersPerSecond = 20
	ordersInAll     = 300
)

// measureLatency measures how long an order waits for its stamp at a steady rate.
func (b *stampBench) measureLatency(database string) error {
	var ids []int64
	for range ordersInAll {
		id, err := b.uploadOrder(b.people[0], small, 1)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	b.takeObserved()
	waits, failed := make([]time.Duration, ordersInAll), make([]error, ordersInAll)
	var all sync.WaitGroup
	beat := time.NewTicker(time.Second / ordersPerSecond)
	defer beat.Stop()
	for i, id := range ids {
		<-beat.C
		all.Go(func() {
			if failed[i] = b.people[0].PostVerb("finalize-docs", id); failed[i] != nil {
				return
			}
			accepted := time.Now()
			var stamped time.Time
			failed[i] = b.people[0].FollowEvents(context.Background(), id, func(s running.Status) {
				if stamped.IsZero() && s.StepState("stamped") == "done" {
					stamped = time.Now()
				}
			})
			waits[i] = stamped.Sub(accepted)
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	took := b.takeObserved().took
	office := median(took[running.CallTake]) + median(took[running.CallStamp])
	slices.Sort(waits)
	p50, p99 := waits[len(waits)/2], waits[len(waits)*99/100]
	fmt.Printf("| accepted to stamped at %d orders a second on %s, 99th of 100, beyond the office's round trips | %.0f ms | %.0f ms, half within %.0f ms; the office takes %.0f ms; %d orders |\n",
		ordersPerSecond, database, toMillis(p99-office), toMillis(p99), toMillis(p50), toMillis(office), ordersInAll)
	return nil
}

// The number of concurrent orders, and of the connections that send them.
const (
	bulkOrders  = 1000
	bulkClients = 4
)

// measureBulk sends all orders at once, and polls the status of each until all are done: the status has to show the progress.
func (b *stampBench) measureBulk() error {
	ids := make([]int64, bulkOrders)
	err := forEachOrder(func(i int) (err error) {
		ids[i], err = b.uploadOrder(b.people[0], small, 1)
		return err
	})
	if err != nil {
		return err
	}
	before, err := b.resetPeak()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := forEachOrder(func(i int) error { return b.people[0].PostVerb("finalize-docs", ids[i]) }); err != nil {
		return err
	}
	accepted := time.Since(began)
	seen := map[string]int{} // how often a status reported each state
	for left := ids; len(left) > 0; time.Sleep(time.Second) {
		var next []int64
		for _, id := range left {
			var a running.StatusAnswer
			if err := b.people[0].Get(fmt.Sprint(running.DocumentPath, "status/", id), &a); err != nil {
				return err
			}
			seen["stamped "+a.Data.StepState("stamped")+", sealed "+a.Data.StepState("sealed")]++
			switch a.Data.Status {
			case "processing":
				next = append(next, id)
			case "completed":
			default:
				return fmt.Errorf("document %d is %s", id, a.Data.Status)
			}
		}
		left = next
	}
	took := time.Since(began)
	after, err := b.PeakMemory()
	if err != nil {
		return err
	}
	fmt.Printf("| %d stamping orders finalized at once | %.1f a second | accepted in %.0f s, all completed after %.0f s; memory grows by %.1f MiB from %.1f |\n",
		bulkOrders, bulkOrders/took.Seconds(), accepted.Seconds(), took.Seconds(), toMiB(after-before), toMiB(before))
	if len(seen) < 2 {
		return fmt.Errorf("the status of the orders did not tell how far they were: %v", seen)
	}
	return nil
}

// forEachOrder runs a function for each of the bulk orders.
func forEachOrder(do func(i int) error) error {
	var all sync.WaitGroup
	failed := make([]error, bulkClients)
	for c := range bulkClients {
		all.Go(func() {
			for i := c; i < bulkOrders && failed[c] == nil; i += bulkClients {
				failed[c] = do(i)
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}
