package store

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
)

// Organisations stores what operators change of organisations. [Identities] creates and reads them.
type Organisations interface {
	// RenameOrganisation replaces the name of an organisation and logs the event. ErrExists if another one has the name.
	RenameOrganisation(ctx context.Context, id contract.OrganisationID, name string, e contract.Event) error
	// SetOrganisationState gives an organisation another state and logs the event. contract.OrganisationState.CheckNext decides within the
	// transaction, so of two changes at the same moment the second one sees the first. Closing disables the webhooks of the organisation.
	SetOrganisationState(ctx context.Context, id contract.OrganisationID, to contract.OrganisationState, reason string, e contract.Event) error
}

// OrganisationReader reads an organisation; [ErrNotFound] without it.
type OrganisationReader interface {
	Organisation(ctx context.Context, id contract.OrganisationID) (Organisation, error)
}

// LoadAdministered reads the organisation of a request by an administrator: the one that is named, or their own. Refusals are those of
// [contract.Actor.AuthoriseAdmin], and [contract.ErrNoOrganisation] for an organisation that does not exist.
func LoadAdministered(ctx context.Context, from OrganisationReader, by contract.Actor, op contract.AdminOperation, of contract.OrganisationID) (Organisation, error) {
	if of == "" {
		of = by.Organisation
	}
	of, err := by.AuthoriseAdmin(op, of)
	if err != nil {
		return Organisation{}, err
	}
	o, err := from.Organisation(ctx, of)
	if errors.Is(err, ErrNotFound) {
		return Organisation{}, contract.ErrNoOrganisation
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("read organisation %s: %w", of, err)
	}
	return o, nil
}
