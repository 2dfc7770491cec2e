package workflow

import (
	"context"
	"errors"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Reconciliation returns the last report; one without a number before the first. An admin is told the differences of
// his own organisation, and nothing of what the account holds.
func (s *Service) Reconciliation(ctx context.Context, by contract.Actor) (contract.Reconciliation, error) {
	whose, err := s.authoriseAdmin(ctx, by, contract.AdminReconciliation, "")
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
	if whose.organisation != "" {
		r = r.ForOrganisation(whose.organisation)
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		d.OrganisationName = whose.organisations[d.Organisation].Name
	}
	return r, nil
}

// ReconcileDue reconciles on the service's own account, unless that was done within the time given by whomever, and the
// office answered. It returns no report where it was not due.
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
