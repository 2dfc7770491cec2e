package sqlstore

import (
	"context"

	"segel/internal/contract"
)

// DocumentWithSerial implements [store.Documents].
func (s *Store) DocumentWithSerial(ctx context.Context, serial string) (contract.DocumentID, error) {
	var id contract.DocumentID
	err := s.get(ctx, []any{&id}, `SELECT document FROM stamp WHERE serial = $1`, serial)
	return id, wrap(err, "find serial %s", serial)
}
