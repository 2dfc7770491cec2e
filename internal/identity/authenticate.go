package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// Authenticate returns the holder of an access, guest, session or embedded token. Anything else, a token that has expired or was
// revoked, that of a disabled account and that of a session which the policy of the organisation ended are contract.ErrUnauthenticated. The
// caller adds the address, and refuses an actor of an organisation that is not active.
func (s *Service) Authenticate(ctx context.Context, token string) (contract.Actor, error) {
	return s.authenticate(ctx, token, true)
}

// AuthenticateBackground is Authenticate for a request that does not count as a use of its session: a page that was left open does not keep its session from
// the idle limit.
func (s *Service) AuthenticateBackground(ctx context.Context, token string) (contract.Actor, error) {
	return s.authenticate(ctx, token, false)
}

// authenticate returns the holder of a token. IsUse says that the request counts as a use of its session.
func (s *Service) authenticate(ctx context.Context, token string, isUse bool) (contract.Actor, error) {
	kind, hash, ok := checkToken(token, store.AccessToken, store.SessionToken, store.GuestToken, store.EmbeddedToken)
	if !ok {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	held, err := s.store.TokenWithHolder(ctx, hash)
	t, u, guest := held.Token, held.User, held.Guest
	if err == nil && !s.isCurrent(t, kind) {
		err = store.ErrNotFound
	}
	if err != nil {
		return contract.Actor{}, refuseNotFound(fmt.Errorf("read a token: %w", err), contract.ErrUnauthenticated)
	}
	if kind == store.EmbeddedToken {
		return s.embeddedActor(ctx, held)
	}
	if kind == store.GuestToken {
		if err := s.requireOpener(ctx, t); err != nil {
			return contract.Actor{}, err
		}
		_, err := s.requireGuest(guest, t.CreatedAt)
		switch {
		case errors.Is(err, ErrLinkExpired):
			return contract.Actor{}, contract.ErrUnauthenticated
		case err != nil:
			return contract.Actor{}, refuseNotFound(err, contract.ErrUnauthenticated)
		}
		return s.guestActor(held), nil
	}
	// A disabled account has no tokens, unless a program of an earlier release, which does not know the table, added them.
	if u.ID == "" || !u.DisabledAt.IsZero() {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	now := s.clock()
	if held.Session.HasEnded(held.Policy, now) {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	by, err := s.loadActor(ctx, u)
	if err != nil {
		return contract.Actor{}, err
	}
	by.Session, by.Token, by.Mailbox = t.Family, hash, u.Mailbox // an API key acts without its holder, and opens nothing as a guest
	if isUse && held.Session.UseIsStale(held.Policy, now) {
		// A use that was not recorded may end the session too early. That is no reason to refuse this request.
		if err := s.store.RecordSessionUse(ctx, t.Family, now); err != nil {
			s.log.WarnContext(ctx, "the use of a session was not recorded", "person", u.ID, "error", err)
		}
	}
	by.ProofIsOld = held.Session.ProofIsOld(now)
	by.Factor, by.SignFactor = held.Session.Factor, held.Policy.SignFactor
	if by.Factor.IsProviderLogin() {
		by.MustChoosePassword = false // they did not use the password that an admin knows, and may not be allowed to
	}
	if held.Policy.MissesFactor(u.Admin, by.Factor) {
		if held.HasFactor { // the person has to log in again, with it
			return contract.Actor{}, contract.ErrUnauthenticated
		}
		by.MustEnrol = true
	}
	return by, nil
}

// requireOpener refuses a guest's token that was opened from a session which the policy of its organisation has ended or refuses.
func (s *Service) requireOpener(ctx context.Context, t store.Token) error {
	family, opened := store.OpenedFrom(t.Family)
	if !opened {
		return nil
	}
	_, _, err := s.loadOpener(ctx, family)
	return err
}

// loadOpener returns a session from which documents may be opened as a guest's, with the policy of its organisation. A session that has ended, or
// was opened without the factor that the policy demands now, is contract.ErrUnauthenticated. What is done as a guest does not use that session, so its idle
// limit ends what was opened from it too.
func (s *Service) loadOpener(ctx context.Context, family string) (contract.Session, contract.AccountPolicy, error) {
	from, policy, err := s.store.SessionOf(ctx, family)
	if err != nil {
		return from, policy, refuseNotFound(err, contract.ErrUnauthenticated)
	}
	if from.HasEnded(policy, s.clock()) {
		return from, policy, contract.ErrUnauthenticated
	}
	if !policy.MissesFactor(true, from.Factor) { // enough for an admin, so for everyone
		return from, policy, nil
	}
	u, err := s.store.User(ctx, from.Person)
	if err == nil && policy.MissesFactor(u.Admin, from.Factor) {
		err = store.ErrNotFound
	}
	return from, policy, refuseNotFound(err, contract.ErrUnauthenticated)
}

// loadActor returns a user as the actor of a request. It reads whether they are an operator.
func (s *Service) loadActor(ctx context.Context, u store.User) (contract.Actor, error) {
	operator, err := s.isOperator(ctx, u)
	if err != nil {
		return contract.Actor{}, err
	}
	return contract.Actor{Person: u.Person, Organisation: u.Organisation, Teams: u.Teams, Role: u.Role(), Admin: u.Admin, Operator: operator, MustChoosePassword: u.Given, OrganisationState: u.OrganisationState}, nil
}
