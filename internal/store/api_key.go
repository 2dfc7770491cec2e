package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// PresentedKey is an API key that a caller presented: by its secret, or by an access token that was issued for it.
type PresentedKey struct {
	Key    contract.APIKey
	Scopes []contract.KeyScope // those of the key or, of an access token, those that were asked for
	Until  time.Time           // when the access token expires; zero: it is the key itself

	Used bool // it was used before, from any network that is still known

	// Of the network from which the caller comes.
	UsedAt    time.Time // when the key was last used from there, as far as it was recorded; zero: it was not
	RefusedAt time.Time // the same, of uses that were refused
}

// KeyToken is an access token of an API key, stored only as its SHA-256.
type KeyToken struct {
	Hash      [32]byte
	Key       contract.KeyID
	Scopes    []contract.KeyScope
	CreatedAt time.Time
	ExpiresAt time.Time
}

// KeyQuery selects API keys. A zero member selects all.
type KeyQuery struct {
	ValidAt      time.Time // only keys that have not ended then; zero: all
	Organisation contract.OrganisationID
	Person       contract.PersonID
	Search       string // part of the key's name or hint, in any case of ASCII letters; without a Person, also of its holder's name or e-mail
	Status       contract.KeyStatus
	Now          time.Time // for Status
	Offset       int
	Limit        int // positive
}

// KeyPage is one page of API keys, the newest first, and the number of all that match.
type KeyPage struct {
	Keys  []contract.APIKey
	Total int
}

// KeyUse is a use of an API key, or a try that was refused.
type KeyUse struct {
	Key     contract.KeyID
	Network string // as package identity normalises addresses
	Refused bool   // the key is not allowed from there
	At      time.Time
}

// APIKeys stores API keys, their access tokens, and the networks from which they were used.
type APIKeys interface {
	// AddAPIKey adds a key with the SHA-256 of its secret, and logs the event. It returns contract.ErrKeyLimit if the person has too many
	// that have not ended, also of keys that are made at the same moment, and ErrNotFound for an account that is disabled.
	AddAPIKey(ctx context.Context, k contract.APIKey, hash [32]byte, e contract.Event, notices ...contract.Notice) error

	APIKey(ctx context.Context, id contract.KeyID) (contract.APIKey, error) // ErrNotFound

	// ListAPIKeys returns keys, also those that have ended.
	ListAPIKeys(ctx context.Context, q KeyQuery) (KeyPage, error)

	// RevokeAPIKey ends a key from the time of the event on, and logs the event. It returns ErrConflict for a key that was revoked before.
	// [Identities.DisableUser] revokes all keys of the account.
	RevokeAPIKey(ctx context.Context, id contract.KeyID, e contract.Event) error

	// PresentedKey returns the key with a secret of that hash, and PresentedToken the key of an access token, each with what is known of
	// the caller's network. ErrNotFound if there is none. A key or token that has ended is returned: the caller compares the times.
	PresentedKey(ctx context.Context, hash [32]byte, network string) (PresentedKey, error)
	PresentedToken(ctx context.Context, hash [32]byte, network string) (PresentedKey, error)

	// AddKeyToken stores an access token of a key. It returns ErrNotFound if the key was revoked.
	AddKeyToken(ctx context.Context, t KeyToken) error

	// RecordKeyUse records a use of a key, and logs the event if it is the first from that network. Of each kind of use it keeps the keep networks
	// that were used last. Two uses at the same moment log one event.
	RecordKeyUse(ctx context.Context, u KeyUse, keep int, e contract.Event, notices ...contract.Notice) error

	// PurgeKeys deletes access tokens that expired before now, and networks that were last used before a time.
	PurgeKeys(ctx context.Context, now, before time.Time) error
}
