package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// stampBench is a service that gets its stamps from an office in this process, and an observer of the calls between them.
type stampBench struct {
	*service
	office *running.Service
	proxy  *running.OfficeProxy

	mu   sync.Mutex // guards seen
	seen observed
}

// observed holds what was observed of the calls.
type observed struct {
	took    map[string][]time.Duration // time in the office, by call
	stamped []cpuSample                // when it answered with a stamped file
}

// cpuSample is a time and the processor time that the service had used by then.
type cpuSample struct {
	at  time.Time
	cpu time.Duration
}

// openStampBench starts both in a folder. Database is a PostgreSQL URL; empty: SQLite.
func openStampBench(binary, dir, database string) (b *stampBench, err error) {
	b = &stampBench{service: &service{}, seen: observed{took: map[string][]time.Duration{}}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	shared := filepath.Join(dir, "shared")
	if b.office, err = running.StartOffice(binary, filepath.Join(dir, "office"), shared); err != nil {
		return nil, err
	}
	if b.proxy, err = running.NewOfficeProxy(b.office.URL); err != nil {
		return nil, err
	}
	b.proxy.Answered = b.recordCall
	env := append(running.OfficeEnv(b.proxy.URL, shared, time.Second), "SEGEL_LOG_LEVEL=warn", "SEGEL_DATABASE="+database)
	if b.Service, err = running.Start(binary, filepath.Join(dir, "data"), env...); err != nil {
		return nil, err
	}
	if err := b.Grant(b.Data, "Segel", 100_000, 1_000); err != nil {
		return nil, err
	}
	for range stampSigners + 2 {
		if err := b.addPerson(""); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// close stops what was started.
func (b *stampBench) close() {
	if b.Service != nil {
		b.Stop()
	}
	if b.proxy != nil {
		b.proxy.Close()
	}
	if b.office != nil {
		b.office.Stop()
	}
}

// recordCall records the duration of a call in the office.
func (b *stampBench) recordCall(call string, took time.Duration) {
	now := cpuSample{at: time.Now()}
	if call == running.CallStamp {
		now.cpu, _ = b.CPUTime() // the service has just made a request
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen.took[call] = append(b.seen.took[call], took)
	if call == running.CallStamp {
		b.seen.stamped = append(b.seen.stamped, now)
	}
}

// takeObserved returns what was observed since the previous call.
func (b *stampBench) takeObserved() observed {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := b.seen
	b.seen = observed{took: map[string][]time.Duration{}}
	return seen
}

// measureStamps measures the cost and the latency of stamps.
func measureStamps(binary, dir string) error {
	b, err := openStampBench(binary, filepath.Join(dir, "stamps"), "")
	if err != nil {
		return err
	}
	err = errors.Join(b.measureCost(), b.measureLatency("SQLite"), b.measureBulk())
	b.close()
	if err != nil {
		return err
	}
	return onPostgres(binary, filepath.Join(dir, "stamps-postgres"))
}

// onPostgres measures the wait on PostgreSQL, if its programs are installed.
func onPostgres(binary, dir string) error {
	dsn, stop, err := pgtest.Serve(context.Background())
	if err != nil {
		fmt.Println("| accepted to stamped on PostgreSQL | not measured |", err, "|")
		return nil
	}
	b, err := openStampBench(binary, dir, dsn)
	if err == nil {
		err = b.measureLatency("PostgreSQL")
		b.close()
	}
	return errors.Join(err, stop())
}

const (
	stampSigners = 11 // of a document, and stamps of one: the first is not measured
	stampRounds  = 8
)

// measureCost compares a stamp with a signature on documents of the same size, alternately: the time of ten further ones,
// excluding that of the office.
func (b *stampBench) measureCost() error {
	var signWall, stampWall []time.Duration
	var signCPU, stampCPU time.Duration
	for range stampRounds {
		wall, cpu, err := b.measureSignature()
		if err != nil {
			return err
		}
		signWall, signCPU = append(signWall, wall), signCPU+cpu
		if wall, cpu, err = b.measureStamp(); err != nil {
			return err
		}
		stampWall, stampCPU = append(stampWall, wall), stampCPU+cpu
	}
	x, y := median(stampWall), median(signWall)
	fmt.Printf("| affix a duty stamp, beside the office's own time / sign, 100 KB | %.2f | %.1f ms / %.1f ms, median of %d times ten in turn |\n", float64(x)/float64(y), toMillis(x), toMillis(y), stampRounds)
	fmt.Printf("| processor time of the same | %.2f | %.1f ms / %.1f ms, mean |\n", float64(stampCPU)/float64(signCPU), toMillis(stampCPU)/stampRounds, toMillis(signCPU)/stampRounds)
	return nil
}

// measureSignature returns the time of one signature, without the first of a document.
func (b *stampBench) measureSignature() (wall, cpu time.Duration, err error) {
	owner := b.people[0]
	id, err := b.uploadSized(owner, small, stampSigners+1, nil)
	if err != nil {
		return 0, 0, err
	}
	if err := errors.Join(owner.PostVerb("finalize-docs", id), b.people[1].PostVerb("sign-docs", id)); err != nil {
		return 0, 0, err
	}
	before, err := b.CPUTime()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for _, signer := range b.people[2 : stampSigners+1] {
		if err := signer.PostVerb("sign-docs", id); err != nil {
			return 0, 0, err
		}
	}
	wall = time.Since(began) / (stampSigners - 1)
	after, err := b.CPUTime()
	// The last signature starts the seal, which is not to be counted.
	if err := errors.Join(err, b.people[stampSigners+1].PostVerb("sign-docs", id)); err != nil {
		return 0, 0, err
	}
	_, err = owner.WaitCompleted(id)
	return wall, (after - before) / (stampSigners - 1), err
}

// measureStamp returns the time of one stamp, without the first of a document and without the office's time: between two
// answers with a stamped file each step happens once.
func (b *stampBench) measureStamp() (wall, cpu time.Duration, err error) {
	id, err := b.uploadOrder(b.people[0], small, stampSigners)
	if err != nil {
		return 0, 0, err
	}
	b.takeObserved()
	if err := b.people[0].PostVerb("finalize-docs", id); err != nil {
		return 0, 0, err
	}
	// Requests to the service meanwhile would be counted as its work.
	stamped := 0
	for began := time.Now(); stamped < stampSigners && time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		b.mu.Lock()
		stamped = len(b.seen.stamped)
		b.mu.Unlock()
	}
	if _, err := b.people[0].WaitCompleted(id); err != nil {
		return 0, 0, err
	}
	seen := b.takeObserved()
	if n := len(seen.stamped); n != stampSigners {
		return 0, 0, fmt.Errorf("%d calls of %s for %d stamps", n, running.CallStamp, stampSigners)
	}
	first, last := seen.stamped[0], seen.stamped[stampSigners-1]
	wall, cpu = last.at.Sub(first.at), last.cpu-first.cpu
	for _, call := range []string{running.CallTake, running.CallStamp} {
		for _, d := range seen.took[call][1:] {
			wall -= d
		}
	}
	return wall / (stampSigners - 1), cpu / (stampSigners - 1), nil
}
