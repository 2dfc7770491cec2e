package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(killed); dsn != "" {
		fmt.Fprintln(os.Stderr, runUntilKilled(dsn, os.Getenv(killedPlaces)))
		os.Exit(1)
	}
	code := pgtest.Run(m)
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// onBoth runs a test on an empty store of each database.
func onBoth(t *testing.T, test func(*testing.T, *bench)) {
	t.Parallel()
	for name, dsn := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return storetest.SQLite(t, sqlstore.Migrate) },
		"PostgreSQL": func(t testing.TB) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newBench(t, dsn(t)))
		})
	}
}

// bench is a store with handlers that report their calls.
type bench struct {
	*sqlstore.Store
	t         *testing.T
	dsn       string
	documents int
	stamped   chan contract.DocumentID
	completed chan contract.DocumentID
	swept     chan []string
}

// waitLimit bounds the waits of a test; a passing test never uses it up.
const waitLimit = 20 * time.Second

func newBench(t *testing.T, dsn string) *bench {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{Store: s, t: t, dsn: dsn, stamped: make(chan contract.DocumentID, 100), completed: make(chan contract.DocumentID, 100), swept: make(chan []string, 100)}
	b.must(s.CreateOrganisation(t.Context(), store.Organisation{ID: "org", Name: "Org"}))
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// handlers returns handlers that report their arguments.
func (b *bench) handlers() jobs.Handlers {
	return jobs.Handlers{
		Stamp:    func(_ context.Context, id contract.DocumentID) error { b.stamped <- id; return nil },
		Complete: func(_ context.Context, id contract.DocumentID) error { b.completed <- id; return nil },
		Sweep:    func(_ context.Context, keys []string) error { b.swept <- keys; return nil },
	}
}

// run starts a runner that stops with the test.
func (b *bench) run(h jobs.Handlers, o jobs.Options) *jobs.Runner {
	b.t.Helper()
	r, err := jobs.Start(b.t.Context(), b, h, o)
	b.must(err)
	b.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			b.t.Error(err)
		}
	})
	return r
}

// draft makes a document and enqueues jobs for it.
func (b *bench) draft(kinds ...contract.JobKind) contract.Document {
	b.t.Helper()
	d, err := b.Commit(b.t.Context(), b.creating(kinds...))
	b.must(err)
	return d
}

func (b *bench) creating(kinds ...contract.JobKind) contract.Change {
	b.t.Helper()
	b.documents++
	base := contract.Revision{Kind: contract.RevisionBase, Tail: contract.File{Key: fmt.Sprint(b.documents), Size: 1}, End: 1}
	by := contract.Actor{Person: contract.Person{ID: "owner"}, Organisation: "org"}
	c, err := contract.Create(contract.Upload{Title: "T", Base: base, Entropy: [16]byte{byte(b.documents)}}, by, contract.Limits{}.Defaults(), time.Unix(1_800_000_000, 0))
	b.must(err)
	for _, k := range kinds {
		c.Jobs = append(c.Jobs, contract.Job{Kind: k})
	}
	return c
}

// again commits another change of a document with those jobs.
func (b *bench) again(d contract.Document, kinds ...contract.JobKind) contract.Document {
	b.t.Helper()
	c := contract.Change{Before: &d, After: d}
	for _, k := range kinds {
		c.Jobs = append(c.Jobs, contract.Job{Kind: k, Document: d.ID})
	}
	d, err := b.Commit(b.t.Context(), c)
	b.must(err)
	return d
}

// next returns the next value of a channel.
func next[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(waitLimit):
		t.Fatal("no value came")
	}
	return v
}

func TestACommitOrdersItsWork(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.run(b.handlers(), jobs.Options{})
		d1, d2 := b.draft(contract.JobStamp), b.draft(contract.JobComplete)
		if id := next(t, b.stamped); id != d1.ID {
			t.Errorf("stamped %d, want %d", id, d1.ID)
		}
		if id := next(t, b.completed); id != d2.ID {
			t.Errorf("completed %d, want %d", id, d2.ID)
		}
		c, err := contract.Delete(&d1, contract.Actor{Person: d1.Owner, Organisation: "org"}, time.Now())
		b.must(err)
		_, err = b.Commit(t.Context(), c)
		b.must(err)
		if keys := next(t, b.swept); len(keys) != 1 || keys[0] != d1.Original.Key {
			t.Errorf("swept %v", keys)
		}
	})
}

func TestARefusedCommitOrdersNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		c := b.creating(contract.JobStamp)
		c.Quota = []contract.QuotaMove{{Organisation: "org", Unit: contract.UnitStamp, Op: contract.QuotaReserve, Count: 1}}
		if _, err := b.Commit(t.Context(), c); !errors.Is(err, contract.ErrQuota) {
			t.Fatal(err)
		}
		d := b.draft()
		stale := contract.Change{Before: &d, After: d, Jobs: []contract.Job{{Kind: contract.JobStamp, Document: d.ID}}}
		b.again(d)
		if _, err := b.Commit(t.Context(), stale); !errors.Is(err, store.ErrConflict) {
			t.Fatal(err)
		}
		last := b.draft(contract.JobStamp)
		b.run(b.handlers(), jobs.Options{Workers: 1})
		if id := next(t, b.stamped); id != last.ID {
			t.Errorf("stamped %d, which a failed commit enqueued; want %d", id, last.ID)
		}
	})
}

func TestTheNotificationOfACommitStartsItsJobs(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.run(b.handlers(), jobs.WithPoll(jobs.Options{}, 24*time.Hour))
		drafts := 0
		for end := time.Now().Add(waitLimit); len(b.stamped) == 0; drafts++ { // until the runner listens, notifications are lost
			if time.Now().After(end) {
				t.Fatal("no job was picked up")
			}
			b.draft(contract.JobStamp)
		}
		for range drafts {
			next(t, b.stamped)
		}
		for range 8 {
			d := b.draft(contract.JobStamp)
			if id := next(t, b.stamped); id != d.ID {
				t.Errorf("stamped %d, want %d", id, d.ID)
			}
		}
	})
}

func TestEqualWorkWaitsOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		d := b.draft(contract.JobStamp)
		d = b.again(d, contract.JobStamp, contract.JobStamp)
		d = b.again(d, contract.JobStamp, contract.JobComplete)
		b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobStamp, Document: d.ID}))
		last := b.draft(contract.JobStamp)
		b.run(b.handlers(), jobs.Options{Workers: 1})
		if id1, id2 := next(t, b.stamped), next(t, b.stamped); id1 != d.ID || id2 != last.ID {
			t.Errorf("stamped %d and %d, want %d and %d", id1, id2, d.ID, last.ID)
		}
		if id := next(t, b.completed); id != d.ID {
			t.Errorf("completed %d, want %d", id, d.ID)
		}
	})
}

func TestWorkOrderedWhileItsEqualRunsIsDoneAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		running, goOn := make(chan struct{}), make(chan struct{})
		var calls atomic.Int32
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			if calls.Add(1) == 1 {
				close(running)
				<-goOn
			}
			b.stamped <- id
			return nil
		}
		b.run(h, jobs.Options{Workers: 2})
		d := b.draft(contract.JobStamp)
		next(t, running)
		d = b.again(d, contract.JobStamp)
		d = b.again(d, contract.JobStamp)
		close(goOn)
		if id1, id2 := next(t, b.stamped), next(t, b.stamped); id1 != d.ID || id2 != d.ID {
			t.Errorf("stamped %d and %d, want %d twice", id1, id2, d.ID)
		}
	})
}

func TestWhatFailsIsTriedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		var calls atomic.Int32
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			if calls.Add(1) == 1 {
				return errors.New("the office is closed")
			}
			b.stamped <- id
			return nil
		}
		b.run(h, jobs.Options{})
		if d := b.draft(contract.JobStamp); next(t, b.stamped) != d.ID {
			t.Error("the handler got another document")
		}
	})
}

func TestAHandlerMayAskToBeCalledLater(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		var calls atomic.Int32
		h.Complete = func(_ context.Context, id contract.DocumentID) error {
			if calls.Add(1) == 1 {
				return fmt.Errorf("complete: %w", &jobs.Later{After: time.Millisecond})
			}
			b.completed <- id
			return nil
		}
		b.run(h, jobs.Options{})
		if d := b.draft(contract.JobComplete); next(t, b.completed) != d.ID {
			t.Error("the handler got another document")
		}
	})
}

// The wait is far longer than the test's waitLimit, so only bringing it forward explains the second call.
func TestACommitBringsWaitingWorkForward(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		var calls atomic.Int32
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			b.stamped <- id
			if calls.Add(1) == 1 {
				return &jobs.Later{After: time.Hour}
			}
			return nil
		}
		r := b.run(h, jobs.Options{})
		d := b.draft(contract.JobStamp)
		next(t, b.stamped)
		b.must(r.Stop(t.Context())) // the job waits from here on
		b.run(h, jobs.Options{})
		b.again(d, contract.JobStamp)
		next(t, b.stamped)
	})
}

func TestTheSafetyNetLeavesWaitingWorkItsTime(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			b.stamped <- id
			if id == 1 {
				return &jobs.Later{After: time.Hour}
			}
			return nil
		}
		r := b.run(h, jobs.Options{})
		d := b.draft(contract.JobStamp)
		next(t, b.stamped)
		b.must(r.Stop(t.Context()))
		b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobStamp, Document: d.ID}))
		last := b.draft(contract.JobStamp)
		b.run(h, jobs.Options{Workers: 1})
		if id := next(t, b.stamped); id != last.ID {
			t.Errorf("stamped %d, which waits; want %d", id, last.ID)
		}
	})
}

// TestTheSafetyNetAddsNoCompletionBesideAStampJobThatWaits also requires one where no stamp job waits: a process of release 0.1.0 ends it without the completion.
func TestTheSafetyNetAddsNoCompletionBesideAStampJobThatWaits(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			b.stamped <- id
			return &jobs.Later{After: time.Hour}
		}
		r := b.run(h, jobs.Options{})
		waiting := b.draft(contract.JobStamp)
		next(t, b.stamped)
		b.must(r.Stop(t.Context()))
		ended := b.draft()
		for _, d := range []contract.Document{waiting, ended} {
			b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobComplete, Document: d.ID}))
		}
		for kind, want := range map[contract.JobKind]contract.DocumentID{contract.JobStamp: waiting.ID, contract.JobComplete: ended.ID} {
			all, err := jobs.JobsOfKind(t.Context(), b, kind)
			b.must(err)
			var of struct{ Document contract.DocumentID }
			if len(all) == 1 {
				b.must(json.Unmarshal(all[0].EncodedArgs, &of))
			}
			if len(all) != 1 || of.Document != want {
				t.Errorf("%d jobs of kind %s, want one for document %d", len(all), kind, want)
			}
		}
	})
}

func TestTheSafetyNetDoublesWorkThatHangsOnceOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		goOn := make(chan struct{})
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			b.stamped <- id
			<-goOn
			return nil
		}
		r := b.run(h, jobs.Options{Workers: 4})
		d := b.draft(contract.JobStamp)
		next(t, b.stamped)
		again := contract.Job{Kind: contract.JobStamp, Document: d.ID}
		b.must(b.Enqueue(t.Context(), again, again))
		next(t, b.stamped)
		b.must(b.Enqueue(t.Context(), again, again))
		last := b.draft(contract.JobStamp)
		if id := next(t, b.stamped); id != last.ID {
			t.Errorf("document %d again, want %d", id, last.ID)
		}
		close(goOn)
		b.must(r.Stop(t.Context()))
		if n := len(b.stamped); n != 0 {
			t.Errorf("%d more jobs were running", n)
		}
	})
}

func TestStopWaitsForWorkAndThenCancelsIt(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		h.Stamp = func(ctx context.Context, id contract.DocumentID) error {
			b.stamped <- id
			<-ctx.Done()
			b.stamped <- 0
			return ctx.Err()
		}
		r := b.run(h, jobs.Options{})
		d := b.draft(contract.JobStamp)
		next(t, b.stamped)
		now, cancel := context.WithCancel(t.Context())
		cancel()
		b.must(r.Stop(now))
		if id := next(t, b.stamped); id != 0 {
			t.Fatalf("the job of document %d was started while stopping", id)
		}
		// The next process does the cancelled work.
		b.run(b.handlers(), jobs.Options{})
		if id := next(t, b.stamped); id != d.ID {
			t.Errorf("stamped %d, want %d", id, d.ID)
		}
	})
}

func TestPeriodicWorkRunsAtTheStartEvenAfterItFailed(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		ran := make(chan struct{}, 100)
		h := b.handlers()
		h.Periodic = []jobs.Periodic{{Name: "expire", Every: time.Hour, Run: func(context.Context) error {
			ran <- struct{}{}
			return errors.New("not today")
		}}}
		for range 2 {
			r := b.run(h, jobs.Options{})
			next(t, ran)
			b.must(r.Stop(t.Context()))
		}
	})
}
