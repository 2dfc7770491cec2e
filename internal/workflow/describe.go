package workflow

import (
	"context"

	"segel/internal/contract"
)

// Describe changes the title and the deadline of a draft.
func (s *Service) Describe(ctx context.Context, by contract.Actor, id contract.DocumentID, to contract.Description) (contract.Document, error) {
	return s.applyRuleAs(withDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.Describe(d, to, by, s.Limits, s.Clock()))
	})
}
