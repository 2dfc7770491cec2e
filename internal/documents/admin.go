package documents

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// OrganisationsByID holds all organisations, to look up their names.
type OrganisationsByID map[contract.OrganisationID]store.Organisation

func (s *Documents) loadOrganisations(ctx context.Context) (OrganisationsByID, error) {
	all, err := s.Store.Organisations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read organisations: %w", err)
	}
	by := make(OrganisationsByID, len(all))
	for _, o := range all {
		by[o.ID] = o
	}
	return by, nil
}

// AdminScope is the set of organisations that a request of an administrator covers.
type AdminScope struct {
	Organisation  contract.OrganisationID // empty: all organisations
	Organisations OrganisationsByID       // all organisations, for their names
}

// AuthoriseAdmin checks that the caller may run the operation and that the named organisation exists.
func (s *Documents) AuthoriseAdmin(ctx context.Context, by contract.Actor, op contract.AdminOperation, organisation contract.OrganisationID) (AdminScope, error) {
	organisation, err := by.AuthoriseAdmin(op, organisation)
	if err != nil {
		return AdminScope{}, err
	}
	all, err := s.loadOrganisations(ctx)
	if err != nil {
		return AdminScope{}, err
	}
	if _, known := all[organisation]; organisation != "" && !known {
		return AdminScope{}, contract.ErrNoOrganisation
	}
	return AdminScope{Organisation: organisation, Organisations: all}, nil
}
