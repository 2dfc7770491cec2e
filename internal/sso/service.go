// Package sso lets the people of an organisation log in with the provider of their company (OpenID Connect, decision 0084). It knows which
// organisation has which provider and which mail domains, and whose account a person at the provider has.
package sso

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/oidc"
	"segel/internal/outbound"
	"segel/internal/store"
)

// Store is what the service reads and writes.
type Store interface {
	store.SSO
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	User(ctx context.Context, id contract.PersonID) (store.User, error)
	MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error)
	RevokeFamily(ctx context.Context, family string) error
}

// Sealer encrypts the secrets of clients and the cookies of logins.
type Sealer interface {
	Seal(id string, plain []byte) ([]byte, error)
	Open(id string, sealed []byte) ([]byte, error)
}

// Service manages providers and logins with them. All fields are required, unless they say otherwise. It is safe for concurrent use.
type Service struct {
	Store     Store
	Accounts  *identity.Service
	Providers *oidc.Providers
	Sealer    Sealer
	PublicURL string // base of the addresses that providers send people to, without a trailing slash
	Plain     bool   // providers of private hosts may be http
	// LookupTXT returns the TXT records of a name. Nil: domains cannot be proved by DNS.
	LookupTXT func(ctx context.Context, name string) ([]string, error)
	Clock     func() time.Time
	Random    io.Reader
	Log       *slog.Logger
}

// Settings are the settings of an organisation, with the domains that it named.
type Settings struct {
	contract.SSO
	Domains []contract.SSODomain
}

// authorise returns the organisation that an operation of an administrator concerns: the one that is named, or their own.
func (s *Service) authorise(ctx context.Context, by contract.Actor, op contract.AdminOperation, of contract.OrganisationID) (contract.OrganisationID, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, op, of)
	return o.ID, err
}

// LoadSettings returns the settings of an organisation. Without a provider, Edits is 0.
func (s *Service) LoadSettings(ctx context.Context, by contract.Actor, of contract.OrganisationID) (Settings, error) {
	of, err := s.authorise(ctx, by, contract.AdminSSO, of)
	if err != nil {
		return Settings{}, err
	}
	return s.loadSettings(ctx, of)
}

func (s *Service) loadSettings(ctx context.Context, of contract.OrganisationID) (Settings, error) {
	found, err := s.Store.SSO(ctx, of)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Settings{}, err
	}
	found.Organisation = of
	domains, err := s.Store.SSODomains(ctx, of)
	return Settings{SSO: found, Domains: domains}, err
}

// ReplaceSettings replaces the settings of an organisation. A nil secret leaves the stored one, an empty one removes it. The stored secret is
// never sent to another provider: a change of the issuer needs the secret again.
func (s *Service) ReplaceSettings(ctx context.Context, by contract.Actor, of contract.OrganisationID, in contract.SSOSettings, secret *string) (Settings, error) {
	return s.ChangeSettings(ctx, by, of, func(to *contract.SSOSettings) { *to = in }, secret)
}

// ChangeSettings is ReplaceSettings with a function that changes the stored settings, or the zero ones if there is no provider yet. If they are
// changed by another request meanwhile, nothing is stored: contract.ErrSSOChanged.
func (s *Service) ChangeSettings(ctx context.Context, by contract.Actor, of contract.OrganisationID, change func(*contract.SSOSettings), secret *string) (Settings, error) {
	of, err := s.authorise(ctx, by, contract.AdminSetSSO, of)
	if err != nil {
		return Settings{}, err
	}
	was, err := s.Store.SSO(ctx, of)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Settings{}, err
	}
	in := was.SSOSettings
	change(&in)
	if in, err = contract.CheckSSO(in, s.Plain); err != nil {
		return Settings{}, err
	}
	if err := s.checkExempt(ctx, of, in.Exempt); err != nil {
		return Settings{}, err
	}
	to := was
	to.Organisation, to.SSOSettings, to.ChangedAt = of, in, s.Clock()
	switch {
	case secret == nil && was.Edits > 0 && was.Issuer != in.Issuer && len(was.Secret) > 0:
		return Settings{}, contract.InvalidInput(contract.NewFieldError("client_secret", "sso.secret_again"))
	case secret != nil && len(*secret) > contract.MaxSSOSecret:
		return Settings{}, contract.InvalidInput(contract.NewFieldError("client_secret", "text.too_long", "limit", contract.MaxSSOSecret))
	case secret != nil && *secret == "":
		to.Secret = nil
	case secret != nil:
		if to.Secret, err = s.Sealer.Seal(SecretSealID(of), []byte(*secret)); err != nil {
			return Settings{}, fmt.Errorf("seal the client secret of %s: %w", of, err)
		}
	}
	e := s.eventOf(by, of, "set")
	maps.Copy(e.Details, settingDetails(in))
	if secret != nil {
		e.Details["secret"] = "set"
	}
	err = s.Store.SetSSO(ctx, to, by.Session, e)
	if errors.Is(err, store.ErrConflict) {
		return Settings{}, contract.ErrSSOChanged.WithCause(err)
	}
	if err != nil {
		return Settings{}, err
	}
	return s.loadSettings(ctx, of)
}

// settingDetails returns what the event of changed settings says: who may log in with which role, and whose second factor counts.
func settingDetails(in contract.SSOSettings) map[string]string {
	d := map[string]string{"issuer": in.Issuer, "client_id": in.ClientID}
	for name, on := range map[string]bool{
		"enabled": in.Enabled, "create": in.Create, "require_group": in.RequireGroup, "password_off": in.PasswordOff, "provider_factor": in.ProviderFactor,
	} {
		if on {
			d[name] = "true"
		}
	}
	var groups, exempt []string
	for _, g := range in.Groups {
		groups = append(groups, g.Group+" = "+string(g.Role))
	}
	for _, id := range in.Exempt {
		exempt = append(exempt, string(id))
	}
	for name, value := range map[string]string{"groups": strings.Join(groups, "; "), "exempt": strings.Join(exempt, " "), "factor_acr": in.FactorACR} {
		if value != "" {
			d[name] = value
		}
	}
	return d
}

// SecretSealID is the associated data of a sealed client secret.
func SecretSealID(of contract.OrganisationID) string { return "sso " + string(of) }

// checkExempt requires that the people who may still use a password are admins of the organisation whose accounts are enabled.
func (s *Service) checkExempt(ctx context.Context, of contract.OrganisationID, people []contract.PersonID) error {
	var bad []contract.FieldError
	for i, id := range people {
		u, err := s.Store.User(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || u.Organisation != of || !u.Admin || !u.DisabledAt.IsZero() {
			bad = append(bad, contract.NewFieldError(fmt.Sprintf("exempt[%d]", i), "sso.exempt_not_admin"))
		}
	}
	return contract.InvalidInput(bad...)
}

// DisableProvider disables the provider of an organisation and leaves its other settings as they are, so that people who may not use a password
// can log in while the provider fails. ErrNoSSO: the organisation has no provider.
func (s *Service) DisableProvider(ctx context.Context, by contract.Actor, of contract.OrganisationID) error {
	of, err := s.authorise(ctx, by, contract.AdminSetSSO, of)
	if err != nil {
		return err
	}
	found, err := s.Store.SSO(ctx, of)
	if errors.Is(err, store.ErrNotFound) {
		return contract.ErrNoSSO
	}
	if err != nil {
		return err
	}
	found.Enabled, found.ChangedAt = false, s.Clock()
	err = s.Store.SetSSO(ctx, found, by.Session, s.eventOf(by, of, "switched_off"))
	if errors.Is(err, store.ErrConflict) {
		return contract.ErrSSOChanged.WithCause(err)
	}
	return err
}

// DeleteSettings deletes the provider of an organisation: its people log in with passwords again. Domains stay granted, and accounts stay linked.
func (s *Service) DeleteSettings(ctx context.Context, by contract.Actor, of contract.OrganisationID) error {
	of, err := s.authorise(ctx, by, contract.AdminSetSSO, of)
	if err != nil {
		return err
	}
	err = s.Store.DeleteSSO(ctx, of, s.eventOf(by, of, "deleted"))
	if errors.Is(err, store.ErrNotFound) {
		return nil // it has none: deleting again changes nothing
	}
	return err
}

// Problems of a provider, as codes of sentences. Administrators of organisations do not see what a host answered: they choose the host, which may
// be one that only this service reaches.
const (
	ProviderFails     = "sso.provider_fails"
	ProviderForbidden = "sso.provider_forbidden"
	ProviderDiffers   = "sso.provider_differs"
)

// TestProvider reads the metadata of the provider of an organisation, unless it was read a moment ago. The problem is the code of a sentence; empty:
// the provider can be used.
func (s *Service) TestProvider(ctx context.Context, by contract.Actor, of contract.OrganisationID) (problem string, err error) {
	of, err = s.authorise(ctx, by, contract.AdminTestSSO, of)
	if err != nil {
		return "", err
	}
	found, err := s.Store.SSO(ctx, of)
	if errors.Is(err, store.ErrNotFound) {
		return "", contract.ErrNoSSO
	}
	if err != nil {
		return "", err
	}
	_, err = s.Providers.Load(ctx, found.Issuer)
	switch {
	case err == nil:
		return "", nil
	case errors.Is(err, outbound.ErrRefused):
		problem = ProviderForbidden
	case errors.Is(err, oidc.ErrIssuer):
		problem = ProviderDiffers
	default:
		problem = ProviderFails
	}
	s.Log.InfoContext(ctx, "an identity provider cannot be used", "organisation", of, "error", err)
	return problem, nil
}

// UnlinkAccount ends the link of an account with a person at the provider. The next login with its address links it again, also to another
// person: for an address that the company gave to a new person.
func (s *Service) UnlinkAccount(ctx context.Context, by contract.Actor, id contract.PersonID) error {
	of, err := by.AuthoriseAdmin(contract.AdminUnlinkSSO, "")
	if err != nil {
		return err
	}
	u, err := s.Store.User(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && of != "" && u.Organisation != of {
		return contract.ErrNoPerson
	}
	if err != nil {
		return err
	}
	err = s.Store.UnlinkSSOIdentity(ctx, id, contract.Event{Type: contract.EventSSOUnlinked, At: s.Clock(), Person: by.Person, IP: by.IP, Details: map[string]string{
		"organisation": string(u.Organisation), "person": string(u.ID), "name": u.Name, "email": u.Email,
	}})
	if errors.Is(err, store.ErrNotFound) {
		return nil // unlinking again changes nothing
	}
	return err
}

// eventOf returns the event of a change of how an organisation logs in.
func (s *Service) eventOf(by contract.Actor, of contract.OrganisationID, change string) contract.Event {
	return contract.Event{Type: contract.EventSSOChanged, At: s.Clock(), Person: by.Person, IP: by.IP, Details: map[string]string{"organisation": string(of), "change": change}}
}
