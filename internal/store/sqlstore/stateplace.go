package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"segel/internal/store"
)

// StatePlace implements [store.StatePlaces].
func (s *Store) StatePlace(ctx context.Context) (p store.StatePlace, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) (err error) {
		p, err = readStatePlace(ctx, q)
		return err
	})
	return p, wrapf(err, "read where the keys are used")
}

func readStatePlace(ctx context.Context, q querier) (p store.StatePlace, err error) {
	return p, queryEach(ctx, q, func(scan scanFunc) error {
		var name string
		var content []byte
		if err := scan(&name, scanBytes(&content)); err != nil {
			return err
		}
		if name == store.KeyMarkFile {
			p.Mark = bytesArg(content)
		} else {
			p.Folder = bytesArg(content)
		}
		return nil
	}, `SELECT name, content FROM key_file WHERE name IN ($1, $2)`, store.KeyMarkFile, store.KeyFolderFile)
}

// requireUsedState returns store.ErrInFolder if a folder is used. It is called after the rows were written: on PostgreSQL their statement has waited for
// [Store.MoveStateToFolder], which locks the tables, or that waits for this transaction and finds them.
func requireUsedState(ctx context.Context, t tx) error {
	p, err := readStatePlace(ctx, t)
	if err == nil && p.Folder != nil {
		err = store.ErrInFolder
	}
	return err
}

// unusedState is what a database has while a folder is used.
type unusedState struct{ *Store }

// UnusedState implements [store.StatePlaces].
func (s *Store) UnusedState() store.StateFiles { return unusedState{s} }

func requireNothing(context.Context, tx) error { return nil }

// AddKeyFile implements [store.KeyFiles].
func (s unusedState) AddKeyFile(ctx context.Context, name string, content []byte, at time.Time) error {
	return s.addKeyFile(ctx, requireNothing, name, content, at)
}

// AddOfficeEntry implements [store.OfficeRecords].
func (s unusedState) AddOfficeEntry(ctx context.Context, office string, number int64, content []byte, at time.Time) error {
	return s.addOfficeEntry(ctx, requireNothing, office, number, content, at)
}

// StoreOfficeRecord implements [store.OfficeRecords].
func (s unusedState) StoreOfficeRecord(ctx context.Context, serial string, content []byte) error {
	return s.storeOfficeRecord(ctx, requireNothing, serial, content)
}

// StateDigest implements [store.StatePlaces].
func (s *Store) StateDigest(ctx context.Context) (digest [32]byte, err error) {
	err = s.db.readWhole(ctx, func(q querier) (err error) {
		digest, err = digestState(ctx, q)
		return err
	})
	return digest, wrapf(err, "read the keys and the records of the stamp office")
}

// digestState reads all rows of the tables that a folder can have in their place.
func digestState(ctx context.Context, q querier) ([32]byte, error) {
	h := sha256.New()
	var name string
	var content []byte
	err := queryEach(ctx, q, func(scan scanFunc) error {
		if err := scan(&name, scanBytes(&content)); err != nil {
			return err
		}
		_, err := fmt.Fprintf(h, "key file %q %x\n", name, content)
		return err
	}, `SELECT name, content FROM key_file ORDER BY name`)
	if err != nil {
		return [32]byte{}, err
	}
	var text string
	var number int64
	err = queryEach(ctx, q, func(scan scanFunc) error {
		if err := scan(&name, &number, &text); err != nil {
			return err
		}
		_, err := fmt.Fprintf(h, "entry %q %d %q\n", name, number, text)
		return err
	}, `SELECT office, number, content FROM office_entry ORDER BY office, number`)
	if err != nil {
		return [32]byte{}, err
	}
	err = queryEach(ctx, q, func(scan scanFunc) error {
		if err := scan(&name, &text, &number); err != nil {
			return err
		}
		_, err := fmt.Fprintf(h, "record %q %q %d\n", name, text, number)
		return err
	}, `SELECT serial, content, retired_at FROM office_record ORDER BY serial`)
	return [32]byte(h.Sum(nil)), err
}

// officeRecordsAtOnce is how many records are read at a time: they contain pictures.
const officeRecordsAtOnce = 100

// EachOfficeRecord implements [store.StatePlaces].
func (s *Store) EachOfficeRecord(ctx context.Context, yield func(serial string, content []byte, retiredAt time.Time) error) error {
	type record struct {
		serial, content string
		retiredAt       time.Time
	}
	for after := ""; ; {
		all, err := readAll(ctx, s, func(r *record) []any { return []any{&r.serial, &r.content, scanTime(&r.retiredAt)} },
			`SELECT serial, content, retired_at FROM office_record WHERE serial > $1 ORDER BY serial LIMIT $2`, after, officeRecordsAtOnce)
		if err != nil {
			return wrapf(err, "read what the office returned")
		}
		for _, r := range all {
			if err := yield(r.serial, []byte(r.content), r.retiredAt); err != nil {
				return err
			}
			after = r.serial
		}
		if len(all) < officeRecordsAtOnce {
			return nil
		}
	}
}

// KeyFileNames implements [store.StatePlaces].
func (s *Store) KeyFileNames(ctx context.Context) ([]string, error) {
	names, err := readAll(ctx, s, func(name *string) []any { return []any{name} }, `SELECT name FROM key_file WHERE name <> $1 AND name <> $2 ORDER BY name`, store.KeyMarkFile, store.KeyFolderFile)
	return names, wrapf(err, "list the key files")
}

// UseStateInDatabase implements [store.StatePlaces].
func (s *Store) UseStateInDatabase(ctx context.Context, mark, folder []byte, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if folder != nil {
			if err := execRequired(ctx, t, requireChange, `DELETE FROM key_file WHERE name = $1 AND content = $2`, store.KeyFolderFile, bytesArg(folder)); err != nil {
				return err
			}
		}
		if err := execRequired(ctx, t, requireChange, `INSERT INTO key_file (name, content, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`,
			store.KeyMarkFile, bytesArg(mark), toMicros(at)); err != nil {
			return err
		}
		p, err := readStatePlace(ctx, t)
		if err == nil && p.Folder != nil {
			err = store.ErrConflict
		}
		return err
	})
	return wrapf(err, "use the keys in the database")
}

// withLockedState runs fn in a transaction in which no other changes the keys or the records of the stamp office, after requiring that the database is used, that it has
// what digest says, and that no node runs.
//
// The locks end with the transaction. A node that joins at this moment waits for it, and finds what has changed when it looks afterwards. What others add to the
// tables is found here, or they wait.
func (s *Store) withLockedState(ctx context.Context, digest [32]byte, fn func(t tx) error) error {
	return s.db.withTx(ctx, func(t tx) error {
		if !s.db.embedded() {
			if _, err := t.exec(ctx, `LOCK TABLE key_file, office_entry, office_record, node IN SHARE ROW EXCLUSIVE MODE`); err != nil {
				return err
			}
		}
		nodes, err := queryAll(ctx, t, func(name *string) []any { return []any{name} }, `SELECT name || ' on ' || host FROM node WHERE ended_at = 0 ORDER BY name`)
		if err == nil && len(nodes) > 0 {
			err = fmt.Errorf("%w: %s", store.ErrNodesRun, strings.Join(nodes, ", "))
		}
		if err != nil {
			return err
		}
		p, err := readStatePlace(ctx, t)
		if err != nil {
			return err
		}
		found, err := digestState(ctx, t)
		if err != nil {
			return err
		}
		if p.Mark == nil || !bytes.Equal(found[:], digest[:]) {
			return store.ErrConflict
		}
		return fn(t)
	})
}

const insertKeyFile = `INSERT INTO key_file (name, content, created_at) VALUES ($1, $2, $3)`

// MoveStateToFolder implements [store.StatePlaces]. What a process adds afterwards is refused, see requireUsedState.
func (s *Store) MoveStateToFolder(ctx context.Context, digest [32]byte, folder []byte, at time.Time) error {
	err := s.withLockedState(ctx, digest, func(t tx) error {
		for _, table := range []string{"key_file", "office_entry", "office_record"} {
			if _, err := t.exec(ctx, `DELETE FROM `+table); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, insertKeyFile, store.KeyFolderFile, bytesArg(folder), toMicros(at))
		return err
	})
	return wrapf(err, "use the keys in a folder")
}

// ReplaceAuthority implements [store.StatePlaces].
func (s *Store) ReplaceAuthority(ctx context.Context, digest [32]byte, files map[string][]byte, read, write store.Installation, at time.Time) error {
	err := s.withLockedState(ctx, digest, func(t tx) error {
		if _, err := t.exec(ctx, `DELETE FROM key_file WHERE name <> $1`, store.KeyMarkFile); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if _, err := t.exec(ctx, insertKeyFile, name, bytesArg(files[name]), toMicros(at)); err != nil {
				return err
			}
		}
		return replaceInstallation(ctx, t, read, write)
	})
	return wrapf(err, "replace the authority")
}
