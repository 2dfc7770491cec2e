package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// ResetPassword gives an account another password, on an operator's word, who has the data folder and could do anything
// with it: the account has not to choose its own. Every token of it dies.
func (s *Service) ResetPassword(ctx context.Context, by contract.Actor, email, next string) (Account, error) {
	u, err := s.userByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		return Account{}, contract.Refuse(contract.NotFound, "user.not_found").With("email", email)
	}
	if err != nil {
		return Account{}, fmt.Errorf("read a user by e-mail: %w", err)
	}
	account, err := s.account(ctx, u)
	if err != nil {
		return Account{}, err
	}
	if bad := s.checkPassword("password", next, u.Email, u.Name, account.OrganisationName); bad != nil {
		return Account{}, contract.InvalidInput(*bad)
	}
	// The present password may be the reason for the reset: it is known to another person.
	same, err := s.hasher.verify(ctx, next, u.Password)
	if err != nil {
		return Account{}, fmt.Errorf("check the password of user %q: %w", u.ID, err)
	}
	if same {
		return Account{}, contract.InvalidInput(contract.FieldError{Field: "password", Code: "password.same"})
	}
	hash, err := s.hasher.hash(ctx, next, s.random)
	if err != nil {
		return Account{}, err
	}
	e := contract.Event{Type: contract.EventPasswordChange, At: s.clock(), Person: by.Person, IP: by.IP, Details: map[string]string{"name": u.Name, "email": u.Email}}
	if err := s.store.SetPassword(ctx, u.ID, "", hash, e); err != nil {
		return Account{}, fmt.Errorf("set the password of %s: %w", u.ID, err)
	}
	account.MustReset = false
	return account, nil
}

// maxForgotten bounds, in bytes, what the log keeps of an address that nobody has checked.
const maxForgotten = 254

// ForgotPassword records that somebody asked for a new password; an operator gives him one with ResetPassword. It succeeds for
// any e-mail and does the same work for all, and tells by nothing whether there is an account.
func (s *Service) ForgotPassword(ctx context.Context, email, ip string) error {
	email = contract.CleanText(email)
	if email == "" || len(email) > maxForgotten {
		return nil
	}
	now := s.clock()
	// The log only grows: one too many is answered all the same, and not recorded.
	if s.tries.forgot.take(Network(ip), now) > 0 {
		return nil
	}
	u, err := s.userByEmail(ctx, email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read a user by e-mail: %w", err)
	}
	e := contract.Event{Type: contract.EventPasswordForgot, At: now, Person: u.Person, IP: ip, Details: map[string]string{"email": email}}
	if err := s.store.Note(ctx, e); err != nil {
		return fmt.Errorf("note a forgotten password: %w", err)
	}
	return nil
}
