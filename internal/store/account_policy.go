package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// AccountPolicies stores what organisations demand of accounts. The reads of an organisation return its policy with it.
type AccountPolicies interface {
	// ChangeAccountPolicy reads the policy of an organisation, lets change alter it, and stores the result with the event that change returns,
	// in one transaction: of two changes at the same moment, the second one sees the first. Change may run again, and must have no other effect.
	// If it returns an error or leaves the policy as it is, nothing is stored. Members of the policy that a later release added are kept.
	ChangeAccountPolicy(ctx context.Context, o contract.OrganisationID, now time.Time, change func(*contract.AccountPolicy) (contract.Event, error)) (contract.AccountPolicy, error)
}
