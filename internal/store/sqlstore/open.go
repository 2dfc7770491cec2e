package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"segel/internal/jobs"
	"segel/internal/store"
)

// Store keeps everything in one database. It is safe for concurrent use, by several processes too.
type Store struct{ db database }

var _ store.Store = (*Store)(nil)

// Options say how a database is opened. The zero value brings its tables up to date.
type Options struct {
	AsItIs bool // leave the tables as they are
}

// Open opens the database that dsn names, postgres://... or the path of an SQLite file, which may have sqlite:
// in front and is made when it is missing. The tables are made or brought up to date, unless the options say
// otherwise.
func Open(ctx context.Context, dsn string, o Options) (*Store, error) {
	db, err := open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db}
	if o.AsItIs {
		return s, nil
	}
	if err := db.migrate(ctx, newest()); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return s, nil
}

func open(ctx context.Context, dsn string) (database, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return openPostgres(ctx, dsn)
	}
	path := strings.TrimPrefix(dsn, "sqlite:")
	if path == "" {
		return nil, errors.New("open database: no path")
	}
	return openSQLite(path)
}

// Migrate makes the tables of a database or brings them up to date, and closes it again.
func Migrate(ctx context.Context, dsn string) error {
	s, err := Open(ctx, dsn, Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// Close waits for what is under way and closes the database. A job runner on it must have stopped.
func (s *Store) Close() error {
	if err := s.db.close(); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// Jobs returns the jobs of this database; see [jobs.Start].
func (s *Store) Jobs() jobs.Backend { return s.db.jobs() }
