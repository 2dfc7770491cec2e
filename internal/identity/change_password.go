package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// ChangePassword replaces the caller's password. The caller must give the current one, and tries of it are bounded like
// logins. Errors are reported for the fields "current" and "new". Every token of the account is revoked, the one of this
// request too: a person who stole the old password is logged out.
func (s *Service) ChangePassword(ctx context.Context, by contract.Actor, current, next string) error {
	if by.Guest != 0 || by.IsSystem() {
		return contract.ErrNotAllowed
	}
	u, err := s.store.User(ctx, by.ID)
	if errors.Is(err, store.ErrNotFound) {
		return contract.ErrUnauthenticated
	}
	if err != nil {
		return fmt.Errorf("read user %s: %w", by.ID, err)
	}
	me, err := s.loadAccount(ctx, u)
	if err != nil {
		return err
	}
	if bad := s.checkPassword("new", next, me.Email, me.Name, me.OrganisationName); bad != nil {
		return contract.InvalidInput(*bad)
	}
	// The caller has a token of the account, so others who try passwords on it do not delay them.
	if err := s.throttle.admitHolder(by.ID, s.clock()); err != nil {
		return err
	}
	holder := callerOrigin{key: string(by.ID), known: true}
	proven, err := s.hasher.verifyPassword(ctx, holder, current, u.Password)
	switch {
	case err != nil:
		return fmt.Errorf("check the password of user %q: %w", u.ID, err)
	case !proven:
		return contract.InvalidInput(contract.FieldError{Field: "current", Code: "password.wrong"})
	case samePassword(next, current):
		return contract.InvalidInput(contract.FieldError{Field: "new", Code: "password.same"})
	}
	accounts, err := s.store.UsersByEmail(ctx, u.Email)
	if err != nil {
		return fmt.Errorf("read users by e-mail: %w", err)
	}
	hash, err := s.hasher.hashPassword(ctx, holder, next, s.random, otherHashes(accounts, u.ID))
	if err != nil {
		return err
	}
	// Hashing takes a while. If an operator resets the password meanwhile, because another person knows the old one, the
	// reset stays.
	e := contract.Event{Type: contract.EventPasswordChange, At: s.clock(), Person: u.Person, IP: by.IP}
	err = s.store.SetPassword(ctx, u.ID, u.Password, hash, e)
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound) {
		return contract.ErrUnauthenticated
	}
	if err != nil {
		return fmt.Errorf("set the password of %s: %w", u.ID, err)
	}
	return nil
}
