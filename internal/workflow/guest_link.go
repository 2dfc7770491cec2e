package workflow

import (
	"context"

	"segel/internal/contract"
)

// GuestLink mints a link for a guest and hands it to the owner. The former link is dead from then on.
func (s *Service) GuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (url string, err error) {
	// The event is durable before the link works: a link nobody recorded must not exist.
	_, err = s.applyAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.HandOutLink(d, guest, by, s.Clock()))
	})
	if err != nil {
		return "", err
	}
	return s.Links.MintGuestLink(ctx, id, guest)
}
