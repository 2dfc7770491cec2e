package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// ChangePassword gives the caller another password, on his own word and his present one. What is wrong is told
// beside "current" or "new". Trying the present one is bounded like a login. Every token of the account dies, the
// one it was asked with too: whoever knows the old password by stealth is out.
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
	// Who has a token of the account is not held up by others who try passwords on it.
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
	// Hashing takes a while. Who was given another password meanwhile, because this one is known to a stranger, keeps it.
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
