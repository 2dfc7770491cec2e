package identity

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// ChangePassword replaces the caller's password. The caller must give the current one, and tries of it are bounded like
// logins. Errors are reported for the fields "current" and "new". Every token of the account is revoked, the one of this
// request too: a person who stole the old password is logged out.
func (s *Service) ChangePassword(ctx context.Context, by contract.Actor, current, next string) error {
	u, me, err := s.loadCaller(ctx, by)
	if err != nil {
		return err
	}
	if bad := s.checkPassword("new", next, me.Email, me.Name, me.OrganisationName); bad != nil {
		return contract.InvalidInput(*bad)
	}
	if err := s.checkOwnPassword(ctx, by, u, current); err != nil {
		return err
	}
	if samePassword(next, current) {
		return contract.InvalidInput(contract.FieldError{Field: "new", Code: "password.same"})
	}
	accounts, err := s.store.UsersByEmail(ctx, u.Email)
	if err != nil {
		return fmt.Errorf("read users by e-mail: %w", err)
	}
	hash, err := s.hasher.hashPassword(ctx, callerOrigin{key: string(by.ID), known: true}, next, s.random, otherHashes(accounts, u.ID))
	if err != nil {
		return err
	}
	// Hashing takes a while. If an operator resets the password meanwhile, because another person knows the old one, the
	// reset stays.
	e := contract.Event{Type: contract.EventPasswordChange, At: s.clock(), Person: u.Person, IP: by.IP}
	// Durable with this commit: the password, the end of all sessions, and the message about it.
	err = s.store.SetPassword(ctx, u.ID, u.Password, hash, e, s.newAccountNotice(contract.NoticePasswordChanged, u, clientOf(by)))
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound) {
		return contract.ErrUnauthenticated
	}
	return err
}

// ResetPassword sets another password for an account on behalf of an operator. The person does not have to change it: an
// operator has access to the data folder, so a password that they know gives them nothing new. Every token of the account is
// revoked. Organisation is a name, and may be empty if the e-mail has only one account.
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
	// The present password must not stay: the reset may be necessary because another person knows it.
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
		return Account{}, err
	}
	account.MustReset = false
	return account, nil
}

// chooseAccount returns the only account in the organisation with that name, or the only account at all if the name is empty.
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
