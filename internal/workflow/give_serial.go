package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// GiveSerial makes a serial that was found in the account and is nobody's so far an organisation's. One that the register
// does not have is entered if the office, asked now, calls it unused: where lists tell no file names and an order is in
// doubt, no reconciliation enters it, and the order cannot be settled while it might be what was bought. One whose file
// name carries another organisation's order is that organisation's, whoever gives it.
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
		return contract.ErrSerialNotUnassigned.With("serial", serial).WithCause(err) // somebody else gave it, or uses it
	}
	return err
}

// requireSameOrganisation refuses a serial that the office knows by a file name with an order of another organisation.
func (s *Service) requireSameOrganisation(ctx context.Context, serial string, to contract.OrganisationID) error {
	serials, err := s.Office.ListSerials(ctx)
	if err != nil {
		return contract.ErrOfficeDown.WithCause(err)
	}
	for _, o := range serials {
		if o.Serial != serial {
			continue
		}
		document, of, err := s.findOrder(ctx, o.OrderID())
		if err != nil {
			return err
		}
		if of != "" && of != to {
			return contract.ErrOtherOrganisationsOrder.With("serial", serial).WithCause(fmt.Errorf("its file is %q, of document %d", o.File, document))
		}
	}
	return nil
}

// findOrder returns the document that an order was for, and whose it is; neither if it is no order of ours.
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
