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
	url, hash, err := s.Links.NewGuestLink()
	if err != nil {
		return "", err
	}
	keep := store.WithFinalAnswer(ctx, func(contract.Document) any { return url })
	_, err = s.applyRuleAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.IssueGuestLink(d, guest, hash, by, s.Clock()))
	})
	if err != nil {
		return "", err
	}
	return url, nil
}
