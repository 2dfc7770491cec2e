package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// shared is the server of the test program.
var shared struct {
	mu        sync.Mutex // guards the fields below, and is held while a database is created
	cluster   *cluster
	admin     *pgxpool.Pool // creates and drops databases: a new connection takes a third of what that takes
	err       error         // why there is no server
	copying   string        // how: copying files takes half of what writing each page to the log as well takes
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
	shared.admin.Close()
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
		if _, err := shared.admin.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
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
		shared.err = startShared(ctx, prepare)
	}
	if shared.err != nil {
		return "", shared.err
	}
	shared.databases++
	name = fmt.Sprintf("test%d", shared.databases)
	_, err = shared.admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+shared.copying)
	return name, err
}

// startShared starts the shared server and prepares the template of all databases.
func startShared(ctx context.Context, prepare func(context.Context, string) error) error {
	c, err := startCluster("")
	if err != nil {
		return err
	}
	admin, err := pgxpool.New(context.WithoutCancel(ctx), c.dsn("postgres"))
	if err != nil {
		return errors.Join(err, c.stop())
	}
	version := 0
	if _, err = admin.Exec(ctx, "CREATE DATABASE "+template); err == nil {
		err = prepare(ctx, c.dsn(template))
	}
	if err == nil {
		err = admin.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	}
	if err != nil {
		admin.Close()
		return errors.Join(fmt.Errorf("prepare database: %w", err), c.stop())
	}
	shared.cluster, shared.admin = c, admin
	if version >= 15_00_00 { // before, it was the only way
		shared.copying = " STRATEGY FILE_COPY"
	}
	return nil
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
