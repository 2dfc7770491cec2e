package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// GiveSerial assigns a serial that was found in the account and belongs to no organisation. A serial that the register
// lacks is entered if the stamp office reports it as unused now: if the office's lists have no file names and an order
// is in doubt, reconciliation does not enter such a serial, and the order cannot be settled while it may have bought
// this serial. A serial whose file name contains another organisation's order can only be assigned to that
// organisation.
func (s *Service) GiveSerial(ctx context.Context, by contract.Actor, serial string, to contract.OrganisationID) error {
	if _, err := s.authoriseAdmin(ctx, by, contract.AdminReconcile, to); err != nil {
		return err
	}
	k, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		k = contract.StampSerial{Serial: serial}
		err = s.requireUnused(ctx, serial, contract.ErrNotUnused)
	}
	if err != nil {
		return err
	}
	m, e, err := contract.AssignSerial(k, to, by, s.Clock())
	if err != nil {
		return err
	}
	if err := s.requireSameOrganisation(ctx, serial, to); err != nil {
		return err
	}
	err = s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return contract.ErrSerialNotUnassigned.With("serial", serial).WithCause(err) // another writer assigned or used it
	}
	return err
}

// requireSameOrganisation refuses a serial whose file name at the stamp office contains an order of another
// organisation.
func (s *Service) requireSameOrganisation(ctx context.Context, serial string, to contract.OrganisationID) error {
	serials, err := s.Office.ListSerials(ctx)
	if err != nil {
		return contract.ErrOfficeDown.WithCause(err)
	}
	for _, o := range serials {
		if o.Serial != serial {
			continue
		}
		document, organisation, err := s.findOrder(ctx, o.OrderID())
		if err != nil {
			return err
		}
		if organisation != "" && organisation != to {
			return contract.ErrOtherOrganisationsOrder.With("serial", serial).WithCause(fmt.Errorf("its file is %q, of document %d", o.File, document))
		}
	}
	return nil
}

// findOrder returns the document of an order and its organisation. Both are zero if the order is not ours.
func (s *Service) findOrder(ctx context.Context, order string) (contract.DocumentID, contract.OrganisationID, error) {
	if order == "" {
		return 0, "", nil
	}
	id, err := s.Store.DocumentWithOrder(ctx, order)
	if errors.Is(err, store.ErrNotFound) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	d, err := s.loadDocument(ctx, id)
	if err != nil && !errors.Is(err, contract.ErrNotFound) {
		return 0, "", err
	}
	return id, d.Organisation, nil
}
