package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"segel/internal/jobs"
)

// Number 0002 was never used. A used number is never changed or reused: databases record it.
//
//go:embed migrations/*.sql
var migrations embed.FS

// embeddedMigrations are the migrations of this program.
func embeddedMigrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the name is a valid path, the only possible error
	}
	return files
}

// migrateDatabase creates or updates the tables, unless a newer program has closed the database to this one.
func migrateDatabase(ctx context.Context, db database, o Options) error {
	declared, err := readMigrations(o.migrationFiles())
	if err != nil {
		return err
	}
	err = db.withSnapshot(ctx, func(q querier) error {
		applied, err := appliedVersions(ctx, q)
		if err != nil || !applied[firstDeclared] {
			return err
		}
		return checkWriter(ctx, q, o)
	})
	if err != nil {
		return err
	}
	// Each migration is durable separately. After a crash between migrations, or before the record of who applied them, the next
	// start applies and records the rest.
	requireNodes := func(ctx context.Context) error { return requireCompatibleNodes(ctx, db, declared, o) }
	if err := db.migrate(ctx, o.migrationFiles(), requireNodes); err != nil {
		return err
	}
	return recordMigrations(ctx, db, declared, o.Version)
}

// migrateTables brings the store's own tables up to date. The caller holds the lock.
func migrateTables(ctx context.Context, d goose.Dialect, db *sql.DB, files fs.FS) error {
	p, err := goose.NewProvider(d, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

// migrate locks an empty file beside the database, since every migration is a separate transaction. SQLite's
// locks work between processes on every system, and end when a process dies. There are no nodes.
func (d *sqlite) migrate(ctx context.Context, files fs.FS, _ func(context.Context) error) (err error) {
	lock, err := openFile(d.path+".lock", makeFile, "BEGIN IMMEDIATE", "busy_timeout(60000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	t, err := lock.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("lock %s.lock for migrations: %w", d.path, err)
	}
	defer func() { _ = t.Rollback() }() // unlocks; nothing was written
	if err := migrateTables(ctx, goose.DialectSQLite3, d.writer, files); err != nil {
		return err
	}
	return d.queue.Migrate(ctx)
}

// migrationLock is the advisory lock that is held while tables are created or updated: "segel" in ASCII.
const migrationLock = 0x736567656c

// migrate opens separate connections: a migration may take longer than the limit on transactions.
func (d *postgres) migrate(ctx context.Context, files fs.FS, allowed func(context.Context) error) (err error) {
	config := d.pool.Config()
	for name := range serverTimeouts(0) {
		delete(config.ConnConfig.RuntimeParams, name)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer pool.Close()
	queue, err := jobs.NewQueue(riverpgxv5.New(pool))
	if err != nil {
		return err
	}
	c, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to database: %w", err)
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("lock database for migrations: %w", err)
	}
	defer func() {
		_, e := c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, e)
	}()
	// Under the lock: of several processes that start at once, those that waited find nothing pending, and the first one's lease does not matter to them.
	if err := allowed(ctx); err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := migrateTables(ctx, goose.DialectPostgres, db, files); err != nil {
		return err
	}
	return queue.Migrate(ctx)
}
