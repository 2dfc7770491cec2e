package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
)

// moveStorage adds the storage of a change to that of the organisation's documents, and rejects it beyond the limit. The row
// stays locked until the transaction ends, so that two changes that fit only separately are not both made.
func moveStorage(ctx context.Context, t tx, o contract.OrganisationID, add contract.Storage, limit *contract.Storage) error {
	if add == (contract.Storage{}) {
		return nil
	}
	var taken contract.Storage
	err := queryOne(ctx, t, []any{&taken.Drafts, &taken.Bytes}, `INSERT INTO storage (organisation, drafts, bytes) VALUES ($1, $2, $3)
		ON CONFLICT (organisation) DO UPDATE SET drafts = storage.drafts + excluded.drafts, bytes = storage.bytes + excluded.bytes
		RETURNING drafts, bytes`, o, add.Drafts, add.Bytes)
	if err != nil {
		return fmt.Errorf("count what organisation %s stores: %w", o, err)
	}
	if limit == nil {
		return nil
	}
	return contract.CheckStorage(taken, *limit)
}

// Storage implements [store.Quotas].
func (s *Store) Storage(ctx context.Context, o contract.OrganisationID) (taken contract.Storage, err error) {
	// The sums cover one row or none: an organisation without a document has none.
	err = s.readRow(ctx, []any{&taken.Drafts, &taken.Bytes}, `SELECT CAST(COALESCE(SUM(drafts), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM storage WHERE organisation = $1`, o)
	return taken, wrapf(err, "read what organisation %s stores", o)
}
