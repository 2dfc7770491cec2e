package sqlstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
	"time"

	"segel/internal/store"
)

func TestSchemaStateSaysWhatAMigrationWouldDo(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		openTest(t, dsn)
		read := func(o Options) SchemaState {
			t.Helper()
			s, err := ReadSchemaState(t.Context(), dsn, o)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		now := read(Options{Version: "2.0.0"})
		if len(now.Pending) > 0 || now.QueuePending || len(now.Later) > 0 || now.Refused != nil || !now.EarlierMayStay() ||
			now.Level != Level || now.DatabaseLevel != Level || now.DatabaseNewest != now.Newest || now.Newest == 0 || now.OldestWriter != 1 {
			t.Errorf("up to date: %+v", now)
		}
		files := with(t, "0998_next.sql", nextExpanding).(fstest.MapFS)
		next := Options{Version: "3.0.0", files: files, writerLevel: Level + 1}
		expands := read(next)
		want := []Migration{{998, "0998_next.sql", "expanding", Level + 1, 0}}
		if !reflect.DeepEqual(expands.Pending, want) || !expands.EarlierMayStay() || expands.OldestWriterAfter() != 1 {
			t.Errorf("an expanding migration is pending: %+v", expands)
		}
		contracts := with(t, "0998_next.sql", nextExpanding).(fstest.MapFS)
		contracts["0999_last.sql"] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- segel: contracting level %d follows 998 oldest-writer %d\n-- +goose Up\nUPDATE schema_level SET oldest_writer = %[2]d;\n", Level+2, Level+1)}
		last := Options{Version: "4.0.0", files: contracts, writerLevel: Level + 2}
		if s := read(last); len(s.Pending) != 2 || s.EarlierMayStay() || s.OldestWriterAfter() != Level+1 {
			t.Errorf("a contracting migration is pending that the release in use does not know: %+v", s)
		}
		migrate := func(o Options) {
			t.Helper()
			s, err := Open(t.Context(), dsn, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.AddNode(t.Context(), store.Node{Name: "n" + o.Version, Host: "host", Release: o.Version}, time.Hour); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		migrate(next)
		if s := read(last); len(s.Pending) != 1 || !s.EarlierMayStay() {
			t.Errorf("a contracting migration is pending, and the release in use has what it follows: %+v", s)
		}
		later := read(Options{Version: "2.0.0"})
		if !reflect.DeepEqual(later.Later, want) || later.Refused != nil || later.DatabaseVersion != "3.0.0" || later.DatabaseLevel != Level+1 ||
			len(later.Nodes) != 1 || later.Nodes[0].Release != "3.0.0" {
			t.Errorf("a later release has expanded the tables: %+v", later)
		}
		migrate(last)
		refused := read(Options{Version: "2.0.0"})
		if refused.Refused == nil || refused.Refused.Needs != "3.0.0" || refused.Refused.OldestWriter != Level+1 || len(refused.Later) != 2 {
			t.Errorf("a later release has closed the database: %+v", refused)
		}
		if have, err := Open(t.Context(), dsn, Options{Version: "2.0.0"}); err == nil || have != nil {
			t.Error("it is opened nevertheless")
		}
	})
}

func TestSchemaStateOfADatabaseWithoutTablesIsThatEverythingIsPending(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "segel.db")
	if _, err := ReadSchemaState(t.Context(), path, Options{}); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing file: %v", err)
	}
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSchemaState(t.Context(), path, Options{})
	if err != nil || len(s.Pending) == 0 || s.Pending[0].Number != 1 || s.DatabaseNewest != 0 || !s.QueuePending || !s.EarlierMayStay() {
		t.Errorf("%+v, %v", s, err)
	}
}
