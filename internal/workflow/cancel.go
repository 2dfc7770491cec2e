package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Cancel ends a document at the request of its owner.
func (s *Service) Cancel(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Cancel(d, reason, by, s.Limits, s.Clock()))
	})
}
