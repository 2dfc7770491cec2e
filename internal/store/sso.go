package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// SSOIdentity is the link of an account with a person at the provider of its organisation.
type SSOIdentity struct {
	Organisation contract.OrganisationID
	Issuer       string
	Subject      string // the provider's own, never reused
	Person       contract.PersonID
	LinkedAt     time.Time
}

// SSOLogin is a family of tokens that was opened with a provider.
type SSOLogin struct {
	Family       string
	Organisation contract.OrganisationID
	Issuer       string
	Subject      string
	SessionID    string    // the sid of the provider; empty: it states none
	ExpiresAt    time.Time // when the last token of the family expires
}

// SSOLogout names the families of a person at the provider that end: those of a session, or all.
type SSOLogout struct {
	Organisation contract.OrganisationID
	Issuer       string
	Subject      string    // empty: SessionID is given
	SessionID    string    // empty: all
	Token        [32]byte  // digest of the identifier of the logout token
	Expires      time.Time // of the token
}

// SSO stores how organisations log in with their providers, and who did.
type SSO interface {
	SSO(ctx context.Context, of contract.OrganisationID) (contract.SSO, error) // ErrNotFound
	// SetSSO adds or replaces the settings of an organisation and logs the event. Another issuer or client ID ends the sessions that were opened with the former
	// provider, except the one whose tokens have the family keep, so that an administrator can correct what they set; empty: none is kept. Settings that refuse
	// passwords end the sessions that were opened without the provider. It returns ErrConflict if s.Edits is not the stored one.
	SetSSO(ctx context.Context, s contract.SSO, keep string, e contract.Event) error
	// DeleteSSO deletes the settings of an organisation, ends the sessions that were opened with its provider, and logs the event. Domains and
	// identities stay.
	DeleteSSO(ctx context.Context, of contract.OrganisationID, e contract.Event) error

	// SSODomains returns the domains that an organisation named, by name.
	SSODomains(ctx context.Context, of contract.OrganisationID) ([]contract.SSODomain, error)
	// ClaimDomain adds a domain that routes nothing yet and logs the event. ErrExists: the organisation has it. contract.ErrDomainLimit: it
	// has too many.
	ClaimDomain(ctx context.Context, d contract.SSODomain, e contract.Event) error
	// GrantDomain lets a domain of an organisation route logins and logs the event. ErrNotFound: the organisation did not name it.
	// ErrExists: another organisation has it.
	GrantDomain(ctx context.Context, of contract.OrganisationID, domain string, by contract.DomainGrant, e contract.Event) error
	// RemoveDomain removes a domain of an organisation, ends the sessions that people with an address of it opened with the provider if it was granted, and logs the event. ErrNotFound: the organisation did not name it.
	RemoveDomain(ctx context.Context, of contract.OrganisationID, domain string, e contract.Event) error
	// SSOOfDomain returns the settings of the organisation to which a domain was granted. ErrNotFound if there is none, or it has no
	// settings. It is one query for any domain.
	SSOOfDomain(ctx context.Context, domain string) (contract.SSO, error)

	SSOIdentity(ctx context.Context, of contract.OrganisationID, issuer, subject string) (SSOIdentity, error) // ErrNotFound
	// LinkSSOIdentity links an account and logs the event. ErrExists: the person at the provider, or the account, is linked already.
	LinkSSOIdentity(ctx context.Context, i SSOIdentity, e contract.Event) error
	// UnlinkSSOIdentity removes the links of an account, ends the sessions that were opened with them, and logs the event. ErrNotFound: it has none.
	UnlinkSSOIdentity(ctx context.Context, id contract.PersonID, e contract.Event) error

	// SetGroupRole gives an account the role of its groups and logs the event, and records that they gave it. For an account that has the role, it
	// only records that. contract.ErrLastAdmin is as in [Identities]: then nothing changes.
	SetGroupRole(ctx context.Context, id contract.PersonID, role contract.AccountRole, e contract.Event) error
	// TakeGroupRole makes an account a member and logs the event, if its role is the one that its groups gave. ErrNotFound: they gave none. SetRole of
	// [Identities] forgets that groups gave a role. contract.ErrLastAdmin is as there: then nothing changes.
	TakeGroupRole(ctx context.Context, id contract.PersonID, e contract.Event) error

	// AddSSOLogin records a family that was opened with a provider.
	AddSSOLogin(ctx context.Context, l SSOLogin) error
	// ConfirmSSOLogin waits for logouts that end a family which was just opened, and returns ErrNotFound if one did.
	ConfirmSSOLogin(ctx context.Context, family string) error
	// SSOLoginOf returns the record of a family. ErrNotFound: it was opened otherwise.
	SSOLoginOf(ctx context.Context, family string) (SSOLogin, error)
	// EndSSOLogins ends all tokens of the families that a logout names, and records in the same transaction that its token was used. It
	// returns how many families there were. ErrExists: the token was used before.
	EndSSOLogins(ctx context.Context, l SSOLogout) (int, error)

	// UseOnce records that something with this digest was used. ErrExists: it was used before. Durable on return.
	UseOnce(ctx context.Context, digest [32]byte, expires time.Time) error
	// PurgeSSO deletes what expired before a time. The record of a family stays while one of its tokens is valid, which may have been refreshed: without it
	// the provider could not end the session.
	PurgeSSO(ctx context.Context, before time.Time) error
}
