package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// GuestLink creates a link for a guest and returns it to the owner. The previous link stops working.
//
// One commit stores the event and the link, so every link is in the audit trail.
func (s *Service) GuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (url string, err error) {
	url, hash, err := s.Links.NewGuestLink()
	if err != nil {
		return "", err
	}
	keep := store.WithFinalAnswer(ctx, func(contract.Document) any { return url })
	_, err = s.ApplyRuleAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.IssueGuestLink(d, guest, hash, by, s.Clock()))
	})
	if err != nil {
		return "", err
	}
	return url, nil
}
