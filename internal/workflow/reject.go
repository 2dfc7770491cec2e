package workflow

import (
	"context"

	"segel/internal/contract"
)

// Reject ends a document because the caller, a signer, declines.
func (s *Service) Reject(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	return s.applyRuleAs(withDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.Reject(d, reason, by, s.Limits, s.Clock()))
	})
}
