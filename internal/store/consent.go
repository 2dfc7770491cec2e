package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Consents stores the consent texts of organisations, and who accepted which. The reads of an organisation return its policy with it.
type Consents interface {
	// SetConsent stores what an organisation demands. With texts, they become its next version; with none, it uses the version that the policy
	// names. It logs the event that eventOf returns for the policy as it is stored, and returns that policy.
	SetConsent(ctx context.Context, o contract.OrganisationID, texts map[string]string, policy contract.ConsentPolicy, now time.Time,
		eventOf func(contract.ConsentPolicy) contract.Event) (contract.ConsentPolicy, error)

	// ConsentText returns a version of an organisation's text, also a former one; ErrNotFound if there is none.
	ConsentText(ctx context.Context, o contract.OrganisationID, version int) (contract.ConsentText, error)

	// Acceptance returns a person's acceptance of a version, named as [contract.ConsentText.Name] returns it; ErrNotFound if there is none.
	// [Documents.Commit] adds it.
	Acceptance(ctx context.Context, person contract.PersonID, o contract.OrganisationID, version string) (contract.Acceptance, error)
}
