package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
)

// moveStorage adds what a change takes to what the organisation's documents take, and refuses it beyond the limit. The row
// stays locked until the transaction ends, so that of two changes that fit one by one only one is made.
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
	// The sums are of no row or of one: an organisation without a document has none.
	err = s.readRow(ctx, []any{&taken.Drafts, &taken.Bytes}, `SELECT CAST(COALESCE(SUM(drafts), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM storage WHERE organisation = $1`, o)
	return taken, wrapf(err, "read what organisation %s stores", o)
}
