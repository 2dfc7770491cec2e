package sqlstore

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
)

// DueForRenewal implements [store.Documents].
func (s *Store) DueForRenewal(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error) {
	return s.readDocumentIDs(ctx, "ageing", now, limit, `SELECT document FROM renewal WHERE due_at <= $1 ORDER BY due_at, document LIMIT $2`)
}

// writeRenewal stores when a document is to be renewed.
func (w *documentWriter) writeRenewal(ctx context.Context, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	_, err := w.exec(ctx, `INSERT INTO renewal (document, due_at) VALUES ($1, $2)
		ON CONFLICT (document) DO UPDATE SET due_at = excluded.due_at`, w.after.ID, toMicros(at))
	if err != nil {
		return fmt.Errorf("store when document %d is to be renewed: %w", w.after.ID, err)
	}
	return nil
}
