package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// insert runs an INSERT ... ON CONFLICT DO NOTHING; store.ErrExists when it did nothing.
func (s *Store) insert(ctx context.Context, sql string, args ...any) error {
	return s.db.write(ctx, func(t tx) error {
		n, err := t.exec(ctx, sql, args...)
		if err == nil && n == 0 {
			return store.ErrExists
		}
		return err
	})
}

// run runs a statement, whether it finds anything or not.
func (s *Store) run(ctx context.Context, sql string, args ...any) error {
	return s.db.write(ctx, func(t tx) error {
		_, err := t.exec(ctx, sql, args...)
		return err
	})
}

// get scans the one row of a query; store.ErrNotFound when there is none.
func (s *Store) get(ctx context.Context, dest []any, sql string, args ...any) error {
	return s.db.read(ctx, func(q querier) error { return one(ctx, q, dest, sql, args...) })
}

// wrap adds what an error is about.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// CreateOrganisation implements [store.Identities].
func (s *Store) CreateOrganisation(ctx context.Context, o store.Organisation) error {
	err := s.insert(ctx, `INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, o.ID, o.Name, micros(o.CreatedAt))
	return wrap(err, "create organisation %s", o.Name)
}

func (s *Store) organisation(ctx context.Context, where string, args ...any) (store.Organisation, error) {
	var o store.Organisation
	err := s.get(ctx, []any{&o.ID, &o.Name, moment(&o.CreatedAt)}, `SELECT id, name, created_at FROM organisation `+where, args...)
	return o, wrap(err, "read organisation %v", args)
}

// Organisation implements [store.Identities].
func (s *Store) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	return s.organisation(ctx, `WHERE id = $1`, id)
}

// OrganisationByName implements [store.Identities].
func (s *Store) OrganisationByName(ctx context.Context, name string) (store.Organisation, error) {
	return s.organisation(ctx, `WHERE name = $1`, name)
}

// FirstOrganisation implements [store.Identities].
func (s *Store) FirstOrganisation(ctx context.Context) (store.Organisation, error) {
	return s.organisation(ctx, `ORDER BY created_at, id LIMIT 1`)
}

const userColumns = `id, organisation, name, email, admin, password, must_reset, given, created_at`

func userDest(u *store.User) []any {
	return []any{&u.ID, &u.Organisation, &u.Name, &u.Email, &u.Admin, &u.Password, &u.MustReset, &u.Given, moment(&u.CreatedAt)}
}

// CreateUser implements [store.Identities].
func (s *Store) CreateUser(ctx context.Context, u store.User, events ...contract.Event) error {
	err := s.db.write(ctx, func(t tx) error {
		n, err := t.exec(ctx, `INSERT INTO users (`+userColumns+`, name_folded, email_folded) VALUES (`+list(1, 11)+`) ON CONFLICT DO NOTHING`,
			u.ID, u.Organisation, u.Name, u.Email, u.Admin, u.Password, u.MustReset, u.Given, micros(u.CreatedAt), fold(u.Name), fold(u.Email))
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		if err != nil {
			return err
		}
		return appendEvents(ctx, t, events)
	})
	return wrap(err, "create user %s", u.Email)
}

// User implements [store.Identities].
func (s *Store) User(ctx context.Context, id contract.PersonID) (store.User, error) {
	var u store.User
	err := s.get(ctx, userDest(&u), `SELECT `+userColumns+` FROM users WHERE id = $1`, id)
	return u, wrap(err, "read user %s", id)
}

// byEmails selects the accounts of addresses, in the order in which they were made. The addresses are the first n arguments.
func byEmails(n int) string {
	return ` FROM users u WHERE u.email_folded IN (` + list(1, n) + `) ORDER BY u.created_at, u.id`
}

// foldAll folds addresses for the arguments of [byEmails].
func foldAll(emails []string) []any {
	args := make([]any, len(emails))
	for i, e := range emails {
		args[i] = fold(e)
	}
	return args
}

// UsersByEmail implements [store.Identities].
func (s *Store) UsersByEmail(ctx context.Context, emails ...string) ([]store.User, error) {
	users := []store.User{}
	err := s.db.read(ctx, func(q querier) error {
		return each(ctx, q, func(scan func(...any) error) error {
			var u store.User
			err := scan(userDest(&u)...)
			users = append(users, u)
			return err
		}, `SELECT `+userColumns+byEmails(len(emails)), foldAll(emails)...)
	})
	return users, wrap(err, "read the users of %q", emails)
}

// MemberByEmail implements [store.Identities].
func (s *Store) MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error) {
	var u store.User
	err := s.get(ctx, userDest(&u), `SELECT `+userColumns+` FROM users WHERE email_folded = $1 AND organisation = $2`, fold(email), o)
	return u, wrap(err, "read user %s of %s", email, o)
}

// SetPassword implements [store.Identities].
func (s *Store) SetPassword(ctx context.Context, id contract.PersonID, was, encoded string, e contract.Event) error {
	err := s.db.write(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE users SET password = $2, must_reset = FALSE, given = FALSE WHERE id = $1 AND $3 IN ('', password)`, id, encoded, was)
		if err != nil {
			return err
		}
		if n == 0 {
			if err := one(ctx, t, []any{&id}, `SELECT id FROM users WHERE id = $1`, id); err != nil {
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
		return appendEvents(ctx, t, []contract.Event{e})
	})
	return wrap(err, "set password of user %s", id)
}

// Users implements [store.Identities].
func (s *Store) Users(ctx context.Context, o contract.OrganisationID, search string, offset, limit int) ([]store.User, int, error) {
	users, total := []store.User{}, 0
	like, possible := pattern(search)
	if !possible {
		return users, 0, nil
	}
	c := &condition{}
	if o != "" {
		c.and("organisation = %s", o)
	}
	c.terms = append(c.terms, strings.ReplaceAll(`(name_folded LIKE ? ESCAPE '\' OR email_folded LIKE ? ESCAPE '\')`, "?", c.arg(like)))
	err := s.db.read(ctx, func(q querier) (err error) {
		if total, err = c.total(ctx, q, "users"); err != nil {
			return err
		}
		return each(ctx, q, func(scan func(...any) error) error {
			var u store.User
			err := scan(userDest(&u)...)
			users = append(users, u)
			return err
		}, `SELECT `+userColumns+` FROM users`+c.page("name_folded, id", offset, limit), c.args...)
	})
	return users, total, wrap(err, "read the users of %q", o)
}

// SetSpecimen implements [store.Identities].
func (s *Store) SetSpecimen(ctx context.Context, id contract.PersonID, image []byte) error {
	var err error
	if image == nil {
		err = s.run(ctx, `DELETE FROM specimen WHERE person = $1`, id)
	} else {
		err = s.run(ctx, `INSERT INTO specimen (person, image) VALUES ($1, $2) ON CONFLICT (person) DO UPDATE SET image = excluded.image`, id, image)
	}
	return wrap(err, "set specimen of %s", id)
}

// Specimen implements [store.Identities].
func (s *Store) Specimen(ctx context.Context, id contract.PersonID) ([]byte, error) {
	var image []byte
	err := s.get(ctx, []any{octets(&image)}, `SELECT image FROM specimen WHERE person = $1`, id)
	return image, wrap(err, "read specimen of %s", id)
}
