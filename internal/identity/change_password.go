package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
)

// ChangePassword gives the caller another password, on his own word and his present one. What is wrong is told
// beside "current" or "new". Trying the present one is bounded like a login. Every token of the account dies, the
// one it was asked with too: whoever knows the old password by stealth is out.
//
// Tokens are revoked only after the new password stands: a crash between the two leaves old ones alive, and the
// caller, who saw no answer, does it again.
func (s *Service) ChangePassword(ctx context.Context, by contract.Actor, current, next string) error {
	if by.Guest != 0 {
		return contract.ErrNotAllowed
	}
	if bad := s.checkPassword("new", next); bad != nil {
		return contract.Input(*bad)
	}
	u, err := s.prove(ctx, by.Email, current, by.IP)
	switch {
	case errors.Is(err, ErrCredentials):
		return contract.Input(contract.FieldError{Field: "current", Code: "password.wrong"})
	case err != nil:
		return err
	case u.ID != by.ID:
		return contract.ErrIdentify // the account was given another e-mail since this token was read
	case current == next:
		return contract.Input(contract.FieldError{Field: "new", Code: "password.same"})
	}
	hash, err := s.hasher.hash(ctx, next, s.random)
	if err != nil {
		return err
	}
	// Hashing takes a while. Who was given another password meanwhile, because this one is known to a stranger, keeps it.
	now, err := s.store.User(ctx, u.ID)
	switch {
	case err != nil:
		return refuse(fmt.Errorf("read user %s again: %w", u.ID, err), contract.ErrIdentify)
	case now.Password != u.Password:
		return contract.ErrIdentify
	}
	if err := s.store.SetPassword(ctx, u.ID, hash, false); err != nil {
		return fmt.Errorf("set the password of %s: %w", u.ID, err)
	}
	if err := s.store.RevokePerson(ctx, u.ID); err != nil {
		return fmt.Errorf("revoke the tokens of %s: %w", u.ID, err)
	}
	if err := s.store.Note(ctx, contract.Event{Type: contract.EventPasswordChange, At: s.clock(), Person: u.Person, IP: by.IP}); err != nil {
		return fmt.Errorf("note a changed password: %w", err)
	}
	return nil
}
