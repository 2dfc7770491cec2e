package sqlstore

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// copyFile copies a file while another program may use it.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// snapshotOf returns a snapshot of an SQLite database with one organisation.
func snapshotOf(t *testing.T, organisation contract.OrganisationID) (Snapshot, []byte) {
	t.Helper()
	s := openTest(t, databases["SQLite"](t))
	if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: organisation, Name: string(organisation)}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	shot, err := s.WriteSnapshot(t.Context(), t.TempDir(), &b, func(contract.File) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return shot, b.Bytes()
}

// TestARestorationUsesNoJournalOfOneThatWasKilled leaves the journal of a transaction that did not end: SQLite would write its pages over the next snapshot.
func TestARestorationUsesNoJournalOfOneThatWasKilled(t *testing.T) {
	t.Parallel()
	shot, snapshot := snapshotOf(t, "restored")
	path, killed := filepath.Join(t.TempDir(), "segel.db"), filepath.Join(t.TempDir(), "killed.db")
	db, err := sql.Open("sqlite", "file:"+killed+"?_pragma=journal_mode(DELETE)&_pragma=cache_size(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		`CREATE TABLE t (x BLOB)`, `INSERT INTO t SELECT zeroblob(3000) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i FROM n)`,
		`BEGIN IMMEDIATE`, `UPDATE t SET x = randomblob(3000)`, // more than the cache has space for, so the journal is complete before pages are written
	} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, killed+"-journal", path+".restoring-journal")
	if err := RestoreSnapshot(t.Context(), path, shot.Kind, shot.Migration, bytes.NewReader(snapshot), store.Restoration{Backup: "1"}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := openTest(t, path).Organisation(t.Context(), "restored"); err != nil {
		t.Errorf("what the snapshot has: %v", err)
	}
}

// TestARestorationUsesNothingOfOneThatWasKilled leaves what a process that was killed leaves after it had begun to bring the tables up to date: SQLite would
// write the pages of that log over the next snapshot.
func TestARestorationUsesNothingOfOneThatWasKilled(t *testing.T) {
	t.Parallel()
	shot, snapshot := snapshotOf(t, "restored")
	path := filepath.Join(t.TempDir(), "segel.db")
	killed := databases["SQLite"](t)
	former := openTest(t, killed)
	if err := former.CreateOrganisation(t.Context(), store.Organisation{ID: "former", Name: "former"}); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		copyFile(t, killed+end, path+".restoring"+end)
	}
	if err := RestoreSnapshot(t.Context(), path, shot.Kind, shot.Migration, bytes.NewReader(snapshot), store.Restoration{Backup: "1"}, "test"); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, path)
	if _, err := s.Organisation(t.Context(), "restored"); err != nil {
		t.Errorf("what the snapshot has: %v", err)
	}
	if _, err := s.Organisation(t.Context(), "former"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what it does not have: %v", err)
	}
	if all, err := s.Restorations(t.Context()); len(all) != 1 || err != nil {
		t.Errorf("restorations: %v, %v", all, err)
	}
	if left, err := filepath.Glob(path + ".restoring*"); len(left) > 0 || err != nil {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// TestARestorationLeavesADatabaseThatWasMovedAway is about a process that was killed between the last two steps, when the database has two names: its operator knows
// one of them.
func TestARestorationLeavesADatabaseThatWasMovedAway(t *testing.T) {
	t.Parallel()
	shot, snapshot := snapshotOf(t, "restored")
	path := filepath.Join(t.TempDir(), "segel.db")
	restore := func() {
		t.Helper()
		if err := RestoreSnapshot(t.Context(), path, shot.Kind, shot.Migration, bytes.NewReader(snapshot), store.Restoration{Backup: "1"}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	restore()
	moved := path + ".moved"
	if err := errors.Join(os.Link(path, path+".restoring"), os.Rename(path, moved)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	restore()
	if after, err := os.ReadFile(moved); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the database that was moved away was changed, %v", err)
	}
}
