package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Locales stores the languages and time zones of organisations. The reads of an organisation return them with it.
type Locales interface {
	// SetLocale replaces the locale of an organisation, and logs e.
	SetLocale(ctx context.Context, o contract.OrganisationID, l contract.Locale, now time.Time, e contract.Event) error
}

// Among selects organisations. The zero value selects all.
type Among struct {
	Only   []contract.OrganisationID // nil: all
	Except []contract.OrganisationID
}
