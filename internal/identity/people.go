package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Member is a user as administrators see him.
type Member struct {
	Account
	CreatedAt time.Time
}

// NewPerson is somebody whom an administrator gives an account.
type NewPerson struct {
	Name         string // empty: what stands before the @
	Email        string
	Admin        bool
	Organisation contract.OrganisationID // empty: the caller's own
}

// NewMember is an account that was made. Password is in clear, to be shown once.
type NewMember struct {
	Member
	Password string
}

// People returns the users of an organisation, of all that the caller administers where it is empty, whose name or
// e-mail has search in it: those behind offset, by name, and how many there are in all.
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
		members = append(members, memberOf(u, names[u.Organisation]))
	}
	return members, total, nil
}

// organisationNames returns all of them by their identifiers.
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

func memberOf(u store.User, organisation string) Member {
	return Member{
		Account:   Account{Person: u.Person, Organisation: u.Organisation, OrganisationName: organisation, Admin: u.Admin, MustReset: u.MustReset},
		CreatedAt: u.CreatedAt,
	}
}

// AddPerson makes an account with a password drawn at random, which has to be changed. What is wrong with it is
// answered all at once; an e-mail that has an account in the organisation is ErrUserExists. One that has accounts in others is
// answered like one that has none, after the same work.
//
// A crash behind the commit leaves an account whose password nobody saw: it is asked for again, refused, and given
// another password with [Service.ResetPassword].
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
