package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"segel/internal/contract"
	"segel/internal/passkey"
	"segel/internal/store"
)

// Store holds accounts, tokens and guest links, and the log.
type Store interface {
	store.Identities
	store.Tries
	store.Logins
	store.AccountPolicies
	store.APIKeys
	store.HeldEmbeds
	store.PasswordResets
	store.Invitations
	store.MailboxAccounts
	store.PersonalData
	store.Factors
	Organisations(ctx context.Context) ([]store.Organisation, error)
	LogEvents(ctx context.Context, events ...contract.Event) error
	SSOOfDomain(ctx context.Context, domain string) (contract.SSO, error)
}

// Options configure a service. Store, Clock, Random and PublicURL are required. The zero value of any other field means its
// default.
type Options struct {
	Store     Store
	Clock     func() time.Time
	Random    io.Reader             // of cryptographic quality, and safe for concurrent use
	PublicURL string                // base of guest links, without a slash at its end
	LinkKey   [32]byte              // from which mailed links and codes are derived; zero: none can be made or used
	FactorKey [32]byte              // from which tickets of passkeys and hashes of recovery codes are derived
	Sealer    Sealer                // of the secrets of authenticator apps
	Passkeys  *passkey.RelyingParty // nil: the public address does not allow passkeys
	// Delivers reports whether messages by a channel are sent; else an operator hands out their links. Nil: none are.
	Delivers func(contract.Channel) bool
	// GuestAccounts lets guests create an account after they have verified their mailbox.
	GuestAccounts bool
	Lifetimes     Lifetimes
	Rates         Rates
	Cost          Cost
	Hashers       int       // how many passwords are hashed at once; each takes Cost.Memory. Default 2
	DeriveKey     DeriveKey // called by at most Hashers goroutines at a time. Nil: argon2.IDKey
	Password      int       // minimum number of characters of a password. Default 12
	Log           *slog.Logger

	// Wait delays a login for d. If the context ends first, it returns the context's error. Nil: a timer.
	Wait func(ctx context.Context, d time.Duration) error
}

// Lifetimes say how long each kind of token is valid.
type Lifetimes struct {
	Access  time.Duration // default 24 hours
	Refresh time.Duration // default 30 days
	Guest   time.Duration // default 24 hours
	Session time.Duration // default 24 hours
	Link    time.Duration // of a guest link after the document ended. Zero: it does not expire
	Known   time.Duration // of a device or an address since its last login. Default 180 days
	Grace   time.Duration // of an access token after its family was refreshed. Default 30 seconds
	Key     time.Duration // of an access token of an API key. Default an hour
}

// Service authenticates callers and manages accounts. It is safe for concurrent use.
type Service struct {
	store     Store
	clock     func() time.Time
	random    io.Reader
	publicURL string
	linkKey   [32]byte
	factorKey [32]byte
	sealer    Sealer
	passkeys  *passkey.RelyingParty
	delivers  func(contract.Channel) bool
	accounts  bool // guests may create one
	lifetimes Lifetimes
	password  int
	log       *slog.Logger
	hasher    hasher
	throttle  loginThrottle
	limited   limitedLogins
	networks  *buckets // new networks of API keys, by key
	tokens    *buckets // access tokens of API keys, by key
	keyMails  *buckets // messages about new networks of API keys, by key
}

// New returns a service.
func New(o Options) *Service {
	setDefault(&o.Lifetimes.Access, 24*time.Hour)
	setDefault(&o.Lifetimes.Refresh, 30*24*time.Hour)
	setDefault(&o.Lifetimes.Guest, 24*time.Hour)
	setDefault(&o.Lifetimes.Session, 24*time.Hour)
	setDefault(&o.Lifetimes.Known, 180*24*time.Hour)
	setDefault(&o.Lifetimes.Grace, 30*time.Second)
	setDefault(&o.Lifetimes.Key, time.Hour)
	setDefault(&o.Hashers, 2)
	setDefault(&o.Password, 12)
	if o.Delivers == nil {
		o.Delivers = func(contract.Channel) bool { return false }
	}
	if o.Wait == nil {
		o.Wait = waitFor
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		store: o.Store, clock: o.Clock, random: o.Random, publicURL: o.PublicURL, linkKey: o.LinkKey, factorKey: o.FactorKey, sealer: o.Sealer, passkeys: o.Passkeys, delivers: o.Delivers, accounts: o.GuestAccounts,
		lifetimes: o.Lifetimes, password: o.Password, log: o.Log,
		hasher:   newHasher(o.Cost, o.Hashers, o.DeriveKey),
		throttle: newLoginThrottle(o.Store, o.Rates, o.Wait),
		networks: newBuckets(newNetworks, maxNetworkCounts), tokens: newBuckets(newTokens, maxNetworkCounts), keyMails: newBuckets(newKeyMails, maxNetworkCounts),
	}
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Account is a user as they see themselves.
type Account struct {
	contract.Person
	Organisation     contract.OrganisationID
	OrganisationName string
	Role             contract.AccountRole
	Admin            bool                   // has RoleAdmin
	Operator         bool                   // an admin of the first organisation
	MustReset        bool                   // the password is an initial one, which the user must change
	MustEnrol        bool                   // the organisation requires a second factor, and the account has none
	Policy           contract.AccountPolicy // of the organisation
}

// Me returns the caller's account. Guests have no account and get contract.ErrNotAllowed.
func (s *Service) Me(ctx context.Context, by contract.Actor) (Account, error) {
	_, account, err := s.loadCaller(ctx, by)
	account.MustEnrol = by.MustEnrol
	account.MustReset = account.MustReset && !by.Factor.IsProviderLogin()
	return account, err
}

// loadCaller returns the caller's user and account. Guests have none and get contract.ErrNotAllowed.
func (s *Service) loadCaller(ctx context.Context, by contract.Actor) (store.User, Account, error) {
	if by.Guest != 0 || by.IsSystem() {
		return store.User{}, Account{}, contract.ErrNotAllowed
	}
	u, err := s.store.User(ctx, by.ID)
	if err != nil {
		return store.User{}, Account{}, refuseNotFound(err, contract.ErrUnauthenticated)
	}
	account, err := s.loadAccount(ctx, u)
	return u, account, err
}

func (s *Service) loadAccount(ctx context.Context, u store.User) (Account, error) {
	o, err := s.store.Organisation(ctx, u.Organisation)
	if err != nil {
		return Account{}, fmt.Errorf("read organisation %s: %w", u.Organisation, err)
	}
	operator, err := s.isOperator(ctx, u)
	if err != nil {
		return Account{}, err
	}
	return Account{Person: u.Person, Organisation: o.ID, OrganisationName: o.Name, Role: u.Role(), Admin: u.Admin, Operator: operator, MustReset: u.MustReset, Policy: o.Accounts}, nil
}

// Directory returns one page, counted from 1, of the users of the caller's organisation whose name or e-mail contains
// search, and how many there are in all. Disabled accounts are left out. A page out of range is empty.
func (s *Service) Directory(ctx context.Context, by contract.Actor, search string, page, limit int) ([]contract.Person, int, error) {
	if err := by.AuthoriseAccount(contract.AccountDirectory); err != nil {
		return nil, 0, err
	}
	found, err := s.store.Users(ctx, store.UserQuery{Organisation: by.Organisation, Search: search, Status: store.AccountActive, Offset: (page - 1) * limit, Limit: limit})
	if err != nil {
		return nil, 0, fmt.Errorf("read the directory of %s: %w", by.Organisation, err)
	}
	people := make([]contract.Person, 0, len(found.Users))
	for _, u := range found.Users {
		people = append(people, u.Person)
	}
	return people, found.Total, nil
}

// Purge deletes tokens that have expired, counts of tries that are spent no longer, challenges of passkeys that are no longer accepted, invitations that expired long ago, devices and addresses without a login for Lifetimes.Known, networks from which an API key was not
// used for that time, and records of logins after contract.LoginsKept.
func (s *Service) Purge(ctx context.Context) error {
	now := s.clock()
	known := now.Add(-s.lifetimes.Known)
	return errors.Join(s.store.PurgeTokens(ctx, now), s.store.PurgeTries(ctx, now), s.store.PurgeCallers(ctx, known), s.store.PurgeKeys(ctx, now, known), s.store.PurgeChallenges(ctx, now.Add(-2*contract.ProofTime)),
		s.store.PurgeInvitations(ctx, now.Add(-invitationsKept)), s.store.PurgeLogins(ctx, now.Add(-contract.LoginsKept)))
}

// isOperator reports whether a user is an operator: an admin of the first organisation, the one that runs the service.
func (s *Service) isOperator(ctx context.Context, u store.User) (bool, error) {
	if !u.Admin {
		return false, nil
	}
	first, err := s.store.FirstOrganisation(ctx)
	if err != nil {
		return false, fmt.Errorf("read the first organisation: %w", err)
	}
	return first.ID == u.Organisation, nil
}
