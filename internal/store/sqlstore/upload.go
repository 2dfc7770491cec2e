package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

const uploadColumns = `id, person, organisation, filename, size, announced, received, digest, midstate, created_at, expires_at, document`

func uploadDest(u *contract.ResumableUpload) []any {
	return []any{
		&u.ID, &u.Person, &u.Organisation, &u.Filename, &u.Size, scanDigest(&u.Announced), &u.Received, scanDigest(&u.Digest), scanBytes(&u.Midstate),
		scanTime(&u.CreatedAt), scanTime(&u.ExpiresAt), &u.Document,
	}
}

// AddUpload implements [store.ResumableUploads].
func (s *Store) AddUpload(ctx context.Context, u contract.ResumableUpload, l contract.Limits) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Of uploads that begin at the same time, each counts those before it.
		if err := lockOrganisation(ctx, t, u.Organisation); err != nil {
			return err
		}
		var person, all contract.OpenUploads
		err := queryOne(ctx, t, []any{&person.Count, &person.Bytes, &all.Count, &all.Bytes},
			`SELECT COUNT(CASE WHEN person = $2 THEN 1 END), CAST(COALESCE(SUM(CASE WHEN person = $2 THEN size END), 0) AS BIGINT), COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT)
			FROM resumable_upload WHERE organisation = $1 AND document = 0 AND NOT ended AND expires_at > $3`,
			u.Organisation, u.Person, toMicros(u.CreatedAt))
		if err != nil {
			return err
		}
		for _, o := range []*contract.OpenUploads{&person, &all} {
			o.Count, o.Bytes = o.Count+1, o.Bytes+u.Size
		}
		if err := contract.CheckOpenUploads(person, all, l); err != nil {
			return err
		}
		_, err = t.exec(ctx, `INSERT INTO resumable_upload (`+uploadColumns+`, ended) VALUES (`+placeholders(1, 13)+`)`,
			u.ID, u.Person, u.Organisation, cleanText(u.Filename), u.Size, u.Announced[:], u.Received, u.Digest[:], bytesArg(u.Midstate),
			toMicros(u.CreatedAt), toMicros(u.ExpiresAt), u.Document, false)
		return err
	})
	return wrapf(err, "add upload %s", u.ID)
}

// ResumableUpload implements [store.ResumableUploads].
func (s *Store) ResumableUpload(ctx context.Context, id contract.UploadID) (u contract.ResumableUpload, err error) {
	err = s.readRow(ctx, uploadDest(&u), `SELECT `+uploadColumns+` FROM resumable_upload WHERE id = $1 AND NOT ended`, id)
	return u, wrapf(err, "read upload %s", id)
}

// AppendPart implements [store.ResumableUploads].
func (s *Store) AppendPart(ctx context.Context, received int64, after contract.ResumableUpload, part contract.File) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := requireUncollected(ctx, t, part.Key); err != nil {
			return err
		}
		// Its row decides between two requests that continue the same upload.
		if err := execRequired(ctx, t, requireChange, `UPDATE resumable_upload SET received = $3, digest = $4, midstate = $5 WHERE id = $1 AND received = $2 AND document = 0 AND NOT ended`,
			after.ID, received, after.Received, after.Digest[:], bytesArg(after.Midstate)); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO resumable_part (upload, begins, file_key, file_size, file_digest, file_sums) VALUES (`+placeholders(1, 6)+`)`,
			after.ID, received, part.Key, part.Size, part.Digest[:], bytesArg(part.Sums))
		return err
	})
	return wrapf(err, "append to upload %s", after.ID)
}

// UploadParts implements [store.ResumableUploads].
func (s *Store) UploadParts(ctx context.Context, id contract.UploadID) ([]contract.File, error) {
	parts, err := readAll(ctx, s, scanFile, `SELECT file_key, file_size, file_digest, file_sums FROM resumable_part WHERE upload = $1 ORDER BY begins`, id)
	return parts, wrapf(err, "read parts of upload %s", id)
}

// EachPart implements [store.ResumableUploads].
func (s *Store) EachPart(ctx context.Context, yield func(contract.UploadID, contract.File) bool) error {
	type row struct {
		upload contract.UploadID
		part   contract.File
	}
	dest := func(r *row) []any { return append([]any{&r.upload}, scanFile(&r.part)...) }
	err := eachOf(ctx, s, func(q querier, last *row) ([]row, error) {
		after := ""
		if last != nil {
			after = last.part.Key
		}
		return queryAll(ctx, q, dest, `SELECT upload, file_key, file_size, file_digest, file_sums FROM resumable_part WHERE file_key > $1 ORDER BY file_key LIMIT $2`, after, eachBatch)
	}, func(r row) bool { return yield(r.upload, r.part) })
	return wrapf(err, "read parts of uploads")
}

// EndUpload implements [store.ResumableUploads].
func (s *Store) EndUpload(ctx context.Context, id contract.UploadID) error {
	return wrapf(s.runStatement(ctx, `UPDATE resumable_upload SET ended = TRUE WHERE id = $1`, id), "end upload %s", id)
}

// ForgetParts implements [store.ResumableUploads].
func (s *Store) ForgetParts(ctx context.Context, id contract.UploadID) error {
	err := s.db.withTx(ctx, func(t tx) error {
		var document contract.DocumentID
		var ended bool
		err := queryOne(ctx, t, []any{&document, &ended}, `SELECT document, ended FROM resumable_upload WHERE id = $1`, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && document == 0 && !ended {
			return nil
		}
		if err == nil {
			_, err = t.exec(ctx, `DELETE FROM resumable_part WHERE upload = $1`, id)
		}
		if err == nil && ended {
			_, err = t.exec(ctx, `DELETE FROM resumable_upload WHERE id = $1`, id)
		}
		return err
	})
	return wrapf(err, "forget parts of upload %s", id)
}

// UnneededUploads implements [store.ResumableUploads].
func (s *Store) UnneededUploads(ctx context.Context, now time.Time, limit int) ([]contract.UploadID, error) {
	ids, err := readAll(ctx, s, column[contract.UploadID], `SELECT id FROM resumable_upload u WHERE ended OR expires_at <= $1
		OR document <> 0 AND EXISTS (SELECT 1 FROM resumable_part p WHERE p.upload = u.id) ORDER BY expires_at LIMIT $2`, toMicros(now), limit)
	return ids, wrapf(err, "read unneeded uploads")
}

// takeUpload records that a new document takes an upload.
func takeUpload(ctx context.Context, t tx, id contract.UploadID, d contract.DocumentID) error {
	if err := execRequired(ctx, t, requireChange, `UPDATE resumable_upload SET document = $2 WHERE id = $1 AND document = 0 AND NOT ended`, id, d); err != nil {
		return fmt.Errorf("take upload %s: %w", id, err)
	}
	return nil
}
