package sqlstore

import (
	"context"
	"errors"

	"segel/internal/store"
)

// Installation implements [store.Installations].
func (s *Store) Installation(ctx context.Context) (i store.Installation, empty bool, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		i = store.Installation{}
		err := queryOne(ctx, q, []any{&i.ID, scanDigest(&i.Authority), scanTime(&i.CreatedAt), scanTime(&i.CompletedAt), &i.StampOffice},
			`SELECT id, authority, created_at, completed_at, stamp_office FROM installation`)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		var has bool
		err = queryOne(ctx, q, []any{&has}, `SELECT EXISTS (SELECT 1 FROM organisation) OR EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM document)
			OR EXISTS (SELECT 1 FROM certificate) OR EXISTS (SELECT 1 FROM event)`)
		empty = !has
		return err
	})
	return i, empty, wrapf(err, "read the installation")
}

// ReplaceInstallation implements [store.Installations].
func (s *Store) ReplaceInstallation(ctx context.Context, read, write store.Installation) error {
	err := s.db.withTx(ctx, func(t tx) error { return replaceInstallation(ctx, t, read, write) })
	return wrapf(err, "write the installation")
}

func replaceInstallation(ctx context.Context, t tx, read, write store.Installation) error {
	values := []any{write.ID, write.Authority[:], toMicros(write.CreatedAt), toMicros(write.CompletedAt), write.StampOffice}
	var done int64
	var err error
	if read.ID == "" {
		done, err = t.exec(ctx, `INSERT INTO installation (id, authority, created_at, completed_at, stamp_office, one)
			VALUES (`+placeholders(1, 5)+`, 1) ON CONFLICT DO NOTHING`, values...)
	} else {
		done, err = t.exec(ctx, `UPDATE installation SET id = $1, authority = $2, created_at = $3, completed_at = $4, stamp_office = $5
			WHERE id = $6 AND authority = $7 AND created_at = $8 AND completed_at = $9 AND stamp_office = $10`,
			append(values, read.ID, read.Authority[:], toMicros(read.CreatedAt), toMicros(read.CompletedAt), read.StampOffice)...)
	}
	if err == nil && done == 0 {
		err = store.ErrConflict
	}
	if err != nil || write.CompletedAt.IsZero() { // until completed, the database has to be empty
		return err
	}
	return logEntry{records: []record{recordOf("installation", 1)}, at: write.CompletedAt}.appendToLog(ctx, t)
}

// Evidence implements [store.Installations].
func (s *Store) Evidence(ctx context.Context, documents int) (store.Evidence, error) {
	var e store.Evidence
	err := s.db.withSnapshot(ctx, func(q querier) error {
		e = store.Evidence{}
		if err := queryOne(ctx, q, []any{&e.Documents}, `SELECT COUNT(*) FROM document`); err != nil {
			return err
		}
		var err error
		e.Files, err = queryAll(ctx, q, scanFile, `SELECT file_key, file_size, file_digest, file_sums FROM revision WHERE document IN
			(SELECT id FROM document ORDER BY CASE WHEN state = 'completed' THEN 0 ELSE 1 END, id DESC LIMIT $1) ORDER BY document, position`, documents)
		if err != nil {
			return err
		}
		err = queryOne(ctx, q, []any{scanBytes(&e.Certificate)}, `SELECT der FROM certificate ORDER BY issued_at DESC, serial LIMIT 1`)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	})
	return e, wrapf(err, "read evidence of the installation")
}
