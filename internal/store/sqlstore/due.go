package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// PastDeadline implements [store.Documents].
func (s *Store) PastDeadline(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error) {
	return s.readDocumentIDs(ctx, "due", now, limit, `SELECT id FROM document WHERE due_at <> 0 AND due_at <= $1 ORDER BY due_at, id LIMIT $2`)
}

// RemindersDue implements [store.Documents].
func (s *Store) RemindersDue(ctx context.Context, now time.Time, limit int, of store.Among) ([]contract.DocumentID, error) {
	c := condition{terms: []string{"remind_at <> 0"}}
	c.addTerm("remind_at <= %s", toMicros(now))
	c.addOrganisations("organisation IN ", of.Only)
	c.addOrganisations("organisation NOT IN ", of.Except)
	ids, err := readAll(ctx, s, column[contract.DocumentID], `SELECT id FROM document`+c.pageClause("remind_at, id", 0, limit), c.args...)
	return ids, wrapf(err, "read documents that are to be reminded of")
}

// addOrganisations adds a term that ends in a list of organisations, if there are any.
func (c *condition) addOrganisations(term string, of []contract.OrganisationID) {
	if len(of) == 0 {
		return
	}
	in := make([]string, len(of))
	for i, o := range of {
		in[i] = c.addArg(o)
	}
	c.terms = append(c.terms, term+"("+strings.Join(in, ", ")+")")
}

// Stuck implements [store.Documents].
func (s *Store) Stuck(ctx context.Context, before time.Time, after store.StuckDocument, limit int) ([]store.StuckDocument, error) {
	all, err := readAll(ctx, s, func(d *store.StuckDocument) []any { return []any{&d.ID, scanTime(&d.Since)} },
		`SELECT id, waits_since FROM document WHERE waits_since <> 0 AND waits_since < $1 AND (waits_since, id) > ($2, $3) ORDER BY waits_since, id LIMIT $4`,
		toMicros(before), toMicros(after.Since), after.ID, limit)
	return all, wrapf(err, "read documents that are stuck")
}

// DueForRenewal implements [store.Documents].
func (s *Store) DueForRenewal(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error) {
	return s.readDocumentIDs(ctx, "due for renewal", now, limit, `SELECT document FROM renewal WHERE due_at <= $1 ORDER BY due_at, document LIMIT $2`)
}

func (s *Store) readDocumentIDs(ctx context.Context, what string, at time.Time, limit int, sql string) ([]contract.DocumentID, error) {
	ids, err := readAll(ctx, s, column[contract.DocumentID], sql, toMicros(at), limit)
	return ids, wrapf(err, "read documents that are %s", what)
}

// Enqueue implements [store.Documents].
func (s *Store) Enqueue(ctx context.Context, all ...contract.Job) error {
	return s.enqueueOwned(ctx, all, tx.ensureJobs)
}

// EnqueueNow implements [store.Documents].
func (s *Store) EnqueueNow(ctx context.Context, all ...contract.Job) error {
	return s.enqueueOwned(ctx, all, tx.addJobs)
}

func (s *Store) enqueueOwned(ctx context.Context, all []contract.Job, add func(tx, context.Context, []contract.Job) error) error {
	return s.db.withTx(ctx, func(t tx) error {
		owned, err := fillOrganisations(ctx, t, all)
		if err != nil {
			return err
		}
		return add(t, ctx, owned)
	})
}

// fillOrganisations sets the organisation of each job, which decides its turn: that of the job's document.
func fillOrganisations(ctx context.Context, q querier, all []contract.Job) ([]contract.Job, error) {
	all = slices.Clone(all)
	for i := range all {
		if all[i].Organisation != "" {
			continue
		}
		err := queryOne(ctx, q, []any{&all[i].Organisation}, `SELECT organisation FROM document WHERE id = $1`, all[i].Document)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("read the organisation of document %d: %w", all[i].Document, err)
		}
	}
	return all, nil
}

// Files implements [store.Documents]. It may miss files that are added while it runs.
func (s *Store) Files(ctx context.Context, yield func(contract.File) bool) error {
	stopped := false
	yieldUntilStopped := func(f contract.File) bool {
		stopped = !yield(f)
		return !stopped
	}
	// The original of a document that was rewritten before the first signature is stored beside the revisions, and so is a
	// file of the stamp office that was not accepted. The evidence on a serial is that of one of its attempts. The evidence certificate of a
	// document is a file of its own. The parts of an upload are not a document yet.
	for _, sql := range []string{
		`SELECT file_key, file_size, file_digest, file_sums FROM revision WHERE file_key > $1 AND ` + isKeptFile("file_key") + ` ORDER BY file_key LIMIT $2`,
		`SELECT original_key, original_size, original_digest, original_sums FROM document d WHERE original_key > $1 AND ` + isKeptFile("original_key") + `
			AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.file_key = d.original_key) ORDER BY original_key LIMIT $2`,
		`SELECT evidence_key, evidence_size, evidence_digest, evidence_sums FROM attempt WHERE evidence_key <> '' AND evidence_key > $1 AND ` + isKeptFile("evidence_key") + `
			ORDER BY evidence_key LIMIT $2`,
		`SELECT file_key, file_size, file_digest, file_sums FROM evidence WHERE file_key > $1 AND ` + isKeptFile("file_key") + ` ORDER BY file_key LIMIT $2`,
		`SELECT file_key, file_size, file_digest, file_sums FROM resumable_part WHERE file_key > $1 ORDER BY file_key LIMIT $2`,
	} {
		err := eachOf(ctx, s, func(q querier, last *contract.File) ([]contract.File, error) {
			after := ""
			if last != nil {
				after = last.Key
			}
			return queryAll(ctx, q, scanFile, sql, after, eachBatch)
		}, yieldUntilStopped)
		if err != nil || stopped {
			return wrapf(err, "read files")
		}
	}
	return nil
}

// scanFile scans the four columns of a file.
func scanFile(f *contract.File) []any {
	return []any{&f.Key, &f.Size, scanDigest(&f.Digest), scanBytes(&f.Sums)}
}

// documentsBatch is the number of documents that are read at a time. A document with a large file has tens of kilobytes of sums.
const documentsBatch = 50

// EachDocument implements [store.Documents].
func (s *Store) EachDocument(ctx context.Context, yield func(contract.Document, error) bool) error {
	for last := contract.DocumentID(math.MinInt64); ; {
		var ids []contract.DocumentID
		var batch []contract.Document
		var unreadable error
		err := s.db.withSnapshot(ctx, func(q querier) error {
			var err error
			if ids, err = queryAll(ctx, q, column[contract.DocumentID], `SELECT id FROM document WHERE id > $1 ORDER BY id LIMIT $2`, last, documentsBatch); err != nil {
				return err
			}
			batch, unreadable = readDocuments(ctx, q, ids)
			return ctx.Err()
		})
		if err != nil {
			return fmt.Errorf("read documents behind %d: %w", last, err)
		}
		if unreadable != nil {
			if more, err := s.eachReadable(ctx, ids, yield); err != nil || !more {
				return err
			}
		}
		for _, d := range batch {
			if !yield(d, nil) {
				return nil
			}
		}
		if len(ids) < documentsBatch {
			return nil
		}
		last = ids[len(ids)-1]
	}
}

// eachReadable yields documents one by one after a batch failed because one of them cannot be read.
func (s *Store) eachReadable(ctx context.Context, ids []contract.DocumentID, yield func(contract.Document, error) bool) (more bool, err error) {
	for _, id := range ids {
		d, err := s.Document(ctx, id)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, store.ErrNotFound): // deleted meanwhile
			continue
		case err != nil:
			d = contract.Document{ID: id}
		}
		if !yield(d, err) {
			return false, nil
		}
	}
	return true, nil
}

// selectReferred reports whether anything refers to the file $1.
const selectReferred = `SELECT EXISTS (SELECT 1 FROM revision WHERE file_key = $1) OR EXISTS (SELECT 1 FROM document WHERE original_key = $1)
	OR EXISTS (SELECT 1 FROM attempt WHERE evidence_key = $1 AND evidence_key <> '') OR EXISTS (SELECT 1 FROM resumable_part WHERE file_key = $1)
	OR EXISTS (SELECT 1 FROM evidence WHERE file_key = $1)`

// RefersToFile implements [store.Documents].
func (s *Store) RefersToFile(ctx context.Context, key string) (used bool, err error) {
	err = s.readRow(ctx, []any{&used}, selectReferred, key)
	return used, wrapf(err, "find what refers to file %s", key)
}

// OrganisationOfFile implements [store.Documents].
func (s *Store) OrganisationOfFile(ctx context.Context, key string) (of contract.OrganisationID, err error) {
	err = s.readRow(ctx, []any{&of}, `SELECT d.organisation FROM revision v JOIN document d ON d.id = v.document WHERE v.file_key = $1
		UNION ALL SELECT organisation FROM document WHERE original_key = $1
		UNION ALL SELECT d.organisation FROM evidence v JOIN document d ON d.id = v.document WHERE v.file_key = $1
		UNION ALL SELECT organisation FROM attempt WHERE evidence_key = $1 AND evidence_key <> ''
		UNION ALL SELECT u.organisation FROM resumable_part p JOIN resumable_upload u ON u.id = p.upload WHERE p.file_key = $1
		LIMIT 1`, key)
	return of, wrapf(err, "find the organisation of file %s", key)
}

// versionsBatch is the number of documents in one statement. It is constant, so that the statement is prepared once.
const versionsBatch = 100

var versionsStatement = `SELECT id, version FROM document WHERE id IN (` + placeholders(1, versionsBatch) + `)`

// Versions implements [store.Documents].
func (s *Store) Versions(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error) {
	versions := make(map[contract.DocumentID]int64, len(ids))
	if len(ids) == 0 {
		return versions, nil
	}
	var reads []statement
	for batch := range slices.Chunk(ids, versionsBatch) {
		args := make([]any, versionsBatch)
		for i := range args {
			args[i] = batch[min(i, len(batch)-1)]
		}
		reads = append(reads, statement{sql: versionsStatement, args: args, each: func(scan scanFunc) error {
			var id contract.DocumentID
			var version int64
			err := scan(&id, &version)
			versions[id] = version
			return err
		}})
	}
	err := s.db.readTogether(ctx, reads...)
	return versions, wrapf(err, "read versions of documents")
}

// writeRenewal stores when a document is to be renewed.
func (w *documentWriter) writeRenewal(ctx context.Context, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	return w.addStatements(ctx, statement{
		sql:  `INSERT INTO renewal (document, due_at) VALUES ($1, $2) ON CONFLICT (document) DO UPDATE SET due_at = excluded.due_at`,
		args: []any{w.after.ID, toMicros(at)},
		what: fmt.Sprintf("store when document %d is to be renewed", w.after.ID),
	})
}
