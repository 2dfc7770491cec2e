package identity

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// ResetPassword gives an account another password, on an operator's word, who has the data folder and could do anything
// with it: the account has not to choose its own. Every token of it dies. Organisation is a name, and may be empty where the
// e-mail has one account.
func (s *Service) ResetPassword(ctx context.Context, by contract.Actor, email, organisation, next string) (Account, error) {
	accounts, err := s.store.UsersByEmail(ctx, emailSpellings(email)...)
	if err != nil {
		return Account{}, fmt.Errorf("read users by e-mail: %w", err)
	}
	u, account, err := s.chooseAccount(ctx, accounts, email, organisation)
	if err != nil {
		return Account{}, err
	}
	if bad := s.checkPassword("password", next, u.Email, u.Name, account.OrganisationName); bad != nil {
		return Account{}, contract.InvalidInput(*bad)
	}
	// The present password may be the reason for the reset: it is known to another person.
	same, err := s.hasher.verifyPassword(ctx, callerOrigin{known: true}, next, u.Password)
	if err != nil {
		return Account{}, fmt.Errorf("check the password of user %q: %w", u.ID, err)
	}
	if same {
		return Account{}, contract.InvalidInput(contract.FieldError{Field: "password", Code: "password.same"})
	}
	hash, err := s.hasher.hashPassword(ctx, callerOrigin{known: true}, next, s.random, otherHashes(accounts, u.ID))
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

// chooseAccount returns the one account in the organisation of that name, in any where it is empty.
func (s *Service) chooseAccount(ctx context.Context, accounts []store.User, email, organisation string) (u store.User, a Account, err error) {
	var names []string
	for _, candidate := range accounts {
		account, err := s.loadAccount(ctx, candidate)
		if err != nil {
			return store.User{}, Account{}, err
		}
		if organisation == "" || account.OrganisationName == organisation {
			u, a = candidate, account
			names = append(names, strconv.Quote(account.OrganisationName))
		}
	}
	switch len(names) {
	case 0:
		return store.User{}, Account{}, contract.Refuse(contract.NotFound, "user.not_found").With("email", email)
	case 1:
		return u, a, nil
	}
	return store.User{}, Account{}, contract.Refuse(contract.Conflict, "user.several").With("email", email).With("organisations", strings.Join(names, ", "))
}

// maxForgottenEmail bounds, in bytes, what the log keeps of an address that nobody has checked.
const maxForgottenEmail = 254

// ForgotPassword records that somebody asked for a new password; an operator gives him one with ResetPassword. It succeeds for
// any e-mail and does the same work for all, and tells by nothing whether there is an account.
func (s *Service) ForgotPassword(ctx context.Context, email, ip string) error {
	email = contract.CleanText(email)
	if email == "" || len(email) > maxForgottenEmail {
		return nil
	}
	now := s.clock()
	// The log only grows: one too many is answered all the same, and not recorded.
	if s.throttle.forgot.takeToken(Network(ip), now) > 0 {
		return nil
	}
	accounts, err := s.store.UsersByEmail(ctx, emailSpellings(email)...)
	if err != nil {
		return fmt.Errorf("read users by e-mail: %w", err)
	}
	var person contract.Person // of several, it is not known which is meant: the operator asks
	if len(accounts) == 1 {
		person = accounts[0].Person
	}
	e := contract.Event{Type: contract.EventPasswordForgot, At: now, Person: person, IP: ip, Details: map[string]string{"email": email}}
	if err := s.store.LogEvents(ctx, e); err != nil {
		return fmt.Errorf("note a forgotten password: %w", err)
	}
	return nil
}
