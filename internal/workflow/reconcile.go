package workflow

import (
	"context"
	"errors"

	"segel/internal/contract"
	"segel/internal/store"
)

// Reconciliation returns the last report; one without a number before the first. An admin is told the differences of
// his own organisation, and nothing of what the account holds.
func (s *Service) Reconciliation(ctx context.Context, by contract.Actor) (contract.Reconciliation, error) {
	of, names, err := s.administer(ctx, by, contract.AdminReconciliation, "")
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
	if of != "" {
		r = r.Of(of)
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		d.OrganisationName = names[d.Organisation].Name
	}
	return r, nil
}

// Reconcile holds the office's account against the register of serials.
func (s *Service) Reconcile(ctx context.Context, by contract.Actor) (contract.Reconciliation, error) {
	if _, err := by.Administer(contract.AdminReconcile, ""); err != nil {
		return contract.Reconciliation{}, err
	}
	return contract.Reconciliation{}, contract.ErrOfficeDown
}
