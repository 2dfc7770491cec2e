package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/store"
)

// ErrUserExists is returned if the e-mail already has an account in the organisation.
var ErrUserExists = contract.Refuse(contract.Conflict, "user.exists")

const maxName = 255 // characters

// NewUser describes an account to create.
type NewUser struct {
	Name         string // empty: the part of the e-mail before the @
	Email        string
	Password     string
	Organisation string               // a name; created if it does not exist. Empty: the first organisation
	Role         contract.AccountRole // empty: RoleSender
	MustReset    bool

	given bool // an admin created the account and knows the password
}

// AddedUser is the result of AddUser.
type AddedUser struct {
	Account         Account
	NewOrganisation bool // the organisation was created for the user, and has no quota yet
}

// AddUser creates an account. All errors of the input are returned together, as one error of kind Invalid. An e-mail that
// already has an account in the organisation is ErrUserExists.
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

// withDefaults returns n with cleaned texts, the e-mail in its parsed form, and a name.
func (n NewUser) withDefaults() NewUser {
	n.Name, n.Organisation = contract.CleanText(n.Name), contract.CleanText(n.Organisation)
	if address, code := contract.ParseEmail(n.Email); code == "" {
		n.Email = address
	}
	n.Role = cmp.Or(n.Role, contract.RoleSender)
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

// emailSpellings returns the forms in which accounts may hold an address: with an internationalised domain in ASCII, and as it
// was written, which is the form in accounts of earlier releases. Tries are counted under the first form, so that a caller does
// not get more of them by writing a domain in other letters.
func emailSpellings(email string) []string {
	written := foldEmail(email)
	address, code := contract.ParseEmail(email)
	if code != "" || foldEmail(address) == written {
		return []string{written}
	}
	return []string{foldEmail(address), written}
}

// findOrCreateOrganisation returns the organisation with that name, and creates it if it does not exist. For an empty name it
// returns the first organisation.
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
	u, err := s.newUser(ctx, n, o)
	if err != nil {
		return Account{}, err
	}
	err = s.store.CreateUser(ctx, u, events...)
	if errors.Is(err, store.ErrExists) {
		return Account{}, ErrUserExists.With("email", n.Email)
	}
	if err != nil {
		return Account{}, fmt.Errorf("create user %s: %w", n.Email, err)
	}
	return accountOf(u, o), nil
}

// accountOf returns a new user as they see themselves.
func accountOf(u store.User, o store.Organisation) Account {
	return Account{Person: u.Person, Organisation: o.ID, OrganisationName: o.Name, Role: u.Role(), Admin: u.Admin, MustReset: u.MustReset}
}

// newUser returns a user who is not stored yet, with the hash of their password.
func (s *Service) newUser(ctx context.Context, n NewUser, o store.Organisation) (store.User, error) {
	id, err := s.NewPersonID()
	if err != nil {
		return store.User{}, err
	}
	// Run the same statements and one hash whether there are other accounts or not: neither the answer nor its time may show
	// an admin that there are accounts in other organisations.
	others, err := s.store.UsersByEmail(ctx, n.Email)
	if err != nil {
		return store.User{}, fmt.Errorf("read users by e-mail: %w", err)
	}
	// The caller has an account, so the hash goes ahead of those for logins of unknown callers.
	hash, err := s.hasher.hashPassword(ctx, callerOrigin{key: string(o.ID), known: true}, n.Password, s.random, otherHashes(others, id))
	if err != nil {
		return store.User{}, err
	}
	u := store.User{
		Person:       contract.Person{ID: id, Name: n.Name, Email: n.Email},
		Organisation: o.ID, Admin: n.Role == contract.RoleAdmin, Password: hash, MustReset: n.MustReset, Given: n.given, CreatedAt: s.clock(),
	}
	if n.Role == contract.RoleMember || n.Role == contract.RoleAuditor {
		u.Limited = n.Role
	}
	return u, nil
}

// FirstLogin is the account that the first start creates. Password is in clear, to be shown once.
type FirstLogin struct {
	Account  Account
	Password string
}

// Bootstrap creates an organisation and its admin if there is none. The admin has a random password, which they must change;
// no other person chose it, so programs may use the account before that. Bootstrap returns nil if the organisation has users.
// If the process dies between the two steps, the next start repairs it. If two processes start at once, one creates the admin.
//
// It calls keep with the password before the account exists, and uses the one that keep returns: that of an earlier start which ended in
// between. Nil: the password is only returned.
func (s *Service) Bootstrap(ctx context.Context, organisation, email string, keep func(password string) (string, error)) (*FirstLogin, error) {
	_, err := s.store.FirstOrganisation(ctx)
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.createOrganisation(ctx, organisation)
	}
	if err != nil {
		return nil, err
	}
	// Read again: another process that starts at the same moment may have created an older one.
	o, err := s.store.FirstOrganisation(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the first organisation: %w", err)
	}
	users, err := s.store.Users(ctx, store.UserQuery{Organisation: o.ID, Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("read the users of %s: %w", o.ID, err)
	}
	if users.Total > 0 {
		return nil, nil
	}
	password, err := newPassword(s.random)
	if err == nil && keep != nil {
		password, err = keep(password)
	}
	if err != nil {
		return nil, err
	}
	a, err := s.createUser(ctx, NewUser{Name: "Administrator", Email: email, Password: password, Role: contract.RoleAdmin, MustReset: true}.withDefaults(), o)
	if errors.Is(err, ErrUserExists) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &FirstLogin{Account: a, Password: password}, nil
}

// InitialPasswordHolder returns the account with an e-mail that has the given initial password and was not given another one since, and what is stored
// of that password; both empty: there is none. An account that still has what an earlier call returned as stored is returned without hashing the
// password again.
func (s *Service) InitialPasswordHolder(ctx context.Context, email, password, known string) (holder contract.PersonID, stored string, err error) {
	accounts, err := s.store.UsersByEmail(ctx, emailSpellings(email)...)
	if err != nil {
		return "", "", fmt.Errorf("read users by e-mail: %w", err)
	}
	for _, u := range accounts {
		if !u.MustReset {
			continue
		}
		same := known != "" && u.Password == known
		if !same {
			if same, err = s.hasher.verifyPassword(ctx, callerOrigin{known: true}, password, u.Password); err != nil {
				return "", "", fmt.Errorf("check the password of user %q: %w", u.ID, err)
			}
		}
		if same {
			return u.ID, u.Password, nil
		}
	}
	return "", "", nil
}
