package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/store"
)

// ErrUserExists says that an e-mail has an account in the organisation already.
var ErrUserExists = contract.Refuse(contract.Conflict, "user.exists")

const maxName = 255 // characters

// NewUser is what an account is made of.
type NewUser struct {
	Name         string // empty: what stands before the @
	Email        string
	Password     string
	Organisation string // by name; made when there is none of it. Empty: the first organisation
	Admin        bool
	MustReset    bool

	given bool // by an admin, who knows the password
}

// AddedUser tells what AddUser made.
type AddedUser struct {
	Account         Account
	NewOrganisation bool // the organisation was made with it, and has no quota yet
}

// AddUser makes an account. What is wrong with it is answered all at once, of kind Invalid; an e-mail that has
// an account in the organisation is ErrUserExists.
func (s *Service) AddUser(ctx context.Context, n NewUser) (AddedUser, error) {
	n = n.withDefaults()
	if err := s.checkUser(n); err != nil {
		return AddedUser{}, err
	}
	o, made, err := s.findOrCreateOrganisation(ctx, n.Organisation)
	if err != nil {
		return AddedUser{}, err
	}
	a, err := s.createUser(ctx, n, o)
	if err != nil {
		return AddedUser{}, err
	}
	return AddedUser{Account: a, NewOrganisation: made}, nil
}

// withDefaults fills in what is missing, without what nobody means.
func (n NewUser) withDefaults() NewUser {
	n.Name, n.Organisation = contract.CleanText(n.Name), contract.CleanText(n.Organisation)
	if address, code := contract.ParseEmail(n.Email); code == "" {
		n.Email = address
	}
	if n.Name == "" {
		n.Name, _, _ = strings.Cut(n.Email, "@")
	}
	return n
}

func (s *Service) checkUser(n NewUser) error {
	var bad []contract.FieldError
	if _, code := contract.ParseEmail(n.Email); code != "" {
		bad = append(bad, contract.NewFieldError("email", code))
	}
	if utf8.RuneCountInString(n.Name) > maxName {
		bad = append(bad, contract.NewFieldError("name", "text.too_long", "limit", maxName))
	}
	if utf8.RuneCountInString(n.Organisation) > maxName {
		bad = append(bad, contract.NewFieldError("organisation", "text.too_long", "limit", maxName))
	}
	if p := s.checkPassword("password", n.Password, n.Email, n.Name, n.Organisation); p != nil {
		bad = append(bad, *p)
	}
	return contract.InvalidInput(bad...)
}

// emailSpellings returns the forms in which accounts may have an address: one with an internationalised domain in ASCII, and as it
// was written, which is how accounts of earlier releases have it. The first stands for the address where tries are counted, so
// that nobody gets more of them by writing a domain in other letters.
func emailSpellings(email string) []string {
	written := foldEmail(email)
	address, code := contract.ParseEmail(email)
	if code != "" || foldEmail(address) == written {
		return []string{written}
	}
	return []string{foldEmail(address), written}
}

// findOrCreateOrganisation returns the one of that name, made when there is none, or the first when name is empty.
func (s *Service) findOrCreateOrganisation(ctx context.Context, name string) (o store.Organisation, made bool, err error) {
	if name == "" {
		o, err = s.store.FirstOrganisation(ctx)
		if errors.Is(err, store.ErrNotFound) {
			return o, false, contract.Refuse(contract.NotFound, "organisation.none")
		}
		if err != nil {
			return o, false, fmt.Errorf("read the first organisation: %w", err)
		}
		return o, false, nil
	}
	o, err = s.store.OrganisationByName(ctx, name)
	if err == nil {
		return o, false, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return o, false, fmt.Errorf("read organisation %q: %w", name, err)
	}
	o, err = s.createOrganisation(ctx, name)
	return o, err == nil, err
}

func (s *Service) createOrganisation(ctx context.Context, name string) (store.Organisation, error) {
	id, err := newUUID(s.random)
	if err != nil {
		return store.Organisation{}, err
	}
	o := store.Organisation{ID: contract.OrganisationID(id), Name: name, CreatedAt: s.clock()}
	if err := s.store.CreateOrganisation(ctx, o); err != nil {
		return store.Organisation{}, fmt.Errorf("create organisation %q: %w", name, err)
	}
	return o, nil
}

func (s *Service) createUser(ctx context.Context, n NewUser, o store.Organisation, events ...contract.Event) (Account, error) {
	id, err := s.NewPersonID()
	if err != nil {
		return Account{}, err
	}
	// The same statements and one hash, whether there are other accounts or not: an admin must not learn of accounts in other
	// organisations, neither from the answer nor from its time.
	others, err := s.store.UsersByEmail(ctx, n.Email)
	if err != nil {
		return Account{}, fmt.Errorf("read users by e-mail: %w", err)
	}
	// The caller has an account, so the hash goes ahead of logins by unknown callers.
	hash, err := s.hasher.hashPassword(ctx, callerOrigin{key: string(o.ID), known: true}, n.Password, s.random, otherHashes(others, id))
	if err != nil {
		return Account{}, err
	}
	u := store.User{
		Person:       contract.Person{ID: id, Name: n.Name, Email: n.Email},
		Organisation: o.ID, Admin: n.Admin, Password: hash, MustReset: n.MustReset, Given: n.given, CreatedAt: s.clock(),
	}
	err = s.store.CreateUser(ctx, u, events...)
	if errors.Is(err, store.ErrExists) {
		return Account{}, ErrUserExists.With("email", n.Email)
	}
	if err != nil {
		return Account{}, fmt.Errorf("create user %s: %w", n.Email, err)
	}
	return Account{Person: u.Person, Organisation: o.ID, OrganisationName: o.Name, Admin: u.Admin, MustReset: u.MustReset}, nil
}

// FirstLogin is the account made at the first start. Password is in clear, to be printed once.
type FirstLogin struct {
	Account  Account
	Password string
}

// Bootstrap makes an organisation and its admin where there is none, with a password drawn at random that has
// to be changed; nobody gave it to him, so that programs may work by it. It returns nil when there is somebody already. A crash between the two is repaired by the
// next start; of two that start at once, one makes the admin.
func (s *Service) Bootstrap(ctx context.Context, organisation, email string) (*FirstLogin, error) {
	_, err := s.store.FirstOrganisation(ctx)
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.createOrganisation(ctx, organisation)
	}
	if err != nil {
		return nil, err
	}
	// Read again: another one starting at the same moment may have made an older one.
	o, err := s.store.FirstOrganisation(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the first organisation: %w", err)
	}
	_, users, err := s.store.Users(ctx, o.ID, "", 0, 1)
	if err != nil {
		return nil, fmt.Errorf("read the users of %s: %w", o.ID, err)
	}
	if users > 0 {
		return nil, nil
	}
	password, err := newPassword(s.random)
	if err != nil {
		return nil, err
	}
	a, err := s.createUser(ctx, NewUser{Name: "Administrator", Email: email, Password: password, Admin: true, MustReset: true}.withDefaults(), o)
	if errors.Is(err, ErrUserExists) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &FirstLogin{Account: a, Password: password}, nil
}
