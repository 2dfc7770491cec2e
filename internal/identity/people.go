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
	CreatedAt  time.Time
	DisabledAt time.Time // zero: the account can be used
	ErasedAt   time.Time // when it was asked that the data of the person are erased; zero: it was not
	Owned      int       // how many documents the person owns
	Open       int       // how many documents in progress lack the person's signature
	Factors    store.FactorSummary
}

// PeopleQuery selects accounts. A zero member selects all that the caller administers.
type PeopleQuery struct {
	Organisation contract.OrganisationID
	Search       string // part of a name or an e-mail
	Status       store.AccountStatus
	Offset       int
	Limit        int
}

// NewPerson describes a person for whom an administrator creates an account.
type NewPerson struct {
	Name         string // empty: the part of the e-mail before the @
	Email        string
	Role         contract.AccountRole    // empty: RoleSender
	Organisation contract.OrganisationID // empty: the caller's own
}

// NewMember is a new account. Password is in clear, to be shown once.
type NewMember struct {
	Member
	Password string
}

// People returns one page of the accounts that a query selects, sorted by name, and how many there are in all.
func (s *Service) People(ctx context.Context, by contract.Actor, q PeopleQuery) ([]Member, int, error) {
	of, names, err := s.authoriseList(ctx, by, contract.AdminPeople, q.Organisation)
	if err != nil {
		return nil, 0, err
	}
	page, err := s.store.Users(ctx, store.UserQuery{Organisation: of, Search: q.Search, Status: q.Status, Offset: q.Offset, Limit: q.Limit})
	if err != nil {
		return nil, 0, fmt.Errorf("read the people of %q: %w", of, err)
	}
	members, err := s.describeMembers(ctx, names, page.Users...)
	return members, page.Total, err
}

// describeMembers describes users for administrators. Names are those of all organisations.
func (s *Service) describeMembers(ctx context.Context, names map[contract.OrganisationID]string, users ...store.User) ([]Member, error) {
	ids := make([]contract.PersonID, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	open, err := s.store.OpenSignatures(ctx, ids...)
	if err != nil {
		return nil, err
	}
	owned, err := s.store.OwnedDocuments(ctx, ids...)
	if err != nil {
		return nil, err
	}
	factors, err := s.store.FactorSummaries(ctx, ids...)
	if err != nil {
		return nil, err
	}
	members := make([]Member, len(users))
	for i, u := range users {
		members[i] = Member{
			Account:   Account{Person: u.Person, Organisation: u.Organisation, OrganisationName: names[u.Organisation], Role: u.Role(), Admin: u.Admin, MustReset: u.MustReset},
			CreatedAt: u.CreatedAt, DisabledAt: u.DisabledAt, ErasedAt: u.ErasedAt, Owned: owned[u.ID], Open: open[u.ID], Factors: factors[u.ID],
		}
	}
	return members, nil
}

// authoriseList requires that a person administers what a list of an organisation is about. It returns the organisation, which is empty if an operator lists those of
// all, and the names of all organisations.
func (s *Service) authoriseList(ctx context.Context, by contract.Actor, area contract.AdminOperation, of contract.OrganisationID) (contract.OrganisationID, map[contract.OrganisationID]string, error) {
	of, err := by.AuthoriseAdmin(area, of)
	if err != nil {
		return "", nil, err
	}
	names, err := s.organisationNames(ctx)
	if err != nil {
		return "", nil, err
	}
	if _, known := names[of]; of != "" && !known {
		return "", nil, contract.ErrNoOrganisation
	}
	return of, names, nil
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
	u := NewUser{Name: n.Name, Email: n.Email, Password: password, Role: n.Role, MustReset: true, given: true}.withDefaults()
	if err := s.checkUser(u); err != nil {
		return NewMember{}, err
	}
	now := s.clock()
	a, err := s.createUser(ctx, u, o, contract.Event{Type: contract.EventPersonAdded, At: now, Person: by.Person, IP: by.IP, Details: map[string]string{
		"organisation": string(o.ID), "name": u.Name, "email": u.Email, "admin": fmt.Sprint(u.Role == contract.RoleAdmin), "role": string(u.Role),
	}})
	if err != nil {
		return NewMember{}, err
	}
	return NewMember{Member: Member{Account: a, CreatedAt: now}, Password: password}, nil
}
