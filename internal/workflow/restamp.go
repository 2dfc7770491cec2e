package workflow

import (
	"context"

	"segel/internal/contract"
)

// Restamp leads a failed document back to processing, with the serials it has.
func (s *Service) Restamp(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.apply(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.Restamp(d, by, s.Clock()))
	})
}
