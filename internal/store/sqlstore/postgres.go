package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

	reading bool // the server refuses to write
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
	return &postgres{pool: pool, queue: queue, reading: o.Mode == Reading}, nil
}

// postgresConfig adds defaults to an address. The server ends our statements that take too long, also when this process no longer
// observes them, and transactions that this process does not continue: their locks would block all others.
func postgresConfig(dsn string, o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read database address: %w", err)
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
	if o.Mode == Reading {
		set["default_transaction_read_only"] = "on"
	}
	return config, nil
}

// serverTimeouts returns settings of the server for transactions with that time limit.
func serverTimeouts(transaction time.Duration) map[string]time.Duration {
	return map[string]time.Duration{
		"statement_timeout": transaction, "lock_timeout": transaction * 2 / 3, "idle_in_transaction_session_timeout": 2 * transaction,
	}
}

func (d *postgres) withSnapshot(ctx context.Context, fn func(querier) error) error {
	return d.runTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(t pgx.Tx) (bool, error) {
		return false, fn(postgresTx{Tx: t, ctx: ctx})
	})
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

// runTx runs fn in a transaction, and commits it if fn returns true.
func (d *postgres) runTx(ctx context.Context, o pgx.TxOptions, fn func(pgx.Tx) (commit bool, err error)) error {
	t, err := d.beginTx(ctx, o)
	if err != nil {
		return err
	}
	committing := false
	defer func() { // also after a panic
		if !committing {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackWait)
			defer cancel()
			_ = t.Rollback(ctx) // if it fails the connection is closed, and uncommitted changes are lost
		}
	}()
	if committing, err = fn(t); err != nil || !committing {
		committing = false
		return err
	}
	err = t.Commit(ctx)
	var refused *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, pgx.ErrTxCommitRollback), errors.As(err, &refused) && !strings.HasPrefix(refused.Code, "57P"):
		return err // the server reported the outcome
	}
	// The connection was lost, or the time ran out, while the server committed: it may have committed.
	return &commitError{err}
}

// beginTries bounds how often beginTx tries another connection. A restarted server has closed the connections of the
// pool, which notices that for each only when it is used.
const beginTries = maxConns + 1

func (d *postgres) beginTx(ctx context.Context, o pgx.TxOptions) (t pgx.Tx, err error) {
	for range beginTries {
		if t, err = d.pool.BeginTx(ctx, o); err == nil || ctx.Err() != nil || !isConnectionLost(err) {
			break
		}
	}
	return t, err
}

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
		err = d.runTx(ctx, pgx.TxOptions{}, func(t pgx.Tx) (bool, error) { return true, fn(postgresTx{t, ctx, d.queue}) })
		if !isRetryable(err) {
			break
		}
	}
	return err
}

// isRetryable reports whether the server ended a transaction in favour of another: serialization_failure and
// deadlock_detected. Our transactions lock in one order; manual maintenance need not.
func isRetryable(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (d *postgres) queueOutdated(ctx context.Context) (bool, error) {
	if d.reading {
		return false, nil
	}
	return d.queue.Outdated(ctx)
}

// serverTime uses clock_timestamp, which advances within a transaction; now() does not.
func (d *postgres) serverTime(ctx context.Context, q querier) (time.Time, error) {
	var at time.Time
	err := queryOne(ctx, q, []any{&at}, `SELECT clock_timestamp()`)
	return at.UTC(), err
}

func (d *postgres) embedded() bool { return false }

func (d *postgres) jobBackend() jobs.Backend { return d.queue }

func (d *postgres) close() error {
	d.pool.Close()
	return nil
}

// postgresTx is a transaction on PostgreSQL. A read transaction has no queue.
type postgresTx struct {
	pgx.Tx
	ctx   context.Context // of the transaction: it ends before the contexts of the statements, which belong to the caller
	queue *jobs.Queue[pgx.Tx]
}

func (t postgresTx) exec(_ context.Context, statement string, args ...any) (int64, error) {
	tag, err := t.Exec(t.ctx, statement, cleanArgs(args)...)
	return tag.RowsAffected(), err
}

func (t postgresTx) query(_ context.Context, statement string, args ...any) (rows, error) {
	return t.Query(t.ctx, statement, cleanArgs(args)...)
}

func (t postgresTx) addJobs(_ context.Context, all []contract.Job) error {
	return t.queue.Add(t.ctx, t.Tx, all...)
}

func (t postgresTx) ensureJobs(_ context.Context, all []contract.Job) error {
	return t.queue.Ensure(t.ctx, t.Tx, all...)
}
