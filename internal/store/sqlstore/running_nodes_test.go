package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"segel/internal/store"
)

// runNode adds a node to a database and renews its lease until the test ends or stop is called, like a process that runs.
func runNode(t *testing.T, s *Store, name, release string) (stop func()) {
	t.Helper()
	n := store.Node{Name: name, Host: "host of " + name, Release: release}
	if err := s.AddNode(t.Context(), n, 4*time.Second); err != nil {
		t.Fatal(err)
	}
	return repeat(t, func(ctx context.Context) error {
		_, err := s.RenewNode(ctx, name, 4*time.Second)
		return err
	})
}

// repeat calls do every tenth of a second until the test ends or stop is called.
func repeat(t *testing.T, do func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := do(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return stop
}

// expandingRelease and contractingRelease are the next release, and the one after it.
func expandingRelease(t *testing.T) Options {
	return Options{Version: "3.0.0", files: with(t, "0998_next.sql", nextExpanding), writerLevel: Level + 1}
}

func contractingRelease(t *testing.T) Options {
	files := with(t, "0998_next.sql", nextExpanding).(fstest.MapFS)
	files["0999_last.sql"] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- segel: contracting level %d follows 998 oldest-writer %d\n-- +goose Up\nUPDATE schema_level SET oldest_writer = %[2]d;\n", Level+2, Level+1)}
	return Options{Version: "4.0.0", files: files, writerLevel: Level + 2}
}

// requireRefused requires that opening is refused because of nodes, and that it changed nothing.
func requireRefused(t *testing.T, dsn string, o Options, stop bool, says ...string) {
	t.Helper()
	s, err := Open(t.Context(), dsn, o)
	if err == nil {
		_ = s.Close()
	}
	var e *NodesError
	if !errors.As(err, &e) || e.Stop != stop || e.Pending == 0 {
		t.Fatalf("%v, %+v", err, e)
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
	state, err := ReadSchemaState(t.Context(), dsn, o)
	if err != nil || len(state.Pending) != e.Pending {
		t.Errorf("after it was refused %+v are pending, %v", state.Pending, err)
	}
}

func TestAStartMigratesBesideNoNodeThatRuns(t *testing.T) {
	t.Parallel()
	dsn := databases["PostgreSQL"](t)
	s := openTest(t, dsn)
	stop := runNode(t, s, "a", "2.0.0")
	next := expandingRelease(t)
	next.Beside = BesideNone
	requireRefused(t, dsn, next, false, "host of a (segel 2.0.0, node a)", "migrations are pending (1)", "run segel migrate")

	migrated := next
	migrated.Beside = BesideCompatible
	openWith(t, dsn, migrated) // which is the way to do it
	openWith(t, dsn, next)     // then the start has nothing to migrate
	stop()
}

func TestAStartMigratesOnceTheLeaseOfAKilledProcessHasEnded(t *testing.T) {
	t.Parallel()
	dsn := databases["PostgreSQL"](t)
	s := openTest(t, dsn)
	if err := s.AddNode(t.Context(), store.Node{Name: "killed", Host: "host", Release: "2.0.0"}, time.Second); err != nil {
		t.Fatal(err)
	}
	next := expandingRelease(t)
	next.Beside = BesideNone
	// Of two processes that start at once, one migrates and is a node before the other looks.
	var both sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		both.Go(func() {
			opened, err := Open(t.Context(), dsn, next)
			if err != nil {
				t.Errorf("start of %s: %v", name, err)
				return
			}
			err = opened.AddNode(t.Context(), store.Node{Name: name, Host: "host", Release: "3.0.0"}, time.Hour)
			if err := errors.Join(err, opened.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	all, _, err := s.ListNodes(t.Context())
	if err != nil || len(all) != 3 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestNoMigrationIsAppliedBesideNodesThatCannotUseTheTablesAfterwards(t *testing.T) {
	t.Parallel()
	dsn := databases["PostgreSQL"](t)
	s := openTest(t, dsn)
	stop := runNode(t, s, "a", "2.0.0")
	last := contractingRelease(t)
	requireRefused(t, dsn, last, true, "host of a (segel 2.0.0, node a)", "migrations are pending (2)", "stop them, and run segel migrate")
	stop()
	if err := s.EndNode(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	openWith(t, dsn, last)
}

// A release without nodes is known by the process that leads the job queue, also where nodes of later releases were before.
func TestAProcessOfReleaseOneIsSeenBeforeItsTablesAreMigrated(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]Options{"tables of its release": {Beside: BesideNone}, "tables with nodes": expandingRelease(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := databases["PostgreSQL"](t)
			if from.files == nil {
				aged(t, dsn, "0107")
			}
			from.Beside = BesideNone
			stop := leadJobs(t, dsn, "former")
			requireRefused(t, dsn, from, false, "segel 0.1.0", "node former")
			stop()
			openWith(t, dsn, from)
		})
	}
}

func TestANodeThatLeadsTheJobQueueIsNoProcessOfReleaseOne(t *testing.T) {
	t.Parallel()
	dsn := databases["PostgreSQL"](t)
	s := openTest(t, dsn)
	if err := s.AddNode(t.Context(), store.Node{Name: "a", Host: "host", Release: "2.0.0"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	leadJobs(t, dsn, "a")
	for _, want := range []int{1, 0} {
		state, err := ReadSchemaState(t.Context(), dsn, Options{})
		if err != nil || len(state.Nodes) != want {
			t.Errorf("%+v, %v; want %d nodes", state.Nodes, err, want)
		}
		if err := s.EndNode(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
}

// leadJobs makes a process the leader of the job queue of a database, and renews its row until stop is called.
func leadJobs(t *testing.T, dsn, id string) (stop func()) {
	t.Helper()
	leader, err := openDatabase(t.Context(), dsn, Options{}, new(counters))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = leader.close() })
	renew := func(ctx context.Context) error {
		return leader.withTx(ctx, func(t tx) error {
			_, err := t.exec(ctx, `INSERT INTO river_leader (name, leader_id, elected_at, expires_at) VALUES ('default', $1, clock_timestamp(), clock_timestamp() + INTERVAL '1 second')
				ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at`, id)
			return err
		})
	}
	if err := renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	return repeat(t, renew)
}
