package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var scimTokenRows = rowType[store.SCIMToken]{"scim_token", `organisation, hash, hint, created_at, last_used_at`, func(t *store.SCIMToken) []any {
	return []any{&t.Organisation, scanDigest(&t.Hash), &t.Hint, scanTime(&t.CreatedAt), scanTime(&t.LastUsedAt)}
}}

// SetSCIMToken implements [store.SCIM].
func (s *Store) SetSCIMToken(ctx context.Context, to store.SCIMToken, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `INSERT INTO scim_token (organisation, hash, hint, created_at, last_used_at) VALUES ($1, $2, $3, $4, 0)
			ON CONFLICT (organisation) DO UPDATE SET hash = excluded.hash, hint = excluded.hint, created_at = excluded.created_at, last_used_at = 0`,
			to.Organisation, to.Hash[:], to.Hint, toMicros(to.CreatedAt)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the directory of organisation %s", to.Organisation)
}

// DeleteSCIMToken implements [store.SCIM].
func (s *Store) DeleteSCIMToken(ctx context.Context, of contract.OrganisationID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `DELETE FROM scim_token WHERE organisation = $1`, of)
		if err == nil {
			err = requireRow(n)
		}
		if err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "end the directory of organisation %s", of)
}

// SCIMToken implements [store.SCIM].
func (s *Store) SCIMToken(ctx context.Context, of contract.OrganisationID) (store.SCIMToken, error) {
	t, err := scimTokenRows.readOne(ctx, s, `WHERE organisation = $1`, of)
	return t, wrapf(err, "read the directory of organisation %s", of)
}

// SCIMTokenByHash implements [store.SCIM].
func (s *Store) SCIMTokenByHash(ctx context.Context, hash [32]byte) (store.SCIMToken, error) {
	t, err := scimTokenRows.readOne(ctx, s, `WHERE hash = $1`, hash[:])
	return t, wrapf(err, "read the directory of a secret")
}

// UseSCIMToken implements [store.SCIM].
func (s *Store) UseSCIMToken(ctx context.Context, hash [32]byte, at time.Time) error {
	return wrapf(s.runStatement(ctx, `UPDATE scim_token SET last_used_at = $2 WHERE hash = $1`, hash[:], toMicros(at)), "record the use of a directory")
}

// scimUserColumns are what a directory states about an account, see scimUserDest.
const scimUserColumns = `COALESCE(d.external_id, ''), COALESCE(d.given_name, ''), COALESCE(d.family_name, ''), COALESCE(d.deleted, FALSE), COALESCE(d.changed_at, 0)`

func scimUserDest(u *store.SCIMUser) []any {
	return append(userRows.dest(&u.User), &u.ExternalID, &u.GivenName, &u.FamilyName, &u.Deleted, scanTime(&u.ChangedAt))
}

// SCIMUsers implements [store.SCIM].
func (s *Store) SCIMUsers(ctx context.Context, q store.SCIMUserQuery) ([]store.SCIMUser, error) {
	c := &condition{}
	c.addTerm("organisation = %s", q.Organisation)
	c.terms = append(c.terms, isNotErased) // for the directory, the account does not exist any more
	if q.Person != "" {
		c.addTerm("id = %s", q.Person)
	}
	if q.Email != "" {
		c.addTerm("email_folded = %s", foldText(q.Email))
	}
	if q.ExternalID != "" {
		c.addTerm("d.external_id = %s", q.ExternalID)
	}
	if !q.Deleted {
		c.addTerm("NOT COALESCE(d.deleted, %s)", false)
	}
	all, err := readAll(ctx, s, scimUserDest, `SELECT `+userRows.columns+`, `+scimUserColumns+` FROM users LEFT JOIN scim_user d ON d.person = id `+c.whereClause()+` ORDER BY id`, c.args...)
	return all, wrapf(err, "read the accounts of a directory of %s", q.Organisation)
}

// SetSCIMUser implements [store.SCIM].
func (s *Store) SetSCIMUser(ctx context.Context, u store.SCIMUser) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if u.Deleted {
			if _, err := t.exec(ctx, `DELETE FROM scim_member WHERE person = $1`, u.ID); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, `INSERT INTO scim_user (person, external_id, given_name, family_name, deleted, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (person) DO UPDATE SET external_id = excluded.external_id, given_name = excluded.given_name, family_name = excluded.family_name, deleted = excluded.deleted, changed_at = excluded.changed_at`,
			u.ID, cleanText(u.ExternalID), cleanText(u.GivenName), cleanText(u.FamilyName), u.Deleted, toMicros(u.ChangedAt))
		return err
	})
	return wrapf(err, "set what a directory states about %s", u.ID)
}

var scimGroupRows = rowType[store.SCIMGroup]{
	"scim_group", `id, organisation, name, external_id, created_at, changed_at, edits, (SELECT COUNT(*) FROM scim_member m WHERE m.scim_group = scim_group.id)`,
	func(g *store.SCIMGroup) []any {
		return []any{&g.ID, &g.Organisation, &g.Name, &g.ExternalID, scanTime(&g.CreatedAt), scanTime(&g.ChangedAt), &g.Edits, &g.MemberCount}
	},
}

// SCIMGroups implements [store.SCIM].
func (s *Store) SCIMGroups(ctx context.Context, q store.SCIMGroupQuery) ([]store.SCIMGroup, error) {
	if q.IDs != nil && len(q.IDs) == 0 {
		return nil, nil
	}
	c := &condition{}
	c.addTerm("organisation = %s", q.Organisation)
	if q.IDs != nil {
		in, ids := listArgsFrom(len(c.args)+1, q.IDs)
		c.terms, c.args = append(c.terms, "id IN "+in), append(c.args, ids...)
	}
	groups, err := readAll(ctx, s, scimGroupRows.dest, scimGroupRows.selectWhere(c.whereClause()+` ORDER BY id`), c.args...)
	if err != nil || len(groups) == 0 || !q.Members {
		return groups, wrapf(err, "read the groups of organisation %s", q.Organisation)
	}
	// A change between the two queries shows members of another version: the next change finds it by its count of edits.
	type member struct {
		group  string
		person contract.PersonID
	}
	members, err := readAll(ctx, s, func(m *member) []any { return []any{&m.group, &m.person} },
		`SELECT scim_group, person FROM scim_member WHERE scim_group IN (SELECT id FROM scim_group `+c.whereClause()+`) ORDER BY scim_group, person`, c.args...)
	membersOf := map[string][]contract.PersonID{}
	for _, m := range members {
		membersOf[m.group] = append(membersOf[m.group], m.person)
	}
	for i := range groups {
		groups[i].Members = membersOf[groups[i].ID]
		groups[i].MemberCount = len(groups[i].Members)
	}
	return groups, wrapf(err, "read the members of groups of organisation %s", q.Organisation)
}

// SetSCIMGroup implements [store.SCIM].
func (s *Store) SetSCIMGroup(ctx context.Context, g store.SCIMGroup, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Locks the organisation's row: of groups that get a name at the same time, each finds those before it.
		if err := lockOrganisation(ctx, t, g.Organisation); err != nil {
			return err
		}
		var taken bool
		if err := queryOne(ctx, t, []any{&taken}, `SELECT EXISTS (SELECT 1 FROM scim_group WHERE organisation = $1 AND name_folded = $2 AND id <> $3)`, g.Organisation, foldText(g.Name), g.ID); err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		sql := `INSERT INTO scim_group (id, organisation, name, name_folded, external_id, created_at, changed_at, edits) VALUES ($1, $2, $3, $4, $5, $6, $7, 1) ON CONFLICT DO NOTHING`
		args := []any{g.ID, g.Organisation, cleanText(g.Name), foldText(g.Name), cleanText(g.ExternalID), toMicros(g.CreatedAt), toMicros(g.ChangedAt)}
		if g.Edits > 0 {
			sql = `UPDATE scim_group SET name = $3, name_folded = $4, external_id = $5, changed_at = $6, edits = edits + 1 WHERE id = $1 AND organisation = $2 AND edits = $7`
			args = []any{g.ID, g.Organisation, cleanText(g.Name), foldText(g.Name), cleanText(g.ExternalID), toMicros(g.ChangedAt), g.Edits}
		}
		n, err := t.exec(ctx, sql, args...)
		if err == nil {
			err = requireChange(n)
		}
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, `DELETE FROM scim_member WHERE scim_group = $1`, g.ID); err != nil {
			return err
		}
		for _, m := range g.Members {
			n, err := t.exec(ctx, `INSERT INTO scim_member (scim_group, person) SELECT $1, id FROM users WHERE id = $2 AND organisation = $3
				AND NOT EXISTS (SELECT 1 FROM scim_user WHERE person = id AND deleted) AND `+isNotErased+` ON CONFLICT DO NOTHING`, g.ID, m, g.Organisation)
			if err == nil {
				err = requireRow(n)
			}
			if err != nil {
				return err
			}
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set group %s", g.ID)
}

// DeleteSCIMGroup implements [store.SCIM].
func (s *Store) DeleteSCIMGroup(ctx context.Context, of contract.OrganisationID, id string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `DELETE FROM scim_member WHERE scim_group IN (SELECT id FROM scim_group WHERE id = $1 AND organisation = $2)`, id, of); err != nil {
			return err
		}
		n, err := t.exec(ctx, `DELETE FROM scim_group WHERE id = $1 AND organisation = $2`, id, of)
		if err == nil {
			err = requireRow(n)
		}
		if err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "delete group %s", id)
}
