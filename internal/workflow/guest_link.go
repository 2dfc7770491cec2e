package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// GuestLink draws a link for a guest and hands it to the owner. The former link is dead from then on.
//
// One commit: that the owner was handed the link, and the link itself. A link that the audit trail does not tell of cannot exist.
func (s *Service) GuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (url string, err error) {
	url, hash, err := s.Links.DrawGuestLink()
	if err != nil {
		return "", err
	}
	keep := store.KeepAnswer(ctx, func(contract.Document) any { return url })
	_, err = s.applyAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.IssueGuestLink(d, guest, hash, by, s.Clock()))
	})
	if err != nil {
		return "", err
	}
	return url, nil
}
