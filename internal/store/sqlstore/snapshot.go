package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/contract"
	"segel/internal/durable"
	"segel/internal/store"
)

// SnapshotKind is the form of a snapshot. One can only be restored to a database of the same kind.
type SnapshotKind string

// The forms of snapshots.
const (
	SQLiteFile     SnapshotKind = "sqlite"     // a database file
	PostgresTables SnapshotKind = "postgresql" // docs/formats/backup.md
)

// Snapshot describes what was written of a database.
type Snapshot struct {
	Kind      SnapshotKind
	Migration int64     // the last one that was applied
	At        time.Time // by the clock of this process; what was committed before is in it
	Events    int64     // size of the log
	Root      [32]byte  // of the log
}

// filesStatement reads every file that the database refers to, in the order of the keys. Files of a document may be named twice. Parts of an upload that
// has ended are left out, because they are removed before the rows that name them.
var filesStatement = `SELECT file_key, file_size, file_digest FROM revision WHERE file_key <> '' AND ` + isKeptFile("file_key") + `
	UNION SELECT original_key, original_size, original_digest FROM document WHERE original_key <> '' AND ` + isKeptFile("original_key") + `
	UNION SELECT evidence_key, evidence_size, evidence_digest FROM attempt WHERE evidence_key <> '' AND ` + isKeptFile("evidence_key") + `
	UNION SELECT file_key, file_size, file_digest FROM resumable_part WHERE upload IN (SELECT id FROM resumable_upload WHERE document = 0 AND NOT ended)
	UNION SELECT file_key, file_size, file_digest FROM evidence WHERE ` + isKeptFile("file_key") + ` ORDER BY 1`

// WriteSnapshot writes one state of the database while others use it, and yields every file that it refers to once, in the order of the
// keys, without the sums of chunks. On SQLite the copy is made in dir first, which needs the room for it; empty: the system's default.
func (s *Store) WriteSnapshot(ctx context.Context, dir string, to io.Writer, eachFile func(contract.File) error) (Snapshot, error) {
	shot := Snapshot{At: time.Now().UTC()}
	var err error
	if p, ok := s.db.(*boundedDatabase).database.(*postgres); ok {
		err = p.writeTables(ctx, to, func(q querier) error { return describeSnapshot(ctx, q, &shot, eachFile) })
		shot.Kind = PostgresTables
	} else {
		err = s.copySQLite(ctx, dir, to, &shot, eachFile)
		shot.Kind = SQLiteFile
	}
	return shot, wrapf(err, "copy the database")
}

// describeSnapshot reads what is in a snapshot.
func describeSnapshot(ctx context.Context, q querier, shot *Snapshot, eachFile func(contract.File) error) error {
	if err := queryOne(ctx, q, []any{&shot.Migration}, `SELECT MAX(version_id) FROM goose_db_version WHERE is_applied`); err != nil {
		return err
	}
	if err := queryOne(ctx, q, []any{&shot.Events}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
		return err
	}
	var err error
	if shot.Root, err = readRoot(ctx, q, shot.Events); err != nil {
		return err
	}
	last := ""
	return queryEach(ctx, q, func(scan scanFunc) error {
		var f contract.File
		if err := scan(&f.Key, &f.Size, scanDigest(&f.Digest)); err != nil {
			return err
		}
		if f.Key == last { // the same file with other totals: fsck reports that
			return nil
		}
		last = f.Key
		return eachFile(f)
	}, filesStatement)
}

// copySQLite copies the file with VACUUM INTO, which reads one state and blocks no writer, checks the copy and writes it.
func (s *Store) copySQLite(ctx context.Context, dir string, to io.Writer, shot *Snapshot, eachFile func(contract.File) error) (err error) {
	d := s.db.(*boundedDatabase).database.(*sqlite)
	dir, err = os.MkdirTemp(dir, "segel-snapshot-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "snapshot.db")
	from, err := openFile(d.path, existingFileOnly, "BEGIN", lockWait)
	if err != nil {
		return err
	}
	_, err = from.ExecContext(ctx, `VACUUM INTO ?`, path)
	if err := errors.Join(err, from.Close()); err != nil {
		return err
	}
	copied, err := Open(ctx, path, Options{Mode: Reading, Version: s.options.Version, files: s.options.files, writerLevel: s.options.writerLevel})
	if err != nil {
		return err
	}
	err = copied.db.readWhole(ctx, func(q querier) error {
		var wrong string
		if err := queryOne(ctx, q, []any{&wrong}, `PRAGMA quick_check(1)`); err != nil {
			return err
		}
		if wrong != "ok" {
			return fmt.Errorf("the copy is damaged: %s", wrong)
		}
		return describeSnapshot(ctx, q, shot, eachFile)
	})
	if err := errors.Join(err, copied.Close()); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, f)
	return errors.Join(err, f.Close())
}

// ErrNotEmpty means that a database that was to be empty has tables.
var ErrNotEmpty = errors.New("the database is not empty")

// RequireEmpty requires that there is no database yet: an SQLite file that does not exist, or a schema of a PostgreSQL server without tables.
func RequireEmpty(ctx context.Context, dsn string) error {
	if path, ok := SQLitePath(dsn); ok {
		_, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err == nil:
			err = fmt.Errorf("%w: %s exists", ErrNotEmpty, path)
		}
		return err
	}
	return requireNoTables(ctx, dsn)
}

// RestoreSnapshot makes an empty database from a snapshot of its kind, and records the restoration in it. All logins of the snapshot
// have ended then.
//
// Nothing that a program uses is there until the last step, the renaming of the file or the commit of all rows. If the process dies before
// it, the tables of an empty PostgreSQL schema, or a file beside the place of the database, are left to be removed.
func RestoreSnapshot(ctx context.Context, dsn string, kind SnapshotKind, migration int64, from io.Reader, r store.Restoration, version string) error {
	path, isFile := SQLitePath(dsn)
	if isFile != (kind == SQLiteFile) {
		return fmt.Errorf("a backup of %s cannot be restored to another kind of database", kind)
	}
	if err := RequireEmpty(ctx, dsn); err != nil {
		return err
	}
	known, err := readMigrations(embeddedMigrations())
	if err != nil {
		return err
	}
	if last := known[len(known)-1].version; migration > last {
		return fmt.Errorf("the backup has migration %d, and this program knows migrations up to %d: restore it with the release that made it, or a newer one", migration, last)
	}
	if isFile {
		return wrapf(restoreSQLite(ctx, path, from, r, version), "restore the database")
	}
	return wrapf(restorePostgres(ctx, dsn, migration, from, r, version), "restore the database")
}

// restoreSQLite writes the file under another name, brings it up to date, and renames it.
func restoreSQLite(ctx context.Context, path string, from io.Reader, r store.Restoration, version string) error {
	beside := path + ".restoring"
	// A restoration that was killed may have left the file under this name: with a journal or a log, which SQLite would apply to the new one, or as a second name of a
	// database that is in use.
	for _, end := range []string{"", "-journal", "-wal", "-shm", ".lock"} {
		if err := os.Remove(beside + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	s, err := Open(ctx, beside, Options{Version: version})
	if err != nil {
		return err
	}
	err = s.db.withTx(ctx, func(t tx) error { return recordRestoration(ctx, t, s.db.clockMicros(), r) })
	// Closing the last connection writes everything to the file and removes what is beside it.
	if err := errors.Join(err, s.Close(), os.Remove(beside+".lock")); err != nil {
		return err
	}
	if f, err = os.Open(beside); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	// Durable: the whole database, under a name that no program uses.
	if err := os.Link(beside, path); err != nil { // unlike a rename, it replaces nothing
		return err
	}
	if err := os.Remove(beside); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}
