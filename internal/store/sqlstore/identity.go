package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// insertRow runs an INSERT ... ON CONFLICT DO NOTHING and appends the entry to the log in the same transaction. It returns
// store.ErrExists if the row exists already.
func (s *Store) insertRow(ctx context.Context, entry logEntry, sql string, args ...any) error {
	return s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, sql, args...)
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		if err != nil {
			return err
		}
		return entry.appendToLog(ctx, t)
	})
}

// runStatement runs a statement in a transaction. It succeeds even if the statement affects no row.
func (s *Store) runStatement(ctx context.Context, sql string, args ...any) error {
	return s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, sql, args...)
		return err
	})
}

// readRow scans the only row of a query. It returns store.ErrNotFound if there is none.
func (s *Store) readRow(ctx context.Context, dest []any, sql string, args ...any) error {
	return s.db.withSnapshot(ctx, func(q querier) error { return queryOne(ctx, q, dest, sql, args...) })
}

// wrapf adds context to an error. It returns nil for a nil error.
func wrapf(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// CreateOrganisation implements [store.Identities].
func (s *Store) CreateOrganisation(ctx context.Context, o store.Organisation) error {
	entry := logEntry{records: []record{recordOf("organisation", o.ID)}, at: o.CreatedAt}
	err := s.insertRow(ctx, entry, `INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, o.ID, o.Name, toMicros(o.CreatedAt))
	return wrapf(err, "create organisation %s", o.Name)
}

func (s *Store) readOrganisation(ctx context.Context, where string, args ...any) (store.Organisation, error) {
	var o store.Organisation
	err := s.readRow(ctx, []any{&o.ID, &o.Name, scanTime(&o.CreatedAt)}, `SELECT id, name, created_at FROM organisation `+where, args...)
	return o, wrapf(err, "read organisation %v", args)
}

// Organisation implements [store.Identities].
func (s *Store) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	return s.readOrganisation(ctx, `WHERE id = $1`, id)
}

// OrganisationByName implements [store.Identities].
func (s *Store) OrganisationByName(ctx context.Context, name string) (store.Organisation, error) {
	return s.readOrganisation(ctx, `WHERE name = $1`, name)
}

// FirstOrganisation implements [store.Identities].
func (s *Store) FirstOrganisation(ctx context.Context) (store.Organisation, error) {
	return s.readOrganisation(ctx, `ORDER BY created_at, id LIMIT 1`)
}

const userColumns = `id, organisation, name, email, admin, password, must_reset, given, created_at`

func userDest(u *store.User) []any {
	return []any{&u.ID, &u.Organisation, &u.Name, &u.Email, &u.Admin, &u.Password, &u.MustReset, &u.Given, scanTime(&u.CreatedAt)}
}

// CreateUser implements [store.Identities].
func (s *Store) CreateUser(ctx context.Context, u store.User, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `INSERT INTO users (`+userColumns+`, name_folded, email_folded) VALUES (`+placeholders(1, 11)+`) ON CONFLICT DO NOTHING`,
			u.ID, u.Organisation, u.Name, u.Email, u.Admin, u.Password, u.MustReset, u.Given, toMicros(u.CreatedAt), foldText(u.Name), foldText(u.Email))
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		if err != nil {
			return err
		}
		return logEntry{events: events, records: []record{recordOf("user", u.ID)}, at: u.CreatedAt}.appendToLog(ctx, t)
	})
	return wrapf(err, "create user %s", u.Email)
}

// User implements [store.Identities].
func (s *Store) User(ctx context.Context, id contract.PersonID) (store.User, error) {
	var u store.User
	err := s.readRow(ctx, userDest(&u), `SELECT `+userColumns+` FROM users WHERE id = $1`, id)
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
	users := []store.User{}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan func(...any) error) error {
			var u store.User
			err := scan(userDest(&u)...)
			users = append(users, u)
			return err
		}, `SELECT `+userColumns+selectByEmails(len(emails)), foldedArgs(emails)...)
	})
	return users, wrapf(err, "read the users of %q", emails)
}

// MemberByEmail implements [store.Identities].
func (s *Store) MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error) {
	var u store.User
	err := s.readRow(ctx, userDest(&u), `SELECT `+userColumns+` FROM users WHERE email_folded = $1 AND organisation = $2`, foldText(email), o)
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
	users, total := []store.User{}, 0
	like, possible := likePattern(search)
	if !possible {
		return users, 0, nil
	}
	c := &condition{}
	if o != "" {
		c.addTerm("organisation = %s", o)
	}
	c.terms = append(c.terms, strings.ReplaceAll(`(name_folded LIKE ? ESCAPE '\' OR email_folded LIKE ? ESCAPE '\')`, "?", c.addArg(like)))
	err := s.db.withSnapshot(ctx, func(q querier) (err error) {
		if total, err = c.countRows(ctx, q, "users"); err != nil {
			return err
		}
		return queryEach(ctx, q, func(scan func(...any) error) error {
			var u store.User
			err := scan(userDest(&u)...)
			users = append(users, u)
			return err
		}, `SELECT `+userColumns+` FROM users`+c.pageClause("name_folded, id", offset, limit), c.args...)
	})
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
