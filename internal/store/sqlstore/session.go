package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

const sessionColumns = `family, person, factor, created_at, proved_at, last_used_at, expires_at, ip, user_agent, chain`

func sessionDest(s *contract.Session) []any {
	return []any{&s.Family, &s.Person, &s.Factor, scanTime(&s.CreatedAt), scanTime(&s.ProvedAt), scanTime(&s.LastUsedAt), scanTime(&s.ExpiresAt), &s.IP, &s.UserAgent, &s.Chain}
}

// upsertSession adds a session, or records a refresh of it. The zero session adds none.
func upsertSession(ctx context.Context, t tx, of contract.Session) error {
	if of.Family == "" {
		return nil
	}
	return t.addStatements(ctx, statement{
		sql: `INSERT INTO session (` + sessionColumns + `) VALUES (` + placeholders(1, 10) + `) ON CONFLICT (family) DO UPDATE SET
			last_used_at = excluded.last_used_at, expires_at = excluded.expires_at, ip = excluded.ip, user_agent = excluded.user_agent`,
		args: []any{of.Family, of.Person, of.Factor, toMicros(of.CreatedAt), toMicros(of.ProvedAt), toMicros(of.LastUsedAt), toMicros(of.ExpiresAt), of.IP, of.UserAgent, of.Chain},
	})
}

// Sessions implements [store.Identities].
func (s *Store) Sessions(ctx context.Context, id contract.PersonID, now time.Time) ([]contract.Session, error) {
	all, err := readAll(ctx, s, sessionDest, `SELECT `+sessionColumns+` FROM session WHERE person = $1 AND expires_at > $2 ORDER BY last_used_at DESC, family`, id, toMicros(now))
	return all, wrapf(err, "read the sessions of %s", id)
}

// SessionOf implements [store.Identities].
func (s *Store) SessionOf(ctx context.Context, family string) (of contract.Session, p contract.AccountPolicy, err error) {
	err = s.readRow(ctx, append(sessionDest(&of), scanPolicy(&p)), `SELECT `+sessionColumns+`, COALESCE((SELECT o.policy FROM account_policy o JOIN users u ON u.organisation = o.organisation
		WHERE u.id = session.person), '') FROM session WHERE family = $1`, family)
	return of, p, wrapf(err, "read session %s", family)
}

// SessionsBeside implements [store.Identities].
func (s *Store) SessionsBeside(ctx context.Context, family string, now time.Time) ([]contract.Session, error) {
	all, err := readAll(ctx, s, sessionDest, `SELECT `+sessionColumns+` FROM session WHERE family <> $1 AND expires_at > $2 AND chain <> ''
		AND chain = (SELECT o.chain FROM session o WHERE o.family = $1) ORDER BY last_used_at DESC, family`, family, toMicros(now))
	return all, wrapf(err, "read the sessions beside %s", family)
}

// AddTokensBeside implements [store.Identities].
func (s *Store) AddTokensBeside(ctx context.Context, beside string, of contract.Session, tokens ...store.Token) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockUser(ctx, t, of.Person); err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireRow, `UPDATE session SET chain = CASE WHEN chain = '' THEN family ELSE chain END WHERE family = $1`, beside); err != nil {
			return err
		}
		if err := queryOne(ctx, t, []any{&of.Chain}, `SELECT chain FROM session WHERE family = $1`, beside); err != nil {
			return err
		}
		replaced, err := queryAll(ctx, t, column[string], `SELECT family FROM session WHERE chain = $1 AND person = $2`, of.Chain, of.Person)
		if err != nil {
			return err
		}
		for _, family := range replaced {
			if err := endFamily(ctx, t, family); err != nil {
				return err
			}
		}
		for _, k := range tokens {
			if err := insertToken(ctx, t, k); err != nil {
				return err
			}
		}
		if err := recordSessionLogin(ctx, t, of); err != nil {
			return err
		}
		return upsertSession(ctx, t, of)
	})
	return wrapf(err, "add tokens beside a session")
}

// RenewTokensBeside implements [store.Identities].
func (s *Store) RenewTokensBeside(ctx context.Context, beside string, until time.Time, of contract.Session, tokens ...store.Token) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// See lockUser. The session beside is read without a lock: if it ends at the same moment, the switch came before. Two switches in both
		// directions would wait for each other.
		if err := lockUser(ctx, t, of.Person); err != nil {
			return err
		}
		err := execRequired(ctx, t, requireRow, `UPDATE session SET factor = $4, proved_at = $5, last_used_at = $6, expires_at = $7, ip = $8, user_agent = $9
			WHERE family = $1 AND person = $2 AND chain <> '' AND chain = (SELECT o.chain FROM session o WHERE o.family = $3)`,
			of.Family, of.Person, beside, of.Factor, toMicros(of.ProvedAt), toMicros(of.LastUsedAt), toMicros(of.ExpiresAt), of.IP, of.UserAgent)
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE token SET expires_at = $2 WHERE family = $1 AND expires_at > $2`, of.Family, toMicros(until)); err != nil {
			return err
		}
		for _, k := range tokens {
			if err := insertToken(ctx, t, k); err != nil {
				return err
			}
		}
		return nil
	})
	return wrapf(err, "renew the tokens of a session beside another one")
}

// RevokeOtherFamilies implements [store.Identities].
func (s *Store) RevokeOtherFamilies(ctx context.Context, id contract.PersonID, keep string) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockUser(ctx, t, id); err != nil {
			return err
		}
		return endOtherLogins(ctx, t, id, keep)
	})
	return wrapf(err, "end the other sessions of %s", id)
}

// endOtherLogins ends the sessions of a person but that of one family. The transaction has locked their row of users, see lockUser.
func endOtherLogins(ctx context.Context, t tx, id contract.PersonID, keep string) error {
	// Tokens that were opened from a session end with it, see store.OpenedFamily.
	if _, err := t.exec(ctx, `DELETE FROM token WHERE person = $1 AND (document = 0 OR kind = '`+string(store.EmbeddedToken)+`') AND family <> $2 OR family IN (
		SELECT '`+store.OpenedFamily+`' || family FROM token WHERE person = $1 AND document = 0 AND family <> $2
		UNION SELECT '`+store.OpenedFamily+`' || family FROM session WHERE person = $1 AND family <> $2)`, id, keep); err != nil {
		return err
	}
	_, err := t.exec(ctx, `DELETE FROM session WHERE person = $1 AND family <> $2`, id, keep)
	return err
}

// RecordSessionUse implements [store.Identities].
func (s *Store) RecordSessionUse(ctx context.Context, family string, at time.Time) error {
	return wrapf(s.runStatement(ctx, `UPDATE session SET last_used_at = $2 WHERE family = $1 AND last_used_at < $2`, family, toMicros(at)), "record a use of session %s", family)
}
