package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"segel/internal/contract"
	"segel/internal/jobs"
)

// postgres is a database of a PostgreSQL server.
type postgres struct {
	pool  *pgxpool.Pool
	queue *jobs.Queue[pgx.Tx]

	reading bool // the server refuses to write
}

// maxConns bounds the connections of a process where its address says nothing about it. A job runner keeps one
// of them to itself.
const maxConns = 16

func openPostgres(ctx context.Context, dsn string, m Mode) (*postgres, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read database address: %w", err)
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = maxConns
	}
	if m == Reading {
		config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	queue, err := jobs.NewQueue(riverpgxv5.New(pool))
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &postgres{pool: pool, queue: queue, reading: m == Reading}, nil
}

func (d *postgres) read(ctx context.Context, fn func(querier) error) error {
	t, err := d.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback(context.WithoutCancel(ctx)) }() // there is nothing to commit
	return fn(postgresTx{Tx: t})
}

// writeTries bounds how often a transaction starts over that was chosen to give way.
const writeTries = 5

func (d *postgres) write(ctx context.Context, fn func(tx) error) error {
	if d.reading {
		return ErrReadOnly
	}
	var err error
	for range writeTries {
		err = pgx.BeginFunc(ctx, d.pool, func(t pgx.Tx) error { return fn(postgresTx{t, d.queue}) })
		if !gaveWay(err) {
			break
		}
	}
	return err
}

// gaveWay reports whether the server ended a transaction in favour of another: serialization_failure and
// deadlock_detected. Our own transactions lock in one order; maintenance by hand need not.
func gaveWay(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (d *postgres) queueOutdated(ctx context.Context) (bool, error) {
	if d.reading {
		return false, nil
	}
	return d.queue.Outdated(ctx)
}

// now asks for clock_timestamp, which goes on within a transaction, where now() does not.
func (d *postgres) now(ctx context.Context, q querier) (time.Time, error) {
	var at time.Time
	err := one(ctx, q, []any{&at}, `SELECT clock_timestamp()`)
	return at.UTC(), err
}

func (d *postgres) jobs() jobs.Backend { return d.queue }

func (d *postgres) close() error {
	d.pool.Close()
	return nil
}

// postgresTx is a transaction on PostgreSQL. One that reads has no queue.
type postgresTx struct {
	pgx.Tx
	queue *jobs.Queue[pgx.Tx]
}

func (t postgresTx) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	tag, err := t.Exec(ctx, statement, cleaned(args)...)
	return tag.RowsAffected(), err
}

func (t postgresTx) query(ctx context.Context, statement string, args ...any) (rows, error) {
	return t.Query(ctx, statement, cleaned(args)...)
}

func (t postgresTx) addJobs(ctx context.Context, all []contract.Job) error {
	return t.queue.Add(ctx, t.Tx, all...)
}

func (t postgresTx) ensureJobs(ctx context.Context, all []contract.Job) error {
	return t.queue.Ensure(ctx, t.Tx, all...)
}
