package workflow

import (
	"context"

	"segel/internal/contract"
)

// Cancel ends a document at the request of its owner.
func (s *Service) Cancel(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	return s.applyRuleAs(withDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.Cancel(d, reason, by, s.Limits, s.Clock()))
	})
}
