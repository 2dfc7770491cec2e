package store

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"segel/internal/contract"
)

// HeldEmbed is an address of an embedded page with what decides whether it may still be used.
type HeldEmbed struct {
	contract.EmbedAddress
	Listed []string // the origins of the organisation now

	From      contract.Session       // that asked for the address: family, beginning and last use; zero: an API key did, or the session has ended
	Policy    contract.AccountPolicy // of the organisation now
	Requester bool                   // who asked for the address still has an account in the organisation that is not disabled
	Granted   bool                   // their session or API key has not ended
}

// embeddedFamily begins the families of tokens of embedded pages. The hash of the address, in hexadecimal, follows.
const embeddedFamily = "embed-"

// EmbeddedFamilyOf returns the family of the token for which an address is exchanged.
func EmbeddedFamilyOf(address [32]byte) string {
	return embeddedFamily + hex.EncodeToString(address[:])
}

// EmbedAddressOf returns the hash of the address that was exchanged for a token of a family.
func EmbedAddressOf(family string) (address [32]byte, ok bool) {
	text, ok := strings.CutPrefix(family, embeddedFamily)
	n, err := hex.Decode(address[:], []byte(text[:min(len(text), 2*len(address))]))
	return address, ok && err == nil && n == len(address) && len(text) == 2*n
}

// IsGranted reports whether who asked for the address still has what gave it: an account, and a session or an API key that has not ended. What is done in
// the page does not use that session, so its idle limit ends the page too.
func (e *HeldEmbed) IsGranted(now time.Time) bool {
	return e.Requester && e.Granted && !e.From.HasEnded(e.Policy, now)
}

// IsAllowed reports whether nothing has ended the address, apart from its time and the rules of the document.
func (e *HeldEmbed) IsAllowed(now time.Time) bool {
	if !e.IsGranted(now) {
		return false
	}
	for _, origin := range e.Listed {
		if e.OpenedAt.IsZero() || origin == e.Origin {
			return true
		}
	}
	return false
}

// HeldEmbeds reads addresses of embedded pages.
type HeldEmbeds interface {
	// EmbedOfAddress returns the address with that hash; ErrNotFound if there is none. Commit stores it.
	EmbedOfAddress(ctx context.Context, hash [32]byte, now time.Time) (HeldEmbed, error)
}

// Embeds stores the origins in whose pages those of organisations may be embedded, and reads addresses.
type Embeds interface {
	HeldEmbeds
	// EmbedOrigins returns the origins of an organisation in the order in which they were stored; none for one that does not exist, or is not active.
	EmbedOrigins(ctx context.Context, o contract.OrganisationID) ([]string, error)
	// StoredEmbedOrigins is EmbedOrigins for an organisation in any state.
	StoredEmbedOrigins(ctx context.Context, o contract.OrganisationID) ([]string, error)
	// SetEmbedOrigins replaces the origins of an organisation, and logs e.
	SetEmbedOrigins(ctx context.Context, o contract.OrganisationID, origins []string, now time.Time, e contract.Event) error
}
