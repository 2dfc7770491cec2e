package identity

import (
	"context"
	"slices"

	"segel/internal/contract"
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
