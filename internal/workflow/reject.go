package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Reject ends a document because the caller, a signer, declines.
func (s *Service) Reject(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Reject(d, reason, by, s.Limits, s.Clock()))
	})
}
