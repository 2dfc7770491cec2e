package sqlstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// CreateOrganisation implements [store.Identities].
func (s *Store) CreateOrganisation(ctx context.Context, o store.Organisation, events ...contract.Event) error {
	err := s.runWithAnswer(ctx, func(t tx) (any, error) {
		return o, insertWritten(ctx, t, recordOf("organisation", o.ID), logEntry{events: events, at: o.CreatedAt}, insertOrganisation, o.ID, o.Name, toMicros(o.CreatedAt))
	})
	return wrapf(err, "create organisation %s", o.Name)
}

const insertOrganisation = `INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

var organisationRows = rowType[store.Organisation]{"organisation", `id, name, created_at,
	COALESCE((SELECT b.colour FROM branding b WHERE b.organisation = organisation.id), ''), COALESCE((SELECT b.logo FROM branding b WHERE b.organisation = organisation.id), ''),
	COALESCE((SELECT c.version FROM consent_policy c WHERE c.organisation = organisation.id), 0), COALESCE((SELECT c.required FROM consent_policy c WHERE c.organisation = organisation.id), FALSE),
	COALESCE((SELECT r.after_days FROM reminder_schedule r WHERE r.organisation = organisation.id), 0),
	COALESCE((SELECT r.every_days FROM reminder_schedule r WHERE r.organisation = organisation.id), 0),
	COALESCE((SELECT r.before_days FROM reminder_schedule r WHERE r.organisation = organisation.id), 0),
	COALESCE((SELECT l.language || ' ' || l.zone FROM organisation_locale l WHERE l.organisation = organisation.id), ''),
	COALESCE((SELECT a.policy FROM account_policy a WHERE a.organisation = organisation.id), ''),
	COALESCE((SELECT st.state || ' ' || st.changed_at || ' ' || st.reason FROM organisation_state st WHERE st.id = organisation.id), '')`,
	func(o *store.Organisation) []any {
		return []any{
			&o.ID, &o.Name, scanTime(&o.CreatedAt), &o.Branding.Colour, &o.Branding.Logo, &o.Consent.Version, &o.Consent.Required,
			&o.Reminders.After, &o.Reminders.Every, &o.Reminders.Before, scanLocale(&o.Locale), scanPolicy(&o.Accounts),
			scanState(o),
		}
	}}

// scanLocale scans a language and a time zone, which are separated by a space.
func scanLocale(l *contract.Locale) scanner {
	return func(column any) error {
		var s string
		err := scanText(&s).Scan(column)
		l.Language, l.Zone, _ = strings.Cut(s, " ")
		return err
	}
}

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

// userColumns are the columns of users that CreateUser writes, besides the folded ones.
const userColumns = `id, organisation, name, email, admin, password, must_reset, given, created_at`

// disabledAt is when the account with the identifier id of the outer query was disabled; 0: it was not.
const disabledAt = `COALESCE((SELECT disabled_at FROM disabled_account WHERE person = id), 0)`

// limitedRole is the role of the account with the identifier id of the outer query, unless it is admin or sender.
const limitedRole = `COALESCE((SELECT role FROM account_role WHERE person = id), '')`

// erasedAt is when the data of the account with the identifier id of the outer query were asked to be erased; 0: they were not.
const erasedAt = `COALESCE((SELECT asked_at FROM erasure WHERE person = id), 0)`

// verifiedMailbox is the mailbox of the account with the identifier id of the outer query; empty: none.
const verifiedMailbox = `COALESCE((SELECT mailbox FROM mailbox_account WHERE person = id), '')`

var userRows = rowType[store.User]{
	"users",
	userColumns + `, ` + disabledAt + `, ` + erasedAt + `, ` + limitedRole + `, ` + verifiedMailbox + `, ` + stateOf("organisation") + `, ` + teamsOf("id"),
	func(u *store.User) []any {
		return []any{&u.ID, &u.Organisation, &u.Name, &u.Email, &u.Admin, &u.Password, &u.MustReset, &u.Given, scanTime(&u.CreatedAt), scanTime(&u.DisabledAt), scanTime(&u.ErasedAt), &u.Limited, &u.Mailbox, &u.OrganisationState, scanTeams(&u.Teams)}
	},
}

var insertUserRow = `INSERT INTO users (` + userColumns + `, name_folded, email_folded) VALUES (` + placeholders(1, 11) + `) ON CONFLICT DO NOTHING`

func userArgs(u store.User) []any {
	return []any{u.ID, u.Organisation, u.Name, u.Email, u.Admin, u.Password, u.MustReset, u.Given, toMicros(u.CreatedAt), foldText(u.Name), foldText(u.Email)}
}

// CreateUser implements [store.Identities].
func (s *Store) CreateUser(ctx context.Context, u store.User, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The lock on the organisation makes an invitation of the address happen before this, which ends it, or after it, which refuses it.
		if err := lockOrganisation(ctx, t, u.Organisation); err != nil {
			return err
		}
		return insertUser(ctx, t, u, logEntry{events: events, at: u.CreatedAt})
	})
	return wrapf(err, "create user %s", u.Email)
}

// insertUser adds a user, and the entry to the log. It is the last step of a transaction, which has locked the organisation.
func insertUser(ctx context.Context, t tx, u store.User, entry logEntry) error {
	written := newWrittenRecord(recordOf("user", u.ID))
	insert, err := written.writeRow(insertUserRow, userArgs(u)...)
	if err != nil {
		return err
	}
	insert.done = requireNew
	if err := t.addStatements(ctx, insert, endOpenInvitation(u.Organisation, u.Email, contract.InvitationAccepted, u.CreatedAt)); err != nil {
		return err
	}
	if u.Limited != "" {
		if err := setLimitedRole(ctx, t, u.ID, u.Limited, u.CreatedAt); err != nil {
			return err
		}
		entry.records = append(entry.records, recordOf("account_role", u.ID))
	}
	entry.written = append(entry.written, written)
	return entry.appendToLog(ctx, t)
}

// setLimitedRole stores a role other than admin and sender.
func setLimitedRole(ctx context.Context, t tx, id contract.PersonID, role contract.AccountRole, at time.Time) error {
	return t.addStatements(ctx, statement{
		sql: `INSERT INTO account_role (person, role, changed_at) VALUES ($1, $2, $3)
			ON CONFLICT (person) DO UPDATE SET role = excluded.role, changed_at = excluded.changed_at`,
		args: []any{id, role, toMicros(at)}, what: "store the role of an account",
	})
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

// FindMembers implements [store.Identities].
func (s *Store) FindMembers(ctx context.Context, o contract.OrganisationID, asked ...store.MemberQuery) ([]store.User, error) {
	found := make([]store.User, len(asked))
	var c condition
	var ids, emails []any
	for _, a := range asked {
		switch {
		case a.ID != "":
			ids = append(ids, a.ID)
		case a.Email != "":
			emails = append(emails, foldText(a.Email))
		}
	}
	// Not "organisation = ... AND (...)", for which SQLite would read all users of the organisation.
	if len(ids) > 0 {
		c.terms = append(c.terms, `id IN (`+placeholders(1, len(ids))+`) AND organisation = `+placeholders(len(ids)+1, 1))
		c.args = append(ids, o)
	}
	if len(emails) > 0 {
		n := len(c.args)
		c.terms = append(c.terms, `email_folded IN (`+placeholders(n+1, len(emails))+`) AND organisation = `+placeholders(n+len(emails)+1, 1))
		c.args = append(append(c.args, emails...), o)
	}
	if len(c.terms) == 0 {
		return found, nil
	}
	users := []store.User{}
	err := s.db.readTogether(ctx, selectAll(&users, userRows.dest, userRows.selectWhere(`WHERE `+strings.Join(c.terms, " OR ")), c.args...))
	for i, a := range asked {
		for _, u := range users {
			if a.ID != "" && u.ID == a.ID || a.ID == "" && a.Email != "" && foldText(u.Email) == foldText(a.Email) {
				found[i] = u
			}
		}
	}
	return found, wrapf(err, "read users of %s", o)
}

// SetPassword implements [store.Identities].
func (s *Store) SetPassword(ctx context.Context, id contract.PersonID, was, encoded string, e contract.Event, told ...contract.Notice) error {
	return wrapf(s.db.withTx(ctx, func(t tx) error {
		if err := insertNotices(ctx, t, told); err != nil {
			return err
		}
		return replacePassword(ctx, t, id, was, encoded, false, logEntry{events: []contract.Event{e}, jobs: noticeJobs(told)})
	}), "set password of user %s", id)
}

// GivePassword implements [store.Identities].
func (s *Store) GivePassword(ctx context.Context, id contract.PersonID, encoded string, e contract.Event) error {
	return wrapf(s.db.withTx(ctx, func(t tx) error {
		return replacePassword(ctx, t, id, "", encoded, true, logEntry{events: []contract.Event{e}})
	}), "set password of user %s", id)
}

// replacePassword replaces a password, and adds the entry to the log with the record of the user. Given says that an administrator knows it, so that it must be changed.
func replacePassword(ctx context.Context, t tx, id contract.PersonID, was, encoded string, given bool, entry logEntry) error {
	if err := lockUnerased(ctx, t, id); err != nil {
		return err
	}
	n, err := t.exec(ctx, `UPDATE users SET password = $2, must_reset = $4, given = $4 WHERE id = $1 AND $3 IN ('', password)`, id, encoded, was, given)
	if err != nil {
		return err
	}
	if n == 0 {
		return store.ErrConflict
	}
	if err := endLogins(ctx, t, id); err != nil {
		return err
	}
	entry.records = append(entry.records, recordOf("user", id))
	return entry.appendToLog(ctx, t)
}

// endLogins deletes a person's tokens, sessions, links for a new password, devices and addresses. The transaction has locked their row of users, see
// lockUser.
func endLogins(ctx context.Context, t tx, id contract.PersonID) error {
	if _, err := t.exec(ctx, `DELETE FROM token WHERE person = $1 OR family IN (SELECT '`+store.OpenedFamily+`' || family FROM token WHERE person = $1
		UNION SELECT '`+store.OpenedFamily+`' || family FROM session WHERE person = $1)`, id); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `DELETE FROM session WHERE person = $1`, id); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `DELETE FROM password_reset WHERE person = $1`, id); err != nil {
		return err
	}
	return forgetCallers(ctx, t, id)
}

// RenameUser implements [store.Identities].
func (s *Store) RenameUser(ctx context.Context, id contract.PersonID, name string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockUnerased(ctx, t, id); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE users SET name = $2, name_folded = $3 WHERE id = $1`, id, name, foldText(name)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("user", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "rename user %s", id)
}

// SetRole implements [store.Identities].
func (s *Store) SetRole(ctx context.Context, id contract.PersonID, role contract.AccountRole, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		u, err := lockRole(ctx, t, id)
		if err != nil {
			return err
		}
		ofGroups, err := forgetGroupRole(ctx, t, id)
		switch {
		case err != nil:
			return err
		case u.Role() != role:
			return changeRole(ctx, t, u, role, e)
		case ofGroups:
			return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
		}
		return store.ErrConflict
	})
	return wrapf(err, "set the role of user %s", id)
}

// SetGroupRole implements [store.SSO].
func (s *Store) SetGroupRole(ctx context.Context, id contract.PersonID, role contract.AccountRole, e contract.Event) error {
	// Most logins find what the last one stored. They write nothing.
	u, err := s.User(ctx, id)
	if err == nil && u.Role() == role {
		var given contract.AccountRole
		if err = s.readRow(ctx, []any{&given}, selectGroupRole, id); err == nil && given == role {
			return nil
		}
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return wrapf(err, "read the role of user %s", id)
	}
	err = s.db.withTx(ctx, func(t tx) error {
		u, err := lockRole(ctx, t, id)
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO group_role (person, role) VALUES ($1, $2) ON CONFLICT (person) DO UPDATE SET role = excluded.role`, id, role); err != nil || u.Role() == role {
			return err
		}
		return changeRole(ctx, t, u, role, e)
	})
	return wrapf(err, "give user %s the role of their groups", id)
}

// TakeGroupRole implements [store.SSO].
func (s *Store) TakeGroupRole(ctx context.Context, id contract.PersonID, e contract.Event) error {
	var given contract.AccountRole
	if err := s.readRow(ctx, []any{&given}, selectGroupRole, id); err != nil {
		return wrapf(err, "read the role that groups gave user %s", id)
	}
	err := s.db.withTx(ctx, func(t tx) error {
		u, err := lockRole(ctx, t, id)
		if err != nil {
			return err
		}
		if err := queryOne(ctx, t, []any{&given}, selectGroupRole, id); err != nil {
			return err
		}
		if _, err := forgetGroupRole(ctx, t, id); err != nil {
			return err
		}
		if u.Role() == contract.RoleMember || u.Role() != given { // a program of an earlier release set another role
			return nil
		}
		return changeRole(ctx, t, u, contract.RoleMember, e)
	})
	return wrapf(err, "take the role of their groups from user %s", id)
}

// selectGroupRole reads the role that the groups of a person gave them last.
const selectGroupRole = `SELECT role FROM group_role WHERE person = $1`

// forgetGroupRole records that the role of a person does not come from their groups, and reports whether it did.
func forgetGroupRole(ctx context.Context, t tx, id contract.PersonID) (bool, error) {
	n, err := t.exec(ctx, `DELETE FROM group_role WHERE person = $1`, id)
	return n > 0, err
}

// lockRole returns a user whose role is about to change. Other changes of who administers the organisation wait.
func lockRole(ctx context.Context, t tx, id contract.PersonID) (u store.User, err error) {
	if err := lockOrganisationOf(ctx, t, id); err != nil {
		return u, err
	}
	if err := lockUnerased(ctx, t, id); err != nil {
		return u, err
	}
	err = queryOne(ctx, t, userRows.dest(&u), `SELECT `+userRows.columns+` FROM users WHERE id = $1`, id)
	return u, err
}

// changeRole gives a user that lockRole returned another role and logs the event. It is the last step of a transaction.
func changeRole(ctx context.Context, t tx, u store.User, role contract.AccountRole, e contract.Event) error {
	if u.Admin && u.DisabledAt.IsZero() {
		if err := requireOtherAdmin(ctx, t, u.ID); err != nil {
			return err
		}
	}
	if _, err := t.exec(ctx, `UPDATE users SET admin = $2 WHERE id = $1`, u.ID, role == contract.RoleAdmin); err != nil {
		return err
	}
	if role == contract.RoleAdmin || role == contract.RoleSender {
		if _, err := t.exec(ctx, `DELETE FROM account_role WHERE person = $1`, u.ID); err != nil {
			return err
		}
	} else if err := setLimitedRole(ctx, t, u.ID, role, e.At); err != nil {
		return err
	}
	return logEntry{events: []contract.Event{e}, records: []record{recordOf("user", u.ID), recordOf("account_role", u.ID)}}.appendToLog(ctx, t)
}

// lockOrganisationOf makes changes of who administers the organisation of a user wait for each other.
func lockOrganisationOf(ctx context.Context, t tx, id contract.PersonID) error {
	_, err := t.exec(ctx, `UPDATE organisation SET name = name WHERE id = (SELECT organisation FROM users WHERE id = $1)`, id)
	return err
}

// requireOtherAdmin returns contract.ErrLastAdmin unless the organisation of a user has another admin whose account is not disabled, and
// store.ErrNotFound without the user. The transaction has called lockOrganisationOf.
func requireOtherAdmin(ctx context.Context, t tx, id contract.PersonID) error {
	var other bool
	err := queryOne(ctx, t, []any{&other}, `SELECT EXISTS (SELECT 1 FROM users o WHERE o.organisation = u.organisation AND o.admin AND o.id <> u.id
		AND NOT EXISTS (SELECT 1 FROM disabled_account d WHERE d.person = o.id)) FROM users u WHERE u.id = $1`, id)
	if err == nil && !other {
		return contract.ErrLastAdmin
	}
	return err
}

// DisableUser implements [store.Identities].
func (s *Store) DisableUser(ctx context.Context, id contract.PersonID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		records, err := disableUser(ctx, t, id, e.At)
		switch {
		case err != nil:
			return err
		case records == nil:
			return store.ErrConflict
		}
		return logEntry{events: []contract.Event{e}, records: records}.appendToLog(ctx, t)
	})
	return wrapf(err, "disable user %s", id)
}

// disableUser disables an account and returns the records that it wrote; none if it was disabled before.
func disableUser(ctx context.Context, t tx, id contract.PersonID, at time.Time) ([]record, error) {
	// The lock on the organisation makes two admins who disable each other do so one after the other. The lock on the user makes
	// a login in progress see this change, or this transaction see its tokens.
	if err := lockOrganisationOf(ctx, t, id); err != nil {
		return nil, err
	}
	if err := lockUser(ctx, t, id); err != nil {
		return nil, err
	}
	var u store.User
	if err := queryOne(ctx, t, userRows.dest(&u), `SELECT `+userRows.columns+` FROM users WHERE id = $1`, id); err != nil {
		return nil, err
	}
	n, err := t.exec(ctx, `INSERT INTO disabled_account (person, disabled_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, id, toMicros(at))
	if err != nil || n == 0 {
		return nil, err
	}
	if u.Admin && u.OrganisationState != contract.OrganisationClosed {
		if err := requireOtherAdmin(ctx, t, id); err != nil {
			return nil, err
		}
	}
	if err := endLogins(ctx, t, id); err != nil {
		return nil, err
	}
	records, err := revokeKeys(ctx, t, id, at)
	return append(records, recordOf("disabled_account", id)), err
}

// EnableUser implements [store.Identities].
func (s *Store) EnableUser(ctx context.Context, id contract.PersonID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `DELETE FROM disabled_account WHERE person = $1 AND NOT EXISTS (SELECT 1 FROM erasure WHERE person = $1)`, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return store.ErrConflict
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("disabled_account", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "enable user %s", id)
}

// userConditions select accounts by their status.
var userConditions = map[store.AccountStatus][]string{
	store.AccountActive:   {isEnabled},
	store.AccountInitial:  {isEnabled, `must_reset`},
	store.AccountDisabled: {`id IN (SELECT person FROM disabled_account)`, isNotErased},
	store.AccountErased:   {`id IN (SELECT person FROM erasure)`},
	"":                    {isNotErased},
}

const isEnabled = `id NOT IN (SELECT person FROM disabled_account)`

// usersOrder is an index of users, with the organisation before it where one is named.
const usersOrder = "name_folded, id"

// userCondition returns the condition that selects users; possible is false if no user can match.
func userCondition(u store.UserQuery) (c *condition, possible bool) {
	c = &condition{}
	like, possible := likePattern(u.Search)
	if !possible {
		return c, false
	}
	if u.Organisation != "" {
		c.addTerm("organisation = %s", u.Organisation)
	}
	if u.Search != "" {
		c.terms = append(c.terms, strings.ReplaceAll(`(name_folded LIKE ? ESCAPE '\' OR email_folded LIKE ? ESCAPE '\')`, "?", c.addArg(like)))
	}
	c.terms = append(c.terms, userConditions[u.Status]...)
	return c, true
}

// Users implements [store.Identities].
func (s *Store) Users(ctx context.Context, u store.UserQuery) (p store.UserPage, err error) {
	c, possible := userCondition(u)
	if !possible {
		return store.UserPage{Users: []store.User{}}, nil
	}
	p.Users, p.Total, err = userRows.readPage(ctx, s, c, usersOrder, u.Offset, u.Limit)
	return p, wrapf(err, "read the users of %q", u.Organisation)
}

// selectOpenSignatures returns the statement of [Store.OpenSignatures] for a list of people. Lists have the documents by person and
// state; an owner who signs has the document in the list of those they sent.
func selectOpenSignatures(in string) string {
	return `SELECT b.person, COUNT(*) FROM box b JOIN participant p ON p.document = b.document AND p.person = b.person
		WHERE b.person IN ` + in + ` AND b.box IN ('in', 'out') AND b.state = 'processing' AND p.role = 'signer' AND p.signed_at = 0 AND NOT p.guest GROUP BY b.person`
}

// OpenSignatures implements [store.Identities].
func (s *Store) OpenSignatures(ctx context.Context, ids ...contract.PersonID) (map[contract.PersonID]int, error) {
	open, err := s.countByPerson(ctx, selectOpenSignatures, ids)
	return open, wrapf(err, "count the documents that lack signatures")
}

// selectOwned returns the statement of [Store.OwnedDocuments] for a list of people. The counts by span have the number of all documents in a list.
func selectOwned(in string) string {
	return `SELECT person, CAST(SUM(amount) AS BIGINT) FROM box_span WHERE person IN ` + in + ` AND box IN ('out', 'template') AND state = '' AND amount > 0 GROUP BY person`
}

// OwnedDocuments implements [store.Identities].
func (s *Store) OwnedDocuments(ctx context.Context, ids ...contract.PersonID) (map[contract.PersonID]int, error) {
	owned, err := s.countByPerson(ctx, selectOwned, ids)
	return owned, wrapf(err, "count the documents of owners")
}

// countByPerson runs a statement that returns people, out of a list, with a number for each.
func (s *Store) countByPerson(ctx context.Context, of func(in string) string, ids []contract.PersonID) (map[contract.PersonID]int, error) {
	counts := map[contract.PersonID]int{}
	if len(ids) == 0 {
		return counts, nil
	}
	in, args := listArgs(ids)
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan scanFunc) error {
			var id contract.PersonID
			var n int
			err := scan(&id, &n)
			counts[id] = n
			return err
		}, of(in), args...)
	})
	return counts, err
}

// specimenTable is the table of a kind of specimen, and the kind of its records.
type specimenTable struct{ table, record string }

var specimenTables = map[store.SpecimenKind]specimenTable{
	store.SignatureSpecimen: {"specimen", "specimen"},
	store.InitialsSpecimen:  {"initials_specimen", "initials"},
}

// SetSpecimen implements [store.Identities].
func (s *Store) SetSpecimen(ctx context.Context, id contract.PersonID, kind store.SpecimenKind, image []byte) error {
	to := specimenTables[kind]
	err := s.db.withTx(ctx, func(t tx) error {
		var err error
		if image == nil {
			_, err = t.exec(ctx, `DELETE FROM `+to.table+` WHERE person = $1`, id)
		} else {
			_, err = t.exec(ctx, `INSERT INTO `+to.table+` (person, image) VALUES ($1, $2) ON CONFLICT (person) DO UPDATE SET image = excluded.image`, id, image)
		}
		if err != nil {
			return err
		}
		return logEntry{records: []record{recordOf(to.record, id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the %s of %s", kind, id)
}

// Specimen implements [store.Identities].
func (s *Store) Specimen(ctx context.Context, id contract.PersonID, kind store.SpecimenKind) ([]byte, error) {
	var image []byte
	err := s.readRow(ctx, []any{scanBytes(&image)}, `SELECT image FROM `+specimenTables[kind].table+` WHERE person = $1`, id)
	return image, wrapf(err, "read the %s of %s", kind, id)
}
