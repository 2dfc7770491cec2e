package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// ChangePassword replaces the caller's own password. Every token of his dies, the one he asks with too.
func (s *Service) ChangePassword(ctx context.Context, by contract.Actor, current, next string) error {
	if by.Guest != 0 || by.System() {
		return contract.ErrNotAllowed
	}
	if bad := s.checkPassword("password", next); bad != nil {
		return &contract.Error{Kind: contract.Invalid, Code: "input.invalid", Fields: []contract.FieldError{*bad}}
	}
	u, err := s.prove(ctx, by.Email, current, by.IP)
	if err != nil {
		return err
	}
	if u.ID != by.ID {
		return ErrCredentials
	}
	return s.replacePassword(ctx, u.ID, next, false)
}

// ResetPassword gives an account another password, on an operator's word; mustReset marks it as one to be
// changed. Every token of the account dies.
func (s *Service) ResetPassword(ctx context.Context, email, next string, mustReset bool) error {
	if bad := s.checkPassword("password", next); bad != nil {
		return &contract.Error{Kind: contract.Invalid, Code: "input.invalid", Fields: []contract.FieldError{*bad}}
	}
	u, err := s.store.UserByEmail(ctx, foldEmail(email))
	if errors.Is(err, store.ErrNotFound) {
		return contract.Refuse(contract.NotFound, "user.not_found").With("email", email)
	}
	if err != nil {
		return fmt.Errorf("read a user by e-mail: %w", err)
	}
	return s.replacePassword(ctx, u.ID, next, mustReset)
}

// replacePassword revokes only after the new password stands: a crash between the two leaves old tokens
// alive, and the operator or user, who saw an error, does it again.
func (s *Service) replacePassword(ctx context.Context, id contract.PersonID, next string, mustReset bool) error {
	hash, err := s.hasher.hash(ctx, next, s.random)
	if err != nil {
		return err
	}
	if err := s.store.SetPassword(ctx, id, hash, mustReset); err != nil {
		return fmt.Errorf("set the password of %s: %w", id, err)
	}
	if err := s.store.RevokePerson(ctx, id); err != nil {
		return fmt.Errorf("revoke the tokens of %s: %w", id, err)
	}
	return nil
}

// ForgotPassword records that somebody asked for a new password; an operator gives him one. It succeeds for
// any e-mail and does the same work for all, and tells by nothing whether there is an account.
func (s *Service) ForgotPassword(ctx context.Context, email, ip string) error {
	email = contract.CleanText(email)
	if email == "" || len(email) > maxEmail {
		return nil
	}
	now := s.clock()
	// The log only grows: one too many is answered all the same, and not recorded.
	if s.tries.forgot.take(network(ip), now) > 0 {
		return nil
	}
	u, err := s.store.UserByEmail(ctx, foldEmail(email))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read a user by e-mail: %w", err)
	}
	e := contract.Event{Type: contract.EventPasswordForgot, At: now, Person: u.Person, IP: ip, Details: map[string]string{"email": email}}
	if err := s.store.Note(ctx, e); err != nil {
		return fmt.Errorf("note a forgotten password: %w", err)
	}
	return nil
}
