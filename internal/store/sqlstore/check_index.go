package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"segel/internal/contract"
)

// logIndex holds what the log says about records and files, built from its first event to its last. It is a temporary SQLite
// file, so that memory does not grow with the log.
type logIndex struct {
	db *sql.DB
	tx *sql.Tx // what was written since the last flush; reads see it
}

// A line has the newest digest of a record or file, and the leaf that records it. Digest is '-' for a removed one and empty
// for a document without a digest in the log. Seen is set once the record was compared.
const indexTables = `
	CREATE TABLE line (kind TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, leaf INTEGER NOT NULL, seen INTEGER NOT NULL DEFAULT 0,
		PRIMARY KEY (kind, key)) WITHOUT ROWID;
	CREATE INDEX line_file ON line (digest) WHERE kind = 'file';
	CREATE TABLE unrecorded (kind TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
	CREATE TABLE named (document INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (document, digest)) WITHOUT ROWID;
	CREATE INDEX named_digest ON named (digest);
	CREATE TABLE delivery (document INTEGER PRIMARY KEY, statement TEXT NOT NULL);
	CREATE TABLE delegation (document INTEGER NOT NULL, leaf INTEGER NOT NULL, stored TEXT NOT NULL, PRIMARY KEY (document, leaf)) WITHOUT ROWID;`

func newLogIndex(ctx context.Context, dir string) (*logIndex, error) {
	// The file need not survive a crash: without a journal and without syncing it is as fast as memory.
	db, err := openFile(filepath.Join(dir, "log-index.db"), makeFile, "BEGIN EXCLUSIVE", "journal_mode(OFF)", "synchronous(OFF)", "temp_store(MEMORY)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, indexTables); err != nil {
		return nil, errors.Join(fmt.Errorf("create the index of the log: %w", err), db.Close())
	}
	x := &logIndex{db: db}
	if x.tx, err = db.BeginTx(ctx, nil); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return x, nil
}

func (x *logIndex) close() error {
	err := x.tx.Rollback()
	if errors.Is(err, sql.ErrTxDone) { // the context was cancelled earlier
		err = nil
	}
	return errors.Join(err, x.db.Close())
}

// addEvent indexes an event.
func (x *logIndex) addEvent(ctx context.Context, leaf int64, e readEvent) error {
	lines, err := parseRecords(e.lines)
	if err != nil {
		return err
	}
	for _, s := range lines {
		if s.kind == recordSalt {
			continue
		}
		digest := "-"
		if s.digest != noRecord {
			digest = hex.EncodeToString(s.digest[:])
		}
		_, err := x.tx.ExecContext(ctx, `INSERT INTO line (kind, key, digest, leaf) VALUES (?, ?, ?, ?)
			ON CONFLICT (kind, key) DO UPDATE SET digest = excluded.digest, leaf = excluded.leaf, seen = 0`, s.kind, s.key, digest, leaf)
		if err != nil {
			return err
		}
	}
	if err := x.addDocument(ctx, leaf, e.Event); err != nil || e.Type == contract.EventDeleted {
		return err
	}
	if err := x.addStatements(ctx, leaf, e.Event); err != nil {
		return err
	}
	for _, name := range []string{"digest", "original", "evidence"} {
		if d := e.Details[name]; d != "" {
			if _, err := x.tx.ExecContext(ctx, `INSERT INTO named (document, digest) VALUES (?, ?) ON CONFLICT DO NOTHING`, e.Document, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// addDocument indexes that a document exists or existed, for events without digests, as earlier releases wrote them.
// The files of a deleted document are no longer expected, by key or by digest.
func (x *logIndex) addDocument(ctx context.Context, leaf int64, e contract.Event) error {
	key := recordKey(e.Document)
	var err error
	switch e.Type {
	case contract.EventUploaded:
		_, err = x.tx.ExecContext(ctx, `INSERT INTO line (kind, key, digest, leaf) VALUES ('document', ?, '', ?) ON CONFLICT DO NOTHING`, key, leaf)
	case contract.EventDeleted:
		_, err = x.tx.ExecContext(ctx, `INSERT INTO line (kind, key, digest, leaf) VALUES ('document', ?, '-', ?)
			ON CONFLICT (kind, key) DO UPDATE SET digest = '-', leaf = excluded.leaf, seen = 0`, key, leaf)
		if err == nil {
			_, err = x.tx.ExecContext(ctx, `DELETE FROM named WHERE document = ?`, e.Document)
		}
	}
	return err
}

// logLine is what the log says about a record.
type logLine struct {
	record
	digest string // in hexadecimal; "-": removed; empty: exists
	leaf   int64
}

// findLine returns what the log says about a record; ok is false if the log does not have it.
func (x *logIndex) findLine(ctx context.Context, r record) (l logLine, ok bool, err error) {
	l.record = r
	err = x.tx.QueryRowContext(ctx, `SELECT digest, leaf FROM line WHERE kind = ? AND key = ?`, r.kind, r.key).Scan(&l.digest, &l.leaf)
	if errors.Is(err, sql.ErrNoRows) {
		return l, false, nil
	}
	return l, err == nil, err
}

// markCompared marks a record as compared.
func (x *logIndex) markCompared(ctx context.Context, r record) error {
	_, err := x.tx.ExecContext(ctx, `UPDATE line SET seen = 1 WHERE kind = ? AND key = ?`, r.kind, r.key)
	return err
}

// listNotCompared returns up to limit records of a kind, after a key, that exist according to the log and were not compared.
func (x *logIndex) listNotCompared(ctx context.Context, kind, behind string, limit int) ([]logLine, error) {
	rows, err := x.tx.QueryContext(ctx, `SELECT key, digest, leaf FROM line WHERE kind = ? AND key > ? AND seen = 0 AND digest <> '-' ORDER BY key LIMIT ?`, kind, behind, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []logLine
	for rows.Next() {
		l := logLine{record: record{kind: kind}}
		if err := rows.Scan(&l.key, &l.digest, &l.leaf); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, rows.Err()
}

// isFileNamed reports whether an event names the digest, in hexadecimal, of a file.
func (x *logIndex) isFileNamed(ctx context.Context, digest string) (named bool, err error) {
	err = x.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM named WHERE digest = ?)
		OR EXISTS (SELECT 1 FROM line WHERE kind = 'file' AND digest = ?)`, digest, digest).Scan(&named)
	return named, err
}

// addUnrecorded adds a record whose digest the log does not have.
func (x *logIndex) addUnrecorded(ctx context.Context, r record) error {
	_, err := x.tx.ExecContext(ctx, `INSERT INTO unrecorded (kind, key) VALUES (?, ?) ON CONFLICT DO NOTHING`, r.kind, r.key)
	return err
}

// listUnrecorded returns up to limit of them after one.
func (x *logIndex) listUnrecorded(ctx context.Context, behind record, limit int) ([]record, error) {
	rows, err := x.tx.QueryContext(ctx, `SELECT kind, key FROM unrecorded WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`, behind.kind, behind.key, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []record
	for rows.Next() {
		var r record
		if err := rows.Scan(&r.kind, &r.key); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}
