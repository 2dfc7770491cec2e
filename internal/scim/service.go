// Package scim lets the directory of an organisation manage its accounts and groups (SCIM 2.0: RFC 7643, RFC 7644; decision 0079). The protocol is that of
// github.com/elimity-com/scim; what a request means for an account is decided here. A directory does what an administrator of its organisation may do, and
// knows nothing of other organisations.
package scim

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/sso"
	"segel/internal/store"
)

// Store is what the service reads and writes.
type Store interface {
	store.SCIM
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
}

// Service manages the directories of organisations. All fields are required. It is safe for concurrent use.
type Service struct {
	Store     Store
	Accounts  *identity.Service
	Roles     *sso.Service // groups give the roles that the settings of logins name
	PublicURL string       // without a slash at its end
	Clock     func() time.Time
	Log       *slog.Logger
}

// usedEvery is how often the last use of a secret is recorded.
const usedEvery = time.Minute

// BaseURL returns the address that a directory is configured with.
func (s *Service) BaseURL() string { return s.PublicURL + "/scim/v2" }

// Directory is what an organisation set up for its directory.
type Directory struct {
	Organisation contract.OrganisationID
	Token        store.SCIMToken // zero: it has no access
	Groups       []Group
}

// Group is a group with the role that it gives.
type Group struct {
	store.SCIMGroup
	Role contract.AccountRole // empty: none
}

// Load returns the directory of an organisation; empty: the caller's own.
func (s *Service) Load(ctx context.Context, by contract.Actor, of contract.OrganisationID) (Directory, error) {
	of, err := s.authorise(ctx, by, contract.AdminSSO, of)
	if err != nil {
		return Directory{}, err
	}
	d := Directory{Organisation: of}
	if d.Token, err = s.Store.SCIMToken(ctx, of); err != nil && !errors.Is(err, store.ErrNotFound) {
		return Directory{}, err
	}
	groups, err := s.Store.SCIMGroups(ctx, store.SCIMGroupQuery{Organisation: of})
	if err != nil {
		return Directory{}, err
	}
	settings, err := s.Roles.GroupRoles(ctx, of)
	if err != nil {
		return Directory{}, err
	}
	for _, g := range groups {
		shown := Group{SCIMGroup: g}
		if role, listed := settings.RoleOf(namesOf(g), true); listed {
			shown.Role = role
		}
		d.Groups = append(d.Groups, shown)
	}
	return d, nil
}

// ReplaceToken gives the directory of an organisation a new secret, in clear, to be shown once. A former one ends at once.
//
// If we crash after the commit, the secret was never shown. The operation can be repeated.
func (s *Service) ReplaceToken(ctx context.Context, by contract.Actor, of contract.OrganisationID) (secret string, err error) {
	of, err = s.authorise(ctx, by, contract.AdminSetSSO, of)
	if err != nil {
		return "", err
	}
	secret, hash, hint, err := s.Accounts.NewDirectorySecret()
	if err != nil {
		return "", err
	}
	t := store.SCIMToken{Organisation: of, Hash: hash, Hint: hint, CreatedAt: s.Clock()}
	return secret, s.Store.SetSCIMToken(ctx, t, s.eventOf(by, of, "secret_set"))
}

// DeleteToken ends the access of the directory of an organisation. Accounts and groups stay as they are. Ending it again changes nothing.
func (s *Service) DeleteToken(ctx context.Context, by contract.Actor, of contract.OrganisationID) error {
	of, err := s.authorise(ctx, by, contract.AdminSetSSO, of)
	if err != nil {
		return err
	}
	err = s.Store.DeleteSCIMToken(ctx, of, s.eventOf(by, of, "secret_removed"))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// authorise returns the organisation that an operation of an administrator concerns: the one that is named, or their own.
func (s *Service) authorise(ctx context.Context, by contract.Actor, op contract.AdminOperation, of contract.OrganisationID) (contract.OrganisationID, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, op, of)
	return o.ID, err
}

func (s *Service) eventOf(by contract.Actor, of contract.OrganisationID, change string) contract.Event {
	return contract.Event{Type: contract.EventDirectoryChanged, At: s.Clock(), Person: by.Person, IP: by.IP, Details: map[string]string{"organisation": string(of), "change": change}}
}

// Authenticate returns the actor of a directory. Its organisation is set, and it is no person. A secret that is unknown or was replaced is
// [contract.ErrUnauthenticated]; an organisation that is suspended or closed is refused as its people are.
func (s *Service) Authenticate(ctx context.Context, secret, ip string) (contract.Actor, error) {
	hash, ok := identity.CheckDirectorySecret(secret)
	if !ok {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	t, err := s.Store.SCIMTokenByHash(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	if err != nil {
		return contract.Actor{}, err
	}
	o, err := s.Store.Organisation(ctx, t.Organisation)
	if err != nil {
		return contract.Actor{}, err
	}
	if err := o.State.RequireActive(); err != nil {
		return contract.Actor{}, err
	}
	if now := s.Clock(); now.Sub(t.LastUsedAt) >= usedEvery {
		if err := s.Store.UseSCIMToken(ctx, hash, now); err != nil {
			return contract.Actor{}, err
		}
	}
	return contract.Actor{Person: contract.Person{Name: "SCIM"}, Organisation: t.Organisation, IP: ip}, nil
}
