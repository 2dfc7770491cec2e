package workflow

import (
	"context"

	"segel/internal/contract"
)

// RevokeGuestLink ends the link of a guest and every token that was opened with it. One commit: the event, and that the link
// is gone.
func (s *Service) RevokeGuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error) {
	return s.applyRuleAs(withDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.RevokeGuestLink(d, guest, by, s.Clock()))
	})
}
