package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"segel/scripts/running"
)

// The processor time, in percent, that a service may use after its data folder was deleted while it had work: more indicates a
// loop that retries without a pause. It is measured after the first tries.
const (
	deletedOrders = 30
	deletedSettle = 10 * time.Second
	deletedFor    = 30 * time.Second
	deletedMost   = 15.0
)

// deleteData deletes the data folder of the running service while jobs run and event streams are open, and measures the
// processor time from then on. The folder is unusable afterwards.
func (t *trial) deleteData(ctx context.Context) (p resultTable, err error) {
	if t.nodes[0].PID() == 0 {
		if err := t.nodes[0].Start(); err != nil {
			return nil, err
		}
	}
	random := rand.New(rand.NewPCG(t.seed, 3))
	var streams sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer func() { cancel(); streams.Wait() }()
	for n := range deletedOrders {
		o := drawOrder(random, n)
		if err := t.client.submitOrder(ctx, o); err != nil {
			return nil, err
		}
		streams.Go(func() { t.client.followEvents(ctx, o.id) })
	}
	idle, err := t.measureProcessor(ctx, time.Second)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(t.data); err != nil && !errors.Is(err, syscall.EBUSY) { // a mount point stays, and is empty
		return nil, err
	}
	at, err := t.measureProcessor(ctx, deletedSettle)
	if err != nil {
		return nil, err
	}
	after, err := t.measureProcessor(ctx, deletedFor)
	if err != nil {
		return nil, err
	}
	p.addFigure(fmt.Sprintf("percent of a processor: at work; in the first %v after the data folder was deleted; in the next %v", deletedSettle, deletedFor), "%.1f; %.1f; %.1f", idle, at, after)
	var busy []string
	if after > deletedMost {
		busy = []string{fmt.Sprintf("%.1f %%", after)}
	}
	p.addZeroCount(fmt.Sprintf("more than %v %% then", deletedMost), busy)
	var again []string
	if _, err := os.Stat(filepath.Join(t.data, "segel.db")); !errors.Is(err, fs.ErrNotExist) {
		again = []string{t.data}
	}
	p.addZeroCount("databases made in the place of the deleted one", again)
	return p, nil
}

// followEvents reads the events of a document until ctx ends, like a browser.
func (c *client) followEvents(ctx context.Context, id int64) {
	for ctx.Err() == nil {
		_, _ = c.Read(ctx, running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "events/", id)})
		again := time.NewTimer(time.Second)
		select {
		case <-again.C:
		case <-ctx.Done():
		}
		again.Stop()
	}
}

// measureProcessor returns the processor time of the service over a while, in percent of one processor.
func (t *trial) measureProcessor(ctx context.Context, during time.Duration) (float64, error) {
	before, err := t.nodes[0].CPUTime()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	end := time.NewTimer(during)
	defer end.Stop()
	select {
	case <-end.C:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	after, err := t.nodes[0].CPUTime()
	if err != nil {
		return 0, err
	}
	return 100 * (after - before).Seconds() / time.Since(began).Seconds(), nil
}
