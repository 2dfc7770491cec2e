package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"segel/scripts/running"
)

// warmUp takes a few documents through the job, so that caches are filled and code is loaded, and measures what waiting costs.
func (l *load) warmUp(ctx context.Context) error {
	warm := *l
	warm.documents = 2 * l.clients
	documents := make([]document, warm.documents)
	if _, err := warm.runAll(ctx, slices.Concat(preparing, closing), documents); err != nil {
		return err
	}
	before, err := l.readCosts(ctx)
	if err != nil {
		return err
	}
	const waits = 200
	for range waits {
		if err := l.waitCompleted(ctx, &documents[0]); err != nil {
			return err
		}
	}
	after, err := l.readCosts(ctx)
	l.wait = after.minus(before).times(1.0 / waits)
	return err
}

// measureJob measures the job as clients use it: each takes a document from upload to completion.
func (l *load) measureJob(ctx context.Context) error {
	profiled := l.startProfile(ctx)
	before, err := l.readCosts(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	times, err := l.runAll(ctx, slices.Concat(preparing, closing), make([]document, l.documents))
	if err != nil {
		return err
	}
	took := time.Since(began)
	after, err := l.readCosts(ctx)
	if err != nil {
		return err
	}
	perSecond := float64(l.documents) / took.Seconds()
	fmt.Printf("| complete documents a second | %.1f | %.1f s; as many signatures, twice as many seals and timestamps |\n", perSecond, took.Seconds())
	l.printCosts("whole job", after.minus(before))
	for _, o := range slices.Concat(preparing, closing) {
		printTimes(o.name, times[o.name])
	}
	fmt.Printf("| peak of resident memory | %.0f MiB | since the start |\n", after.peak/(1<<20))
	return profiled()
}

// measurePhases measures what the two halves of the job cost, one after the other.
func (l *load) measurePhases(ctx context.Context) error {
	half := *l
	half.documents = max(l.documents/4, 1)
	documents := make([]document, half.documents)
	for _, phase := range phases {
		before, err := l.readCosts(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		if _, err := half.runAll(ctx, phase.operations, documents); err != nil {
			return err
		}
		took := time.Since(began)
		after, err := l.readCosts(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("| %s, documents a second | %.1f | %d documents in %.1f s |\n", phase.name, float64(half.documents)/took.Seconds(), half.documents, took.Seconds())
		half.printCosts(phase.name, after.minus(before))
	}
	return nil
}

// showProgress reports whether standard error is a terminal.
var showProgress = func() bool {
	s, err := os.Stderr.Stat()
	return err == nil && s.Mode()&os.ModeCharDevice != 0
}()

// runAll runs operations on every document with concurrent clients, and returns the times by operation. It shows progress on
// standard error.
func (l *load) runAll(ctx context.Context, operations []operation, documents []document) (map[string][]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex // guards times and done
	times, done := map[string][]time.Duration{}, 0
	turns := make(chan *document)
	var working sync.WaitGroup
	for range l.clients {
		working.Go(func() {
			for d := range turns {
				for _, o := range operations {
					began := time.Now()
					if err := o.run(l, ctx, d); err != nil {
						cancel(fmt.Errorf("%s: %w", o.name, err))
						return
					}
					took := time.Since(began)
					mu.Lock()
					times[o.name] = append(times[o.name], took)
					mu.Unlock()
				}
				mu.Lock()
				done++
				if showProgress {
					fmt.Fprintf(os.Stderr, "\r%d of %d ", done, len(documents))
				}
				mu.Unlock()
			}
		})
	}
send:
	for i := range documents {
		select {
		case turns <- &documents[i]:
		case <-ctx.Done():
			break send
		}
	}
	close(turns)
	working.Wait()
	if showProgress {
		fmt.Fprint(os.Stderr, "\r\033[K")
	}
	return times, context.Cause(ctx)
}

// costs are the metrics of the service at one moment.
type costs struct{ cpu, mallocs, bytes, statements, trips, reads, writes, commits, syncs, waits, peak float64 }

func (c costs) minus(o costs) costs {
	return costs{c.cpu - o.cpu, c.mallocs - o.mallocs, c.bytes - o.bytes, c.statements - o.statements, c.trips - o.trips, c.reads - o.reads, c.writes - o.writes, c.commits - o.commits, c.syncs - o.syncs, c.waits - o.waits, c.peak}
}

func (c costs) plus(o costs) costs { return c.minus(o.times(-1)) }

func (c costs) times(f float64) costs {
	return costs{f * c.cpu, f * c.mallocs, f * c.bytes, f * c.statements, f * c.trips, f * c.reads, f * c.writes, f * c.commits, f * c.syncs, f * c.waits, c.peak}
}

func (l *load) printCosts(what string, c costs) {
	n := float64(l.documents)
	c = c.minus(l.wait.times(c.waits))
	fmt.Printf("| %s, processor time of a document | %.1f ms | service alone |\n", what, c.cpu/n*1000)
	fmt.Printf("| %s, allocations of a document | %.0f | %.0f KiB |\n", what, c.mallocs/n, c.bytes/n/1024)
	fmt.Printf("| %s, statements of a document | %.1f | %.1f transactions that write with %.1f commits, %.1f that read |\n", what, c.statements/n, c.writes/n, c.commits/n, c.reads/n)
	if l.postgres {
		fmt.Printf("| %s, round trips of a document | %.1f | |\n", what, c.trips/n)
	}
	fmt.Printf("| %s, syncs of files and folders of a document | %.1f | without those of the database |\n", what, c.syncs/n)
}

// readCosts reads the metrics of the service.
func (l *load) readCosts(ctx context.Context) (costs, error) {
	monitor := &running.Client{URL: l.URL, Token: metricsToken}
	text, err := monitor.Read(ctx, running.Request{Method: http.MethodGet, Path: "/metrics"})
	if err != nil {
		return costs{}, err
	}
	c := costs{waits: float64(l.waits.Load())}
	wanted := map[string]*float64{
		"process_cpu_seconds_total": &c.cpu, "go_memstats_mallocs_total": &c.mallocs, "go_memstats_alloc_bytes_total": &c.bytes,
		"segel_database_statements_total": &c.statements, "segel_database_round_trips_total": &c.trips, `segel_database_transactions_total{kind="read"}`: &c.reads,
		`segel_database_transactions_total{kind="write"}`: &c.writes, "segel_database_commits_total": &c.commits, "segel_file_syncs_total": &c.syncs,
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if to, ok := wanted[name]; ok {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return costs{}, err
			}
			delete(wanted, name)
		}
	}
	if len(wanted) > 0 {
		return costs{}, fmt.Errorf("/metrics lacks %d of the metrics", len(wanted))
	}
	peak, err := l.PeakMemory()
	c.peak = float64(peak)
	return c, err
}

func printTimes(name string, times []time.Duration) {
	slices.Sort(times)
	at := func(percent int) float64 { return float64(times[(len(times)-1)*percent/100]) / 1e6 }
	fmt.Printf("| %s | %.1f ms | half of %d; 90 %% within %.1f, 99 %% within %.1f ms |\n", name, at(50), len(times), at(90), at(99))
}

// profileTime bounds a profile.
const profileTime = 20 * time.Second

// startProfile records a profile of the processor time, if one is wanted, and one of the allocations beside it. The returned function
// waits for both.
func (l *load) startProfile(ctx context.Context) (wait func() error) {
	if l.profile == "" {
		return func() error { return nil }
	}
	done := make(chan error, 2)
	go func() { done <- l.saveProfile(ctx, "profile", l.profile) }()
	go func() { done <- l.saveProfile(ctx, "allocs", l.profile+".allocs") }()
	return func() error { return errors.Join(<-done, <-done) }
}

func (l *load) saveProfile(ctx context.Context, kind, name string) error {
	url, ok := l.FindOutput("profiles at ")
	if !ok {
		return fmt.Errorf("the service serves no profiles")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s%s?seconds=%d", url, kind, int(profileTime.Seconds())), nil)
	if err != nil {
		return err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, a.Body)
	return err
}
