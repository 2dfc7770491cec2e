package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"segel/internal/outage"
	"segel/internal/store"
)

// Two transactions decide about a file that is written and that no row refers to yet: one commits a row that refers to it, the other
// a row that says it was collected. Both must not commit. On SQLite one transaction writes at a time. On PostgreSQL neither sees
// what the other has not committed, so both lock the key until they end: requireUncollected for itself and others like it, CollectFile
// alone. The later one reads with a statement that follows the lock, and so what the earlier one has committed: transactions are
// READ COMMITTED, and each statement has a new snapshot.
//
// Nothing deadlocks: CollectFile holds the lock of one key, and waits for nothing else that a transaction with such a lock may hold.

// lockNumber returns the expression for the number of the lock of a file on PostgreSQL, whose key is an expression. Two files with one number only wait for
// each other.
func lockNumber(key string) string { return `hashtextextended(` + key + `, 0)` }

// requireUncollected lets a transaction refer to files. It is refused with ErrFileCollected if one of them was collected. It may run before or after the
// statement that writes the reference.
func requireUncollected(ctx context.Context, t tx, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	var locks []string
	var args []any
	for i, key := range keys {
		locks, args = append(locks, "pg_advisory_xact_lock_shared("+lockNumber(fmt.Sprint("$", i+1))+")"), append(args, key)
	}
	var all []statement
	if t.collects() {
		all = append(all, statement{sql: `SELECT ` + strings.Join(locks, ", "), args: args})
	}
	all = append(all, statement{
		sql: `SELECT file_key FROM collected_file WHERE file_key IN (` + placeholders(1, len(keys)) + `)`, args: args,
		// As during an outage, a repetition helps: it writes another file.
		each: func(scanFunc) error { return &outage.Error{Part: outage.Blobs, Err: store.ErrFileCollected} },
		what: "refer to files " + strings.Join(keys, ", "),
	})
	return t.addStatements(ctx, all...)
}

// addedKeys returns the keys of the files that lines of the log add.
func addedKeys(files []statedRecord) (keys []string, err error) {
	for _, f := range files {
		if f.digest == noRecord {
			continue
		}
		key, err := url.QueryUnescape(f.key) // recordKey escaped it
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// errReferred rolls back the record of a file that is used.
var errReferred = errors.New("something refers to the file")

// CollectFile implements [store.Documents].
func (s *Store) CollectFile(ctx context.Context, key string, at time.Time) (collected bool, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		if t.collects() {
			if err := t.addStatements(ctx, statement{sql: `SELECT pg_advisory_xact_lock(` + lockNumber("$1") + `)`, args: []any{key}}); err != nil {
				return err
			}
		}
		return t.runBatch(ctx,
			statement{sql: `INSERT INTO collected_file (file_key, collected_at) VALUES ($1, $2) ON CONFLICT (file_key) DO NOTHING`, args: []any{key, toMicros(at)}},
			statement{sql: selectReferred, args: []any{key}, each: func(scan scanFunc) error {
				var used bool
				if err := scan(&used); err != nil {
					return err
				}
				if used {
					return errReferred
				}
				return nil
			}})
	})
	if errors.Is(err, errReferred) {
		return false, nil
	}
	return err == nil, wrapf(err, "collect file %s", key)
}
