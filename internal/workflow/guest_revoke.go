package workflow

import (
	"context"

	"segel/internal/contract"
)

// RevokeGuestLink ends the link of a guest and every token that was opened with it.
func (s *Service) RevokeGuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error) {
	d, err := s.documentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	if _, err := contract.RevokeLink(&d, guest, by, s.Clock()); err != nil {
		return contract.Document{}, err
	}
	// The link ends before the event is written: after a crash in between it is dead and the log does not say so, and the
	// owner, who got no answer, asks again. The other order would leave a link that the log calls revoked.
	if err := s.Links.RevokeGuestLink(ctx, id, guest); err != nil {
		return contract.Document{}, err
	}
	return s.applyAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.RevokeLink(d, guest, by, s.Clock()))
	})
}
