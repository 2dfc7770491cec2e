package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Due implements [store.Documents].
func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error) {
	return s.idle(ctx, "due", now, limit, `SELECT id FROM document WHERE due_at <> 0 AND due_at <= $1 ORDER BY due_at, id LIMIT $2`)
}

// Stuck implements [store.Documents].
func (s *Store) Stuck(ctx context.Context, before time.Time, limit int) ([]contract.DocumentID, error) {
	return s.idle(ctx, "stuck", before, limit, `SELECT id FROM document WHERE waits_since <> 0 AND waits_since < $1 ORDER BY waits_since, id LIMIT $2`)
}

func (s *Store) idle(ctx context.Context, what string, at time.Time, limit int, sql string) ([]contract.DocumentID, error) {
	ids := []contract.DocumentID{}
	err := s.db.read(ctx, func(q querier) error {
		return each(ctx, q, func(scan func(...any) error) error {
			var id contract.DocumentID
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, sql, micros(at), limit)
	})
	if err != nil {
		return nil, fmt.Errorf("read documents that are %s: %w", what, err)
	}
	return ids, nil
}

// Enqueue implements [store.Documents].
func (s *Store) Enqueue(ctx context.Context, all ...contract.Job) error {
	return s.db.write(ctx, func(t tx) error {
		owned, err := withOrganisations(ctx, t, all)
		if err != nil {
			return err
		}
		return t.ensureJobs(ctx, owned)
	})
}

// Hasten implements [store.Documents].
func (s *Store) Hasten(ctx context.Context, all ...contract.Job) error {
	return s.db.write(ctx, func(t tx) error {
		owned, err := withOrganisations(ctx, t, all)
		if err != nil {
			return err
		}
		return t.addJobs(ctx, owned)
	})
}

// withOrganisations fills in whose turn each job takes: that of the document's organisation.
func withOrganisations(ctx context.Context, q querier, all []contract.Job) ([]contract.Job, error) {
	all = slices.Clone(all)
	for i := range all {
		if all[i].Organisation != "" {
			continue
		}
		err := one(ctx, q, []any{&all[i].Organisation}, `SELECT organisation FROM document WHERE id = $1`, all[i].Document)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("read the organisation of document %d: %w", all[i].Document, err)
		}
	}
	return all, nil
}

// filesBatch is how many files are read at a time, so that no snapshot is held while the caller looks at blobs.
const filesBatch = 500

// Files implements [store.Documents]. What is added while it runs may be missed.
func (s *Store) Files(ctx context.Context, yield func(contract.File) bool) error {
	// An original that was rewritten before the first signature is kept beside the revisions, and so is what the stamp
	// office returned and was not accepted. The evidence on a serial is that of one of its attempts.
	for _, sql := range []string{
		`SELECT file_key, file_size, file_digest, file_sums FROM revision WHERE file_key > $1 ORDER BY file_key LIMIT $2`,
		`SELECT original_key, original_size, original_digest, original_sums FROM document d WHERE original_key > $1
			AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.file_key = d.original_key) ORDER BY original_key LIMIT $2`,
		`SELECT evidence_key, evidence_size, evidence_digest, evidence_sums FROM attempt WHERE evidence_key <> '' AND evidence_key > $1
			ORDER BY evidence_key LIMIT $2`,
	} {
		if more, err := s.files(ctx, sql, yield); err != nil || !more {
			return err
		}
	}
	return nil
}

func (s *Store) files(ctx context.Context, sql string, yield func(contract.File) bool) (more bool, err error) {
	for last := ""; ; {
		var batch []contract.File
		err := s.db.read(ctx, func(q querier) error {
			return each(ctx, q, func(scan func(...any) error) error {
				var f contract.File
				err := scan(&f.Key, &f.Size, digest(&f.Digest), octets(&f.Sums))
				batch = append(batch, f)
				return err
			}, sql, last, filesBatch)
		})
		if err != nil {
			return false, fmt.Errorf("read files after %q: %w", last, err)
		}
		for _, f := range batch {
			if !yield(f) {
				return false, nil
			}
		}
		if len(batch) < filesBatch {
			return true, nil
		}
		last = batch[len(batch)-1].Key
	}
}

// versionsBatch is how many documents one statement asks for. It is always as many, so that the statement is prepared once.
const versionsBatch = 100

var versionsStatement = `SELECT id, version FROM document WHERE id IN (` + list(1, versionsBatch) + `)`

// Versions implements [store.Documents].
func (s *Store) Versions(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error) {
	versions := make(map[contract.DocumentID]int64, len(ids))
	if len(ids) == 0 {
		return versions, nil
	}
	err := s.db.read(ctx, func(q querier) error {
		for batch := range slices.Chunk(ids, versionsBatch) {
			args := make([]any, versionsBatch)
			for i := range args {
				args[i] = batch[min(i, len(batch)-1)]
			}
			err := each(ctx, q, func(scan func(...any) error) error {
				var id contract.DocumentID
				var version int64
				err := scan(&id, &version)
				versions[id] = version
				return err
			}, versionsStatement, args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read versions of documents: %w", err)
	}
	return versions, nil
}
