package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// SCIMToken is the secret of the directory of an organisation.
type SCIMToken struct {
	Organisation contract.OrganisationID
	Hash         [32]byte // SHA-256
	Hint         string   // its first characters
	CreatedAt    time.Time
	LastUsedAt   time.Time // zero: not used yet
}

// SCIMUser is an account with what a directory states about it.
type SCIMUser struct {
	User
	ExternalID string
	GivenName  string
	FamilyName string
	Deleted    bool      // the directory deleted it: to it, the account does not exist until it creates it again
	ChangedAt  time.Time // of these attributes; zero: none was stated
}

// SCIMUserQuery selects accounts of an organisation that the directory did not delete. Zero members select all.
type SCIMUserQuery struct {
	Organisation contract.OrganisationID
	Person       contract.PersonID
	Email        string // in any case of letters
	ExternalID   string
	Deleted      bool // also those that were deleted
}

// SCIMGroup is a group of a directory.
type SCIMGroup struct {
	ID           string
	Organisation contract.OrganisationID
	Name         string // unique in its organisation, in any case of letters
	ExternalID   string
	Members      []contract.PersonID // of the organisation, sorted; nil where they were not read
	MemberCount  int                 // as read; what is stored counts Members
	CreatedAt    time.Time
	ChangedAt    time.Time
	Edits        int64 // how often it was changed; 0: not stored yet
}

// SCIMGroupQuery selects groups of an organisation.
type SCIMGroupQuery struct {
	Organisation contract.OrganisationID
	IDs          []string // nil: all
	Members      bool     // reads the members too, and not only how many there are
}

// SCIM stores what directories of organisations manage.
type SCIM interface {
	// SetSCIMToken replaces the secret of an organisation and logs the event.
	SetSCIMToken(ctx context.Context, t SCIMToken, e contract.Event) error
	// DeleteSCIMToken ends access of the directory of an organisation and logs the event. ErrNotFound: it has none.
	DeleteSCIMToken(ctx context.Context, of contract.OrganisationID, e contract.Event) error
	SCIMToken(ctx context.Context, of contract.OrganisationID) (SCIMToken, error) // ErrNotFound
	SCIMTokenByHash(ctx context.Context, hash [32]byte) (SCIMToken, error)        // ErrNotFound
	// UseSCIMToken records when a secret was used.
	UseSCIMToken(ctx context.Context, hash [32]byte, at time.Time) error

	// SCIMUsers returns the accounts that a query selects, by identifier.
	SCIMUsers(ctx context.Context, q SCIMUserQuery) ([]SCIMUser, error)
	// SetSCIMUser replaces what a directory states about an account. A person who was deleted leaves all groups.
	SetSCIMUser(ctx context.Context, u SCIMUser) error

	// SCIMGroups returns the groups that a query selects, by identifier.
	SCIMGroups(ctx context.Context, q SCIMGroupQuery) ([]SCIMGroup, error)
	// SetSCIMGroup adds or replaces a group and logs the event. ErrConflict: g.Edits is not the stored one. ErrExists: another group has the name. ErrNotFound: a
	// member is no account of the organisation.
	SetSCIMGroup(ctx context.Context, g SCIMGroup, e contract.Event) error
	// DeleteSCIMGroup deletes a group of an organisation and logs the event. ErrNotFound: it has no such group.
	DeleteSCIMGroup(ctx context.Context, of contract.OrganisationID, id string, e contract.Event) error
}
