package sqlstore

import (
	"context"
	"io/fs"
	"time"

	"segel/internal/contract"
	"segel/internal/jobs"
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
