package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// What a service may use of one processor, in percent, whose data folder was deleted while it had work: more is a loop that tries
// without a pause. It is measured once the first tries are over.
const (
	deletedOrders = 30
	deletedSettle = 10 * time.Second
	deletedFor    = 30 * time.Second
	deletedMost   = 15.0
)

// deleteData deletes the data folder of the running service while jobs are under way and streams of events are open, and measures what
// the service uses from then on. Nothing works with that folder afterwards.
func (t *trial) deleteData(ctx context.Context) (p resultTable, err error) {
	if t.service.PID() == 0 {
		if err := t.service.Start(); err != nil {
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
		streams.Go(func() { t.client.follow(ctx, o.id) })
	}
	idle, err := t.measureProcessor(ctx, time.Second)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(t.data); err != nil && !errors.Is(err, syscall.EBUSY) { // what is mounted there stays, and is empty
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

// follow reads the events of a document until ctx ends, as a browser does.
func (c *client) follow(ctx context.Context, id int64) {
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+fmt.Sprint(documentPath, "events/", id), nil)
		if err != nil {
			return
		}
		r.Header.Set("x-access-token", c.token)
		if a, err := c.http.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, a.Body)
			_ = a.Body.Close()
		}
		again := time.NewTimer(time.Second)
		select {
		case <-again.C:
		case <-ctx.Done():
		}
		again.Stop()
	}
}

// measureProcessor returns what the service uses of one processor for a while, in percent.
func (t *trial) measureProcessor(ctx context.Context, during time.Duration) (float64, error) {
	before, err := processorTime(t.service.PID())
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
	after, err := processorTime(t.service.PID())
	if err != nil {
		return 0, err
	}
	return 100 * (after - before).Seconds() / time.Since(began).Seconds(), nil
}

// tick is the unit in which Linux tells processor time to programs (USER_HZ).
const tick = 10 * time.Millisecond

// processorTime returns what a process has used, see proc_pid_stat(5).
func processorTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may hold anything.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("state of process %d: %q", pid, b)
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}
