package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river/riverdriver/riversqlite"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"segel/internal/contract"
	"segel/internal/jobs"
)

// sqlite is a database in a file. Readers see snapshots and never wait; the one writer of this process alternates
// with those of other processes by the file's write lock.
type sqlite struct {
	path     string
	writer   *sql.DB // with one connection; nil in a read-only store, like queue
	reader   *sql.DB
	queue    *jobs.Queue[*sql.Tx]
	counters *counters
	groups   writeGroups
	stacks   *ownStacks // for readers
}

// readers bounds the concurrent read connections. Each has a cache of 2 MiB.
const readers = 8

// existingFileOnly makes a missing file an error. Otherwise SQLite would create an empty file in place of a database that was
// lost while this process had it open. MakeFile is for other files.
const (
	existingFileOnly = "rw"
	makeFile         = "rwc"
)

// lockWait is how long, in milliseconds, a process waits for a transaction of another process. SQLite ignores contexts
// meanwhile, so it is shorter than the limit on requests.
const lockWait = "busy_timeout(4000)"

// createFile creates an empty file, which is an empty database, unless the file exists.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return fmt.Errorf("make database file: %w", err)
	}
	return nil
}

func openSQLite(path string, c *counters) (*sqlite, error) {
	writer, err := openFile(path, existingFileOnly, "BEGIN IMMEDIATE", lockWait, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)")
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	d, err := openSQLiteReadOnly(path, c)
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	d.writer, d.groups.database = writer, d
	if d.queue, err = jobs.NewQueue(riversqlite.New(writer)); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// openSQLiteReadOnly opens a file for reading: query_only prevents statements from changing it. mode=ro would
// leave -wal and -shm files behind, because a read-only connection cannot remove them when it closes.
func openSQLiteReadOnly(path string, c *counters) (*sqlite, error) {
	reader, err := openFile(path, existingFileOnly, "BEGIN", lockWait, "query_only(ON)")
	if err != nil {
		return nil, err
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	return &sqlite{path: path, reader: reader, counters: c, stacks: newOwnStacks()}, nil
}

func openFile(path, mode, begin string, pragmas ...string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=" + mode
	for _, p := range pragmas {
		dsn += "&_pragma=" + p
	}
	c, err := newSQLiteConnector(dsn, begin)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return sql.OpenDB(c), nil
}

func (d *sqlite) withSnapshot(ctx context.Context, fn func(querier) error) error {
	return d.stacks.run(func() error { return d.snapshotHere(ctx, fn) })
}

// readTogether runs a single statement without a transaction: a statement reads one snapshot by itself.
func (d *sqlite) readTogether(ctx context.Context, all ...statement) error {
	return d.stacks.run(func() error {
		if len(all) > 1 {
			return d.snapshotHere(ctx, func(q querier) error { return q.runBatch(ctx, all...) })
		}
		if len(all) == 0 || all[0].long {
			return sqliteTx{db: d.reader, ctx: ctx, counters: d.counters}.runBatch(ctx, all...)
		}
		conn, err := d.reader.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close() //nolint:errcheck // it returns to the pool
		return conn.Raw(func(c any) error {
			return sqliteTx{ctx: ctx, counters: d.counters, conn: c.(*sqliteConn)}.runBatch(ctx, all...)
		})
	})
}

// readWhole needs no more than read: nothing but the context ends a transaction.
func (d *sqlite) readWhole(ctx context.Context, fn func(querier) error) error {
	return d.withSnapshot(ctx, fn)
}

func (d *sqlite) snapshotHere(ctx context.Context, fn func(querier) error) error {
	t, err := beginOn(ctx, d.reader)
	if err != nil {
		return err
	}
	defer t.close() // nothing to commit
	return fn(sqliteTx{db: t.Tx, ctx: ctx, counters: d.counters, conn: t.conn})
}

func (d *sqlite) withTx(ctx context.Context, fn func(tx) error) error {
	if d.writer == nil {
		return ErrReadOnly
	}
	return d.groups.runWrite(ctx, fn)
}

func (d *sqlite) writeTxHere(ctx context.Context, fn func(tx) error) error {
	t, err := beginOn(ctx, d.writer)
	if err != nil {
		return err
	}
	defer t.close()
	var ordered []contract.Job
	if err := fn(t.bind(ctx, d, &ordered)); err != nil {
		return errors.Join(err, t.Rollback())
	}
	if err = d.commitWrite(t.Tx); err == nil {
		d.queue.Wake(ordered...)
	}
	return err
}

// sqliteConnected is a transaction with its connection.
type sqliteConnected struct {
	*sql.Tx
	pooled *sql.Conn
	conn   *sqliteConn
}

// beginOn begins a transaction on a connection of the writer or of a reader, which the caller closes. The context only bounds the wait for
// the connection: package database/sql watches a context that can end by a goroutine for each transaction, and rolls it back while
// [sqliteConn.run] may use the connection. Each statement asks the context of its sqliteTx instead.
func beginOn(ctx context.Context, pool *sql.DB) (*sqliteConnected, error) {
	pooled, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t := &sqliteConnected{pooled: pooled}
	err = pooled.Raw(func(c any) error {
		t.conn = c.(*sqliteConn)
		return nil
	})
	if err == nil {
		t.Tx, err = pooled.BeginTx(context.WithoutCancel(ctx), nil)
	}
	if err != nil {
		return nil, errors.Join(err, pooled.Close())
	}
	return t, nil
}

// close rolls the transaction back, unless it has ended, and returns its connection.
func (t *sqliteConnected) close() {
	_ = t.Rollback()
	_ = t.pooled.Close()
}

// bind returns the transaction for statements of a caller that writes.
func (t *sqliteConnected) bind(ctx context.Context, d *sqlite, ordered *[]contract.Job) sqliteTx {
	return sqliteTx{db: t.Tx, ctx: ctx, counters: d.counters, conn: t.conn, queue: d.queue, queueTx: t.Tx, ordered: ordered}
}

// codeOf returns the primary result code of an SQLite error, or 0.
func codeOf(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// isUnavailable reports whether another process holds the lock for too long, or the disk or the file is lost or no database.
func (d *sqlite) isUnavailable(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	case sqlite3.SQLITE_READONLY: // the disk was remounted read-only, or the file was replaced
		return d.writer != nil
	}
	return errors.Is(err, sqldriver.ErrBadConn)
}

func (d *sqlite) isDiskFull(err error) bool { return codeOf(err) == sqlite3.SQLITE_FULL }

func (d *sqlite) queueOutdated(ctx context.Context) (bool, error) {
	if d.queue == nil {
		return false, nil
	}
	return d.queue.Outdated(ctx)
}

// serverClock returns NULL: SQLite runs in this process and uses the same clock.
func (d *sqlite) serverClock() string { return `NULL` }

func (t sqliteTx) clockToCompare() comparedClock { return comparedClock{} }

func (d *sqlite) clockMicros() string { return `CAST(unixepoch('subsec') * 1000000 AS INTEGER)` }

func (d *sqlite) openReserved(Options) (database, error) { return nil, nil }

func (d *sqlite) listen(context.Context, string, func(), func(string)) error {
	return errors.ErrUnsupported
}

func (d *sqlite) sessionName() string { return "" }

func (d *sqlite) unionForm() unionForm { return unionOfColumns }

func (d *sqlite) embedded() bool { return true }

func (d *sqlite) poolSize() int { return 0 }

func (d *sqlite) jobBackend() jobs.Backend { return d.queue }

func (d *sqlite) close() error {
	d.stacks.endWaiting()
	err := d.reader.Close()
	if d.writer != nil {
		err = errors.Join(err, d.writer.Close())
	}
	return err
}

// sqliteDB is a transaction, or the reader for a statement by itself.
type sqliteDB interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// sqliteTx is a transaction on SQLite, or a statement by itself. A reader has no queue.
type sqliteTx struct {
	db       sqliteDB
	ctx      context.Context // of the transaction; it ends before the contexts of the statements
	counters *counters
	conn     *sqliteConn // runs the statements of batches; nil for one that may read many rows
	queue    *jobs.Queue[*sql.Tx]
	queueTx  *sql.Tx
	ordered  *[]contract.Job // by this transaction
}

// sqlitePlaceholders rewrites placeholders into SQLite's numbered form; to SQLite, $2 is only a name.
func sqlitePlaceholders(statement string) string { return strings.ReplaceAll(statement, "$", "?") }

// unnumberedPlaceholders is sqlitePlaceholders without the numbers, if each is used once and in order: the driver asks for the name of each
// placeholder with a number.
func unnumberedPlaceholders(statement string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(statement, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		rest, ok := strings.CutPrefix(after, strconv.Itoa(n))
		if !ok || rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return ""
		}
		b.WriteByte('?')
		statement = rest
	}
}

// spellPlaceholders returns a statement as SQLite reads it.
func spellPlaceholders(statement string) string {
	return cmp.Or(unnumberedPlaceholders(statement), sqlitePlaceholders(statement))
}

func (t sqliteTx) exec(_ context.Context, statement string, args ...any) (int64, error) {
	t.counters.statements.Add(1)
	r, err := t.db.ExecContext(t.ctx, sqlitePlaceholders(statement), cleanArgs(args)...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (t sqliteTx) query(_ context.Context, statement string, args ...any) (rows, error) {
	t.counters.statements.Add(1)
	r, err := t.db.QueryContext(t.ctx, sqlitePlaceholders(statement), cleanArgs(args)...)
	if err != nil {
		return nil, err
	}
	return sqliteRows{r, t.counters}, nil
}

func (t sqliteTx) runBatch(ctx context.Context, all ...statement) error {
	for i := range all {
		s := &all[i]
		if err := s.wrap(t.runOne(ctx, s)); err != nil {
			return err
		}
	}
	return nil
}

func (t sqliteTx) runOne(ctx context.Context, s *statement) (err error) {
	var n int64
	switch {
	case t.conn != nil && !s.long:
		if err = t.ctx.Err(); err == nil {
			t.counters.statements.Add(1)
			if n, err = t.conn.run(s.sql, s.args, s.each); s.each != nil {
				t.counters.rows.Add(n)
			}
		}
	case s.each == nil:
		n, err = t.exec(ctx, s.sql, s.args...)
	default:
		err = queryEach(ctx, t, func(scan scanFunc) error {
			n++
			return s.each(scan)
		}, s.sql, s.args...)
	}
	if err == nil && s.done != nil {
		err = s.done(n)
	}
	return err
}

// addStatements runs statements at once: SQLite has no round trips to save.
func (t sqliteTx) addStatements(ctx context.Context, all ...statement) error {
	return t.runBatch(ctx, all...)
}

func (t sqliteTx) collects() bool { return false }

func (t sqliteTx) addJobs(_ context.Context, all []contract.Job) error {
	*t.ordered = append(*t.ordered, all...)
	return t.queue.Add(context.WithoutCancel(t.ctx), t.queueTx, all...) // a context that can end costs goroutines
}

func (t sqliteTx) ensureJobs(_ context.Context, all []contract.Job) error {
	*t.ordered = append(*t.ordered, all...)
	return t.queue.Ensure(t.ctx, t.queueTx, all...)
}

// notifyChange does nothing: the process that changes a document tells its own callers, and others poll.
func (t sqliteTx) notifyChange(context.Context, contract.DocumentID, int64) error { return nil }

func (t sqliteTx) takeOverJobs(_ context.Context, process string) error {
	return t.queue.TakeOver(t.ctx, t.queueTx, process, time.Now())
}

func (t sqliteTx) endSessions(context.Context, string, string) error { return nil }

type sqliteRows struct {
	*sql.Rows
	counters *counters
}

// Next counts the rows.
func (r sqliteRows) Next() bool {
	more := r.Rows.Next()
	if more {
		r.counters.rows.Add(1)
	}
	return more
}

// Close ignores the error: Err has reported what went wrong with the rows.
func (r sqliteRows) Close() { _ = r.Rows.Close() }

// ownStacks runs functions in separate goroutines. SQLite is compiled to Go, and a statement takes 32 KiB of stack. A goroutine keeps a
// grown stack until the garbage collector halves it, which would be 64 MiB for two thousand requests that wait for their clients. A few
// goroutines wait for the next function, because growing a stack takes as long as some statements.
type ownStacks struct {
	next    chan func()
	stopped chan struct{} // closed by endWaiting
	kept    atomic.Int64  // goroutines that stay
}

func newOwnStacks() *ownStacks {
	return &ownStacks{next: make(chan func()), stopped: make(chan struct{})}
}

// endWaiting ends the goroutines that wait. Functions that run are not affected, and others run in goroutines that do not stay.
func (o *ownStacks) endWaiting() { close(o.stopped) }

// run runs do in another goroutine and waits for it.
func (o *ownStacks) run(do func() error) (err error) {
	var died *panicked
	done := make(chan struct{})
	once := func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				died = &panicked{p, debug.Stack()}
			}
		}()
		err = do()
	}
	select {
	case o.next <- once:
	default:
		go o.runFrom(once)
	}
	<-done
	if died != nil {
		panic(died)
	}
	return err
}

// runFrom runs a function, and those after it if this goroutine is one of the few that stay.
func (o *ownStacks) runFrom(first func()) {
	first()
	if o.kept.Add(1) > readers {
		o.kept.Add(-1)
		return
	}
	for {
		select {
		case do := <-o.next:
			do()
		case <-o.stopped:
			return
		}
	}
}

// panicked carries a panic of another goroutine to the one that waits for it.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) String() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }
