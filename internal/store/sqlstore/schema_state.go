package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/riverqueue/river/riverdriver/riversqlite"

	"segel/internal/jobs"
	"segel/internal/store"
)

// Migration is a change of the tables, as the first line of its file declares it or as a database records it.
type Migration struct {
	Number       int64  `json:"number"`
	Name         string `json:"name"`
	Kind         string `json:"kind"`                    // expanding or contracting; empty: of before migrations declared it
	Level        int    `json:"level,omitempty"`         // of the first release that has it
	OldestWriter int    `json:"oldest_writer,omitempty"` // of a contracting one: the lowest level that may write once it is applied
}

// SchemaState says how the tables of a database and this program fit.
type SchemaState struct {
	Version string // of this program
	Level   int    // of this program
	Newest  int64  // the number of the newest migration of this program

	DatabaseVersion string // the program that applied the newest migration of the database; empty: not recorded
	DatabaseLevel   int    // the highest level of a migration of the database; 0: none is recorded
	DatabaseNewest  int64  // the number of the newest migration of the database; 0: it has no tables
	OldestWriter    int    // the lowest level that may write now; 0: any

	Pending      []Migration // that this program would apply, in their order
	QueuePending bool        // the tables of the job queue are to be migrated too, which the library of the queue does
	Later        []Migration // of the database that this program does not know: another release applied them

	Nodes []store.Node // processes that use the database now; none with SQLite

	// Refused is why this program must not use the database; nil: it may. Then a later release has closed the database to it.
	Refused *SchemaError
}

// OldestWriterAfter returns the lowest level that may write once the pending migrations are applied.
func (s SchemaState) OldestWriterAfter() int {
	oldest := s.OldestWriter
	for _, m := range s.Pending {
		oldest = max(oldest, m.OldestWriter)
	}
	return oldest
}

// EarlierMayStay reports whether the release that uses the database now may go on while the pending migrations are applied, and
// afterwards. Migrations that declare nothing, and those of the queue, may change what it uses.
func (s SchemaState) EarlierMayStay() bool {
	if s.DatabaseNewest == 0 { // nothing uses it
		return true
	}
	undeclared := slices.ContainsFunc(s.Pending, func(m Migration) bool { return m.Kind == "" })
	return !undeclared && !s.QueuePending && s.OldestWriterAfter() <= max(s.DatabaseLevel, 1)
}

// ReadSchemaState compares the tables of a database with this program. It changes nothing, and opens no table that it does not find. An SQLite file
// that is missing is [ErrMissing]. Of the options it uses Version and Timeout.
func ReadSchemaState(ctx context.Context, dsn string, o Options) (state SchemaState, err error) {
	o.Mode = Reading
	known, err := readMigrations(o.migrationFiles())
	if err != nil {
		return state, err
	}
	count := new(counters)
	opened, err := openDatabase(ctx, dsn, o, count)
	if err != nil {
		return state, err
	}
	db := newBoundedDatabase(opened, o.Timeout, count)
	defer func() { err = errors.Join(err, db.close()) }()
	state = SchemaState{Version: o.Version, Level: o.effectiveLevel(), Newest: known[len(known)-1].version}
	if err := db.withSnapshot(ctx, func(q querier) error { return state.readTables(ctx, q, known, db.clockMicros(), o) }); err != nil {
		return state, fmt.Errorf("compare the tables of the database with this program: %w", err)
	}
	if state.DatabaseNewest == 0 {
		state.QueuePending = true
		return state, nil
	}
	state.QueuePending, err = isQueueOutdated(ctx, opened)
	return state, db.classifyError(ctx, err)
}

// readTables reads what the database records of its migrations.
func (s *SchemaState) readTables(ctx context.Context, q querier, known []migration, now string, o Options) error {
	applied, err := appliedVersions(ctx, q)
	if err != nil {
		return err
	}
	for v := range applied {
		s.DatabaseNewest = max(s.DatabaseNewest, v)
	}
	for _, m := range known {
		if !applied[m.version] {
			s.Pending = append(s.Pending, Migration{m.version, m.name, string(m.kind), m.level, m.oldest})
		}
		delete(applied, m.version)
	}
	delete(applied, 0) // the row that exists before the first migration
	for v := range applied {
		s.Later = append(s.Later, Migration{Number: v})
	}
	slices.SortFunc(s.Later, func(a, b Migration) int { return cmp.Compare(a.Number, b.Number) })
	if s.DatabaseNewest < firstDeclared {
		return nil
	}
	return s.readRecords(ctx, q, now, o)
}

// readRecords reads which programs applied the migrations, and which may write.
func (s *SchemaState) readRecords(ctx context.Context, q querier, clock string, o Options) error {
	recorded := map[int64]Migration{}
	err := queryEach(ctx, q, func(scan scanFunc) error {
		var m Migration
		var by string
		err := scan(&m.Number, &m.Name, &m.Kind, &m.Level, &by)
		recorded[m.Number] = m
		if s.DatabaseLevel = max(s.DatabaseLevel, m.Level); m.Number == s.DatabaseNewest {
			s.DatabaseVersion = by
		}
		return err
	}, `SELECT version, name, kind, level, binary_version FROM schema_migration`)
	if err != nil {
		return fmt.Errorf("read the record of migrations: %w", err)
	}
	for i, m := range s.Later {
		if r, found := recorded[m.Number]; found {
			s.Later[i] = r
		}
	}
	if err := queryOne(ctx, q, []any{&s.OldestWriter}, `SELECT oldest_writer FROM schema_level`); err != nil {
		return fmt.Errorf("read which programs may write: %w", err)
	}
	if err := checkWriter(ctx, q, o); err != nil && !errors.As(err, &s.Refused) {
		return err
	}
	s.Nodes, err = readRunningNodes(ctx, q, clock)
	return err
}

// isQueueOutdated looks at the tables of the job queue in a database that was opened for reading.
func isQueueOutdated(ctx context.Context, opened database) (bool, error) {
	d, embedded := opened.(*sqlite)
	if !embedded {
		return opened.(*postgres).queue.Outdated(ctx)
	}
	queue, err := jobs.NewQueue(riversqlite.New(d.reader))
	if err != nil {
		return false, err
	}
	return queue.Outdated(ctx)
}
