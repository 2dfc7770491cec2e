package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Level is the schema level of this program: it increases with each release that has a migration. A contracting
// migration sets the lowest level that may still write.
const Level = 2

// ErrMissing means that an SQLite file that must exist does not.
var ErrMissing = errors.New("database file does not exist")

// ErrReadOnly is an attempt to write to a store that was opened for reading.
var ErrReadOnly = errors.New("database was opened for reading")

// SchemaError means that this program and the tables of a database are incompatible.
type SchemaError struct {
	Pending      int    // migrations missing in the database, 1 for those of the job queue; 0: this program is too old for the database
	OldestWriter int    // the lowest level that may write
	Needs        string // the version of a program that may write, if one is recorded
	Level        int    // of this program
	Version      string // of this program
}

// Error says what to do.
func (e *SchemaError) Error() string {
	if e.Pending > 0 {
		return fmt.Sprintf("the tables of the database are older than this program (%d migrations are missing): run segel migrate", e.Pending)
	}
	needs := "a newer release of segel"
	if e.Needs != "" {
		needs = "segel " + e.Needs + " or later"
	}
	return fmt.Sprintf("the database needs %s (level %d); this is %s (level %d), which must not write to it: install that release, or restore a backup that this one made (docs/operations.md)",
		needs, e.OldestWriter, e.Version, e.Level)
}

// migrationKind is how a migration affects running programs of earlier releases.
type migrationKind string

// An expanding migration leaves everything that earlier programs write to unchanged. A contracting one removes or
// restricts what they use; it follows the expanding one that added the replacement.
const (
	expanding   migrationKind = "expanding"
	contracting migrationKind = "contracting"
)

// migration is what the first line of a migration file declares. Migrations before 0014 declare nothing.
type migration struct {
	version int64
	name    string
	kind    migrationKind
	level   int   // of the first release that includes it
	follows int64 // for a contracting one: the version of the expanding one
	oldest  int   // for a contracting one: the lowest level that may write once it is applied
}

// firstDeclared is the first migration that declares its kind.
const firstDeclared = 14

var declarationPattern = regexp.MustCompile(`^-- segel: (expanding level (\d+)|contracting level (\d+) follows (\d+) oldest-writer (\d+))\n`)

// readMigrations reads the declarations in migration files, in order of their versions, and rejects files that violate
// the rules of CONTRIBUTING.md.
func readMigrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []migration
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		m, err := readMigration(name, string(b), all)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// readMigration reads the declaration of one file. Earlier are the migrations before it.
func readMigration(name, text string, earlier []migration) (migration, error) {
	number, _, _ := strings.Cut(path.Base(name), "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return migration{}, errors.New("the name does not begin with a number")
	}
	m := migration{version: version, name: path.Base(name)}
	found := declarationPattern.FindStringSubmatch(text)
	raised := oldestWriters(text)
	switch {
	case found == nil && version < firstDeclared:
		return m, nil
	case found == nil:
		return m, errors.New(`the first line does not declare "-- segel: expanding level N" or "-- segel: contracting level N follows M oldest-writer L"`)
	case found[2] != "":
		m.kind, m.level = expanding, atoi(found[2])
		if len(raised) > 0 {
			return m, errors.New("an expanding migration sets oldest_writer")
		}
	default:
		m.kind, m.level, m.follows, m.oldest = contracting, atoi(found[3]), int64(atoi(found[4])), atoi(found[5])
		i := slices.IndexFunc(earlier, func(e migration) bool { return e.version == m.follows && e.kind == expanding })
		switch {
		case i < 0:
			return m, fmt.Errorf("it follows %04d, which is not an expanding migration before it", m.follows)
		case earlier[i].level >= m.level:
			return m, fmt.Errorf("it is of the same release as %04d, which it follows", m.follows)
		case m.oldest < earlier[i].level || m.oldest >= m.level:
			return m, fmt.Errorf("oldest-writer is %d: it must be at least %d, the level that has %04d, and below %d", m.oldest, earlier[i].level, m.follows, m.level)
		case !slices.Equal(raised, []int{m.oldest}):
			return m, fmt.Errorf(`it does not say "UPDATE schema_level SET oldest_writer = %d;"`, m.oldest)
		}
	}
	if n := len(earlier); n > 0 && earlier[n-1].level > m.level {
		return m, errors.New("its level is below that of the migration before it")
	}
	return m, nil
}

var oldestWriterPattern = regexp.MustCompile(`(?i)UPDATE\s+schema_level\s+SET\s+oldest_writer\s*=\s*(\d+)\s*;`)

// oldestWriters returns the values to which a migration sets oldest_writer.
func oldestWriters(text string) (all []int) {
	for _, m := range oldestWriterPattern.FindAllStringSubmatch(text, -1) {
		all = append(all, atoi(m[1]))
	}
	return all
}

// atoi converts digits that a pattern has matched; a number that is out of range becomes larger than every level.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return int(^uint(0) >> 1)
	}
	return n
}

// CheckWriter returns a *SchemaError unless this program may write to the database. The result can change while the
// program runs, when a newer one migrates the database.
func (s *Store) CheckWriter(ctx context.Context) error {
	return s.db.withSnapshot(ctx, func(q querier) error { return checkWriter(ctx, q, s.options) })
}

func checkWriter(ctx context.Context, q querier, o Options) error {
	level := o.effectiveLevel()
	oldest := 0
	if err := queryOne(ctx, q, []any{&oldest}, `SELECT oldest_writer FROM schema_level`); err != nil {
		return fmt.Errorf("read which programs may write: %w", err)
	}
	if oldest <= level {
		return nil
	}
	e := &SchemaError{OldestWriter: oldest, Level: level, Version: o.Version}
	// The program that applied the first migration of that level or a later one has at least that level, so it can write.
	programs, err := queryAll(ctx, q, column[string], `SELECT binary_version FROM schema_migration WHERE level >= $1 ORDER BY version`, oldest)
	e.Needs = cmp.Or(programs...)
	return errors.Join(err, e)
}

// checkSchema requires that the tables are those of this program, or later ones that it may write to.
func checkSchema(ctx context.Context, db database, o Options) error {
	known, err := readMigrations(o.migrationFiles())
	if err != nil {
		return err
	}
	pending := 0
	err = db.withSnapshot(ctx, func(q querier) error {
		applied, err := appliedVersions(ctx, q)
		if err != nil {
			return err
		}
		// First: a program that is too old must not advise a migration.
		if applied[firstDeclared] {
			if err := checkWriter(ctx, q, o); err != nil {
				return err
			}
		}
		for _, m := range known {
			if !applied[m.version] {
				pending++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if pending == 0 {
		outdated, err := db.queueOutdated(ctx)
		if err != nil {
			return err
		}
		if outdated {
			pending = 1
		}
	}
	if pending > 0 {
		return &SchemaError{Pending: pending, Level: o.effectiveLevel(), Version: o.Version}
	}
	return nil
}

// appliedVersions reads which migrations were applied to a database; none if it has no tables.
func appliedVersions(ctx context.Context, q querier) (map[int64]bool, error) {
	have, err := hasTable(ctx, q, "goose_db_version")
	if err != nil || !have {
		return nil, err
	}
	versions, err := queryAll(ctx, q, column[int64], `SELECT version_id FROM goose_db_version WHERE is_applied`)
	all := map[int64]bool{}
	for _, v := range versions {
		all[v] = true
	}
	return all, wrapf(err, "read which migrations were applied")
}

// hasTable looks for a table in the catalogue of either database.
func hasTable(ctx context.Context, q querier, name string) (bool, error) {
	statement := `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1`
	if _, isPostgres := q.(*postgresTx); isPostgres {
		statement = `SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ANY (current_schemas(FALSE)) AND table_name = $1`
	}
	n := 0
	if err := queryOne(ctx, q, []any{&n}, statement, name); err != nil {
		return false, fmt.Errorf("look for table %s: %w", name, err)
	}
	return n > 0, nil
}

// recordMigrations records which program applied the migrations that have no record yet.
func recordMigrations(ctx context.Context, db database, all []migration, version string) error {
	var recorded []int64
	err := db.withSnapshot(ctx, func(q querier) (err error) {
		recorded, err = queryAll(ctx, q, column[int64], `SELECT version FROM schema_migration`)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the record of migrations: %w", err)
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(m migration) bool { return slices.Contains(recorded, m.version) })
	if len(missing) == 0 {
		return nil
	}
	return db.withTx(ctx, func(t tx) error {
		for _, m := range missing {
			by := version
			if m.version < firstDeclared {
				by = "" // any version may have applied it
			}
			_, err := t.exec(ctx, `INSERT INTO schema_migration (version, name, kind, level, binary_version) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
				m.version, m.name, string(m.kind), m.level, by)
			if err != nil {
				return fmt.Errorf("record migration %s: %w", m.name, err)
			}
		}
		return nil
	})
}
