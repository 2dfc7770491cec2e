package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// RevokeGuestLink revokes the link of a guest and every token that was obtained with it. One commit stores the event
// and removes the link.
func (s *Service) RevokeGuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.RevokeGuestLink(d, guest, by, s.Clock()))
	})
}
