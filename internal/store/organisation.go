package store

import (
	"context"

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
