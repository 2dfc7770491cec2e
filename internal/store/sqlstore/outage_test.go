package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/outage"
	"segel/internal/store"
	"segel/internal/store/storetest/pgtest"
)

// behindProxy opens a database through a proxy.
func behindProxy(t *testing.T, timeout time.Duration) (*Store, *pgtest.Proxy) {
	t.Helper()
	p, err := pgtest.NewProxy(pgtest.Database(t, Migrate))
	if err != nil {
		t.Fatal(err)
	}
	p.Slow = 20 * time.Millisecond
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(t.Context(), p.DSN(), Options{Mode: Writing, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, p
}

func set(t *testing.T, p *pgtest.Proxy, f pgtest.Fault) {
	t.Helper()
	if err := p.Set(f); err != nil {
		t.Fatal(err)
	}
}

// requireOutage requires an error which means that the database does not respond, certainly without effect.
func requireOutage(t *testing.T, what string, err error) {
	t.Helper()
	if e := outage.Of(err); e == nil || e.Part != outage.Database || e.InDoubt {
		t.Errorf("%s: %v", what, err)
	}
}

func TestDatabaseThatDoesNotAnswerIsAnOutageWithinTheTimeout(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	for name, fault := range map[string]pgtest.Fault{"refuses": pgtest.Refuse, "resets": pgtest.Reset, "swallows": pgtest.Swallow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := behindProxy(t, timeout)
			note(t, s, 1)
			set(t, p, fault)
			for range 3 {
				began := time.Now()
				_, _, err := s.Size(t.Context())
				requireOutage(t, "read", err)
				requireOutage(t, "write", s.LogEvents(t.Context(), contract.Event{Type: contract.EventViewed}))
				if took := time.Since(began); took > 30*time.Second { // without the timeout they would wait for minutes
					t.Errorf("two transactions took %v", took)
				}
			}
			set(t, p, pgtest.Pass)
			// The first ones may meet lost connections; after them none is left.
			if err := s.LogEvents(t.Context(), contract.Event{Type: contract.EventViewed}); err != nil {
				t.Errorf("right after the outage: %v", err)
			}
			if n, _, err := s.Size(t.Context()); err != nil || n < 2 {
				t.Errorf("%d events, %v", n, err)
			}
		})
	}
}

func TestSlowDatabaseWorks(t *testing.T) {
	t.Parallel()
	s, p := behindProxy(t, 0)
	set(t, p, pgtest.Delay)
	note(t, s, 2)
	if n, _, err := s.Size(t.Context()); err != nil || n != 2 {
		t.Errorf("%d events, %v", n, err)
	}
}

func TestCommitWhoseAnswerIsLostIsInDoubt(t *testing.T) {
	t.Parallel()
	s, p := behindProxy(t, 0)
	set(t, p, pgtest.CutCommits)
	err := s.LogEvents(t.Context(), contract.Event{Type: contract.EventViewed})
	if e := outage.Of(err); e == nil || !e.InDoubt || e.Part != outage.Database {
		t.Fatalf("%v", err)
	}
	set(t, p, pgtest.Pass)
	if n, _, err := s.Size(t.Context()); err != nil || n != 1 || p.Commits() != 1 {
		t.Errorf("%d events, %d commits were cut: %v", n, p.Commits(), err)
	}
}

func TestRefusalsAndLostRacesAreNoOutages(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		if _, err := s.Document(t.Context(), 7); outage.Of(err) != nil || !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := s.Document(gone, 7); outage.Of(err) != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled request was reported as an outage: %v", err)
		}
		if _, err := s.Document(t.Context(), 7); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("and the next: %v", err)
		}
	})
}

func TestWaitForAConnectionIsBounded(t *testing.T) {
	t.Parallel()
	s, p := behindProxy(t, 2*time.Second)
	note(t, s, 1)
	set(t, p, pgtest.Swallow)
	var crowded, all sync.WaitGroup
	results := make(chan error, maxTransactions+10)
	crowded.Add(1)
	for range cap(results) {
		all.Go(func() {
			_, _, err := s.Size(t.Context())
			results <- err
		})
	}
	crowded.Done()
	all.Wait()
	close(results)
	refused := 0
	for err := range results {
		requireOutage(t, "one of many", err)
		if errors.Is(err, errCrowded) {
			refused++
		}
	}
	if refused == 0 {
		t.Error("all waited")
	}
}

func TestCallersWhoGiveUpDoNotKeepOthersWaitingForASilentDatabase(t *testing.T) {
	t.Parallel()
	s, p := behindProxy(t, 3*time.Second)
	note(t, s, 1)
	set(t, p, pgtest.Swallow)
	var all sync.WaitGroup
	cancels := make([]context.CancelFunc, maxTransactions)
	for i := range cancels {
		ctx, cancel := context.WithCancel(t.Context())
		cancels[i] = cancel
		all.Go(func() { _, _, _ = s.Size(ctx) })
	}
	bounded := s.db.(*boundedDatabase)
	for len(bounded.turns) < maxTransactions {
		runtime.Gosched()
	}
	refused := make(chan error, 100)
	for range cap(refused) {
		all.Go(func() {
			_, _, err := s.Size(t.Context())
			refused <- err
		})
	}
	tick := time.NewTicker(crowdWait / 8)
	defer tick.Stop()
	for _, cancel := range cancels[:16] {
		<-tick.C
		cancel()
	}
	all.Wait()
	for _, cancel := range cancels {
		cancel()
	}
	close(refused)
	crowded := 0
	for err := range refused {
		requireOutage(t, "one of many", err)
		if errors.Is(err, errCrowded) {
			crowded++
		}
	}
	if crowded == 0 {
		t.Error("all waited")
	}
}

func TestLostSQLiteFileIsNeverReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "segel.db")
	s := openTest(t, path)
	note(t, s, 1)
	// Open connections continue to read the deleted file; this test is about new ones.
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	second, err := openDatabase(t.Context(), path, Options{Mode: Writing}, new(counters))
	if !errors.Is(err, ErrMissing) {
		t.Fatalf("%v, %v", second, err)
	}
	var wg sync.WaitGroup
	outages := make(chan error, 64)
	for range cap(outages) {
		wg.Go(func() {
			err := s.db.withSnapshot(t.Context(), func(q querier) error {
				_, err := q.query(t.Context(), "SELECT 1")
				return err
			})
			outages <- err
		})
	}
	wg.Wait()
	close(outages)
	for err := range outages {
		if err != nil {
			requireOutage(t, "a new connection", err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made in the place of the lost one: %v", err)
	}
}

func TestServerEndsWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	s, _ := behindProxy(t, time.Second)
	for name, want := range map[string]string{"statement_timeout": "1s", "lock_timeout": "666ms", "idle_in_transaction_session_timeout": "2s"} {
		var got string
		if err := s.readRow(t.Context(), []any{&got}, "SELECT setting FROM (SELECT current_setting('"+name+"') AS setting) x"); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %s", name, got, err, want)
		}
	}
	began := time.Now()
	err := s.runStatement(t.Context(), "SELECT pg_sleep(60)")
	requireOutage(t, "a statement that does not end", err)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAddressOverridesWhatWeAskOfTheServer(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, Migrate)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("statement_timeout", "7000")
	u.RawQuery = q.Encode()
	s, err := Open(t.Context(), u.String(), Options{Mode: Writing})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got string
	if err := s.readRow(t.Context(), []any{&got}, "SELECT current_setting('statement_timeout')"); err != nil || !strings.HasPrefix(got, "7") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFullDiskIsDistinguishedFromALostDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "segel.db")
	s := openTest(t, path)
	// SQLite reports its own size limit like a full disk.
	err := s.db.withTx(t.Context(), func(x tx) error {
		if _, err := x.exec(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
			return err
		}
		for n := range 10_000 {
			if _, err := x.exec(t.Context(), "INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, 0)", fmt.Sprint(n), strings.Repeat("x", 1000)+fmt.Sprint(n)); err != nil {
				return err
			}
		}
		return nil
	})
	if e := outage.Of(err); e == nil || e.Part != outage.Disk {
		t.Errorf("%v", err)
	}
}

func TestTransactionThatPanicsLetsTheNextGoOnAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		began := time.Now()
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			_ = s.db.withTx(t.Context(), func(x tx) error {
				if _, err := x.exec(t.Context(), `INSERT INTO organisation (id, name, created_at) VALUES ('lost', 'Lost', 0)`); err != nil {
					t.Error(err)
				}
				panic("a defect")
			})
		}()
		if _, err := s.Organisation(t.Context(), "lost"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("what it wrote: %v", err)
		}
		note(t, s, 1)
		if took := time.Since(began); took > DefaultTimeout/2 {
			t.Errorf("the next waited for %v", took)
		}
	})
}

func TestCrowdThatADatabaseAnswersIsServed(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		var all sync.WaitGroup
		for range 2 * maxTransactions {
			all.Go(func() {
				if _, _, err := s.Size(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}
