package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// shared is the server of the test program.
var shared struct {
	mu        sync.Mutex // guards the fields below, and is held while a database is created
	cluster   *cluster
	err       error // why there is no server
	databases int
}

// Run runs the tests of a package, and stops the server if they started one. TestMain calls it.
func Run(m *testing.M) int {
	code := m.Run()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil {
		return code
	}
	if err := shared.cluster.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop postgres:", err)
		return 1
	}
	return code
}

// RequireServer ends the test if err, of starting a server, is not nil. It skips the test only without PostgreSQL's programs, and fails
// it if CI or SEGEL_REQUIRE_POSTGRES is set.
func RequireServer(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errNoPrograms) && os.Getenv("CI") == "" && os.Getenv("SEGEL_REQUIRE_POSTGRES") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Database returns the address of a new database, which is removed with the test. Prepare creates its tables once for
// all tests, and must leave no connection open. Without PostgreSQL's programs the test is skipped, or fails if CI or
// SEGEL_REQUIRE_POSTGRES is set.
func Database(t testing.TB, prepare func(ctx context.Context, dsn string) error) string {
	t.Helper()
	name, err := createDatabase(t.Context(), prepare)
	RequireServer(t, err)
	t.Cleanup(func() {
		if err := shared.cluster.execAdmin(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return shared.cluster.dsn(name)
}

const template = "prepared"

func createDatabase(ctx context.Context, prepare func(context.Context, string) error) (name string, err error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = startWithTemplate(ctx, prepare)
	}
	if shared.err != nil {
		return "", shared.err
	}
	shared.databases++
	name = fmt.Sprintf("test%d", shared.databases)
	return name, shared.cluster.execAdmin(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// startWithTemplate starts the server and prepares the template of all databases.
func startWithTemplate(ctx context.Context, prepare func(context.Context, string) error) (*cluster, error) {
	c, err := startCluster("")
	if err != nil {
		return nil, err
	}
	err = c.execAdmin(ctx, "CREATE DATABASE "+template)
	if err == nil {
		err = prepare(ctx, c.dsn(template))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare database: %w", err), c.stop())
	}
	return c, nil
}

// execAdmin runs one statement on a separate connection.
func (c *cluster) execAdmin(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, c.dsn("postgres"))
	if err != nil {
		return fmt.Errorf("connect to postgres: %w", err)
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}
