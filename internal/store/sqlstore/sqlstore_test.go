package sqlstore

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"segel/internal/store"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(crashing); dsn != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(dsn)) // only an error ends it
		os.Exit(1)
	}
	if os.Getenv("SEGEL_TEST_EVERY") == "" { // make test-every compares the usual 100 histories with each model
		if err := flag.Set("rapid.checks", "15"); err != nil {
			panic(err)
		}
	}
	os.Exit(pgtest.Run(m))
}

// databases are the addresses of new, empty databases of either kind.
var databases = map[string]func(testing.TB) string{
	"SQLite":     func(t testing.TB) string { return storetest.SQLite(t, Migrate) },
	"PostgreSQL": func(t testing.TB) string { return pgtest.Database(t, Migrate) },
}

// onBoth runs a test on either database.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Parallel()
	for name, make := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, make(t))
		})
	}
}

func openTest(t testing.TB, dsn string) *Store {
	t.Helper()
	return openWith(t, dsn, Options{})
}

// smallBlocks make a few documents a long list.
var smallBlocks = Options{blocks: blockSizes{span: 12, leaf: 4, split: 3, titles: 2, scan: 1}}

func openWith(t testing.TB, dsn string, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// openChecked opens a database that has its tables, for a test after which every row must have the digest that the log says.
func openChecked(t *testing.T, dsn string) *Store {
	t.Helper()
	o := smallBlocks
	o.Mode = Writing
	s := openWith(t, dsn, o)
	t.Cleanup(func() {
		ctx := context.Background() // that of the test has ended
		c, err := s.NewChecker(ctx, t.TempDir(), func(d store.Discrepancy) {
			incomplete := d.About == "installation 1" // its digest is logged when it is complete
			if d.Severity != store.SeverityDerived && !incomplete {
				t.Error(d)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range []func() error{
			func() error { return c.CheckLog(ctx) }, func() error { return c.CheckRecords(ctx, func() {}) }, c.Close,
		} {
			if err := check(); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

func TestSQLiteKeepsTheContractOfStores(t *testing.T) {
	if testing.Short() {
		t.Skip("for the race detector, PostgreSQL is enough: it sees the same code of ours beside both")
	}
	storetest.Run(t, func(t *testing.T) store.Store { return openChecked(t, databases["SQLite"](t)) })
}

func TestPostgreSQLKeepsTheContractOfStores(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openChecked(t, databases["PostgreSQL"](t)) })
}
