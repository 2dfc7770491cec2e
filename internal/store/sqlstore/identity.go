package sqlstore

import (
	"context"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// CreateOrganisation implements [store.Identities].
func (s *Store) CreateOrganisation(ctx context.Context, o store.Organisation) error {
	err := s.insertRecord(ctx, recordOf("organisation", o.ID), logEntry{at: o.CreatedAt}, `INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, o.ID, o.Name, toMicros(o.CreatedAt))
	return wrapf(err, "create organisation %s", o.Name)
}

var organisationRows = rowType[store.Organisation]{"organisation", `id, name, created_at`,
	func(o *store.Organisation) []any { return []any{&o.ID, &o.Name, scanTime(&o.CreatedAt)} }}

// Organisation implements [store.Identities].
func (s *Store) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	o, err := organisationRows.readOne(ctx, s, `WHERE id = $1`, id)
	return o, wrapf(err, "read organisation %s", id)
}

// OrganisationByName implements [store.Identities].
func (s *Store) OrganisationByName(ctx context.Context, name string) (store.Organisation, error) {
	o, err := organisationRows.readOne(ctx, s, `WHERE name = $1`, name)
	return o, wrapf(err, "read organisation %s", name)
}

// FirstOrganisation implements [store.Identities].
func (s *Store) FirstOrganisation(ctx context.Context) (store.Organisation, error) {
	o, err := organisationRows.readOne(ctx, s, `ORDER BY created_at, id LIMIT 1`)
	return o, wrapf(err, "read the first organisation")
}

var userRows = rowType[store.User]{
	"users",
	`id, organisation, name, email, admin, password, must_reset, given, created_at`,
	func(u *store.User) []any {
		return []any{&u.ID, &u.Organisation, &u.Name, &u.Email, &u.Admin, &u.Password, &u.MustReset, &u.Given, scanTime(&u.CreatedAt)}
	},
}

// CreateUser implements [store.Identities].
func (s *Store) CreateUser(ctx context.Context, u store.User, events ...contract.Event) error {
	err := s.insertRecord(ctx, recordOf("user", u.ID), logEntry{events: events, at: u.CreatedAt}, `INSERT INTO users (`+userRows.columns+`, name_folded, email_folded) VALUES (`+placeholders(1, 11)+`) ON CONFLICT DO NOTHING`,
		u.ID, u.Organisation, u.Name, u.Email, u.Admin, u.Password, u.MustReset, u.Given, toMicros(u.CreatedAt), foldText(u.Name), foldText(u.Email))
	return wrapf(err, "create user %s", u.Email)
}

// User implements [store.Identities].
func (s *Store) User(ctx context.Context, id contract.PersonID) (store.User, error) {
	u, err := userRows.readOne(ctx, s, `WHERE id = $1`, id)
	return u, wrapf(err, "read user %s", id)
}

// selectByEmails returns the end of a SELECT over the accounts of n addresses, oldest first. The addresses are the first n
// arguments.
func selectByEmails(n int) string {
	return ` FROM users u WHERE u.email_folded IN (` + placeholders(1, n) + `) ORDER BY u.created_at, u.id`
}

// foldedArgs returns the folded addresses as arguments of [selectByEmails].
func foldedArgs(emails []string) []any {
	args := make([]any, len(emails))
	for i, e := range emails {
		args[i] = foldText(e)
	}
	return args
}

// UsersByEmail implements [store.Identities].
func (s *Store) UsersByEmail(ctx context.Context, emails ...string) ([]store.User, error) {
	users, err := readAll(ctx, s, userRows.dest, `SELECT `+userRows.columns+selectByEmails(len(emails)), foldedArgs(emails)...)
	return users, wrapf(err, "read the users of %q", emails)
}

// MemberByEmail implements [store.Identities].
func (s *Store) MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error) {
	u, err := userRows.readOne(ctx, s, `WHERE email_folded = $1 AND organisation = $2`, foldText(email), o)
	return u, wrapf(err, "read user %s of %s", email, o)
}

// SetPassword implements [store.Identities].
func (s *Store) SetPassword(ctx context.Context, id contract.PersonID, was, encoded string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE users SET password = $2, must_reset = FALSE, given = FALSE WHERE id = $1 AND $3 IN ('', password)`, id, encoded, was)
		if err != nil {
			return err
		}
		if n == 0 {
			if err := queryOne(ctx, t, []any{&id}, `SELECT id FROM users WHERE id = $1`, id); err != nil {
				return err
			}
			return store.ErrConflict
		}
		if _, err := t.exec(ctx, `DELETE FROM token WHERE person = $1`, id); err != nil {
			return err
		}
		if err := forgetCallers(ctx, t, id); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("user", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set password of user %s", id)
}

// Users implements [store.Identities].
func (s *Store) Users(ctx context.Context, o contract.OrganisationID, search string, offset, limit int) ([]store.User, int, error) {
	like, possible := likePattern(search)
	if !possible {
		return []store.User{}, 0, nil
	}
	c := &condition{}
	if o != "" {
		c.addTerm("organisation = %s", o)
	}
	c.terms = append(c.terms, strings.ReplaceAll(`(name_folded LIKE ? ESCAPE '\' OR email_folded LIKE ? ESCAPE '\')`, "?", c.addArg(like)))
	users, total, err := userRows.readPage(ctx, s, c, "name_folded, id", offset, limit)
	return users, total, wrapf(err, "read the users of %q", o)
}

// SetSpecimen implements [store.Identities].
func (s *Store) SetSpecimen(ctx context.Context, id contract.PersonID, image []byte) error {
	err := s.db.withTx(ctx, func(t tx) error {
		var err error
		if image == nil {
			_, err = t.exec(ctx, `DELETE FROM specimen WHERE person = $1`, id)
		} else {
			_, err = t.exec(ctx, `INSERT INTO specimen (person, image) VALUES ($1, $2) ON CONFLICT (person) DO UPDATE SET image = excluded.image`, id, image)
		}
		if err != nil {
			return err
		}
		return logEntry{records: []record{recordOf("specimen", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set specimen of %s", id)
}

// Specimen implements [store.Identities].
func (s *Store) Specimen(ctx context.Context, id contract.PersonID) ([]byte, error) {
	var image []byte
	err := s.readRow(ctx, []any{scanBytes(&image)}, `SELECT image FROM specimen WHERE person = $1`, id)
	return image, wrapf(err, "read specimen of %s", id)
}
