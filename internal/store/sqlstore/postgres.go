package sqlstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/puddle/v2"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"segel/internal/contract"
	"segel/internal/jobs"
)

// postgres is a database on a PostgreSQL server.
type postgres struct {
	pool  *pgxpool.Pool
	queue *jobs.Queue[pgx.Tx]

	counters *counters
	reading  bool   // the server refuses to write
	session  string // application_name of all connections; empty: the address names another

	clock comparedClock
}

// maxConns bounds the connections of a process unless the address sets a limit. A job runner reserves one of them.
const maxConns = 16

// connectTimeout bounds how long connecting may take.
const connectTimeout = 3 * time.Second

func openPostgres(ctx context.Context, dsn string, o Options, c *counters) (*postgres, error) {
	config, err := postgresConfig(dsn, o)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.Tracer = c
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	queue, err := jobs.NewQueue(riverpgxv5.New(pool))
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &postgres{pool: pool, queue: queue, counters: c, reading: o.Mode == Reading, session: sessionOf(config), clock: comparedClock{o.Clock, o.ClockTolerance}}, nil
}

// reservedConns bounds the connections of [postgres.openReserved]: one renews the lease or joins, and one ends other nodes.
const reservedConns = 2

// reservedTimeouts replace those of [serverTimeouts] on these connections. A process that is suspended while it renews its lease or ends a node holds locks on
// rows of nodes, also of others, until the server ends its transaction.
var reservedTimeouts = map[string]time.Duration{
	"statement_timeout": endOverdueWithin, "lock_timeout": endOverdueWithin, "idle_in_transaction_session_timeout": time.Second,
}

func (d *postgres) openReserved(o Options) (database, error) {
	config := d.pool.Config() // a copy
	config.MaxConns, config.MinConns, config.MinIdleConns = reservedConns, 0, 0
	for name, wait := range reservedTimeouts {
		config.ConnConfig.RuntimeParams[name] = strconv.FormatInt(wait.Milliseconds(), 10)
	}
	config.ConnConfig.Tracer = nil                                   // these statements are not counted
	pool, err := pgxpool.NewWithConfig(context.Background(), config) // it connects when it is used
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	count := new(counters)
	return newBoundedDatabase(&postgres{pool: pool, queue: d.queue, counters: count, reading: d.reading, session: d.session}, o.Timeout, count), nil
}

// sessionPrefix begins the names of our connections.
const sessionPrefix = "segel "

func sessionOf(config *pgxpool.Config) string {
	if name := config.ConnConfig.RuntimeParams["application_name"]; strings.HasPrefix(name, sessionPrefix) {
		return name
	}
	return ""
}

// postgresConfig adds defaults to an address. The server ends our statements that take too long, also when this process no longer
// observes them, and transactions that this process does not continue: their locks would block all others.
func postgresConfig(dsn string, o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read database address: %w", err)
	}
	switch config.ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol: // both return text, in which a record does not name the types of its fields
		return nil, errTextResults
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = maxConns
	}
	config.PingTimeout = connectTimeout
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	set := config.ConnConfig.RuntimeParams
	for name, wait := range serverTimeouts(cmp.Or(o.Timeout, DefaultTimeout)) {
		if _, said := set[name]; !said {
			set[name] = strconv.FormatInt(wait.Milliseconds(), 10)
		}
	}
	if _, said := set["application_name"]; !said {
		set["application_name"] = sessionPrefix + rand.Text()
	}
	if o.Mode == Reading {
		set["default_transaction_read_only"] = "on"
	}
	return config, nil
}

var errTextResults = errors.New("read database address: default_query_exec_mode must not be exec or simple_protocol; behind a pooler of transactions use cache_describe")

// serverTimeouts returns settings of the server for transactions with that time limit.
func serverTimeouts(transaction time.Duration) map[string]time.Duration {
	return map[string]time.Duration{
		"statement_timeout": transaction, "lock_timeout": transaction * 2 / 3, "idle_in_transaction_session_timeout": 2 * transaction,
	}
}

// snapshotOptions make all statements of a transaction read one state of the database.
var snapshotOptions = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

func (d *postgres) withSnapshot(ctx context.Context, fn func(querier) error) error {
	t := &postgresTx{pool: d.pool, ctx: ctx, options: snapshotOptions}
	defer t.end() // also after a panic
	return fn(t)
}

// readTogether begins and ends the transaction in the round trip of the statements. A single statement needs no transaction: it
// reads one snapshot by itself.
func (d *postgres) readTogether(ctx context.Context, all ...statement) (err error) {
	cleanStatements(all)
	for range beginTries {
		var answered bool
		if answered, err = d.readBatch(ctx, all); err == nil || answered || ctx.Err() != nil || !isConnectionLost(err) {
			break
		}
	}
	return err
}

// readBatch reports whether the server answered at all: if not, another connection may be tried.
func (d *postgres) readBatch(ctx context.Context, all []statement) (answered bool, err error) {
	c, err := d.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer c.Release() // it closes a connection that is in a transaction or in the middle of an answer
	b := &pgx.Batch{}
	if len(all) > 1 {
		b.BeginTx(snapshotOptions)
	}
	queueStatements(b, all)
	if len(all) > 1 {
		b.Queue("rollback")
	}
	r := c.SendBatch(ctx, b)
	if len(all) > 1 {
		if _, err := r.Exec(); err != nil {
			_ = r.Close() // the same error
			return false, err
		}
	}
	answered, err = readResults(r, all)
	if closed := r.Close(); err == nil {
		err = closed
	}
	if t := r.Tx(); t != nil && err != nil {
		rollbackTx(ctx, t)
	}
	return answered, err
}

// readWhole lifts the limits that the server has for other transactions.
func (d *postgres) readWhole(ctx context.Context, fn func(querier) error) error {
	return d.withSnapshot(ctx, func(q querier) error {
		for _, limit := range []string{"statement_timeout", "idle_in_transaction_session_timeout"} {
			if _, err := q.exec(ctx, `SET LOCAL `+limit+` = 0`); err != nil {
				return fmt.Errorf("lift %s: %w", limit, err)
			}
		}
		return fn(q)
	})
}

// rollbackWait bounds how long a rollback may take. After that the connection is closed, which has the same effect.
const rollbackWait = time.Second

// rollbackTx rolls back. If that fails the connection is closed, and uncommitted changes are lost.
func rollbackTx(ctx context.Context, t pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackWait)
	defer cancel()
	_ = t.Rollback(ctx)
}

// beginTries bounds how often another connection is tried. A restarted server has closed the connections of the
// pool, which notices that for each only when it is used.
const beginTries = maxConns + 1

// isConnectionLost reports whether an error means that an established connection was lost, not that connecting failed.
func isConnectionLost(err error) bool {
	var refused *pgconn.PgError
	var connecting *pgconn.ConnectError
	switch {
	case errors.As(err, &connecting):
		return false
	case errors.As(err, &refused):
		return refused.Code == "57P01" || refused.Code == "57P02" || refused.Code == "57P05" || refused.Code == "25P03"
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.As(err, new(*net.OpError))
}

// isUnavailable reports whether the server cannot be reached, is starting or stopping, is out of connections or memory, has lost
// its disk, has become read-only, or did not finish in time. Appendix A of the PostgreSQL manual lists the codes.
func (d *postgres) isUnavailable(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code[:min(len(refused.Code), 2)] {
		case "08", "53", "58", "XX":
			return refused.Code != diskFull && refused.Code != internalError
		}
		switch refused.Code {
		case "57P01", "57P02", "57P03", "57P04", "57P05": // shutdown, crash, starting, database dropped, idle session ended
			return true
		case "57014", "55P03", "25P03", "25P04": // a statement, lock, idle transaction or transaction took too long
			return true
		case "25006": // a replica took over the address, or this store is read-only
			return !d.reading
		}
		return errors.As(err, new(*pgconn.ConnectError)) // credentials or database are rejected: a configuration error, since they worked before
	}
	return errors.As(err, new(*pgconn.ConnectError)) || isConnectionLost(err) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) || errors.Is(err, puddle.ErrClosedPool)
}

const (
	diskFull      = "53100"
	internalError = "XX000" // most likely of one of our statements
)

func (d *postgres) isDiskFull(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == diskFull
}

// writeTries bounds how often a transaction is retried that the server rolled back in favour of another.
const writeTries = 5

func (d *postgres) withTx(ctx context.Context, fn func(tx) error) error {
	if d.reading {
		return ErrReadOnly
	}
	var err error
	for range writeTries {
		err = d.writeTx(ctx, fn)
		if !isRetryable(err) {
			break
		}
	}
	return err
}

// writeOptions make each statement read what was committed before it, whatever the default of the server is: after a lock, what the holder before has committed.
var writeOptions = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

func (d *postgres) writeTx(ctx context.Context, fn func(tx) error) error {
	t := &postgresTx{pool: d.pool, ctx: ctx, options: writeOptions, queue: d.queue, clock: d.clock}
	defer t.end() // also after a panic
	if err := fn(t); err != nil {
		return err
	}
	err := t.commit()
	if err == nil {
		d.counters.commits.Add(1)
	}
	return err
}

// isRetryable reports whether the server ended a transaction in favour of another: serialization_failure and
// deadlock_detected. Our transactions lock in one order; manual maintenance need not.
func isRetryable(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// isDuplicate reports whether a unique index refused a row. On SQLite, where one transaction writes at a time, the statement before finds the other row.
func isDuplicate(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23505"
}

// isWithoutReferent reports whether a foreign key refused a row, because the row that it names was deleted meanwhile. On SQLite, where one transaction
// writes at a time, the statement before does not find that row.
func isWithoutReferent(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23503"
}

func (d *postgres) queueOutdated(ctx context.Context) (bool, error) {
	if d.reading {
		return false, nil
	}
	return d.queue.Outdated(ctx)
}

// serverClock uses clock_timestamp, which advances within a transaction; now() does not.
func (d *postgres) serverClock() string { return postgresClock }

func (t *postgresTx) clockToCompare() comparedClock { return t.clock }

// postgresClock is the expression of the server's clock.
const postgresClock = `clock_timestamp()`

func (d *postgres) clockMicros() string {
	return `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`
}

// Times of a listener. A connection whose server has vanished is noticed by the check.
const (
	checkListenerEvery  = 5 * time.Second
	checkListenerWithin = 3 * time.Second
)

// listen uses a separate connection, outside the pool.
func (d *postgres) listen(ctx context.Context, channel string, listening func(), do func(payload string)) error {
	c, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackWait)
		defer cancel()
		_ = c.Close(within) // nothing is lost
	}()
	if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	listening()
	for {
		wait, cancel := context.WithTimeout(ctx, checkListenerEvery)
		n, err := c.WaitForNotification(wait)
		cancel()
		switch {
		case err == nil:
			do(n.Payload)
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case wait.Err() == nil:
			return err
		}
		check, cancel := context.WithTimeout(ctx, checkListenerWithin)
		err = c.Ping(check)
		cancel()
		if err != nil {
			return err
		}
	}
}

func (d *postgres) poolSize() int { return int(d.pool.Config().MaxConns) }

func (d *postgres) sessionName() string { return d.session }

func (d *postgres) unionForm() unionForm { return unionOfRows }

func (d *postgres) embedded() bool { return false }

func (d *postgres) jobBackend() jobs.Backend { return d.queue }

func (d *postgres) close() error {
	d.pool.Close()
	return nil
}

// postgresTx is a transaction on PostgreSQL. It begins with its first statement, in the same round trip. A read transaction has
// no queue.
type postgresTx struct {
	pool    *pgxpool.Pool
	ctx     context.Context // of the transaction: it ends before the contexts of the statements, which belong to the caller
	options pgx.TxOptions
	queue   *jobs.Queue[pgx.Tx]

	clock comparedClock

	conn    *pgxpool.Conn // nil before the transaction began
	begun   pgx.Tx        // nil before the transaction began, and after it was committed
	pending []statement   // added and not sent yet
}

func queueStatements(b *pgx.Batch, all []statement) {
	for i := range all {
		b.Queue(all[i].sql, all[i].args...)
	}
}

// readResults reads the results of statements and passes them to their callbacks until one fails. It reports whether the server
// answered at all.
func readResults(r pgx.BatchResults, all []statement) (answered bool, err error) {
	for i := range all {
		s := &all[i]
		rows, err := r.Query()
		if err == nil {
			answered = true
			err = readRows(rows, s.each)
		}
		if err == nil && s.done != nil {
			err = s.done(rows.CommandTag().RowsAffected())
		}
		if err != nil {
			return answered, s.wrap(err)
		}
	}
	return answered, nil
}

func readRows(r pgx.Rows, each func(scanFunc) error) error {
	defer r.Close()
	for each != nil && r.Next() {
		if err := each(r.Scan); err != nil {
			return err
		}
	}
	r.Close() // reads the rest
	return r.Err()
}

// send sends statements in one round trip. The caller reads and closes the results.
func (t *postgresTx) send(all []statement) (r pgx.BatchResults, err error) {
	if t.begun != nil {
		b := &pgx.Batch{}
		queueStatements(b, all)
		return t.begun.SendBatch(t.ctx, b), nil
	}
	for range beginTries {
		var c *pgxpool.Conn
		if c, err = t.pool.Acquire(t.ctx); err == nil {
			b := &pgx.Batch{}
			b.BeginTx(t.options)
			queueStatements(b, all)
			r = c.SendBatch(t.ctx, b)
			if _, err = r.Exec(); err == nil {
				t.conn, t.begun = c, r.Tx()
				return r, nil
			}
			_ = r.Close() // the same error
			c.Release()
		}
		if t.ctx.Err() != nil || !isConnectionLost(err) {
			break
		}
	}
	return nil, err
}

func (t *postgresTx) addStatements(_ context.Context, all ...statement) error {
	t.pending = append(t.pending, cleanStatements(all)...)
	return nil
}

func (t *postgresTx) collects() bool { return true }

func (t *postgresTx) runBatch(_ context.Context, all ...statement) error {
	return t.sendAll(cleanStatements(all)...)
}

// sendAll sends what is pending and further statements, and reads the results.
func (t *postgresTx) sendAll(more ...statement) error {
	all := append(t.pending, more...)
	t.pending = nil
	if len(all) == 0 && t.begun != nil {
		return nil
	}
	r, err := t.send(all)
	if err != nil {
		return err
	}
	_, err = readResults(r, all)
	if closed := r.Close(); err == nil {
		err = closed
	}
	return err
}

func (t *postgresTx) exec(ctx context.Context, sql string, args ...any) (affected int64, err error) {
	err = t.runBatch(ctx, statement{sql: sql, args: args, done: func(n int64) error {
		affected = n
		return nil
	}})
	return affected, err
}

func (t *postgresTx) query(_ context.Context, sql string, args ...any) (rows, error) {
	return t.sendQuery(statement{sql: sql, args: cleanArgs(args)})
}

// sendQuery sends what is pending and a query, and returns the rows of the query.
func (t *postgresTx) sendQuery(q statement) (pgx.Rows, error) {
	if t.begun != nil && len(t.pending) == 0 {
		return t.begun.Query(t.ctx, q.sql, q.args...)
	}
	before := t.pending
	t.pending = nil
	r, err := t.send(append(before, q))
	if err != nil {
		return nil, err
	}
	if _, err = readResults(r, before); err != nil {
		_ = r.Close() // its error follows from this one
		return nil, err
	}
	found, err := r.Query()
	if err != nil {
		_ = r.Close() // the same error
		return nil, err
	}
	return batchRows{found, r}, nil
}

// batchRows are the rows of the last statement of a batch.
type batchRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Close closes the batch too. It ignores the error: Err has reported what went wrong with the rows.
func (r batchRows) Close() {
	r.Rows.Close()
	_ = r.results.Close()
}

// commit sends COMMIT together with the pending statements, unless one of them could still refuse it. The first round trip of a
// transaction has no COMMIT either: it may be repeated on another connection.
func (t *postgresTx) commit() error {
	refuses := func(s statement) bool { return s.each != nil || s.done != nil }
	if t.begun == nil || slices.ContainsFunc(t.pending, refuses) {
		if t.begun == nil && len(t.pending) == 0 {
			return nil
		}
		if err := t.sendAll(); err != nil {
			return err
		}
	}
	all := append(t.pending, statement{sql: "commit"})
	t.pending = nil
	var outcome string
	r, err := t.send(all)
	if err == nil {
		if _, err = readResults(r, all[:len(all)-1]); err == nil {
			var tag pgconn.CommandTag
			tag, err = r.Exec()
			outcome = tag.String()
		}
		if closed := r.Close(); err == nil {
			err = closed
		}
	}
	var refused *pgconn.PgError
	switch {
	case err == nil && outcome == "ROLLBACK":
		t.begun = nil
		return pgx.ErrTxCommitRollback
	case err == nil:
		t.begun = nil
		return nil
	case errors.As(err, &refused) && !strings.HasPrefix(refused.Code, "57P"):
		return err // the server reported the outcome
	}
	// The connection was lost, or the time ran out, while the server committed: it may have committed.
	return &commitError{err}
}

// end rolls back what was not committed and releases the connection.
func (t *postgresTx) end() {
	if t.conn == nil {
		return
	}
	if t.begun != nil {
		rollbackTx(t.ctx, t.begun)
	}
	t.conn.Release()
}

func (t *postgresTx) addJobs(_ context.Context, all []contract.Job) error {
	if len(all) == 0 {
		return nil
	}
	return t.queue.Add(t.ctx, queueTx{closedTx, t}, all...)
}

func (t *postgresTx) ensureJobs(_ context.Context, all []contract.Job) error {
	return t.queue.Ensure(t.ctx, queueTx{closedTx, t}, all...)
}

func (t *postgresTx) notifyChange(_ context.Context, id contract.DocumentID, version int64) error {
	t.pending = append(t.pending, statement{sql: `SELECT pg_notify('` + changeChannel + `', $1)`, args: []any{fmt.Sprintf("%d %d", id, version)}})
	return nil
}

func (t *postgresTx) takeOverJobs(_ context.Context, process string) error {
	if err := t.sendAll(); err != nil { // it also begins the transaction
		return err
	}
	var now time.Time
	if err := t.begun.QueryRow(t.ctx, `SELECT `+postgresClock).Scan(&now); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	return t.queue.TakeOver(t.ctx, t.begun, process, now)
}

// endSessions uses a savepoint: the server refuses to terminate the connections of another database user, and that error must not end the transaction.
func (t *postgresTx) endSessions(ctx context.Context, node, session string) error {
	if _, err := t.exec(ctx, `SAVEPOINT sessions`); err != nil {
		return err
	}
	_, err := t.exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid()
		AND NOT EXISTS (SELECT 1 FROM node WHERE session = $1 AND name <> $2 AND ended_at = 0 AND expires_at > `+(&postgres{}).clockMicros()+`)`, session, node)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" { // insufficient_privilege: the server's time limits end what those connections hold
		_, err = t.exec(ctx, `ROLLBACK TO SAVEPOINT sessions`)
	}
	return err
}

// closedTx is a transaction whose methods return pgx.ErrTxClosed.
var closedTx = func() pgx.Tx {
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	return pgx.FailedBatchResults(b, pgx.ErrTxClosed).Tx()
}()

// queueTx is a transaction as the job queue uses it to add jobs. Its statements travel with those that are pending.
type queueTx struct {
	pgx.Tx // closedTx: the queue needs no other methods than those below
	t      *postgresTx
}

// Exec adds the statement to those that are pending: the queue notifies its listeners with it, which happens when the
// transaction is committed. The tag is empty.
func (q queueTx) Exec(_ context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	q.t.pending = append(q.t.pending, statement{sql: sql, args: args})
	return tag, nil
}

func (q queueTx) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	return q.t.sendQuery(statement{sql: sql, args: args})
}

func (q queueTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := q.Query(ctx, sql, args...)
	return queueRow{rows, err}
}

// queueRow is the first row of a query.
type queueRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements [pgx.Row].
func (r queueRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}
