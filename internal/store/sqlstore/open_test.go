package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func TestManyOpenANewDatabaseAtTheSameTime(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				s, err := Open(t.Context(), dsn, Options{})
				if err != nil {
					t.Error(err)
					return
				}
				o := contract.OrganisationID(fmt.Sprint("o", i))
				if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: o, Name: string(o), CreatedAt: time.Now()}); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// Two stores on one file stand for two processes: they share nothing but the file.
func TestProcessesShareADatabase(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		one, other := openTest(t, dsn), openTest(t, dsn)
		const each = 40
		var all sync.WaitGroup
		for _, s := range []*Store{one, other} {
			all.Go(func() {
				for range each {
					if err := s.LogEvents(t.Context(), contract.Event{Type: contract.EventViewed}); err != nil {
						t.Error(err)
					}
					if _, err := s.Events(t.Context(), 0); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n, _, err := one.Size(t.Context()); err != nil || n != 2*each {
			t.Fatalf("%d events, %v", n, err)
		}
		if err := other.CheckLog(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatWasCommittedIsThereAfterOpeningAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, err := Open(t.Context(), dsn, Options{})
		if err != nil {
			t.Fatal(err)
		}
		note(t, s, 3)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Migrate(t.Context(), dsn); err != nil {
			t.Fatal(err)
		}
		if n, _, err := openTest(t, dsn).Size(t.Context()); err != nil || n != 3 {
			t.Fatalf("%d events, %v", n, err)
		}
	})
}

func TestAPathMayHaveAnyCharacters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "what? 100%20 #1 & ü.db")
	openTest(t, "sqlite:"+path)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

func TestSQLiteRunsAsItsDurabilityNeeds(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		err := s.db.withTx(t.Context(), func(x tx) error { return queryOne(t.Context(), x, []any{&got}, "PRAGMA "+pragma) })
		if err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", pragma, got, want, err)
		}
	}
	err := s.db.withSnapshot(t.Context(), func(q querier) error {
		_, err := q.exec(t.Context(), `DELETE FROM organisation`)
		return err
	})
	if err == nil {
		t.Error("a reader wrote")
	}
}

func TestAnAddressThatCannotBeOpenedIsAnError(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"", "sqlite:", "postgres://%zz", filepath.Join(t.TempDir(), "none", "segel.db"), "postgres:///segel?host=" + t.TempDir()} {
		if s, err := Open(context.Background(), dsn, Options{}); err == nil {
			t.Errorf("%q was opened", dsn)
			_ = s.Close()
		}
	}
}

func TestAnAddressThatAsksForTextResultsIsRefused(t *testing.T) {
	t.Parallel()
	for mode, refused := range map[string]bool{"": false, "cache_statement": false, "cache_describe": false, "exec": true, "simple_protocol": true} {
		dsn := "postgres://user@127.0.0.1/segel"
		if mode != "" {
			dsn += "?default_query_exec_mode=" + mode
		}
		if _, err := postgresConfig(dsn, Options{}); errors.Is(err, errTextResults) != refused {
			t.Errorf("mode %q: %v", mode, err)
		}
	}
}

func TestAStoreIsClosedOnce(t *testing.T) {
	t.Parallel()
	for name, database := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), database(t), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
