package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Provisioned describes a person for whom the provider of their organisation, not an administrator, has an account created.
type Provisioned struct {
	Organisation contract.OrganisationID
	Name         string
	Email        string
	Role         contract.AccountRole // empty: RoleSender
	Source       string               // what had it created, for the log: "sso" or "scim"
	IP           string
}

// AddProvisioned creates an account with a random password that is not kept. ErrUserExists: the e-mail has an account in the organisation.
func (s *Service) AddProvisioned(ctx context.Context, p Provisioned) (store.User, error) {
	o, err := s.store.Organisation(ctx, p.Organisation)
	if err != nil {
		return store.User{}, fmt.Errorf("read organisation %s: %w", p.Organisation, err)
	}
	if err := o.State.RequireActive(); err != nil {
		return store.User{}, err
	}
	password, err := newPassword(s.random)
	if err != nil {
		return store.User{}, err
	}
	n := NewUser{Name: p.Name, Email: p.Email, Password: password, Role: p.Role}.withDefaults()
	if err := s.checkUser(n); err != nil {
		return store.User{}, err
	}
	a, err := s.createUser(ctx, n, o, contract.Event{Type: contract.EventPersonAdded, At: s.clock(), IP: p.IP, Details: map[string]string{
		"organisation": string(o.ID), "name": n.Name, "email": n.Email, "admin": fmt.Sprint(n.Role == contract.RoleAdmin), "role": string(n.Role), "by": p.Source,
	}})
	if err != nil {
		return store.User{}, err
	}
	u, err := s.store.User(ctx, a.ID)
	if err != nil {
		return store.User{}, fmt.Errorf("read user %s: %w", a.ID, err)
	}
	return u, nil
}

// passwordRefusal returns a function that reports which accounts of an e-mail may not log in with a password, because their organisation demands its
// provider; nil if the domain has none. It takes one query, which depends on the domain alone.
func (s *Service) passwordRefusal(ctx context.Context, email string) (func(store.User) bool, error) {
	found, err := s.store.SSOOfDomain(ctx, contract.MailDomain(email))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the provider of a domain: %w", err)
	}
	return func(u store.User) bool {
		return u.Organisation == found.Organisation && found.RefusesPassword(u.ID, u.Admin)
	}, nil
}

// ProveProviderFactor checks the second factor of a user whom the provider of their organisation named. An account without one needs none:
// the factor of the result is [contract.FactorOIDC]. If none is given, the error is [contract.ErrFactorRequired], which names those that the account accepts. A wrong one is recorded as
// a failed login.
func (s *Service) ProveProviderFactor(ctx context.Context, u store.User, given contract.GivenFactor, from Client) (Proof, error) {
	proof, err := s.proveLogin(ctx, u, given, from.IP)
	s.recordWrongFactor(ctx, err, u, given, from)
	if proof.Factor = contract.FactorOIDC; proof.second != "" {
		proof.Factor = contract.FactorOIDCSecond
	}
	return proof, err
}

// OpenProviderSession opens a session of the web app for a user whom the provider of their organisation named. It calls record with the family of the
// tokens and their expiry before the tokens are stored; an error of record ends the login.
func (s *Service) OpenProviderSession(ctx context.Context, u store.User, proof Proof, from Client, record func(family string, expires time.Time) error) (session WebSession, err error) {
	device, err := s.rememberDevice(ctx, u, from)
	if err != nil {
		return WebSession{}, err
	}
	err = s.openFamily(ctx, u, proof, from, func(opened contract.Session, a Account) ([]store.Token, error) {
		clear, token, err := s.newToken(store.SessionToken, opened, s.lifetimes.Session, a.Policy)
		if err != nil {
			return nil, err
		}
		session = WebSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Account: a, Device: device, KnownFor: s.lifetimes.Known}
		return []store.Token{token}, record(opened.Family, token.ExpiresAt)
	})
	switch {
	case !errors.Is(err, ErrCredentials):
	case proof.second != "": // their factor was removed meanwhile, or the account was disabled, which the next login says
		err = contract.ErrLoginLost
	default: // the account was disabled meanwhile
		err = contract.ErrSSODisabled
	}
	if err != nil {
		return WebSession{}, err
	}
	return session, nil
}

// rememberDevice records where a user logs in from, and returns the secret by which the device is known from now on.
func (s *Service) rememberDevice(ctx context.Context, u store.User, from Client) (string, error) {
	device, presented := checkSecret(from.Device, prefixDevice)
	caller := store.Caller{Device: device, Address: Network(from.IP)}
	known, err := s.store.KnownCaller(ctx, caller, s.clock().Add(-s.lifetimes.Known), emailSpellings(u.Email)...)
	if err != nil {
		return "", fmt.Errorf("look up where a login comes from: %w", err)
	}
	for i := range known {
		known[i].Device = known[i].Device && presented
	}
	return s.rememberCaller(ctx, u, known, caller, from, true)
}
