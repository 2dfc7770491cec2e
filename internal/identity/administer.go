package identity

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/store"
)

// ResetPersonPassword gives a person a new random password, which they must change before anything else, and ends all their tokens.
// The password is in clear, to be shown once.
//
// If the process dies after the commit, the password was never shown. The operation can be repeated.
func (s *Service) ResetPersonPassword(ctx context.Context, by contract.Actor, id contract.PersonID) (NewMember, error) {
	u, err := s.loadPerson(ctx, by, contract.AdminResetPassword, id)
	if err == nil {
		err = by.RequireOther(id)
	}
	if err != nil {
		return NewMember{}, err
	}
	password, err := newPassword(s.random)
	if err != nil {
		return NewMember{}, err
	}
	accounts, err := s.store.UsersByEmail(ctx, u.Email)
	if err != nil {
		return NewMember{}, fmt.Errorf("read users by e-mail: %w", err)
	}
	hash, err := s.hasher.hashPassword(ctx, callerOrigin{key: string(by.ID), known: true}, password, s.random, otherHashes(accounts, u.ID))
	if err != nil {
		return NewMember{}, err
	}
	if err := s.store.GivePassword(ctx, id, hash, s.accountEvent(contract.EventPasswordReset, by, u)); err != nil {
		return NewMember{}, refuseNotFound(err, contract.ErrNoPerson)
	}
	m, err := s.loadMember(ctx, id)
	return NewMember{Member: m, Password: password}, err
}

// DisablePerson disables an account: all its tokens end, and a login answers as if the password was wrong. Documents that wait for
// the person go on waiting. Disabling an account again changes nothing. One's own account, and the last admin of an organisation, cannot
// be disabled.
func (s *Service) DisablePerson(ctx context.Context, by contract.Actor, id contract.PersonID) (Member, error) {
	return s.changePerson(ctx, by, contract.AdminDisable, id, func(u store.User) error {
		if err := by.RequireOther(id); err != nil {
			return err
		}
		return s.store.DisableUser(ctx, id, s.accountEvent(contract.EventPersonDisabled, by, u))
	})
}

// EnablePerson lets a disabled account be used again, with the password that it had. An account that is not disabled stays as it
// is.
func (s *Service) EnablePerson(ctx context.Context, by contract.Actor, id contract.PersonID) (Member, error) {
	return s.changePerson(ctx, by, contract.AdminEnable, id, func(u store.User) error {
		return s.store.EnableUser(ctx, id, s.accountEvent(contract.EventPersonEnabled, by, u))
	})
}

// RenamePerson changes the name of a person. What was signed and logged keeps the name that it was signed and logged with; the
// next certificate has the new one.
func (s *Service) RenamePerson(ctx context.Context, by contract.Actor, id contract.PersonID, name string) (Member, error) {
	return s.changePerson(ctx, by, contract.AdminRename, id, func(u store.User) error {
		name := contract.CleanText(name)
		switch {
		case !contract.HasVisibleText(name):
			return contract.InvalidInput(contract.NewFieldError("name", "value.required"))
		case utf8.RuneCountInString(name) > maxName:
			return contract.InvalidInput(contract.NewFieldError("name", "text.too_long", "limit", maxName))
		case name == u.Name:
			return nil
		}
		e := s.accountEvent(contract.EventPersonRenamed, by, u)
		e.Details["new_name"] = name
		return s.store.RenameUser(ctx, id, name, e)
	})
}

// SetRole gives a person another role, which is in effect at their next request, or makes the role that their groups gave them one that they keep. One's own role, and that of the last admin of an
// organisation, cannot be changed.
func (s *Service) SetRole(ctx context.Context, by contract.Actor, id contract.PersonID, role contract.AccountRole) (Member, error) {
	return s.changePerson(ctx, by, contract.AdminSetRole, id, func(u store.User) error {
		if err := by.RequireOther(id); err != nil {
			return err
		}
		e := s.accountEvent(contract.EventRoleChanged, by, u)
		e.Details["role"], e.Details["former_role"] = string(role), string(u.Role())
		return s.store.SetRole(ctx, id, role, e)
	})
}

// changePerson runs a change of an account that the caller administers, and returns the account as it is then. A change that finds
// that it was made before is store.ErrConflict and no error of changePerson.
func (s *Service) changePerson(ctx context.Context, by contract.Actor, op contract.AdminOperation, id contract.PersonID, change func(store.User) error) (Member, error) {
	u, err := s.loadPerson(ctx, by, op, id)
	if err != nil {
		return Member{}, err
	}
	if err := change(u); err != nil && !errors.Is(err, store.ErrConflict) {
		return Member{}, refuseNotFound(err, contract.ErrNoPerson)
	}
	return s.loadMember(ctx, id)
}

// loadPerson loads the user whom an operation of administration names. A user whom the caller does not administer is
// contract.ErrNoPerson, as one who does not exist.
func (s *Service) loadPerson(ctx context.Context, by contract.Actor, op contract.AdminOperation, id contract.PersonID) (store.User, error) {
	of, err := by.AuthoriseAdmin(op, "")
	if err != nil {
		return store.User{}, err
	}
	u, err := s.store.User(ctx, id)
	if err != nil {
		return store.User{}, refuseNotFound(fmt.Errorf("read user %s: %w", id, err), contract.ErrNoPerson)
	}
	if of != "" && u.Organisation != of {
		return store.User{}, contract.ErrNoPerson
	}
	if !u.ErasedAt.IsZero() && op != contract.AdminExport {
		return store.User{}, contract.ErrErased
	}
	return u, nil
}

// loadMember returns an account as administrators see it.
func (s *Service) loadMember(ctx context.Context, id contract.PersonID) (Member, error) {
	u, err := s.store.User(ctx, id)
	if err != nil {
		return Member{}, refuseNotFound(fmt.Errorf("read user %s: %w", id, err), contract.ErrNoPerson)
	}
	names, err := s.organisationNames(ctx)
	if err != nil {
		return Member{}, err
	}
	members, err := s.describeMembers(ctx, names, u)
	if err != nil {
		return Member{}, err
	}
	return members[0], nil
}

// accountEvent returns the event of what an administrator does to an account.
func (s *Service) accountEvent(t contract.EventType, by contract.Actor, u store.User) contract.Event {
	return by.SignEvent(contract.Event{Type: t, At: s.clock(), Details: map[string]string{
		"person": string(u.ID), "name": u.Name, "email": u.Email, "organisation": string(u.Organisation),
	}})
}

// FindPerson returns the identifier of the account with an e-mail. Organisation is a name, and may be empty if the e-mail has only
// one account.
func (s *Service) FindPerson(ctx context.Context, email, organisation string) (contract.PersonID, error) {
	accounts, err := s.store.UsersByEmail(ctx, emailSpellings(email)...)
	if err != nil {
		return "", fmt.Errorf("read users by e-mail: %w", err)
	}
	u, _, err := s.chooseAccount(ctx, accounts, email, organisation)
	return u.ID, err
}
