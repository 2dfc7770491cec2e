package sqlstore

import (
	"context"
	"io/fs"
	"time"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/store"
)

// database is the part of the store that differs between the two databases.
type database interface {
	// withSnapshot runs fn on one snapshot of the database.
	withSnapshot(ctx context.Context, fn func(querier) error) error
	// readWhole is withSnapshot without a time limit, for checks that read whole tables.
	readWhole(ctx context.Context, fn func(querier) error) error
	// withTx runs fn in a transaction. Nothing is durable unless both fn and the commit succeed. It may run fn again if the
	// database rolled the transaction back in favour of another. A *[commitError] means that the transaction may have committed.
	withTx(ctx context.Context, fn func(tx) error) error
	// migrate creates all tables or brings them up to date; of several processes one does it while the others wait.
	migrate(ctx context.Context, files fs.FS) error
	// queueOutdated reports whether the tables of the job queue are older than this program. A read-only store does not
	// use them.
	queueOutdated(ctx context.Context) (bool, error)
	// serverTime returns the time of the database server's clock; zero if there is none.
	serverTime(ctx context.Context, q querier) (time.Time, error)
	// isUnavailable reports whether an error of the driver means that the database does not respond now. isDiskFull reports
	// whether it means that the disk is full. Neither is called for errors of this package.
	isUnavailable(err error) bool
	isDiskFull(err error) bool
	// embedded reports whether the database runs in this process: it is SQLite.
	embedded() bool
	jobBackend() jobs.Backend
	close() error
}

// querier runs statements with placeholders $1, $2 and so on.
type querier interface {
	exec(ctx context.Context, sql string, args ...any) (affected int64, err error)
	query(ctx context.Context, sql string, args ...any) (rows, error)
}

// tx is a transaction that may write.
type tx interface {
	querier
	addJobs(ctx context.Context, all []contract.Job) error
	ensureJobs(ctx context.Context, all []contract.Job) error
}

// rows is the common part of [sql.Rows] and [pgx.Rows].
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// queryOne scans the single row of a query; store.ErrNotFound if there is none.
func queryOne(ctx context.Context, q querier, dest []any, sql string, args ...any) error {
	err := store.ErrNotFound
	if e := queryEach(ctx, q, func(scan func(...any) error) error {
		err = scan(dest...)
		return err
	}, sql, args...); e != nil {
		return e
	}
	return err
}

// queryEach calls fn for every row of a query.
func queryEach(ctx context.Context, q querier, fn func(scan func(...any) error) error, sql string, args ...any) error {
	r, err := q.query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer r.Close()
	for r.Next() {
		if err := fn(r.Scan); err != nil {
			return err
		}
	}
	return r.Err()
}
