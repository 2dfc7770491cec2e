package sqlstore

import (
	"context"
	"io/fs"
	"time"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/store"
)

// database is what the two databases do differently.
type database interface {
	// withSnapshot runs fn on one snapshot of the database.
	withSnapshot(ctx context.Context, fn func(querier) error) error
	// withTx runs fn in a transaction. Nothing of it stands unless both fn and the commit succeed. It may run fn
	// again when the database has chosen it to give way to another. A *[commitError] says that it may stand.
	withTx(ctx context.Context, fn func(tx) error) error
	// migrate makes or renews all tables by these migrations; of several processes one does it while the others wait.
	migrate(ctx context.Context, files fs.FS) error
	// queueOutdated reports whether the tables of the job queue are older than this program. A store for reading has no
	// use for them.
	queueOutdated(ctx context.Context) (bool, error)
	// serverTime returns the time by the database server's own clock; zero where it has none.
	serverTime(ctx context.Context, q querier) (time.Time, error)
	// isUnavailable reports whether an error of the driver means that the database does not answer now, and full whether it has no
	// room. Neither is asked about refusals of our own.
	isUnavailable(err error) bool
	isDiskFull(err error) bool
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

// rows is what [sql.Rows] and [pgx.Rows] have in common.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// queryOne scans the one row of a query; store.ErrNotFound when there is none.
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
