package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/store"
)

var masterKeyRows = rowType[store.MasterKey]{"master_key", `id, announced_at, used_at, retired_at`, func(k *store.MasterKey) []any {
	return []any{&k.ID, scanTime(&k.AnnouncedAt), scanTime(&k.UsedAt), scanTime(&k.RetiredAt)}
}}

// MasterKeys implements [store.MasterKeys].
func (s *Store) MasterKeys(ctx context.Context) ([]store.MasterKey, error) {
	all, err := readAll(ctx, s, masterKeyRows.dest, masterKeyRows.selectWhere(`ORDER BY announced_at, id`))
	return all, wrapf(err, "read the master keys")
}

var derivedKeyRows = rowType[store.DerivedKey]{"derived_key", `purpose, sealed`, func(k *store.DerivedKey) []any {
	return []any{&k.Purpose, scanBytes(&k.Sealed)}
}}

// DerivedKeys implements [store.MasterKeys].
func (s *Store) DerivedKeys(ctx context.Context) ([]store.DerivedKey, error) {
	all, err := readAll(ctx, s, derivedKeyRows.dest, derivedKeyRows.selectWhere(`ORDER BY purpose`))
	return all, wrapf(err, "read the derived keys")
}

// AnnounceMasterKey implements [store.MasterKeys].
func (s *Store) AnnounceMasterKey(ctx context.Context, id, first string, derived []store.DerivedKey, at time.Time) error {
	now := toMicros(at)
	err := s.db.withTx(ctx, func(t tx) error {
		var changed []record
		insert := func(r record, sql string, args ...any) error {
			n, err := t.exec(ctx, sql+` ON CONFLICT DO NOTHING`, args...)
			if n > 0 {
				changed = append(changed, r)
			}
			return err
		}
		add := func(id string, usedAt int64) error {
			return insert(recordOf("master_key", id), `INSERT INTO master_key (`+masterKeyRows.columns+`) VALUES ($1, $2, $3, 0)`, id, now, usedAt)
		}
		var known int
		if err := queryOne(ctx, t, []any{&known}, `SELECT COUNT(*) FROM master_key`); err != nil {
			return err
		}
		if known == 0 {
			if err := add(first, now); err != nil {
				return err
			}
		}
		for _, k := range derived {
			if err := insert(recordOf("derived_key", k.Purpose), `INSERT INTO derived_key (`+derivedKeyRows.columns+`) VALUES ($1, $2)`, k.Purpose, k.Sealed); err != nil {
				return err
			}
		}
		if err := add(id, 0); err != nil {
			return err
		}
		return logEntry{records: changed, at: at}.appendToLog(ctx, t)
	})
	return wrapf(err, "announce master key %s", id)
}

// UseMasterKey implements [store.MasterKeys].
func (s *Store) UseMasterKey(ctx context.Context, id string, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The key that was taken into use last seals: a clock that is behind must not change that.
		if err := execRequired(ctx, t, requireRow, `UPDATE master_key SET used_at = CASE WHEN $2 > (SELECT MAX(used_at) FROM master_key) THEN $2
			ELSE (SELECT MAX(used_at) FROM master_key) + 1 END WHERE id = $1 AND used_at = 0`, id, toMicros(at)); err != nil {
			return err
		}
		return logEntry{records: []record{recordOf("master_key", id)}, at: at}.appendToLog(ctx, t)
	})
	return wrapf(err, "use master key %s", id)
}

// WithdrawMasterKey implements [store.MasterKeys].
func (s *Store) WithdrawMasterKey(ctx context.Context, id string, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `DELETE FROM master_key WHERE id = $1 AND used_at = 0`, id)
		if err != nil || n == 0 {
			return err
		}
		return logEntry{records: []record{recordOf("master_key", id)}, at: at}.appendToLog(ctx, t)
	})
	return wrapf(err, "withdraw master key %s", id)
}

// RetireMasterKeys implements [store.MasterKeys].
func (s *Store) RetireMasterKeys(ctx context.Context, except string, at time.Time) (n int, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		retired, err := queryAll(ctx, t, func(id *string) []any { return []any{id} },
			`UPDATE master_key SET retired_at = $2 WHERE id <> $1 AND used_at <> 0 AND retired_at = 0 RETURNING id`, except, toMicros(at))
		if err != nil {
			return err
		}
		n = len(retired)
		var changed []record
		for _, id := range retired {
			changed = append(changed, recordOf("master_key", id))
		}
		return logEntry{records: changed, at: at}.appendToLog(ctx, t)
	})
	return n, wrapf(err, "retire the master keys before %s", except)
}

// AddDerivedKey implements [store.MasterKeys].
func (s *Store) AddDerivedKey(ctx context.Context, k store.DerivedKey, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		return insertWritten(ctx, t, recordOf("derived_key", k.Purpose), logEntry{at: at},
			`INSERT INTO derived_key (`+derivedKeyRows.columns+`) VALUES ($1, $2) ON CONFLICT DO NOTHING`, k.Purpose, k.Sealed)
	})
	return wrapf(err, "add the derived key of %s", k.Purpose)
}

// sealedColumn is a column whose values are sealed under a master key.
type sealedColumn struct {
	store.SealedColumn
	key    string   // of the table
	about  []string // expressions of what the associated data contain besides
	record string   // kind of record that has the column; empty: none
	edits  bool     // writers compare the column edits: one that has read the value before must not write it back
}

// sealedColumns lists all columns with sealed values besides key_file, whose values are files with several. A test requires that each other column of bytes
// is known not to be sealed.
var sealedColumns = []sealedColumn{
	{SealedColumn: store.SealedColumn{Table: "credential", Column: "sealed_key"}, key: "id", record: "credential"},
	{SealedColumn: store.SealedColumn{Table: "blob_key", Column: "sealed"}, key: "id", about: []string{"CAST(generation AS TEXT)", "organisation"}},
	{SealedColumn: store.SealedColumn{Table: "authenticator", Column: "secret"}, key: "person", record: "authenticator"},
	{SealedColumn: store.SealedColumn{Table: "webhook", Column: "secret"}, key: "id", edits: true},
	{SealedColumn: store.SealedColumn{Table: "webhook", Column: "former_secret"}, key: "id", edits: true},
	{SealedColumn: store.SealedColumn{Table: "sso", Column: "secret"}, key: "organisation", edits: true},
	{SealedColumn: store.SealedColumn{Table: "tls_record", Column: "content"}, key: "name"},
	{SealedColumn: store.SealedColumn{Table: "derived_key", Column: "sealed"}, key: "purpose", record: "derived_key"},
}

// SealedColumns implements [store.MasterKeys].
func (s *Store) SealedColumns() (all []store.SealedColumn) {
	for _, c := range sealedColumns {
		all = append(all, c.SealedColumn)
	}
	return all
}

func findSealedColumn(c store.SealedColumn) (sealedColumn, error) {
	i := slices.IndexFunc(sealedColumns, func(known sealedColumn) bool { return known.SealedColumn == c })
	if i < 0 {
		return sealedColumn{}, fmt.Errorf("the column %s.%s is not sealed", c.Table, c.Column)
	}
	return sealedColumns[i], nil
}

// SealedValues implements [store.MasterKeys].
func (s *Store) SealedValues(ctx context.Context, column store.SealedColumn, after string, limit int) ([]store.SealedValue, error) {
	c, err := findSealedColumn(column)
	if err != nil {
		return nil, err
	}
	dest := func(v *store.SealedValue) []any {
		v.About = make([]string, len(c.about))
		to := []any{&v.Key, scanBytes(&v.Sealed)}
		for i := range v.About {
			to = append(to, &v.About[i])
		}
		return to
	}
	columns := strings.Join(append([]string{c.key, c.Column}, c.about...), ", ")
	all, err := readAll(ctx, s, dest, `SELECT `+columns+` FROM `+c.Table+` WHERE `+c.key+` > $1 ORDER BY `+c.key+` LIMIT $2`, after, limit)
	return all, wrapf(err, "read %s of %s", c.Column, c.Table)
}

// ReplaceSealed implements [store.MasterKeys].
func (s *Store) ReplaceSealed(ctx context.Context, column store.SealedColumn, values []store.Resealed, at time.Time) (n int, err error) {
	c, err := findSealedColumn(column)
	if err != nil {
		return 0, err
	}
	sql := `UPDATE ` + c.Table + ` SET ` + c.Column + ` = $3`
	if c.edits {
		sql += `, edits = edits + 1`
	}
	sql += ` WHERE ` + c.key + ` = $1 AND ` + c.Column + ` = $2`
	err = s.db.withTx(ctx, func(t tx) error {
		n = 0
		var changed []record
		for _, v := range values {
			done, err := t.exec(ctx, sql, v.Key, v.Old, v.New)
			if err != nil {
				return err
			}
			if done > 0 {
				n++
				if c.record != "" {
					changed = append(changed, recordOf(c.record, v.Key))
				}
			}
		}
		return logEntry{records: changed, at: at}.appendToLog(ctx, t)
	})
	return n, wrapf(err, "replace %s of %s", c.Column, c.Table)
}
