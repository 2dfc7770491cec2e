package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"segel/internal/contract"
	"segel/internal/store"
)

// maxMemberships bounds the accounts of a chain of sessions.
const maxMemberships = 20

// Membership is an account that is logged in to in the client of a session, beside the account of the session itself.
type Membership struct {
	Account Account
	State   contract.OrganisationState // of its organisation
	Current bool                       // it is the account of the session itself

	session contract.Session
	user    store.User
}

// Memberships returns the accounts of the chain of the caller's session, by the name of the organisation: those that the person logged in to
// beside it and whose sessions have not ended, and the caller's own. The addresses of accounts play no part: an admin can create an account for
// any address.
func (s *Service) Memberships(ctx context.Context, by contract.Actor) ([]Membership, error) {
	own, account, err := s.loadCaller(ctx, by)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	sessions, err := s.store.SessionsBeside(ctx, by.Session, now)
	if err != nil {
		return nil, err
	}
	all := []Membership{{Account: account, State: own.OrganisationState, Current: true, user: own}}
	for _, o := range sessions {
		if o.Person == by.ID {
			continue
		}
		u, err := s.store.User(ctx, o.Person)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read user %s: %w", o.Person, err)
		}
		account, err := s.loadAccount(ctx, u)
		if err != nil {
			return nil, err
		}
		if u.DisabledAt.IsZero() && !o.HasEnded(account.Policy, now) {
			all = append(all, Membership{Account: account, State: u.OrganisationState, session: o, user: u})
		}
	}
	slices.SortStableFunc(all, func(a, b Membership) int { return cmp.Compare(a.Account.OrganisationName, b.Account.OrganisationName) })
	return all, nil
}

// findMembership returns an account of the chain of the caller's session, other than the caller's own, by its organisation.
func (s *Service) findMembership(ctx context.Context, by contract.Actor, of contract.OrganisationID) (Membership, error) {
	all, err := s.Memberships(ctx, by)
	if err != nil {
		return Membership{}, err
	}
	if i := slices.IndexFunc(all, func(m Membership) bool { return !m.Current && m.Account.Organisation == of }); i >= 0 {
		return all[i], nil
	}
	return Membership{}, contract.ErrNoMembership
}

// AddMembership logs in to another account beside the caller's session, exactly as Login, and returns a session of it. Both can be switched to
// from then on.
func (s *Service) AddMembership(ctx context.Context, by contract.Actor, c Credentials, from Client) (Session, error) {
	if err := s.admitMembership(ctx, by); err != nil {
		return Session{}, err
	}
	from.Beside = by.Session
	return s.Login(ctx, c, from)
}

// AddWebMembership is AddMembership for the web app.
func (s *Service) AddWebMembership(ctx context.Context, by contract.Actor, c Credentials, from Client) (WebSession, error) {
	if err := s.admitMembership(ctx, by); err != nil {
		return WebSession{}, err
	}
	from.Beside = by.Session
	return s.LoginSession(ctx, c, from)
}

// admitMembership refuses a further account in a chain that has too many.
func (s *Service) admitMembership(ctx context.Context, by contract.Actor) error {
	all, err := s.Memberships(ctx, by)
	if err == nil && len(all) >= maxMemberships {
		err = contract.ErrTooManyMemberships.With("limit", maxMemberships)
	}
	return err
}

// Switch returns tokens of another account of the chain of the caller's session. Its former tokens expire after Lifetimes.Grace: a switch can be
// repeated, also at the same moment, and each answer has tokens that work. The session stays: the factor, the time of the login and that of the
// last proof are those of the session, so limits of the organisation and dangerous acts are decided by what the person proved for this account.
// Where the organisation demands a factor that the session lacks, it is asked for as at a login.
func (s *Service) Switch(ctx context.Context, by contract.Actor, to contract.OrganisationID, given contract.GivenFactor, from Client) (session Session, err error) {
	err = s.switchTo(ctx, by, to, given, from, func(opened contract.Session, a Account) (tokens []store.Token, err error) {
		session, tokens, err = s.newSession(opened, a)
		return tokens, err
	})
	if err != nil {
		return Session{}, err
	}
	return session, nil
}

// SwitchWeb is Switch for the web app. The session expires when it would have.
func (s *Service) SwitchWeb(ctx context.Context, by contract.Actor, to contract.OrganisationID, given contract.GivenFactor, from Client) (session WebSession, err error) {
	err = s.switchTo(ctx, by, to, given, from, func(opened contract.Session, a Account) ([]store.Token, error) {
		clear, token, err := s.newToken(store.SessionToken, opened, s.lifetimes.Session, a.Policy)
		if opened.ExpiresAt.Before(token.ExpiresAt) {
			token.ExpiresAt = opened.ExpiresAt
		}
		session = WebSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Account: a}
		return []store.Token{token}, err
	})
	if err != nil {
		return WebSession{}, err
	}
	return session, nil
}

func (s *Service) switchTo(ctx context.Context, by contract.Actor, to contract.OrganisationID, given contract.GivenFactor, from Client, newTokens func(contract.Session, Account) ([]store.Token, error)) error {
	m, err := s.findMembership(ctx, by, to)
	if err != nil {
		return err
	}
	if err := m.State.RequireActive(); err != nil {
		return err
	}
	u, opened, now := m.user, m.session, s.clock()
	proof, proved := Proof{Factor: opened.Factor}, opened.ProvedAt
	if !proof.Factor.IsProviderLogin() {
		refused, err := s.refusesPassword(ctx, u)
		if err != nil {
			return err
		}
		if refused {
			return contract.ErrSwitchProvider
		}
	}
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return err
	}
	if f.Any() && (proof.Factor == "" || proof.Factor == contract.FactorPassword || m.Account.Policy.MissesFactor(u.Admin, proof.Factor)) {
		if !given.IsGiven() {
			return contract.ErrFactorRequired.With("factors", acceptedFactors(f))
		}
		strong, err := s.proveFactor(ctx, u, given, contract.Challenge{Purpose: contract.ChallengeLogin}, [32]byte{}, from.IP)
		if err != nil {
			s.recordWrongFactor(ctx, err, u, given, from)
			return err
		}
		if proved = now; proof.Factor.IsProviderLogin() {
			strong.Factor = contract.FactorOIDCSecond
		}
		proof = strong
	}
	until := now.Add(s.lifetimes.Grace)
	if proof.Factor != opened.Factor {
		until = now // what was proved now is not granted to former tokens
	}
	opened.Factor, opened.ProvedAt, opened.LastUsedAt, opened.IP, opened.UserAgent = proof.Factor, proved, now, from.IP, contract.CleanUserAgent(from.UserAgent)
	m.Account.MustEnrol = m.Account.Policy.MissesFactor(u.Admin, proof.Factor)
	tokens, err := newTokens(opened, m.Account)
	if err != nil {
		return err
	}
	opened.ExpiresAt = lastExpiry(tokens)
	// Durable with this commit: the tokens, and when the former ones end. If the answer is lost, the person switches again.
	if err := s.store.RenewTokensBeside(ctx, by.Session, until, opened, tokens...); err != nil {
		return refuseNotFound(fmt.Errorf("renew the tokens of %s: %w", u.ID, err), contract.ErrUnauthenticated)
	}
	return s.confirmFamily(ctx, u, opened.Family, proof)
}

// Leave ends the session of another account of the chain of the caller's session: it cannot be switched to any more.
func (s *Service) Leave(ctx context.Context, by contract.Actor, of contract.OrganisationID) error {
	m, err := s.findMembership(ctx, by, of)
	if err != nil {
		return err
	}
	return s.store.RevokeFamily(ctx, m.session.Family)
}
