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
	if by.Guest != 0 {
		return contract.ErrNotAllowed
	}
	me, err := s.Me(ctx, by)
	if err != nil {
		return err
	}
	if bad := s.checkPassword("new", next, me.Email, me.Name, me.OrganisationName); bad != nil {
		return contract.InvalidInput(*bad)
	}
	// Who has a token of the account is not held up by others who try passwords on it.
	if err := s.tries.admitHolder(by.ID, s.clock()); err != nil {
		return err
	}
	u, err := s.checkCredentials(ctx, by.Email, current)
	switch {
	case errors.Is(err, ErrCredentials):
		return contract.InvalidInput(contract.FieldError{Field: "current", Code: "password.wrong"})
	case err != nil:
		return err
	case u.ID != by.ID:
		return contract.ErrUnauthenticated // the account was given another e-mail since this token was read
	case samePassword(next, current):
		return contract.InvalidInput(contract.FieldError{Field: "new", Code: "password.same"})
	}
	hash, err := s.hasher.hash(ctx, next, s.random)
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
