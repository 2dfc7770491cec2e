package sqlstore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"segel/internal/contract"
)

// with returns this program's migrations and one more.
func with(t *testing.T, name, text string) fs.FS {
	t.Helper()
	all := before(t, "9999").(fstest.MapFS)
	all[name] = &fstest.MapFile{Data: []byte(text)}
	return all
}

// Migrations of the next release.
var (
	nextExpanding   = fmt.Sprintf("-- segel: expanding level %d\n-- +goose Up\nCREATE TABLE later (id BIGINT PRIMARY KEY);\n", Level+1)
	nextContracting = fmt.Sprintf("-- segel: contracting level %d follows 14 oldest-writer 1\n-- +goose Up\nUPDATE schema_level SET oldest_writer = 1;\n", Level+1)
)

func TestEveryMigrationDeclaresItsKindAndTheNewestHasTheLevelOfThisProgram(t *testing.T) {
	t.Parallel()
	all, err := readMigrations(embeddedMigrations())
	if err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-1]
	if last.version < firstDeclared || last.level != Level {
		t.Errorf("migration %s is of level %d, this program of %d", last.name, last.level, Level)
	}
}

// released are the releases with the newest migration of each, and the SHA-256 of all migrations up to it: name and text, each ended by a zero byte.
var released = []struct {
	release string
	newest  int64
	level   int
	sha256  string
}{
	{"0.1.0", 106, 1, "cae3e8ba10219646f13d096d408f1b527c27ef50b673c04b50db31403d7f5037"},
}

// An installation that has a migration refuses to start with one of a smaller number that it lacks.
func TestMigrationsOfReleasesStayAsTheyAreAndLaterOnesFollowThem(t *testing.T) {
	t.Parallel()
	files := embeddedMigrations()
	all, err := readMigrations(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range released {
		digest := sha256.New()
		for _, m := range all {
			if m.version > r.newest {
				if m.level <= r.level {
					t.Errorf("migration %s has level %d, release %s has it too", m.name, m.level, r.release)
				}
				continue
			}
			text, err := fs.ReadFile(files, m.name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(digest, "%s\x00%s\x00", path.Base(m.name), text)
		}
		if got := hex.EncodeToString(digest.Sum(nil)); got != r.sha256 {
			t.Errorf("migrations up to %d have changed since release %s: SHA-256 %s", r.newest, r.release, got)
		}
	}
}

func TestAContractingMigrationFollowsAnExpandingOneOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	if _, err := readMigrations(with(t, "0999_next.sql", nextContracting)); err != nil {
		t.Errorf("a migration by the rules: %v", err)
	}
	for name, text := range map[string]string{
		"no declaration":        "-- +goose Up\nSELECT 1;\n",
		"no level":              "-- segel: expanding\n-- +goose Up\n",
		"names no migration":    "-- segel: contracting level 2 oldest-writer 1\nUPDATE schema_level SET oldest_writer = 1;\n",
		"names a missing one":   "-- segel: contracting level 2 follows 998 oldest-writer 1\nUPDATE schema_level SET oldest_writer = 1;\n",
		"names an earlier kind": "-- segel: contracting level 2 follows 13 oldest-writer 1\nUPDATE schema_level SET oldest_writer = 1;\n",
		"same release":          "-- segel: contracting level 1 follows 14 oldest-writer 1\nUPDATE schema_level SET oldest_writer = 1;\n",
		"closes to itself":      "-- segel: contracting level 2 follows 14 oldest-writer 2\nUPDATE schema_level SET oldest_writer = 2;\n",
		"does not raise":        "-- segel: contracting level 2 follows 14 oldest-writer 1\n-- +goose Up\nDROP TABLE later;\n",
		"raises another level":  "-- segel: contracting level 3 follows 14 oldest-writer 1\nUPDATE schema_level SET oldest_writer = 2;\n",
		"expanding that raises": "-- segel: expanding level 2\nUPDATE schema_level SET oldest_writer = 2;\n",
		"falls back":            "-- segel: expanding level 0\n-- +goose Up\n",
	} {
		if _, err := readMigrations(with(t, "0999_next.sql", text)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestOnlyAProgramThatMigratesChangesTables(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		later := with(t, "0999_next.sql", nextExpanding)
		openTest(t, dsn)
		for _, m := range []Mode{Writing, Reading} {
			s, err := Open(t.Context(), dsn, Options{Mode: m, files: later, writerLevel: Level + 1})
			var e *SchemaError
			if !errors.As(err, &e) || e.Pending != 1 || !strings.Contains(err.Error(), "run segel migrate") {
				t.Errorf("mode %d: %v", m, err)
			}
			if s != nil {
				t.Error(s.Close())
			}
		}
		s := openTest(t, dsn)
		if have, err := tableExists(t, s, "later"); err != nil || have {
			t.Errorf("a table was made: %v, %v", have, err)
		}
		newer, err := Open(t.Context(), dsn, Options{files: later, writerLevel: Level + 1, Version: "9.9"})
		if err != nil {
			t.Fatal(err)
		}
		if err := newer.Close(); err != nil {
			t.Fatal(err)
		}
		if have, err := tableExists(t, s, "later"); err != nil || !have {
			t.Errorf("no table was made: %v, %v", have, err)
		}
		// After an expanding migration this program continues to work, in every mode.
		for _, m := range []Mode{Migrating, Writing, Reading} {
			s, err := Open(t.Context(), dsn, Options{Mode: m})
			if err != nil {
				t.Errorf("mode %d: %v", m, err)
				continue
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func tableExists(t *testing.T, s *Store, name string) (have bool, err error) {
	t.Helper()
	err = s.db.withSnapshot(t.Context(), func(q querier) error {
		have, err = hasTable(t.Context(), q, name)
		return err
	})
	return have, err
}

func TestAProgramOlderThanTheOldestWriterRefusesAndSaysWhichVersionIsNeeded(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		running := openTest(t, dsn)
		if err := running.CheckWriter(t.Context()); err != nil {
			t.Fatal(err)
		}
		files := with(t, "0998_next.sql", nextExpanding).(fstest.MapFS)
		files["0999_last.sql"] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- segel: contracting level %d follows 998 oldest-writer %d\n-- +goose Up\nUPDATE schema_level SET oldest_writer = %[2]d;\n", Level+2, Level+1)}
		newer, err := Open(t.Context(), dsn, Options{files: files, writerLevel: Level + 2, Version: "2.4.0"})
		if err != nil {
			t.Fatal(err)
		}
		if err := newer.Close(); err != nil {
			t.Fatal(err)
		}
		for _, m := range []Mode{Migrating, Writing, Reading} {
			s, err := Open(t.Context(), dsn, Options{Mode: m, Version: "2.2.0"})
			var e *SchemaError
			if !errors.As(err, &e) || e.OldestWriter != Level+1 || e.Needs != "2.4.0" {
				t.Fatalf("mode %d: %v", m, err)
			}
			for _, want := range []string{"segel 2.4.0 or later", "this is 2.2.0", "must not write"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
			if s != nil {
				t.Error("a store was returned with an error")
			}
		}
		// A store that was opened earlier notices.
		var e *SchemaError
		if err := running.CheckWriter(t.Context()); !errors.As(err, &e) {
			t.Error(err)
		}
		// A program of the named level may write.
		s, err := Open(t.Context(), dsn, Options{files: files, writerLevel: Level + 1, Mode: Writing})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestMigrationsAreRecordedWithTheProgramThatAppliedThem(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		aged(t, dsn, "0014")
		for _, version := range []string{"1.0", "1.1"} {
			s, err := Open(t.Context(), dsn, Options{Version: version})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		got := map[int64]string{}
		err := openTest(t, dsn).db.withSnapshot(t.Context(), func(q querier) error {
			return queryEach(t.Context(), q, func(scan func(...any) error) error {
				var version int64
				var name, kind, by string
				err := scan(&version, &name, &kind, &by)
				got[version] = fmt.Sprint(name, " ", kind, " ", by)
				return err
			}, `SELECT version, name, kind, binary_version FROM schema_migration`)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got[13] != "0013_assurance.sql  " || got[14] != "0014_installation.sql expanding 1.0" {
			t.Errorf("%v", got)
		}
	})
}

func TestAStoreForReadingWritesNothingAndMakesNoFile(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, err := Open(t.Context(), dsn, Options{})
		if err != nil {
			t.Fatal(err)
		}
		note(t, s, 1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		files := func() (names []string) {
			path, isFile := SQLitePath(dsn)
			if !isFile {
				return nil
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		}
		had := fmt.Sprint(files())
		r, err := Open(t.Context(), dsn, Options{Mode: Reading})
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err := r.Size(t.Context()); err != nil || n != 1 {
			t.Errorf("%d events, %v", n, err)
		}
		if err := r.LogEvents(t.Context(), contract.Event{Type: contract.EventViewed}); !errors.Is(err, ErrReadOnly) {
			t.Errorf("a store for reading wrote: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if now := fmt.Sprint(files()); now != had {
			t.Errorf("files were %s, are %s", had, now)
		}
	})
}

func TestOnlyAProgramThatMigratesCreatesAMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "segel.db")
	for _, m := range []Mode{Writing, Reading} {
		if _, err := Open(t.Context(), path, Options{Mode: m}); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), path) {
			t.Errorf("mode %d: %v", m, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

func TestProgramThatOnlyWritesDoesNotMigrateTheJobQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		err := s.db.withTx(t.Context(), func(x tx) error {
			_, err := x.exec(t.Context(), `DELETE FROM river_migration WHERE version = (SELECT MAX(version) FROM river_migration)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var e *SchemaError
		if _, err := Open(t.Context(), dsn, Options{Mode: Writing}); !errors.As(err, &e) || e.Pending != 1 {
			t.Error(err)
		}
		r, err := Open(t.Context(), dsn, Options{Mode: Reading})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
