package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Describe changes the title and the deadline of a draft.
func (s *Service) Describe(ctx context.Context, by contract.Actor, id contract.DocumentID, to contract.Description) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Describe(d, to, by, s.Limits, s.Clock()))
	})
}
