package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Member is a user as administrators see them.
type Member struct {
	Account
	CreatedAt time.Time
}

// NewPerson describes a person for whom an administrator creates an account.
type NewPerson struct {
	Name         string // empty: the part of the e-mail before the @
	Email        string
	Admin        bool
	Organisation contract.OrganisationID // empty: the caller's own
}

// NewMember is a new account. Password is in clear, to be shown once.
type NewMember struct {
	Member
	Password string
}

// People returns the users of an organisation whose name or e-mail contains search, sorted by name: at most limit of them,
// from offset on, and how many there are in all. An empty organisation means all that the caller administers.
func (s *Service) People(ctx context.Context, by contract.Actor, of contract.OrganisationID, search string, offset, limit int) ([]Member, int, error) {
	of, err := by.AuthoriseAdmin(contract.AdminPeople, of)
	if err != nil {
		return nil, 0, err
	}
	names, err := s.organisationNames(ctx)
	if err != nil {
		return nil, 0, err
	}
	if _, known := names[of]; of != "" && !known {
		return nil, 0, contract.ErrNoOrganisation
	}
	users, total, err := s.store.Users(ctx, of, search, offset, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("read the people of %q: %w", of, err)
	}
	members := make([]Member, 0, len(users))
	for _, u := range users {
		members = append(members, Member{
			Account:   Account{Person: u.Person, Organisation: u.Organisation, OrganisationName: names[u.Organisation], Admin: u.Admin, MustReset: u.MustReset},
			CreatedAt: u.CreatedAt,
		})
	}
	return members, total, nil
}

// organisationNames returns the names of all organisations by identifier.
func (s *Service) organisationNames(ctx context.Context) (map[contract.OrganisationID]string, error) {
	all, err := s.store.Organisations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read organisations: %w", err)
	}
	names := make(map[contract.OrganisationID]string, len(all))
	for _, o := range all {
		names[o.ID] = o.Name
	}
	return names, nil
}

// AddPerson creates an account with a random password, which the person must change. All errors of the input are returned
// together. An e-mail that already has an account in the organisation is ErrUserExists. An e-mail with accounts in other
// organisations gets the same answer as one without any, after the same work.
//
// If the process dies after the commit, the account exists but its password was never shown. A repeated request is
// refused, and an operator sets another password with [Service.ResetPassword].
func (s *Service) AddPerson(ctx context.Context, by contract.Actor, n NewPerson) (NewMember, error) {
	if n.Organisation == "" {
		n.Organisation = by.Organisation
	}
	of, err := by.AuthoriseAdmin(contract.AdminAddPerson, n.Organisation)
	if err != nil {
		return NewMember{}, err
	}
	o, err := s.store.Organisation(ctx, of)
	if errors.Is(err, store.ErrNotFound) {
		return NewMember{}, contract.ErrNoOrganisation
	}
	if err != nil {
		return NewMember{}, fmt.Errorf("read organisation %s: %w", of, err)
	}
	password, err := newPassword(s.random)
	if err != nil {
		return NewMember{}, err
	}
	u := NewUser{Name: n.Name, Email: n.Email, Password: password, Admin: n.Admin, MustReset: true, given: true}.withDefaults()
	if err := s.checkUser(u); err != nil {
		return NewMember{}, err
	}
	now := s.clock()
	a, err := s.createUser(ctx, u, o, contract.Event{Type: contract.EventPersonAdded, At: now, Person: by.Person, IP: by.IP, Details: map[string]string{
		"organisation": string(o.ID), "name": u.Name, "email": u.Email, "admin": fmt.Sprint(u.Admin),
	}})
	if err != nil {
		return NewMember{}, err
	}
	return NewMember{Member: Member{Account: a, CreatedAt: now}, Password: password}, nil
}
