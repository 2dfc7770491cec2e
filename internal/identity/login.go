package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Errors of logins and refreshes.
var (
	// ErrCredentials is returned for a wrong password, for an unknown e-mail and for a disabled account alike.
	ErrCredentials = contract.Refuse(contract.Malformed, "auth.wrong_credentials")
	// ErrRefresh is returned for a refresh token that is unknown, has expired, was used before, or belongs to a revoked
	// family.
	ErrRefresh = contract.Refuse(contract.Unauthenticated, "auth.refresh_invalid")
)

// Session is the result of a login or a refresh. Access and Refresh are in clear and cannot be read again later.
type Session struct {
	Access    string
	Refresh   string
	ExpiresIn time.Duration // of Access
	Account   Account
	Device    string // the secret that the client sends at its next login; empty after a refresh
}

// WebSession is the result of a login of the web app: one token for a cookie.
type WebSession struct {
	Token     string
	ExpiresIn time.Duration
	Account   Account
	Device    string        // the secret that the client sends at its next login
	KnownFor  time.Duration // how long Device stays known
}

// Credentials are the input of a login.
type Credentials struct {
	Email    string
	Password string
	Factor   contract.GivenFactor // a second factor; a passkey without e-mail and password is the only one

	// Organisation picks the account if the e-mail has accounts with this password in several organisations. Empty: any.
	Organisation contract.OrganisationID
}

// Client is the origin of a login.
type Client struct {
	IP        string
	Device    string // the secret that an earlier login returned; empty: none
	UserAgent string // as the client names itself
	Beside    string // the session beside which another account is logged in to, see [Service.Memberships]; empty: none
	Language  string // of messages about the login; empty: that of the service
}

// Login opens a session. An e-mail may have an account in each organisation, each with its own password. The password decides
// which account is meant. If several have the same password, an account that knows the device comes first, then one that knows
// the address, then the oldest, unless c names the organisation.
//
// ErrCredentials takes the same time for an unknown e-mail as for a wrong password. Too many tries are an error of kind
// TooMany with the argument retry_after in seconds.
func (s *Service) Login(ctx context.Context, c Credentials, from Client) (Session, error) {
	u, proof, device, err := s.verifyAnyLogin(ctx, c, from, false)
	if err != nil {
		return Session{}, err
	}
	session, err := s.openSession(ctx, u, proof, from)
	session.Device = device
	return session, err
}

// LoginSession opens a session of the web app, in the same way as Login.
func (s *Service) LoginSession(ctx context.Context, c Credentials, from Client) (WebSession, error) {
	u, proof, device, err := s.verifyAnyLogin(ctx, c, from, true)
	if err != nil {
		return WebSession{}, err
	}
	session, err := s.openWebSession(ctx, u, proof, from)
	session.Device, session.KnownFor = device, s.lifetimes.Known
	return session, err
}

// Proof is how a user proved at a login who they are.
type Proof struct {
	Factor contract.Factor // of the session

	second  contract.Factor // the second factor of the account that was used; empty: none
	passkey string          // its identifier, if it is a passkey
	app     time.Time       // when it was added, if it is an authenticator app
}

// holds reports whether an account that has these factors now can still be proved like this: the factor that was used is there, or none is
// and none was used.
func (p Proof) holds(f store.PersonFactors) bool {
	switch cmp.Or(p.second, p.Factor) {
	case contract.FactorTOTP:
		return f.Authenticator != nil && (p.app.IsZero() || p.app.Equal(f.Authenticator.CreatedAt))
	case contract.FactorPasskey, contract.FactorPasskeyOnly:
		return slices.ContainsFunc(f.Passkeys, func(k store.Passkey) bool { return p.passkey == "" || p.passkey == k.ID })
	case contract.FactorRecovery:
		return f.Any()
	case contract.FactorPassword:
		return !f.Any()
	}
	return true // the provider of the organisation
}

// openSession opens a session of a user who proved who they are, however that was.
func (s *Service) openSession(ctx context.Context, u store.User, proof Proof, from Client) (session Session, err error) {
	err = s.openFamily(ctx, u, proof, from, func(opened contract.Session, a Account) (tokens []store.Token, err error) {
		session, tokens, err = s.newSession(opened, a)
		return tokens, err
	})
	if err != nil {
		return Session{}, err
	}
	return session, nil
}

// openWebSession is openSession for the web app.
func (s *Service) openWebSession(ctx context.Context, u store.User, proof Proof, from Client) (session WebSession, err error) {
	err = s.openFamily(ctx, u, proof, from, func(opened contract.Session, a Account) ([]store.Token, error) {
		clear, token, err := s.newToken(store.SessionToken, opened, s.lifetimes.Session, a.Policy)
		session = WebSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Account: a}
		return []store.Token{token}, err
	})
	if err != nil {
		return WebSession{}, err
	}
	return session, nil
}

// openFamily opens the session of a user who proved who they are, with the tokens that newTokens makes for it.
func (s *Service) openFamily(ctx context.Context, u store.User, proof Proof, from Client, newTokens func(contract.Session, Account) ([]store.Token, error)) error {
	account, err := s.loadAccount(ctx, u)
	if err != nil {
		return err
	}
	account.MustEnrol = account.Policy.MissesFactor(u.Admin, proof.Factor) // an account that has a factor was asked for it
	family, err := newUUID(s.random)
	if err != nil {
		return err
	}
	at := s.clock()
	opened := contract.Session{
		Family: family, Person: u.ID, Factor: proof.Factor, CreatedAt: at, ProvedAt: at, LastUsedAt: at, IP: from.IP, UserAgent: contract.CleanUserAgent(from.UserAgent),
	}
	tokens, err := newTokens(opened, account)
	if err != nil {
		return err
	}
	return s.storeFamily(ctx, u, opened, proof, from, tokens)
}

// storeFamily stores a session of a user with its tokens.
func (s *Service) storeFamily(ctx context.Context, u store.User, opened contract.Session, proof Proof, from Client, tokens []store.Token) (err error) {
	opened.ExpiresAt = lastExpiry(tokens)
	if from.Beside == "" {
		err = s.store.AddTokens(ctx, opened, tokens...)
	} else {
		err = s.store.AddTokensBeside(ctx, from.Beside, opened, tokens...)
	}
	if err != nil {
		return refuseNotFound(fmt.Errorf("store the tokens of %s: %w", u.ID, err), contract.ErrUnauthenticated)
	}
	return s.confirmFamily(ctx, u, opened.Family, proof)
}

// confirmFamily ends a session to which tokens were just added, unless the account is still as it was when the user proved who they are. The tokens
// are given to the client only after it: if we crash before, no one has them.
func (s *Service) confirmFamily(ctx context.Context, u store.User, family string, proof Proof) error {
	// If the password was changed while it was checked, the account was disabled, or the factor that was used was removed, the tokens may have been
	// added after the revocation that belongs to the change, and would outlive it.
	now, err := s.store.User(ctx, u.ID)
	holds := err == nil && now.Password == u.Password && now.DisabledAt.IsZero()
	if holds && (proof.second != "" || !proof.Factor.IsProviderLogin()) {
		var f store.PersonFactors
		f, err = s.store.FactorsOf(ctx, u.ID)
		holds = err == nil && proof.holds(f)
	}
	if holds && !proof.Factor.IsProviderLogin() { // the organisation may have switched passwords off, and with them passkeys alone
		var refuses func(store.User) bool
		refuses, err = s.passwordRefusal(ctx, u.Email)
		holds = err == nil && (refuses == nil || !refuses(u))
	}
	if holds {
		return nil
	}
	if err := s.store.RevokeFamily(ctx, family); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("read user %s again: %w", u.ID, err)
	}
	return ErrCredentials
}

// lastExpiry returns when the last of some tokens expires.
func lastExpiry(tokens []store.Token) (at time.Time) {
	for _, t := range tokens {
		if t.ExpiresAt.After(at) {
			at = t.ExpiresAt
		}
	}
	return at
}

// verifyLogin returns the user with this e-mail and password, and the secret by which the device is known from now on. Browser says that the
// client keeps that secret by itself.
//
// If some accounts of the e-mail know the caller, the caller is admitted by its own counts and the password is compared
// with these accounts only. If none of them matches, the caller is admitted again like an unknown one and the password is
// compared with the other accounts, even if there are none. The password of a disabled account is compared too, and never matches.
// The reason for two admissions: an admin can create an account for any address in
// their own organisation and log in to it. That must not show them whether other accounts exist, or let them guess a
// password faster than other callers.
//
// An account with a second factor is not let in without it: a right password alone is [contract.ErrFactorRequired], which grants nothing, and a
// wrong code counts like a wrong password.
func (s *Service) verifyLogin(ctx context.Context, c Credentials, from Client, browser bool) (store.User, Proof, string, error) {
	emails := emailSpellings(c.Email)
	device, presented := checkSecret(from.Device, prefixDevice)
	caller := store.Caller{Device: device, Address: Network(from.IP)}
	// This runs before the hash, and in the same way if the e-mail has no account, so neither the work nor a refusal shows
	// whether it has one.
	known, err := s.store.KnownCaller(ctx, caller, s.clock().Add(-s.lifetimes.Known), emails...)
	if err != nil {
		return store.User{}, Proof{}, "", fmt.Errorf("look up where a login comes from: %w", err)
	}
	for i := range known {
		known[i].Device = known[i].Device && presented
	}
	known = slices.DeleteFunc(known, func(k store.Known) bool { return !c.allowOrganisation(k.Organisation) || !k.Device && !k.Address })
	try := s.throttle.newAttempt(emails[0], caller)
	admitted, err := try.admitKnown(ctx, known, s.clock())
	if err != nil {
		return store.User{}, Proof{}, "", err
	}
	if len(admitted) == 0 {
		if err := try.admitUnknown(ctx, s.clock()); err != nil {
			s.countLimited(err, c.Email, "", from)
			return store.User{}, Proof{}, "", err
		}
	}
	accounts, err := s.store.UsersByEmail(ctx, emails...)
	if err != nil {
		return store.User{}, Proof{}, "", fmt.Errorf("read users by e-mail: %w", err)
	}
	accounts = slices.DeleteFunc(accounts, func(u store.User) bool { return !c.allowOrganisation(u.Organisation) })
	compared := slices.Clone(accounts)
	var first []store.User // the accounts that know the caller, in the order of admitted; the others stay in accounts
	for _, id := range admitted {
		if i := slices.IndexFunc(accounts, func(u store.User) bool { return u.ID == id }); i >= 0 {
			first, accounts = append(first, accounts[i]), slices.Delete(accounts, i, i+1)
		}
	}

	g := s.hasher.newGuess(callerOrigin{key: caller.Address, known: len(admitted) > 0}, c.Password)
	if g.refuses, err = s.passwordRefusal(ctx, emails[0]); err != nil {
		return store.User{}, Proof{}, "", err
	}
	var u *store.User
	if len(admitted) > 0 {
		if u, err = g.findAccount(ctx, first); err != nil {
			return store.User{}, Proof{}, "", err
		}
		if u == nil {
			if err := try.admitUnknown(ctx, s.clock()); err != nil {
				s.countLimited(err, c.Email, "", from)
				return store.User{}, Proof{}, "", err
			}
		}
	}
	if u == nil {
		if u, err = g.findAccount(ctx, accounts); err != nil {
			return store.User{}, Proof{}, "", err
		}
	}
	if u == nil {
		if err := g.stopped.RequireActive(); err != nil { // the password was right
			return store.User{}, Proof{}, "", err
		}
		s.recordFailure(ctx, compared, contract.FactorPassword, from)
		return store.User{}, Proof{}, "", ErrCredentials
	}
	proof, err := s.proveLogin(ctx, *u, c.Factor, from.IP)
	if err != nil {
		s.recordWrongFactor(ctx, err, *u, c.Factor, from)
		return store.User{}, Proof{}, "", err
	}
	from.Device, err = s.rememberCaller(ctx, *u, known, caller, from, browser, s.throttle.forgiven(u.ID, caller)...)
	return *u, proof, from.Device, err
}

// verifyAnyLogin is verifyLogin, or verifyPasskeyLogin for a passkey without a password.
func (s *Service) verifyAnyLogin(ctx context.Context, c Credentials, from Client, browser bool) (store.User, Proof, string, error) {
	if c.Factor.Passkey != nil && c.Password == "" {
		return s.verifyPasskeyLogin(ctx, c, from)
	}
	return s.verifyLogin(ctx, c, from, browser)
}

// proveLogin returns how a user whose password was right is authenticated.
func (s *Service) proveLogin(ctx context.Context, u store.User, given contract.GivenFactor, ip string) (Proof, error) {
	f, err := s.store.FactorsOf(ctx, u.ID)
	switch {
	case err != nil:
		return Proof{}, err
	case !f.Any():
		return Proof{Factor: contract.FactorPassword}, nil // whatever was presented
	case !given.IsGiven():
		return Proof{}, contract.ErrFactorRequired.With("factors", acceptedFactors(f))
	}
	return s.proveFactor(ctx, u, given, contract.Challenge{Purpose: contract.ChallengeLogin}, [32]byte{}, ip)
}

// verifyPasskeyLogin returns the user whose passkey answered a challenge for a login. A disabled account answers like an unknown passkey.
func (s *Service) verifyPasskeyLogin(ctx context.Context, c Credentials, from Client) (store.User, Proof, string, error) {
	if wait, err := s.throttle.address.takeToken(ctx, Network(from.IP), s.clock()); err != nil || wait > 0 {
		err := refuseWait(wait, err)
		s.countLimited(err, "", "", from)
		return store.User{}, Proof{}, "", err
	}
	k, err := s.provePasskey(ctx, c.Factor, contract.Challenge{Purpose: contract.ChallengeLogin}, [32]byte{})
	if err != nil {
		if contract.KindOf(err) != 0 {
			s.recordFailure(ctx, nil, contract.FactorPasskeyOnly, from)
		}
		return store.User{}, Proof{}, "", err
	}
	u, err := s.store.User(ctx, k.Person)
	if err != nil {
		return store.User{}, Proof{}, "", refuseNotFound(fmt.Errorf("read user %s: %w", k.Person, err), contract.ErrPasskeyWrong)
	}
	if !u.DisabledAt.IsZero() || !c.allowOrganisation(u.Organisation) {
		s.recordFailure(ctx, []store.User{u}, contract.FactorPasskeyOnly, from)
		return store.User{}, Proof{}, "", contract.ErrPasskeyWrong
	}
	if err := u.OrganisationState.RequireActive(); err != nil {
		return store.User{}, Proof{}, "", err
	}
	// Where the organisation demands its provider instead of passwords, it demands it instead of passkeys too.
	refuses, err := s.passwordRefusal(ctx, u.Email)
	if err != nil {
		return store.User{}, Proof{}, "", err
	}
	if refuses != nil && refuses(u) {
		s.recordFailure(ctx, []store.User{u}, contract.FactorPasskeyOnly, from)
		return store.User{}, Proof{}, "", contract.ErrPasskeyWrong
	}
	secret, err := s.rememberDevice(ctx, u, from)
	return u, Proof{Factor: contract.FactorPasskeyOnly, second: contract.FactorPasskeyOnly, passkey: k.ID}, secret, err
}

// rememberCaller records from where a user logged in, and returns the secret by which the device is known from now on. The person gets a
// message if they are not known there: a browser by its secret, a program also by its network, because not every program keeps the secret.
//
// If the process dies after the commit, the device never learns its secret. It gets another one at its next login.
func (s *Service) rememberCaller(ctx context.Context, u store.User, known []store.Known, caller store.Caller, from Client, browser bool, forgiven ...store.TryKey) (secret string, err error) {
	var here store.Known
	if i := slices.IndexFunc(known, func(k store.Known) bool { return k.Account == u.ID }); i >= 0 {
		here = known[i]
	}
	secret = from.Device
	if !here.Device {
		// Do not adopt a secret that is not known for this account: another person may have put it on the device.
		if secret, caller.Device, err = newSecret(s.random, prefixDevice); err != nil {
			return "", err
		}
	}
	var unknown *contract.Notice
	if !here.Device && (browser || !here.Address) {
		n := s.newAccountNotice(contract.NoticeNewDevice, u, from)
		unknown = &n
	}
	// Durable with this commit: from where the person logged in, the message about it, and that their tries there are forgiven.
	if err := s.store.RememberCaller(ctx, u.ID, caller, s.clock(), maxKnownCallers, unknown, forgiven...); err != nil {
		return "", fmt.Errorf("remember where %s logs in from: %w", u.ID, err)
	}
	return secret, nil
}

// allowOrganisation reports whether the credentials admit an account of an organisation.
func (c Credentials) allowOrganisation(o contract.OrganisationID) bool {
	return c.Organisation == "" || c.Organisation == o
}

// maxKnownCallers is how many devices, and how many addresses, are known for a person at a time.
const maxKnownCallers = 20

// newSession makes an access and a refresh token of a session. They are valid once they are stored.
func (s *Service) newSession(of contract.Session, a Account) (Session, []store.Token, error) {
	access, at, err := s.newToken(store.AccessToken, of, s.lifetimes.Access, a.Policy)
	if err != nil {
		return Session{}, nil, err
	}
	refresh, rt, err := s.newToken(store.RefreshToken, of, s.lifetimes.Refresh, a.Policy)
	if err != nil {
		return Session{}, nil, err
	}
	return Session{Access: access, Refresh: refresh, ExpiresIn: at.ExpiresAt.Sub(at.CreatedAt), Account: a}, []store.Token{at, rt}, nil
}

// newToken makes a token of a session and returns its clear text, which goes to the client, and the record to store. It expires with the
// session at the latest.
func (s *Service) newToken(k store.TokenKind, of contract.Session, life time.Duration, p contract.AccountPolicy) (string, store.Token, error) {
	clear, hash, err := newSecret(s.random, prefixes[k])
	if err != nil {
		return "", store.Token{}, err
	}
	now := s.clock()
	expires := now.Add(life)
	if until := p.SessionUntil(of.CreatedAt); !until.IsZero() && until.Before(expires) {
		expires = until
	}
	return clear, store.Token{Hash: hash, Kind: k, Person: of.Person, Family: of.Family, CreatedAt: now, ExpiresAt: expires}, nil
}

// Refresh exchanges a refresh token, once, for a new session of its family. The earlier access tokens of the family expire
// after Lifetimes.Grace, so that a request that the client sent before it read the answer is still served.
//
// One transaction marks the old token as used, shortens the life of the access tokens and stores the new ones. If the process
// dies before it, the old tokens stay valid. If it dies after it, the client has only a used token and must log in again.
func (s *Service) Refresh(ctx context.Context, token string, from Client) (Session, error) {
	_, hash, ok := checkToken(token, store.RefreshToken)
	if !ok {
		return Session{}, ErrRefresh
	}
	held, err := s.store.TokenWithHolder(ctx, hash)
	if err != nil {
		return Session{}, refuseNotFound(fmt.Errorf("read a token: %w", err), ErrRefresh)
	}
	now := s.clock()
	if !s.isCurrent(held.Token, store.RefreshToken) || held.User.ID == "" || !held.User.DisabledAt.IsZero() || held.Session.HasEnded(held.Policy, now) {
		return Session{}, ErrRefresh
	}
	if err := held.User.OrganisationState.RequireActive(); err != nil { // the token is not used up
		return Session{}, err
	}
	account, err := s.loadAccount(ctx, held.User)
	if err != nil {
		return Session{}, err
	}
	of := held.Session
	if of.Family == "" { // opened by a program of an earlier release: how old it is is not known, so it begins now
		of = contract.Session{Family: held.Family, Person: held.User.ID, Factor: contract.FactorPassword, CreatedAt: now}
	}
	of.LastUsedAt, of.IP, of.UserAgent = now, from.IP, contract.CleanUserAgent(from.UserAgent)
	session, tokens, err := s.newSession(of, account)
	if err != nil {
		return Session{}, err
	}
	of.ExpiresAt = lastExpiry(tokens)
	err = s.store.RotateTokens(ctx, hash, now, now.Add(s.lifetimes.Grace), of, tokens...)
	if errors.Is(err, store.ErrConflict) {
		return Session{}, s.revokeReusedFamily(ctx, held.Token)
	}
	if err != nil {
		return Session{}, refuseNotFound(fmt.Errorf("rotate the tokens of %s: %w", held.User.ID, err), ErrRefresh)
	}
	return session, nil
}

// revokeReusedFamily revokes a family after one of its used refresh tokens was presented again: two parties hold it, and one
// of them may have stolen it.
func (s *Service) revokeReusedFamily(ctx context.Context, t store.Token) error {
	if err := s.store.RevokeFamily(ctx, t.Family); err != nil {
		return err
	}
	s.log.WarnContext(ctx, "a used refresh token came back; its family is revoked", "person", t.Person, "family", t.Family)
	return ErrRefresh
}

// Logout revokes a token and its whole family at once, and the sessions beside it, and records it.
func (s *Service) Logout(ctx context.Context, token string, from Client) error {
	kind, hash, ok := checkToken(token, store.AccessToken, store.SessionToken, store.GuestToken, store.EmbeddedToken, store.RefreshToken)
	if !ok {
		return contract.ErrUnauthenticated
	}
	t, err := s.loadToken(ctx, hash, kind)
	if err != nil {
		return refuseNotFound(err, contract.ErrUnauthenticated)
	}
	// Other accounts that were logged in to beside it end too: who logs out leaves nothing open.
	beside, err := s.store.SessionsBeside(ctx, t.Family, s.clock())
	if err != nil {
		return err
	}
	for _, o := range beside {
		if err := s.store.RevokeFamily(ctx, o.Family); err != nil {
			return err
		}
	}
	if err := s.store.RevokeFamily(ctx, t.Family); err != nil {
		return err
	}
	s.recordLogout(ctx, t, from)
	return nil
}

// loadToken returns the token with that hash. It returns store.ErrNotFound if there is none, if it has another kind, or if it
// has expired.
func (s *Service) loadToken(ctx context.Context, hash [32]byte, kind store.TokenKind) (store.Token, error) {
	t, err := s.store.Token(ctx, hash)
	if err != nil {
		return store.Token{}, fmt.Errorf("read a token: %w", err)
	}
	if !s.isCurrent(t, kind) {
		return store.Token{}, store.ErrNotFound
	}
	return t, nil
}

// isCurrent reports whether a token is of that kind and has not expired.
func (s *Service) isCurrent(t store.Token, kind store.TokenKind) bool {
	return t.Kind == kind && s.clock().Before(t.ExpiresAt)
}

// refuseNotFound returns as if err is store.ErrNotFound, and err otherwise.
func refuseNotFound(err error, as *contract.Error) error {
	if errors.Is(err, store.ErrNotFound) {
		return as
	}
	return err
}
