package documents

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// OrganisationsByID holds all organisations, to look up their names.
type OrganisationsByID map[contract.OrganisationID]store.Organisation

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
	all, err := s.Store.Organisations(ctx)
	if err != nil {
		return AdminScope{}, fmt.Errorf("read organisations: %w", err)
	}
	scope := AdminScope{Organisation: organisation, Organisations: OrganisationsByID{}}
	for _, o := range all {
		scope.Organisations[o.ID] = o
	}
	if _, known := scope.Organisations[organisation]; organisation != "" && !known {
		return AdminScope{}, contract.ErrNoOrganisation
	}
	return scope, nil
}
