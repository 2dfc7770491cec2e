package workflow

import (
	"context"

	"segel/internal/contract"
)

// RevokeGuestLink revokes the link of a guest and every token that was obtained with it. One commit stores the event
// and removes the link.
func (s *Service) RevokeGuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error) {
	return s.applyRuleAs(withDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.RevokeGuestLink(d, guest, by, s.Clock()))
	})
}
