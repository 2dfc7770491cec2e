package workflow

import (
	"context"
	"errors"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// stuckAfter is how long a document makes no progress before it counts as stuck.
const stuckAfter = time.Minute

// Waiting returns one page of stuck documents, oldest first: those that have waited for the service for [stuckAfter],
// and those that failed.
func (s *Service) Waiting(ctx context.Context, by contract.Actor, q store.WaitingQuery) (WaitingPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminStuck, q.Organisation)
	if err != nil {
		return WaitingPage{}, err
	}
	q.Organisation, q.Before = scope.Organisation, s.Clock().Add(-stuckAfter)
	l, err := s.Store.Waiting(ctx, q)
	if err != nil {
		return WaitingPage{}, err
	}
	lines := make([]WaitingLine, len(l.Documents))
	for i, d := range l.Documents {
		lines[i] = WaitingLine{Document: d, Organisation: scope.Organisations[d.Organisation]}
	}
	clock, err := s.ClockFinding(ctx)
	if err != nil {
		return WaitingPage{}, err
	}
	return WaitingPage{Lines: lines, Total: l.Total, Clock: clock}, nil
}

// Retry retries a stuck document at once. See [contract.RetryByAdmin].
func (s *Service) Retry(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	if _, err := by.AuthoriseAdmin(contract.AdminRetry, ""); err != nil {
		return contract.Document{}, err
	}
	d, err := s.ApplyRule(documents.WithDocumentAnswer(ctx), id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.RetryByAdmin(d, by, s.Clock()))
	})
	if errors.Is(err, contract.ErrNoOrganisation) {
		return contract.Document{}, contract.ErrNotFound // the same answer as for a document that does not exist
	}
	return d, err
}

// RetryOwn lets the owner retry a document that waits for the service. See [contract.RetryByOwner].
func (s *Service) RetryOwn(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.RetryByOwner(d, by, s.Clock()))
	})
}
