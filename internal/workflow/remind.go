package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Remind records that the owner reminds the participants whose turn it is. It sends no message.
func (s *Service) Remind(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Remind(d, by, s.Clock()))
	})
}
