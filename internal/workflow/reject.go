package workflow

import (
	"context"

	"segel/internal/contract"
)

// Reject ends a document because the caller, who should sign, declines.
func (s *Service) Reject(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	return s.apply(effect(ctx), id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.Reject(d, reason, by, s.Limits, s.Clock()))
	})
}
