package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// StoredBranding is the branding of an organisation with its logo.
type StoredBranding struct {
	contract.Branding
	Organisation contract.OrganisationID
	Image        []byte // of the logo, PNG or JPEG; empty: none
	ChangedAt    time.Time
	// KeepLogo keeps the logo that is stored when the change is committed, whatever Logo and Image are.
	KeepLogo bool
}

// Brandings stores how organisations present themselves. The reads of an organisation return its colour and the address of its
// logo with it.
type Brandings interface {
	// SetBranding stores the branding of an organisation in place of the one before, logs the event that eventOf returns for what is
	// stored then, and returns that.
	SetBranding(ctx context.Context, b StoredBranding, eventOf func(contract.Branding) contract.Event) (contract.Branding, error)
	// DeleteBranding removes the branding of an organisation, and logs the event. It succeeds if there is none; then it logs
	// nothing.
	DeleteBranding(ctx context.Context, o contract.OrganisationID, e contract.Event) error
	// Logo returns the picture with that address; ErrNotFound if no organisation has it now.
	Logo(ctx context.Context, logo string) ([]byte, error)
}
