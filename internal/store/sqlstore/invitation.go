package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var invitationRows = rowType[contract.Invitation]{
	"invitation", `id, organisation, email, name, role, language, inviter, inviter_name, hash, created_at, expires_at, ending, ended_at`,
	func(i *contract.Invitation) []any {
		return []any{
			&i.ID, &i.Organisation, &i.Email, &i.Name, &i.Role, &i.Language, &i.Inviter.ID, &i.Inviter.Name, scanDigest(&i.Hash),
			scanTime(&i.CreatedAt), scanTime(&i.ExpiresAt), &i.Ending, scanTime(&i.EndedAt),
		}
	},
}

// endOpenInvitation returns the statement that ends the open invitation of an address, if there is one.
func endOpenInvitation(of contract.OrganisationID, email string, ending contract.InvitationEnding, at time.Time) statement {
	return statement{
		sql:  `UPDATE invitation SET ending = $3, ended_at = $4 WHERE organisation = $1 AND email_folded = $2 AND ending = ''`,
		args: []any{of, foldText(email), ending, toMicros(at)}, what: "end an invitation",
	}
}

// AddInvitation implements [store.Invitations].
func (s *Store) AddInvitation(ctx context.Context, i contract.Invitation, former contract.InvitationID, n contract.Notice, e contract.Event) error {
	err := s.runWithAnswer(ctx, func(t tx) (any, error) {
		// The lock on the organisation makes two invitations of one address follow one another.
		if err := lockOrganisation(ctx, t, i.Organisation); err != nil {
			return nil, err
		}
		var member bool
		if err := queryOne(ctx, t, []any{&member}, `SELECT EXISTS (SELECT 1 FROM users WHERE organisation = $1 AND email_folded = $2)`, i.Organisation, foldText(i.Email)); err != nil {
			return nil, err
		}
		if member {
			return nil, store.ErrExists
		}
		if former != "" {
			if err := execRequired(ctx, t, requireChange, `UPDATE invitation SET ended_at = ended_at WHERE id = $1 AND ending = ''`, former); err != nil {
				return nil, err
			}
		}
		err := t.addStatements(ctx, endOpenInvitation(i.Organisation, i.Email, contract.InvitationReplaced, i.CreatedAt), statement{
			sql: `INSERT INTO invitation (` + invitationRows.columns + `, email_folded) VALUES (` + placeholders(1, 14) + `)`,
			args: []any{
				i.ID, i.Organisation, i.Email, i.Name, i.Role, i.Language, i.Inviter.ID, i.Inviter.Name, i.Hash[:],
				toMicros(i.CreatedAt), toMicros(i.ExpiresAt), i.Ending, toMicros(i.EndedAt), foldText(i.Email),
			},
		})
		if err != nil {
			return nil, err
		}
		told := []contract.Notice{n}
		if err := insertNotices(ctx, t, told); err != nil {
			return nil, err
		}
		return i, logEntry{events: []contract.Event{e}, jobs: noticeJobs(told)}.appendToLog(ctx, t)
	})
	return wrapf(err, "invite %s", i.Email)
}

// Invitation implements [store.Invitations].
func (s *Store) Invitation(ctx context.Context, id contract.InvitationID) (contract.Invitation, error) {
	i, err := invitationRows.readOne(ctx, s, `WHERE id = $1`, id)
	return i, wrapf(err, "read invitation %s", id)
}

// InvitationByHash implements [store.Invitations].
func (s *Store) InvitationByHash(ctx context.Context, hash [32]byte) (contract.Invitation, error) {
	i, err := invitationRows.readOne(ctx, s, `WHERE hash = $1`, hash[:])
	return i, wrapf(err, "read an invitation")
}

// ListInvitations implements [store.Invitations].
func (s *Store) ListInvitations(ctx context.Context, q store.InvitationQuery) (p store.InvitationPage, err error) {
	c := &condition{terms: []string{`ending = ''`}}
	if q.Organisation != "" {
		c.addTerm("organisation = %s", q.Organisation)
	}
	if q.Email != "" {
		c.addTerm("email_folded = %s", foldText(q.Email))
	}
	p.Invitations, p.Total, err = invitationRows.readPage(ctx, s, c, "created_at DESC, id", q.Offset, q.Limit)
	return p, wrapf(err, "read the invitations of %q", q.Organisation)
}

// RevokeInvitation implements [store.Invitations].
func (s *Store) RevokeInvitation(ctx context.Context, id contract.InvitationID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireChange, `UPDATE invitation SET ending = $2, ended_at = $3 WHERE id = $1 AND ending = ''`, id, contract.InvitationRevoked, toMicros(e.At)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "revoke invitation %s", id)
}

// AcceptInvitation implements [store.Invitations].
func (s *Store) AcceptInvitation(ctx context.Context, i contract.Invitation, u store.User, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The locks on the organisation and on the inviter make a suspension, another role of the inviter and the end of their account happen before this
		// or after it.
		if err := lockOrganisation(ctx, t, i.Organisation); err != nil {
			return err
		}
		if err := lockUser(ctx, t, i.Inviter.ID); err != nil {
			return err
		}
		var state contract.OrganisationState
		var holds bool
		if err := queryOne(ctx, t, []any{&state, &holds}, `SELECT `+stateOf("o.id")+`, CAST($2 AS TEXT) = '' OR EXISTS (SELECT 1 FROM users u WHERE u.id = $2 AND u.admin
			AND (u.organisation = o.id OR u.organisation = (SELECT f.id FROM organisation f ORDER BY f.created_at, f.id LIMIT 1))
			AND NOT EXISTS (SELECT 1 FROM disabled_account d WHERE d.person = u.id)) FROM organisation o WHERE o.id = $1`, i.Organisation, i.Inviter.ID); err != nil {
			return err
		}
		if err := state.RequireActive(); err != nil {
			return err
		}
		if !holds {
			return contract.ErrInvitationLapsed
		}
		if err := execRequired(ctx, t, requireChange, `UPDATE invitation SET ending = $6, ended_at = $5 WHERE id = $1 AND hash = $2 AND role = $3 AND email_folded = $4 AND ending = '' AND expires_at > $5`,
			i.ID, i.Hash[:], i.Role, foldText(i.Email), toMicros(u.CreatedAt), contract.InvitationAccepted); err != nil {
			return err
		}
		return insertUser(ctx, t, u, logEntry{events: events, at: u.CreatedAt})
	})
	return wrapf(err, "accept invitation %s", i.ID)
}

// PurgeInvitations implements [store.Invitations].
func (s *Store) PurgeInvitations(ctx context.Context, before time.Time) error {
	return wrapf(s.runPurges(ctx, purge{"invitation", "id", `expires_at < $1`, []any{toMicros(before)}}), "purge invitations")
}
