package sqlstore

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

var evidenceRows = rowType[store.EvidenceFile]{
	"evidence",
	`document, file_key, file_size, file_digest, file_sums, made_at`,
	func(v *store.EvidenceFile) []any {
		return append(append([]any{&v.Document}, scanFile(&v.File)...), scanTime(&v.MadeAt))
	},
}

// EvidenceFile implements [store.EvidenceFiles].
func (s *Store) EvidenceFile(ctx context.Context, id contract.DocumentID) (store.EvidenceFile, error) {
	v, err := evidenceRows.readOne(ctx, s, `WHERE document = $1`, id)
	return v, wrapf(err, "read evidence certificate of document %d", id)
}

// AddEvidenceFile implements [store.EvidenceFiles].
func (s *Store) AddEvidenceFile(ctx context.Context, v store.EvidenceFile, timestamp contract.TrustedTime, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := requireUncollected(ctx, t, v.File.Key); err != nil {
			return err
		}
		if err := lockKeptDocument(ctx, t, v.Document); err != nil {
			return err
		}
		n, err := t.exec(ctx, `INSERT INTO evidence (`+evidenceRows.columns+`) VALUES (`+placeholders(1, 6)+`) ON CONFLICT (document) DO NOTHING`,
			v.Document, v.File.Key, v.File.Size, v.File.Digest[:], v.File.Sums, toMicros(v.MadeAt))
		if err != nil {
			return err
		}
		if n == 0 {
			return store.ErrExists
		}
		if err := countEvidence(ctx, t, v.Document, v.File.Size); err != nil {
			return err
		}
		return logEntry{
			events: []contract.Event{e}, records: []record{recordOf("evidence", v.Document)},
			files: []statedRecord{{recordOf(recordFile, v.File.Key), v.File.Digest}}, token: timestamp,
		}.appendToLog(ctx, t)
	})
	return wrapf(err, "add evidence certificate of document %d", v.Document)
}

// lockKeptDocument makes a removal of the files of a document happen before this transaction, which then returns contract.ErrRemoved, or find what it writes.
func lockKeptDocument(ctx context.Context, t tx, id contract.DocumentID) error {
	n, err := t.exec(ctx, `UPDATE document SET version = version WHERE id = $1 AND `+isKeptFile("original_key"), id)
	if err == nil && n == 0 {
		return contract.ErrRemoved
	}
	return err
}

// ReplaceEvidenceFile implements [store.EvidenceFiles].
func (s *Store) ReplaceEvidenceFile(ctx context.Context, former, v store.EvidenceFile, timestamp contract.TrustedTime, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := requireUncollected(ctx, t, v.File.Key); err != nil {
			return err
		}
		if err := lockKeptDocument(ctx, t, v.Document); err != nil {
			return err
		}
		n, err := t.exec(ctx, `UPDATE evidence SET (`+evidenceRows.columns+`) = (`+placeholders(1, 6)+`) WHERE document = $1 AND file_key = $7`,
			v.Document, v.File.Key, v.File.Size, v.File.Digest[:], v.File.Sums, toMicros(v.MadeAt), former.File.Key)
		if err != nil {
			return err
		}
		if n == 0 {
			return store.ErrConflict
		}
		if err := countEvidence(ctx, t, v.Document, v.File.Size-former.File.Size); err != nil {
			return err
		}
		return logEntry{
			events: []contract.Event{e}, records: []record{recordOf("evidence", v.Document)},
			jobs:  []contract.Job{{Kind: contract.JobSweep, Document: v.Document, Keys: []string{former.File.Key}}},
			files: []statedRecord{{recordOf(recordFile, v.File.Key), v.File.Digest}, {recordOf(recordFile, former.File.Key), noRecord}}, token: timestamp,
		}.appendToLog(ctx, t)
	})
	return wrapf(err, "replace evidence certificate of document %d", v.Document)
}

// countEvidence adds bytes of the evidence certificate of a document to the storage of its organisation. There is no limit: the document was
// completed within it.
func countEvidence(ctx context.Context, t tx, id contract.DocumentID, bytes int64) error {
	var o contract.OrganisationID
	if err := queryOne(ctx, t, []any{&o}, `SELECT organisation FROM document WHERE id = $1`, id); err != nil {
		return err
	}
	return moveStorage(ctx, t, o, contract.Usage{Storage: contract.Storage{Bytes: bytes}, Evidence: bytes}, nil)
}

// EachEvidenceFile implements [store.EvidenceFiles].
func (s *Store) EachEvidenceFile(ctx context.Context, yield func(store.EvidenceFile) bool) error {
	key := func(v *store.EvidenceFile) []any { return []any{v.Document} }
	return wrapf(evidenceRows.eachRow(ctx, s, &condition{}, "document", key, yield), "list evidence certificates")
}
