package sqlstore

import (
	"context"
	"fmt"
	"io/fs"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/store"
)

// database is the part of the store that differs between the two databases.
type database interface {
	// withSnapshot runs fn on one snapshot of the database.
	withSnapshot(ctx context.Context, fn func(querier) error) error
	// readTogether runs statements that only read, on one snapshot of the database; on PostgreSQL in one round trip.
	readTogether(ctx context.Context, all ...statement) error
	// readWhole is withSnapshot without a time limit, for checks that read whole tables.
	readWhole(ctx context.Context, fn func(querier) error) error
	// withTx runs fn in a transaction. Nothing is durable unless both fn and the commit succeed. It may run fn again if the
	// database rolled the transaction back in favour of another. A *[commitError] means that the transaction may have committed.
	withTx(ctx context.Context, fn func(tx) error) error
	// migrate creates all tables or brings them up to date; of several processes one does it while the others wait. On a server it first calls allowed, and
	// returns its error.
	migrate(ctx context.Context, files fs.FS, allowed func(context.Context) error) error
	// queueOutdated reports whether the tables of the job queue are older than this program. A read-only store does not
	// use them.
	queueOutdated(ctx context.Context) (bool, error)
	// serverClock is the SQL expression for the time of the database server's clock, to be scanned by [scanServerTime]; NULL if
	// there is none.
	serverClock() string
	// clockMicros is the SQL expression for the time in microseconds, by the clock of the server or of this machine.
	clockMicros() string
	// openReserved returns the database on connections that requests and jobs do not use; nil: its transactions need none.
	openReserved(o Options) (database, error)
	// sessionName is what the server calls the connections of this process; empty: they have no name.
	sessionName() string
	// listen calls do with the payload of each notification on a channel, after listening; errors.ErrUnsupported if there are none.
	listen(ctx context.Context, channel string, listening func(), do func(payload string)) error
	// isUnavailable reports whether an error of the driver means that the database does not respond now. isDiskFull reports
	// whether it means that the disk is full. Neither is called for errors of this package.
	isUnavailable(err error) bool
	isDiskFull(err error) bool
	// unionForm is how one statement reads rows of several tables.
	unionForm() unionForm
	// embedded reports whether the database runs in this process: it is SQLite.
	embedded() bool
	jobBackend() jobs.Backend
	// poolSize is how many connections the pool opens at most; 0: the database needs none.
	poolSize() int
	// connections reports how the pools of connections are used.
	connections() []store.Connections
	close() error
}

// statement is one statement of a batch, and what its result means. Placeholders are $1, $2 and so on.
type statement struct {
	sql  string
	args []any
	// each is called for every row. Nil: the statement returns none.
	each func(scan scanFunc) error
	// done is called after the last row with the number of rows that were returned or changed. Its error ends the batch: the
	// caller must roll the transaction back. Nil: any number will do.
	done func(n int64) error
	// long: it may read many rows. On SQLite it ends with its context; other statements of a batch do not, because watching the
	// context takes a goroutine for each. They touch a few rows, by their keys.
	long bool
	what string // prefix of its errors, such as "change document 7"; empty: none
}

// wrap adds what the statement is for to an error.
func (s *statement) wrap(err error) error {
	if err == nil || s.what == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.what, err)
}

// querier runs statements with placeholders $1, $2 and so on.
type querier interface {
	exec(ctx context.Context, sql string, args ...any) (affected int64, err error)
	query(ctx context.Context, sql string, args ...any) (rows, error)
	// runBatch runs statements in their order, on PostgreSQL in one round trip, and ends with the first error.
	runBatch(ctx context.Context, all ...statement) error
}

// tx is a transaction that may write.
type tx interface {
	querier
	// addStatements runs statements at once or together with those that follow, before the next one whose result the caller needs and
	// before the commit. The callbacks of the statements run then, so until runBatch has returned or the transaction has ended, the
	// caller must not rely on them. An error of an earlier statement is returned first.
	addStatements(ctx context.Context, all ...statement) error
	// collects reports whether addStatements waits. Then several statements are better than one that is more complex.
	collects() bool
	// clockToCompare returns what is compared with the server's clock.
	clockToCompare() comparedClock
	addJobs(ctx context.Context, all []contract.Job) error
	ensureJobs(ctx context.Context, all []contract.Job) error
	// notifyChange reports a change of a document to all who listen, once it is committed; version 0: it was deleted.
	notifyChange(ctx context.Context, id contract.DocumentID, version int64) error
	// takeOverJobs puts back the running jobs of a process that ended, and ends its leadership of the queue.
	takeOverJobs(ctx context.Context, process string) error
	// endSessions terminates the connections with that name, which are those of a node, unless they are those of another node too, whose lease has not ended. The server may refuse it:
	// then it does nothing, and the transaction goes on.
	endSessions(ctx context.Context, node, session string) error
}

// rows is the common part of [sql.Rows] and [pgx.Rows].
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}
