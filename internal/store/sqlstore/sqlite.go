package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite" // the driver named sqlite

	"segel/internal/contract"
	"segel/internal/jobs"
)

// sqlite is a database in a file. Readers see snapshots and never wait; the one writer of this process takes
// turns with those of others by the file's write lock.
type sqlite struct {
	path   string
	writer *sql.DB // of one connection; nil in a store for reading, as are queue and writes
	reader *sql.DB
	queue  *jobs.Queue[*sql.Tx]

	writes, reads *statements
}

// readers bounds the connections that read at the same time. Each has a cache of 2 MiB.
const readers = 8

// lockWait is how long, in milliseconds, a process waits for another one's transaction to end.
const lockWait = "busy_timeout(10000)"

func openSQLite(path string) (*sqlite, error) {
	writer, err := openFile(path, "_txlock=immediate", lockWait, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)")
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err := openFile(path, "_txlock=deferred", lockWait, "query_only(ON)")
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	queue, err := jobs.NewQueue(riversqlite.New(writer))
	if err != nil {
		return nil, errors.Join(err, writer.Close(), reader.Close())
	}
	return &sqlite{path: path, writer: writer, reader: reader, queue: queue, writes: newStatements(writer), reads: newStatements(reader)}, nil
}

// readSQLite opens a file for reading. mode=rw makes no file, and query_only lets no statement change one. mode=ro would
// leave -wal and -shm files behind, because a connection that may not write cannot remove them at its end.
func readSQLite(path string) (*sqlite, error) {
	reader, err := openFile(path, "mode=rw&_txlock=deferred", lockWait, "query_only(ON)")
	if err != nil {
		return nil, err
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	return &sqlite{path: path, reader: reader, reads: newStatements(reader)}, nil
}

func openFile(path, lock string, pragmas ...string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + lock
	for _, p := range pragmas {
		dsn += "&_pragma=" + p
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

func (d *sqlite) read(ctx context.Context, fn func(querier) error) error {
	return onOwnStack(func() error { return d.readHere(ctx, fn) })
}

func (d *sqlite) readHere(ctx context.Context, fn func(querier) error) error {
	t, err := d.reader.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		_ = t.Rollback() // there is nothing to commit
		d.reads.compile(ctx)
	}()
	return fn(sqliteTx{Tx: t, statements: d.reads})
}

func (d *sqlite) write(ctx context.Context, fn func(tx) error) error {
	if d.writer == nil {
		return ErrReadOnly
	}
	return onOwnStack(func() error { return d.writeHere(ctx, fn) })
}

func (d *sqlite) writeHere(ctx context.Context, fn func(tx) error) error {
	t, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer d.writes.compile(ctx)
	var ordered []contract.Job
	if err := fn(sqliteTx{t, d.writes, d.queue, &ordered}); err != nil {
		return errors.Join(err, t.Rollback())
	}
	if err := t.Commit(); err != nil {
		return err
	}
	d.queue.Wake(ordered...)
	return nil
}

func (d *sqlite) queueOutdated(ctx context.Context) (bool, error) {
	if d.queue == nil {
		return false, nil
	}
	return d.queue.Outdated(ctx)
}

// now is zero: SQLite runs in this process and asks the same clock.
func (d *sqlite) now(context.Context, querier) (time.Time, error) { return time.Time{}, nil }

func (d *sqlite) jobs() jobs.Backend { return d.queue }

func (d *sqlite) close() error {
	err := d.reader.Close()
	if d.writer != nil {
		err = errors.Join(err, d.writer.Close())
	}
	return err
}

// sqliteTx is a transaction on SQLite. One that reads has no queue.
type sqliteTx struct {
	*sql.Tx
	statements *statements
	queue      *jobs.Queue[*sql.Tx]
	ordered    *[]contract.Job // by it
}

// numbered writes placeholders in the way in which SQLite counts them; $2 is but a name to it.
func numbered(statement string) string { return strings.ReplaceAll(statement, "$", "?") }

func (t sqliteTx) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	var r sql.Result
	var err error
	if ready := t.statements.get(ctx, t.Tx, statement); ready != nil {
		r, err = ready.ExecContext(ctx, cleaned(args)...)
	} else {
		r, err = t.ExecContext(ctx, numbered(statement), cleaned(args)...)
	}
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (t sqliteTx) query(ctx context.Context, statement string, args ...any) (rows, error) {
	var r *sql.Rows
	var err error
	if ready := t.statements.get(ctx, t.Tx, statement); ready != nil {
		r, err = ready.QueryContext(ctx, cleaned(args)...)
	} else {
		r, err = t.QueryContext(ctx, numbered(statement), cleaned(args)...)
	}
	if err != nil {
		return nil, err
	}
	return sqliteRows{r}, nil
}

func (t sqliteTx) addJobs(ctx context.Context, all []contract.Job) error {
	*t.ordered = append(*t.ordered, all...)
	return t.queue.Add(ctx, t.Tx, all...)
}

func (t sqliteTx) ensureJobs(ctx context.Context, all []contract.Job) error {
	*t.ordered = append(*t.ordered, all...)
	return t.queue.Ensure(ctx, t.Tx, all...)
}

type sqliteRows struct{ *sql.Rows }

// Close says nothing: what went wrong with the rows, Err has said.
func (r sqliteRows) Close() { _ = r.Rows.Close() }
