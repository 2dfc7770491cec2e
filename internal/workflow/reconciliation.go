package workflow

import (
	"context"
	"errors"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Reconciliation returns the last report, or one without a number before the first. An admin sees only the differences
// of their own organisation, and not the contents of the account.
func (s *Service) Reconciliation(ctx context.Context, by contract.Actor) (contract.Reconciliation, error) {
	scope, err := s.authoriseAdmin(ctx, by, contract.AdminReconciliation, "")
	if err != nil {
		return contract.Reconciliation{}, err
	}
	r, err := s.Store.LastReconciliation(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Reconciliation{}, nil
	}
	if err != nil {
		return contract.Reconciliation{}, err
	}
	if scope.organisation != "" {
		r = r.ForOrganisation(scope.organisation)
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		d.OrganisationName = scope.organisations[d.Organisation].Name
	}
	return r, nil
}

// ReconcileDue reconciles on behalf of the service, unless the last reconciliation succeeded within the given period.
// If it is not due, it returns an empty report.
func (s *Service) ReconcileDue(ctx context.Context, every time.Duration) (contract.Reconciliation, error) {
	last, err := s.Store.LastReconciliation(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return contract.Reconciliation{}, err
	case last.Problem == "" && s.Clock().Before(last.At.Add(every)):
		return contract.Reconciliation{}, nil
	}
	return s.Reconcile(ctx, contract.Actor{})
}
