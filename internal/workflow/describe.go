package workflow

import (
	"context"

	"segel/internal/contract"
)

// Describe changes the title and the deadline of a draft.
func (s *Service) Describe(ctx context.Context, by contract.Actor, id contract.DocumentID, to contract.Description) (contract.Document, error) {
	return s.apply(effect(ctx), id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.Describe(d, to, by, s.Limits, s.Clock()))
	})
}
