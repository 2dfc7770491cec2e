package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"segel/internal/jobs"
	"segel/internal/store"
)

// Store implements the store in one database. It is safe for concurrent use, also by several processes.
type Store struct {
	db       database
	options  Options
	counters *counters
	blocks   blockSizes
	numbers  documentNumbers
	outdated outdatedTitles
	tries    atomic.Uint64 // counted by this process; see trimTries
	own      ownConnections
	closing  sync.Once
	closed   error // what closing returned
}

var _ store.Store = (*Store)(nil)

// Mode says what opening a database may change.
type Mode int

// The modes. Only Migrating changes tables or creates an SQLite file. In the other modes a database without the tables of this
// program is a *SchemaError, and a missing SQLite file is ErrMissing. In every mode a database that a newer program has closed
// to this one is a *SchemaError.
const (
	Migrating Mode = iota // creates the tables or brings them up to date
	Writing               // writes to tables that are up to date
	Reading               // writes nothing: every write returns ErrReadOnly
)

// Beside says beside which nodes of a database its tables are migrated. A node that was killed counts until its lease ends, and opening waits for that. Where another
// node runs, opening is refused with a *NodesError. Without pending migrations the nodes do not matter, and SQLite has none.
type Beside int

// The rules.
const (
	BesideCompatible Beside = iota // nodes of the release that uses the database, if they may stay, see [SchemaState.EarlierMayStay]
	BesideNone                     // no node
)

// Options control how a database is opened. The zero value brings its tables up to date.
type Options struct {
	Mode    Mode
	Version string // of this program; recorded with the migrations that it applies

	// Beside says beside which running nodes Migrating applies pending migrations.
	Beside Beside

	// Timeout bounds each transaction, the wait for a connection included; 0: DefaultTimeout. Migrations are not bounded.
	Timeout time.Duration

	// Clock is the clock of this process; nil: it is not compared. ClockTolerance is how far it and the times of a transaction may be from the clock
	// of the database server: a transaction that adds to the log while Clock is further away, with an event that is further in the future, or with a timestamp
	// that is further away, is refused with contract.ErrClock. 0: none of them is compared, as on SQLite.
	Clock          func() time.Time
	ClockTolerance time.Duration

	// Tracer makes a span of each transaction in a trace that is recorded. Nil: there are none.
	Tracer trace.Tracer

	files       fs.FS // of migrations; nil: this program's. Tests set it
	writerLevel int   // of this program; 0: Level. Tests set it

	blocks blockSizes // of lists; zero: defaultBlocks. Tests set it before the first document
}

func (o Options) migrationFiles() fs.FS {
	if o.files != nil {
		return o.files
	}
	return embeddedMigrations()
}

func (o Options) effectiveLevel() int {
	if o.writerLevel != 0 {
		return o.writerLevel
	}
	return Level
}

// Open opens the database that dsn names: postgres://... or the path of an SQLite file, optionally with the prefix sqlite:.
// What it creates and refuses depends on the mode.
func Open(ctx context.Context, dsn string, o Options) (*Store, error) {
	count := new(counters)
	opened, err := openDatabase(ctx, dsn, o, count)
	if err != nil {
		return nil, err
	}
	db := newBoundedDatabase(opened, o.Timeout, count)
	db.tracer = o.Tracer
	s := &Store{db: db, options: o, counters: count, blocks: cmp.Or(o.blocks, defaultBlocks)}
	if o.Mode == Migrating {
		err = migrateDatabase(ctx, db, o)
	} else {
		err = checkSchema(ctx, db, o)
	}
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	return s, nil
}

func openDatabase(ctx context.Context, dsn string, o Options, c *counters) (database, error) {
	path, isFile := SQLitePath(dsn)
	if !isFile {
		return openPostgres(ctx, dsn, o, c)
	}
	if path == "" {
		return nil, errors.New("open database: no path")
	}
	if o.Mode == Migrating {
		if err := createFile(path); err != nil {
			return nil, err
		}
	} else {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s", ErrMissing, path)
		} else if err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
	}
	if o.Mode == Reading {
		return openSQLiteReadOnly(path, c)
	}
	return openSQLite(path, c)
}

// SQLitePath returns the path of the SQLite file that dsn names; ok is false for a PostgreSQL server.
func SQLitePath(dsn string) (path string, ok bool) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return "", false
	}
	return strings.TrimPrefix(dsn, "sqlite:"), true
}

// Migrate creates the tables of a database or brings them up to date, and closes it again.
func Migrate(ctx context.Context, dsn string) error {
	s, err := Open(ctx, dsn, Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// Close waits for transactions in progress and closes the database. Stop the job runner first. Closing again
// changes nothing and returns the same error.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closed = wrapf(errors.Join(s.own.close(), s.db.close()), "close database") })
	return s.closed
}

// Jobs returns the jobs of this database; see [jobs.Start].
func (s *Store) Jobs() jobs.Backend { return s.db.jobBackend() }
