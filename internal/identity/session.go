package identity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// ErrNoSession refuses a session that does not exist, has ended, or is another person's.
var ErrNoSession = contract.Refuse(contract.NotFound, "auth.session_not_found")

// Sessions returns the sessions of the caller that have not ended, the one that was used last first. Families of tokens that a program of an earlier
// release opened are missing.
func (s *Service) Sessions(ctx context.Context, by contract.Actor) ([]contract.Session, error) {
	_, me, err := s.loadCaller(ctx, by)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	all, err := s.store.Sessions(ctx, by.ID, now)
	return slices.DeleteFunc(all, func(o contract.Session) bool { return o.HasEnded(me.Policy, now) }), err
}

// EndSession ends a session of the caller, perhaps the one of this request, at once.
func (s *Service) EndSession(ctx context.Context, by contract.Actor, family string) error {
	all, err := s.Sessions(ctx, by)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(o contract.Session) bool { return o.Family == family }) {
		return ErrNoSession
	}
	return s.store.RevokeFamily(ctx, family)
}

// EndOtherSessions ends all sessions of the caller but the one of this request, at once.
func (s *Service) EndOtherSessions(ctx context.Context, by contract.Actor) error {
	if _, _, err := s.loadCaller(ctx, by); err != nil {
		return err
	}
	return s.store.RevokeOtherFamilies(ctx, by.ID, by.Session)
}

// Reauthenticate has the caller prove again who they are, with their password or a second factor, and returns until when that counts. Tries are
// counted like those of a change of the password, or of a login with the factor.
func (s *Service) Reauthenticate(ctx context.Context, by contract.Actor, current string, given contract.GivenFactor) (until time.Time, err error) {
	u, _, err := s.loadCaller(ctx, by)
	if err != nil {
		return until, err
	}
	switch {
	case given.IsGiven():
		err = s.proveOwnFactor(ctx, by, u, given)
	case current != "":
		err = s.requireLoginPassword(ctx, by, u, current)
	default:
		err = contract.InvalidInput(contract.NewFieldError("current", "value.required"))
	}
	if err != nil {
		return until, err
	}
	now := s.clock()
	// Durable with this commit: the proof. Without it, the person proves it again.
	if err := s.store.ProveSession(ctx, by.Session, now); err != nil {
		return until, refuseNotFound(err, contract.ErrUnauthenticated) // ended meanwhile, or opened by a program of an earlier release: they log in again
	}
	return now.Add(contract.RecentProof), nil
}

// proveOwnFactor checks a second factor of the caller. An account without factors proves nothing by one.
func (s *Service) proveOwnFactor(ctx context.Context, by contract.Actor, u store.User, given contract.GivenFactor) error {
	f, err := s.store.FactorsOf(ctx, u.ID)
	switch {
	case err != nil:
		return err
	case !f.Any() && given.Passkey != nil:
		return contract.ErrPasskeyWrong
	case !f.Any():
		return contract.ErrOTPWrong
	}
	_, err = s.proveFactor(ctx, u, given, contract.Challenge{Purpose: contract.ChallengeLogin}, [32]byte{}, by.IP)
	s.recordWrongFactor(ctx, err, u, given, clientOf(by))
	return err
}

// requireLoginPassword is checkOwnPassword where a password that the organisation does not accept at logins is not accepted either. The password is
// compared all the same, so that the time says nothing.
func (s *Service) requireLoginPassword(ctx context.Context, by contract.Actor, u store.User, current string) error {
	refused, err := s.refusesPassword(ctx, u)
	if err != nil {
		return err
	}
	if err := s.checkOwnPassword(ctx, by, u, current); err != nil {
		return err
	}
	if refused {
		return s.refuseOwnPassword(ctx, by, u)
	}
	return nil
}

// refusesPassword reports whether the organisation of a user demands its provider instead of their password.
func (s *Service) refusesPassword(ctx context.Context, u store.User) (bool, error) {
	refuses, err := s.passwordRefusal(ctx, u.Email)
	if err != nil {
		return false, fmt.Errorf("read how %s logs in: %w", u.ID, err)
	}
	return refuses != nil && refuses(u), nil
}
