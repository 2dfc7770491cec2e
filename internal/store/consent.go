package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// ConsentChange changes what an organisation demands of signers. Nil members stay as they are.
type ConsentChange struct {
	Texts    map[string]string // by language: its next version, unless they are those of its present one; empty: the text of the service is used again
	Required *bool
}

// Consents stores the consent texts of organisations, and who accepted which. The reads of an organisation return its policy with it.
type Consents interface {
	// SetConsent changes what an organisation demands, and returns the policy as it is stored. It reads the policy in the transaction that
	// writes it, so that of two changes at once neither undoes the other. It logs the event that eventOf returns for the policy and its texts,
	// which are nil if those of the service are used. A change that changes nothing is not logged.
	SetConsent(ctx context.Context, o contract.OrganisationID, c ConsentChange, now time.Time,
		eventOf func(p contract.ConsentPolicy, texts map[string]string) contract.Event) (contract.ConsentPolicy, error)

	// ConsentText returns a version of an organisation's text, also a former one; ErrNotFound if there is none.
	ConsentText(ctx context.Context, o contract.OrganisationID, version int) (contract.ConsentText, error)

	// Acceptance returns a person's acceptance of a version, named as [contract.ConsentText.Name] returns it; ErrNotFound if there is none.
	// [Documents.Commit] adds it.
	Acceptance(ctx context.Context, person contract.PersonID, o contract.OrganisationID, version string) (contract.Acceptance, error)
}
