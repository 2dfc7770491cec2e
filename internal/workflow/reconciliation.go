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

// GiveSerial makes a serial that was found in the account and is nobody's so far an organisation's. One that the register
// does not have is entered if the office, asked now, calls it unused: where lists tell no file names and an order is in
// doubt, no reconciliation enters it, and the order cannot be settled while it might be what was bought.
func (s *Service) GiveSerial(ctx context.Context, by contract.Actor, serial string, to contract.OrganisationID) error {
	if _, _, err := s.administer(ctx, by, contract.AdminReconcile, to); err != nil {
		return err
	}
	k, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		k = contract.StampSerial{Serial: serial}
		err = s.demandUnused(ctx, serial, contract.ErrNotUnused)
	}
	if err != nil {
		return err
	}
	m, e, err := contract.Give(k, to, by, s.Clock())
	if err != nil {
		return err
	}
	err = s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return contract.ErrNotNobodys.With("serial", serial).Because(err) // somebody else gave it, or uses it
	}
	return err
}
