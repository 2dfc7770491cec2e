package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Refusals of this room.
var (
	// ErrCredentials is the same for a wrong password and an unknown e-mail.
	ErrCredentials = contract.Refuse(contract.Malformed, "auth.wrong_credentials")
	// ErrRefresh is the same for a refresh token unknown, expired, used before, or of a family that died.
	ErrRefresh = contract.Refuse(contract.Unauthenticated, "auth.refresh_invalid")
)

// Session is what a login hands out. Access and Refresh are in clear and can never be read again.
type Session struct {
	Access    string
	Refresh   string
	ExpiresIn time.Duration // of Access
	Account   Account
	Device    string // to be presented at the next login; empty after a refresh
}

// WebSession is what a login of the web app hands out: one token for a cookie.
type WebSession struct {
	Token     string
	ExpiresIn time.Duration
	Account   Account
	Device    string        // to be presented at the next login
	KnownFor  time.Duration // how long Device is known
}

// Credentials are what a person logs in with.
type Credentials struct {
	Email    string
	Password string
	OTP      string // accepted and not looked at: no account has a second factor

	// Organisation picks the account where the e-mail has one with this password in several. Empty: any.
	Organisation contract.OrganisationID
}

// Client is where a login comes from.
type Client struct {
	IP     string
	Device string // the secret that a former login handed out; empty: none
}

// Login opens a session. An e-mail may have an account in each organisation, with a password of its own: the password decides
// which is meant. Of several with the same password it is first the one that knows the device, then the one that knows the
// address, then the oldest, unless c names the organisation.
//
// ErrCredentials takes the same time for an unknown e-mail as for a wrong password; tried too often is of kind TooMany, with
// the argument retry_after in seconds.
func (s *Service) Login(ctx context.Context, c Credentials, from Client) (Session, error) {
	u, device, err := s.verifyLogin(ctx, c, from)
	if err != nil {
		return Session{}, err
	}
	family, err := newUUID(s.random)
	if err != nil {
		return Session{}, err
	}
	session, tokens, err := s.newSession(ctx, u, family)
	if err != nil {
		return Session{}, err
	}
	if err := s.store.AddTokens(ctx, tokens...); err != nil {
		return Session{}, fmt.Errorf("store the tokens of %s: %w", u.ID, err)
	}
	if err := s.requireSamePassword(ctx, u, family); err != nil {
		return Session{}, err
	}
	session.Device = device
	return session, nil
}

// LoginSession is Login for the web app.
func (s *Service) LoginSession(ctx context.Context, c Credentials, from Client) (WebSession, error) {
	u, device, err := s.verifyLogin(ctx, c, from)
	if err != nil {
		return WebSession{}, err
	}
	family, err := newUUID(s.random)
	if err != nil {
		return WebSession{}, err
	}
	account, err := s.loadAccount(ctx, u)
	if err != nil {
		return WebSession{}, err
	}
	clear, token, err := s.newToken(store.SessionToken, u.ID, family, s.lifetimes.Session)
	if err != nil {
		return WebSession{}, err
	}
	if err := s.store.AddTokens(ctx, token); err != nil {
		return WebSession{}, fmt.Errorf("keep the session of %s: %w", u.ID, err)
	}
	if err := s.requireSamePassword(ctx, u, family); err != nil {
		return WebSession{}, err
	}
	return WebSession{Token: clear, ExpiresIn: s.lifetimes.Session, Account: account, Device: device, KnownFor: s.lifetimes.Known}, nil
}

// requireSamePassword ends a login whose password was changed while it was proven: its tokens may have been added behind the
// revocation that came with the change, and would outlive it.
func (s *Service) requireSamePassword(ctx context.Context, u store.User, family string) error {
	now, err := s.store.User(ctx, u.ID)
	if err == nil && now.Password == u.Password {
		return nil
	}
	if err := s.store.RevokeFamily(ctx, family); err != nil {
		return fmt.Errorf("revoke token family %s: %w", family, err)
	}
	if err != nil {
		return fmt.Errorf("read user %s again: %w", u.ID, err)
	}
	return ErrCredentials
}

// verifyLogin returns the user whose e-mail and password these are, and the secret by which the device is known from now on.
//
// A caller that is known to some accounts of the e-mail is admitted by its own counts and compared with these alone. If none
// of them matches, it is admitted again like an unknown caller and compared with the others, also if there are none: an
// admin can make an account for any address in their own organisation and log in to it, and must not learn by that whether there
// is another one, nor guess its password faster than anybody else.
func (s *Service) verifyLogin(ctx context.Context, c Credentials, from Client) (store.User, string, error) {
	emails := emailSpellings(c.Email)
	device, presented := checkSecret(from.Device, prefixDevice)
	caller := store.Caller{Device: device, Address: Network(from.IP)}
	// Before the hash, and the same for unknown accounts: neither work nor refusal tells whether there is one.
	known, err := s.store.KnownCaller(ctx, caller, s.clock().Add(-s.lifetimes.Known), emails...)
	if err != nil {
		return store.User{}, "", fmt.Errorf("look up where a login comes from: %w", err)
	}
	for i := range known {
		known[i].Device = known[i].Device && presented
	}
	known = slices.DeleteFunc(known, func(k store.Known) bool { return !c.allowOrganisation(k.Organisation) || !k.Device && !k.Address })
	try := s.throttle.newAttempt(emails[0], caller)
	admitted := try.admitKnown(known, s.clock())
	if len(admitted) == 0 {
		if err := try.admitUnknown(ctx, s.clock()); err != nil {
			return store.User{}, "", err
		}
	}
	accounts, err := s.store.UsersByEmail(ctx, emails...)
	if err != nil {
		return store.User{}, "", fmt.Errorf("read users by e-mail: %w", err)
	}
	accounts = slices.DeleteFunc(accounts, func(u store.User) bool { return !c.allowOrganisation(u.Organisation) })
	var first []store.User // the accounts that know the caller, in the order of admitted; the others stay in accounts
	for _, id := range admitted {
		if i := slices.IndexFunc(accounts, func(u store.User) bool { return u.ID == id }); i >= 0 {
			first, accounts = append(first, accounts[i]), slices.Delete(accounts, i, i+1)
		}
	}

	g := s.hasher.newGuess(callerOrigin{key: caller.Address, known: len(admitted) > 0}, c.Password)
	var u *store.User
	if len(admitted) > 0 {
		if u, err = g.findAccount(ctx, first); err != nil {
			return store.User{}, "", err
		}
		if u == nil {
			if err := try.admitUnknown(ctx, s.clock()); err != nil {
				return store.User{}, "", err
			}
		}
	}
	if u == nil {
		if u, err = g.findAccount(ctx, accounts); err != nil {
			return store.User{}, "", err
		}
	}
	if u == nil {
		return store.User{}, "", ErrCredentials
	}
	s.throttle.forgiveCaller(u.ID, caller)
	// A crash between here and the answer leaves a device that does not know its secret: it gets another next time.
	secret := from.Device
	if !slices.ContainsFunc(known, func(k store.Known) bool { return k.Account == u.ID && k.Device }) {
		// A secret that is not known for this account is not taken over: another person may have put it there.
		if secret, caller.Device, err = newSecret(s.random, prefixDevice); err != nil {
			return store.User{}, "", err
		}
	}
	if err := s.store.RememberCaller(ctx, u.ID, caller, s.clock(), maxKnownCallers); err != nil {
		return store.User{}, "", fmt.Errorf("remember where %s logs in from: %w", u.ID, err)
	}
	return *u, secret, nil
}

// allowOrganisation reports whether the account that is meant may be in an organisation.
func (c Credentials) allowOrganisation(o contract.OrganisationID) bool {
	return c.Organisation == "" || c.Organisation == o
}

// maxKnownCallers is how many devices and how many addresses of a person are known at a time.
const maxKnownCallers = 20

// newSession makes an access and a refresh token of a family. They are good once they are stored.
func (s *Service) newSession(ctx context.Context, u store.User, family string) (Session, []store.Token, error) {
	account, err := s.loadAccount(ctx, u)
	if err != nil {
		return Session{}, nil, err
	}
	access, at, err := s.newToken(store.AccessToken, u.ID, family, s.lifetimes.Access)
	if err != nil {
		return Session{}, nil, err
	}
	refresh, rt, err := s.newToken(store.RefreshToken, u.ID, family, s.lifetimes.Refresh)
	if err != nil {
		return Session{}, nil, err
	}
	return Session{Access: access, Refresh: refresh, ExpiresIn: s.lifetimes.Access, Account: account}, []store.Token{at, rt}, nil
}

// newToken makes a token: its clear text, to be handed out, and what is kept of it.
func (s *Service) newToken(k store.TokenKind, p contract.PersonID, family string, life time.Duration) (string, store.Token, error) {
	clear, hash, err := newSecret(s.random, prefixes[k])
	if err != nil {
		return "", store.Token{}, err
	}
	now := s.clock()
	return clear, store.Token{Hash: hash, Kind: k, Person: p, Family: family, CreatedAt: now, ExpiresAt: now.Add(life)}, nil
}

// Refresh turns a refresh token, once, into a new session of its family. The access tokens of the family that were handed
// out before end after Lifetimes.Grace: a request that was sent before the client read the answer is still served.
//
// Marking the old token used, ending the access tokens and storing the new ones is one transaction. A crash before it leaves
// the old tokens as they were; after it, a client that did not get the answer has a used token and logs in again.
func (s *Service) Refresh(ctx context.Context, token string) (Session, error) {
	_, hash, ok := checkToken(token, store.RefreshToken)
	if !ok {
		return Session{}, ErrRefresh
	}
	t, err := s.loadToken(ctx, hash, store.RefreshToken)
	if err != nil {
		return Session{}, refuseNotFound(err, ErrRefresh)
	}
	u, err := s.store.User(ctx, t.Person)
	if err != nil {
		return Session{}, refuseNotFound(fmt.Errorf("read user %s: %w", t.Person, err), ErrRefresh)
	}
	session, tokens, err := s.newSession(ctx, u, t.Family)
	if err != nil {
		return Session{}, err
	}
	now := s.clock()
	err = s.store.RotateTokens(ctx, hash, now, now.Add(s.lifetimes.Grace), tokens...)
	if errors.Is(err, store.ErrConflict) {
		return Session{}, s.revokeReusedFamily(ctx, t)
	}
	if err != nil {
		return Session{}, refuseNotFound(fmt.Errorf("rotate the tokens of %s: %w", t.Person, err), ErrRefresh)
	}
	return session, nil
}

// revokeReusedFamily ends a family of which a used refresh token came back: two hold it, and one of them stole it.
func (s *Service) revokeReusedFamily(ctx context.Context, t store.Token) error {
	if err := s.store.RevokeFamily(ctx, t.Family); err != nil {
		return fmt.Errorf("revoke token family %s: %w", t.Family, err)
	}
	s.log.WarnContext(ctx, "a used refresh token came back; its family is revoked", "person", t.Person, "family", t.Family)
	return ErrRefresh
}

// Logout ends a token with its whole family, at once.
func (s *Service) Logout(ctx context.Context, token string) error {
	kind, hash, ok := checkToken(token, store.AccessToken, store.SessionToken, store.GuestToken, store.RefreshToken)
	if !ok {
		return contract.ErrUnauthenticated
	}
	t, err := s.loadToken(ctx, hash, kind)
	if err != nil {
		return refuseNotFound(err, contract.ErrUnauthenticated)
	}
	if err := s.store.RevokeFamily(ctx, t.Family); err != nil {
		return fmt.Errorf("revoke token family %s: %w", t.Family, err)
	}
	return nil
}

// loadToken reads a token of that kind that has not expired; store.ErrNotFound for any other.
func (s *Service) loadToken(ctx context.Context, hash [32]byte, kind store.TokenKind) (store.Token, error) {
	t, err := s.store.Token(ctx, hash)
	if err != nil {
		return store.Token{}, fmt.Errorf("read a token: %w", err)
	}
	if t.Kind != kind || !s.clock().Before(t.ExpiresAt) {
		return store.Token{}, store.ErrNotFound
	}
	return t, nil
}

// refuseNotFound turns what is not in the store into a refusal and leaves any other error as it is.
func refuseNotFound(err error, as *contract.Error) error {
	if errors.Is(err, store.ErrNotFound) {
		return as
	}
	return err
}
