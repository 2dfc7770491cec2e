package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// teamsOf returns an expression for the teams of the account whose identifier an expression names: in each line an identifier, a space and the
// name.
func teamsOf(person string) string {
	return `COALESCE((SELECT string_agg(m.team || ' ' || (SELECT t.name FROM team t WHERE t.id = m.team), '
') FROM team_member m WHERE m.person = ` + person + `), '')`
}

// scanTeams scans what teamsOf selects.
func scanTeams(to *[]contract.Team) scanner {
	return func(column any) error {
		var text string
		if err := scanText(&text).Scan(column); err != nil {
			return err
		}
		*to = nil
		if text == "" {
			return nil
		}
		for line := range strings.SplitSeq(text, "\n") {
			*to = append(*to, parseTeam(line))
		}
		contract.SortTeams(*to)
		return nil
	}
}

func parseTeam(text string) contract.Team {
	id, name, _ := strings.Cut(text, " ")
	return contract.Team{ID: contract.TeamID(id), Name: name}
}

// teamOfDocument is the column of documents that has the identifier of its team, a space and the name, which is empty for a team that was deleted.
const teamOfDocument = `, COALESCE((SELECT dt.team || ' ' || COALESCE((SELECT t.name FROM team t WHERE t.id = dt.team AND t.deleted_at = 0), '') FROM document_team dt WHERE dt.document = document.id), '')`

// ifShared is a condition on $2, a person, that does not depend on a row: they are a member of the team of document $1.
const ifShared = `EXISTS (SELECT 1 FROM document_team dt JOIN team_member m ON m.team = dt.team WHERE dt.document = $1 AND m.person = $2)`

// teamChanged reports whether the change writes the row of document_team.
func (w *documentWriter) teamChanged() bool {
	return w.before == nil && w.after.Team.ID != "" || w.before != nil && w.before.Team.ID != w.after.Team.ID
}

func (w *documentWriter) writeTeam(ctx context.Context) error {
	if !w.teamChanged() {
		return nil
	}
	what := fmt.Sprintf("write team of document %d", w.after.ID)
	if w.after.Team.ID == "" {
		return w.addStatements(ctx, statement{sql: `DELETE FROM document_team WHERE document = $1`, args: []any{w.after.ID}, what: what})
	}
	return w.addStatements(ctx, statement{
		sql:  `INSERT INTO document_team (document, team) VALUES ($1, $2) ON CONFLICT (document) DO UPDATE SET team = excluded.team`,
		args: []any{w.after.ID, w.after.Team.ID}, what: what,
	})
}

// teamList returns the list of the documents of a team; false without one.
func teamList(t contract.Team) (boxList, bool) {
	return boxList{contract.PersonID(t.ID), store.TeamBox}, t.ID != ""
}

// teamListOf returns the list of its team that has the document; false without a team.
func teamListOf(d *contract.Document) (boxList, bool) {
	l, ok := teamList(d.Team)
	if d.Template {
		l.box = store.TemplateBox
	}
	return l, ok
}

// moveTeam adds to a change of lists that the document has another team. As in moveOwner, it may come back with another title.
func (w *documentWriter) moveTeam(c *listChange) {
	if l, ok := teamListOf(w.before); ok {
		c.removed = append(c.removed, l)
	}
	if l, ok := teamListOf(w.after); ok {
		c.added = append(c.added, l)
	}
	c.edited = true
}

// AddTeam implements [store.Teams].
func (s *Store) AddTeam(ctx context.Context, team store.Team, e contract.Event) error {
	err := s.runWithAnswer(ctx, func(t tx) (any, error) {
		if err := lockOrganisation(ctx, t, team.Organisation); err != nil { // so that names and the limit hold for teams that are added at once
			return nil, err
		}
		if err := requireFreeTeamName(ctx, t, team.ID, team.Organisation, team.Name); err != nil {
			return nil, err
		}
		var count int
		if err := queryOne(ctx, t, []any{&count}, `SELECT COUNT(*) FROM team WHERE organisation = $1 AND deleted_at = 0`, team.Organisation); err != nil {
			return nil, err
		}
		if count >= contract.MaxTeams {
			return nil, contract.ErrTeamLimit
		}
		if _, err := t.exec(ctx, `INSERT INTO team (id, organisation, name, name_folded, created_at, deleted_at) VALUES ($1, $2, $3, $4, $5, 0)`,
			team.ID, team.Organisation, cleanText(team.Name), foldText(team.Name), toMicros(team.CreatedAt)); err != nil {
			return nil, err
		}
		return team, logTeam(ctx, t, team.ID, e)
	})
	return wrapf(err, "add team %s", team.ID)
}

// requireFreeTeamName returns store.ErrExists if another team of the organisation, whose row is locked, has the name.
func requireFreeTeamName(ctx context.Context, t tx, id contract.TeamID, of contract.OrganisationID, name string) error {
	var taken bool
	err := queryOne(ctx, t, []any{&taken}, `SELECT EXISTS (SELECT 1 FROM team WHERE organisation = $1 AND name_folded = $2 AND deleted_at = 0 AND id <> $3)`, of, foldText(name), id)
	if err == nil && taken {
		return store.ErrExists
	}
	return err
}

func logTeam(ctx context.Context, t tx, id contract.TeamID, e contract.Event) error {
	return logEntry{events: []contract.Event{e}, records: []record{recordOf("team", id)}}.appendToLog(ctx, t)
}

// RenameTeam implements [store.Teams].
func (s *Store) RenameTeam(ctx context.Context, id contract.TeamID, name string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		var of contract.OrganisationID
		if err := queryOne(ctx, t, []any{&of}, `SELECT organisation FROM team WHERE id = $1`, id); err != nil {
			return err
		}
		if err := lockOrganisation(ctx, t, of); err != nil {
			return err
		}
		if err := requireFreeTeamName(ctx, t, id, of, name); err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireRow, `UPDATE team SET name = $2, name_folded = $3 WHERE id = $1 AND deleted_at = 0`, id, cleanText(name), foldText(name)); err != nil {
			return err
		}
		return logTeam(ctx, t, id, e)
	})
	return wrapf(err, "rename team %s", id)
}

// lockTeam locks the row of a team until the transaction ends, so that its members change one after another. ErrNotFound: the team does not exist.
func lockTeam(ctx context.Context, t tx, id contract.TeamID) error {
	return execRequired(ctx, t, requireRow, `UPDATE team SET name = name WHERE id = $1 AND deleted_at = 0`, id)
}

// DeleteTeam implements [store.Teams].
func (s *Store) DeleteTeam(ctx context.Context, id contract.TeamID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `UPDATE team SET deleted_at = $2 WHERE id = $1 AND deleted_at = 0`, id, toMicros(e.At)); err != nil {
			return err
		}
		for _, sql := range []string{`DELETE FROM team_member WHERE team = $1`, `DELETE FROM folder WHERE space = $1`} {
			if _, err := t.exec(ctx, sql, id); err != nil {
				return err
			}
		}
		return logTeam(ctx, t, id, e)
	})
	return wrapf(err, "delete team %s", id)
}

// AddTeamMember implements [store.Teams].
func (s *Store) AddTeamMember(ctx context.Context, id contract.TeamID, person contract.PersonID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockTeam(ctx, t, id); err != nil {
			return err
		}
		var belongs, isMember bool
		var count int
		if err := queryOne(ctx, t, []any{&belongs, &isMember, &count}, `SELECT EXISTS (SELECT 1 FROM users u WHERE u.id = $2 AND u.organisation = t.organisation AND NOT EXISTS (SELECT 1 FROM erasure x WHERE x.person = u.id)),
			EXISTS (SELECT 1 FROM team_member m WHERE m.team = t.id AND m.person = $2), (SELECT COUNT(*) FROM team_member m WHERE m.team = t.id) FROM team t WHERE t.id = $1`, id, person); err != nil {
			return err
		}
		switch {
		case !belongs:
			return contract.ErrNoPerson
		case isMember:
			return store.ErrExists
		case count >= contract.MaxTeamMembers:
			return contract.ErrTeamFull
		}
		if _, err := t.exec(ctx, `INSERT INTO team_member (team, person) VALUES ($1, $2)`, id, person); err != nil {
			return err
		}
		return logTeam(ctx, t, id, e)
	})
	return wrapf(err, "add %s to team %s", person, id)
}

// RemoveTeamMember implements [store.Teams].
func (s *Store) RemoveTeamMember(ctx context.Context, id contract.TeamID, person contract.PersonID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockTeam(ctx, t, id); err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireRow, `DELETE FROM team_member WHERE team = $1 AND person = $2`, id, person); err != nil {
			return err
		}
		return logTeam(ctx, t, id, e)
	})
	return wrapf(err, "remove %s from team %s", person, id)
}

// Team implements [store.Teams].
func (s *Store) Team(ctx context.Context, id contract.TeamID) (store.Team, error) {
	all, err := s.readTeams(ctx, `t.id = $1`, id)
	if err == nil && len(all) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Team{}, fmt.Errorf("read team %s: %w", id, err)
	}
	return all[0], nil
}

// ListTeams implements [store.Teams].
func (s *Store) ListTeams(ctx context.Context, of contract.OrganisationID) ([]store.Team, error) {
	all, err := s.readTeams(ctx, `t.organisation = $1`, of)
	return all, wrapf(err, "list the teams of %s", of)
}

// readTeams reads the teams for which a condition holds, with one row for each member.
func (s *Store) readTeams(ctx context.Context, condition string, args ...any) ([]store.Team, error) {
	type row struct {
		team   store.Team
		member store.TeamMember
	}
	rows, err := readAll(ctx, s, func(r *row) []any {
		return []any{&r.team.ID, &r.team.Organisation, &r.team.Name, scanTime(&r.team.CreatedAt), &r.member.ID, &r.member.Name, &r.member.Email, &r.member.Disabled}
	}, `SELECT t.id, t.organisation, t.name, t.created_at, COALESCE(u.id, ''), COALESCE(u.name, ''), COALESCE(u.email, ''), EXISTS (SELECT 1 FROM disabled_account a WHERE a.person = u.id)
		FROM team t LEFT JOIN team_member m ON m.team = t.id LEFT JOIN users u ON u.id = m.person
		WHERE t.deleted_at = 0 AND `+condition+` ORDER BY t.name_folded, t.id, u.name_folded, u.id`, args...)
	all := []store.Team{}
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].ID != r.team.ID {
			all = append(all, r.team)
		}
		if r.member.ID != "" {
			last := &all[len(all)-1]
			last.Members = append(last.Members, r.member)
		}
	}
	return all, err
}
