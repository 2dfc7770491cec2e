package sqlstore

import (
	"context"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var authenticatorRows = rowType[store.Authenticator]{"authenticator", `secret, created_at`, func(a *store.Authenticator) []any {
	return []any{scanBytes(&a.Secret), scanTime(&a.CreatedAt)}
}}

var passkeyRows = rowType[store.Passkey]{
	"passkey p LEFT JOIN passkey_use u ON u.passkey = p.id",
	`p.id, p.person, p.name, p.public_key, p.model, p.transports, p.backup_eligible, p.created_at, COALESCE(u.sign_count, 0), COALESCE(u.backed_up, FALSE), COALESCE(u.used_at, 0)`,
	func(p *store.Passkey) []any {
		return []any{
			&p.ID, &p.Person, &p.Name, scanBytes(&p.PublicKey), scanBytes(&p.AAGUID), &p.Transports, &p.BackupEligible, scanTime(&p.CreatedAt),
			&p.SignCount, &p.BackedUp, scanTime(&p.UsedAt),
		}
	},
}

var codeUseRows = rowType[store.CodeUse]{"code_use", `wrong, tried_at, step, code, binding, used_at`, func(u *store.CodeUse) []any {
	return []any{&u.Wrong, scanTime(&u.TriedAt), &u.Step, scanDigestOrNone(&u.Code), scanDigestOrNone(&u.Binding), scanTime(&u.UsedAt)}
}}

// digestOrNull returns a digest as an argument; the zero digest is NULL.
func digestOrNull(d [32]byte) any {
	if d == [32]byte{} {
		return nil
	}
	return d[:]
}

// FactorsOf implements [store.Factors].
func (s *Store) FactorsOf(ctx context.Context, id contract.PersonID) (f store.PersonFactors, err error) {
	var apps []store.Authenticator
	var uses []store.CodeUse
	err = s.db.readTogether(ctx,
		selectAll(&apps, authenticatorRows.dest, authenticatorRows.selectWhere(`WHERE person = $1`), id),
		selectAll(&f.Passkeys, passkeyRows.dest, passkeyRows.selectWhere(`WHERE p.person = $1 ORDER BY p.created_at, p.id`), id),
		selectOne([]any{&f.Recovery}, `SELECT COUNT(*) FROM recovery_code WHERE person = $1`, id),
		selectAll(&uses, codeUseRows.dest, codeUseRows.selectWhere(`WHERE person = $1`), id))
	if len(apps) > 0 {
		f.Authenticator = &apps[0]
	}
	if len(uses) > 0 {
		f.Codes = uses[0]
	}
	return f, wrapf(err, "read the factors of %s", id)
}

// FactorSummaries implements [store.Factors].
func (s *Store) FactorSummaries(ctx context.Context, ids ...contract.PersonID) (map[contract.PersonID]store.FactorSummary, error) {
	all := map[contract.PersonID]store.FactorSummary{}
	if len(ids) == 0 {
		return all, nil
	}
	in, args := listArgs(ids)
	type count struct {
		person contract.PersonID
		what   string
		n      int
	}
	var counts []count
	err := s.db.readTogether(ctx, selectAll(&counts, func(c *count) []any { return []any{&c.person, &c.what, &c.n} },
		`SELECT person, 'app', COUNT(*) FROM authenticator WHERE person IN `+in+` GROUP BY person
		UNION ALL SELECT person, 'passkey', COUNT(*) FROM passkey WHERE person IN `+in+` GROUP BY person
		UNION ALL SELECT person, 'recovery', COUNT(*) FROM recovery_code WHERE person IN `+in+` GROUP BY person`, args...))
	for _, c := range counts {
		f := all[c.person]
		switch c.what {
		case "app":
			f.Authenticator = true
		case "passkey":
			f.Passkeys = c.n
		case "recovery":
			f.Recovery = c.n
		}
		all[c.person] = f
	}
	return all, wrapf(err, "read which factors accounts have")
}

// Passkey implements [store.Factors].
func (s *Store) Passkey(ctx context.Context, id string) (store.Passkey, error) {
	p, err := passkeyRows.readOne(ctx, s, `WHERE p.id = $1`, id)
	return p, wrapf(err, "read passkey %s", id)
}

// TryCode implements [store.Factors].
func (s *Store) TryCode(ctx context.Context, id contract.PersonID, try store.CodeUse) (u store.CodeUse, wait time.Duration, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		u, wait = store.CodeUse{}, 0
		// The row stays locked until the end: of several tries at once, each sees the ones before it.
		err := queryOne(ctx, t, codeUseRows.dest(&u), `INSERT INTO code_use (person, wrong, tried_at, step, used_at) VALUES ($1, 0, 0, 0, 0)
			ON CONFLICT (person) DO UPDATE SET wrong = code_use.wrong RETURNING `+codeUseRows.columns, id)
		if err != nil {
			return err
		}
		if wait = u.TriedAt.Add(contract.TryPause(u.Wrong)).Sub(try.UsedAt); wait > 0 && contract.TryPause(u.Wrong) > 0 {
			return nil
		}
		wait = 0
		if u.IsRepeated(try) {
			return nil
		}
		_, err = t.exec(ctx, `UPDATE code_use SET wrong = wrong + 1, tried_at = $2 WHERE person = $1`, id, toMicros(try.UsedAt))
		return err
	})
	return u, wait, wrapf(err, "count a try of a code of %s", id)
}

// UseCode implements [store.Factors].
func (s *Store) UseCode(ctx context.Context, id contract.PersonID, u store.CodeUse) error {
	err := s.db.withTx(ctx, func(t tx) error {
		return execRequired(ctx, t, requireChange, `UPDATE code_use SET wrong = 0, step = $2, code = $3, binding = $4, used_at = $5 WHERE person = $1 AND step < $2`,
			id, u.Step, digestOrNull(u.Code), digestOrNull(u.Binding), toMicros(u.UsedAt))
	})
	return wrapf(err, "record the use of a code of %s", id)
}

// UseRecoveryCode implements [store.Factors].
func (s *Store) UseRecoveryCode(ctx context.Context, id contract.PersonID, hash [32]byte, u store.CodeUse, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `DELETE FROM recovery_code WHERE person = $1 AND hash = $2`, id, hash[:]); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO code_use (person, wrong, tried_at, step, code, binding, used_at) VALUES ($1, 0, 0, 0, $2, $3, $4)
			ON CONFLICT (person) DO UPDATE SET wrong = 0, code = excluded.code, binding = excluded.binding, used_at = excluded.used_at`,
			id, digestOrNull(u.Code), digestOrNull(u.Binding), toMicros(u.UsedAt)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("recovery_codes", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "use a recovery code of %s", id)
}

// useChallenge records that a challenge was used; repeated says that it was used before with the same binding.
func useChallenge(ctx context.Context, t tx, u store.UsedChallenge) (repeated bool, err error) {
	n, err := t.exec(ctx, `INSERT INTO used_challenge (ticket, binding, used_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, u.Ticket[:], digestOrNull(u.Binding), toMicros(u.At))
	if err != nil || n > 0 {
		return false, err
	}
	var was [32]byte
	if err := queryOne(ctx, t, []any{scanDigestOrNone(&was)}, `SELECT binding FROM used_challenge WHERE ticket = $1`, u.Ticket[:]); err != nil {
		return false, err
	}
	if was == [32]byte{} || was != u.Binding {
		return false, store.ErrConflict
	}
	return true, nil
}

// UsePasskey implements [store.Factors].
func (s *Store) UsePasskey(ctx context.Context, p store.Passkey, u store.UsedChallenge, fresh bool) error {
	err := s.db.withTx(ctx, func(t tx) error {
		repeated, err := useChallenge(ctx, t, u)
		if err != nil || repeated {
			return err
		}
		if !fresh {
			return store.ErrConflict
		}
		// The lock on the passkey orders this transaction before or after its removal.
		if err := execRequired(ctx, t, requireRow, `UPDATE passkey SET name = name WHERE id = $1 AND person = $2`, p.ID, p.Person); err != nil {
			return err
		}
		return execRequired(ctx, t, requireChange, `UPDATE passkey_use SET sign_count = $2, backed_up = $3, used_at = $4 WHERE passkey = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`,
			p.ID, int64(p.SignCount), p.BackedUp, toMicros(u.At))
	})
	return wrapf(err, "record the use of passkey %s", p.ID)
}

// changeFactors runs a change of an account's factors. The lock on the user makes changes of one account follow each other, and logins in
// progress see them (see lockUser).
func (s *Store) changeFactors(ctx context.Context, id contract.PersonID, e contract.Event, change func(t tx) ([]record, error), told ...contract.Notice) error {
	return s.db.withTx(ctx, func(t tx) error {
		if err := lockExistingUser(ctx, t, id); err != nil {
			return err
		}
		records, err := change(t)
		if err == nil {
			err = insertNotices(ctx, t, told)
		}
		if err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: records, jobs: noticeJobs(told)}.appendToLog(ctx, t)
	})
}

// requireFirstFactor returns store.ErrNotFirst if there are codes and the person has a second factor.
func requireFirstFactor(ctx context.Context, t tx, id contract.PersonID, codes [][32]byte) error {
	if codes == nil {
		return nil
	}
	var passkey, app bool
	if err := queryOne(ctx, t, []any{&passkey, &app}, `SELECT EXISTS (SELECT 1 FROM passkey WHERE person = $1), EXISTS (SELECT 1 FROM authenticator WHERE person = $1)`, id); err != nil {
		return err
	}
	if passkey || app {
		return store.ErrNotFirst
	}
	return nil
}

// replaceRecoveryCodes replaces the recovery codes of a person by those with these hashes.
func replaceRecoveryCodes(ctx context.Context, t tx, id contract.PersonID, codes [][32]byte) (record, error) {
	r := recordOf("recovery_codes", id)
	if _, err := t.exec(ctx, `DELETE FROM recovery_code WHERE person = $1`, id); err != nil {
		return r, err
	}
	for _, c := range codes {
		if _, err := t.exec(ctx, `INSERT INTO recovery_code (person, hash) VALUES ($1, $2)`, id, c[:]); err != nil {
			return r, err
		}
	}
	return r, nil
}

// AddAuthenticator implements [store.Factors].
func (s *Store) AddAuthenticator(ctx context.Context, id contract.PersonID, a store.Authenticator, step int64, codes [][32]byte, e contract.Event, told ...contract.Notice) error {
	err := s.changeFactors(ctx, id, e, func(t tx) ([]record, error) {
		records := []record{recordOf("authenticator", id)}
		if err := requireFirstFactor(ctx, t, id, codes); err != nil {
			return nil, err
		}
		if err := execRequired(ctx, t, requireNew, `INSERT INTO authenticator (person, secret, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, id, a.Secret, toMicros(a.CreatedAt)); err != nil {
			return nil, err
		}
		// The code that confirmed it is used up. Steps are those of its own secret.
		if _, err := t.exec(ctx, `INSERT INTO code_use (person, wrong, tried_at, step, used_at) VALUES ($1, 0, 0, $2, 0)
			ON CONFLICT (person) DO UPDATE SET wrong = 0, step = excluded.step`, id, step); err != nil {
			return nil, err
		}
		if codes != nil {
			r, err := replaceRecoveryCodes(ctx, t, id, codes)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		return records, nil
	}, told...)
	return wrapf(err, "add the authenticator app of %s", id)
}

// AddPasskey implements [store.Factors].
func (s *Store) AddPasskey(ctx context.Context, p store.Passkey, u store.UsedChallenge, limit int, codes [][32]byte, e contract.Event, told ...contract.Notice) error {
	err := s.changeFactors(ctx, p.Person, e, func(t tx) ([]record, error) {
		if _, err := useChallenge(ctx, t, u); err != nil {
			return nil, err
		}
		if err := requireFirstFactor(ctx, t, p.Person, codes); err != nil {
			return nil, err
		}
		have := 0
		if err := queryOne(ctx, t, []any{&have}, `SELECT COUNT(*) FROM passkey WHERE person = $1`, p.Person); err != nil {
			return nil, err
		}
		if have >= limit {
			return nil, store.ErrConflict
		}
		if err := execRequired(ctx, t, requireNew, `INSERT INTO passkey (id, person, name, public_key, model, transports, backup_eligible, created_at) VALUES (`+placeholders(1, 8)+`) ON CONFLICT DO NOTHING`,
			p.ID, p.Person, p.Name, p.PublicKey, p.AAGUID, p.Transports, p.BackupEligible, toMicros(p.CreatedAt)); err != nil {
			return nil, err
		}
		if _, err := t.exec(ctx, `INSERT INTO passkey_use (passkey, sign_count, backed_up, used_at) VALUES ($1, $2, $3, 0)
			ON CONFLICT (passkey) DO UPDATE SET sign_count = excluded.sign_count, backed_up = excluded.backed_up, used_at = 0`, p.ID, int64(p.SignCount), p.BackedUp); err != nil {
			return nil, err
		}
		records := []record{recordOf("passkey", p.ID)}
		if codes != nil {
			r, err := replaceRecoveryCodes(ctx, t, p.Person, codes)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		return records, nil
	}, told...)
	return wrapf(err, "add a passkey of %s", p.Person)
}

// RenamePasskey implements [store.Factors].
func (s *Store) RenamePasskey(ctx context.Context, id contract.PersonID, passkey, name string, e contract.Event) error {
	err := s.changeFactors(ctx, id, e, func(t tx) ([]record, error) {
		err := execRequired(ctx, t, requireRow, `UPDATE passkey SET name = $3 WHERE id = $1 AND person = $2`, passkey, id, name)
		return []record{recordOf("passkey", passkey)}, err
	})
	return wrapf(err, "rename a passkey of %s", id)
}

// RemoveAuthenticator implements [store.Factors].
func (s *Store) RemoveAuthenticator(ctx context.Context, id contract.PersonID, family string, keep bool, e contract.Event, told ...contract.Notice) error {
	err := s.changeFactors(ctx, id, e, func(t tx) ([]record, error) {
		if err := execRequired(ctx, t, requireRow, `DELETE FROM authenticator WHERE person = $1`, id); err != nil {
			return nil, err
		}
		return endFactor(ctx, t, id, family, keep, recordOf("authenticator", id))
	}, told...)
	return wrapf(err, "remove the authenticator app of %s", id)
}

// RemovePasskey implements [store.Factors].
func (s *Store) RemovePasskey(ctx context.Context, id contract.PersonID, passkey, family string, keep bool, e contract.Event, told ...contract.Notice) error {
	err := s.changeFactors(ctx, id, e, func(t tx) ([]record, error) {
		err := execRequired(ctx, t, requireRow, `DELETE FROM passkey WHERE id = $1 AND person = $2`, passkey, id)
		if err == nil {
			_, err = t.exec(ctx, `DELETE FROM passkey_use WHERE passkey = $1`, passkey)
		}
		if err != nil {
			return nil, err
		}
		return endFactor(ctx, t, id, family, keep, recordOf("passkey", passkey))
	}, told...)
	return wrapf(err, "remove a passkey of %s", id)
}

// endFactor ends what a person has by the factor of record r, which was just removed: the recovery codes, if it was the last one, the sessions other than
// that of a family, and the mark of that session. It returns the records that were written.
func endFactor(ctx context.Context, t tx, id contract.PersonID, family string, keep bool, r record) ([]record, error) {
	records, err := removeCodesOfLast(ctx, t, id, keep, r)
	if err != nil {
		return nil, err
	}
	if err := endOtherLogins(ctx, t, id, family); err != nil {
		return nil, err
	}
	// The person has just given the password, or logged in at their provider.
	_, err = t.exec(ctx, `UPDATE session SET factor = CASE WHEN factor = $2 THEN $3 ELSE $4 END WHERE person = $1 AND (
		factor = $5 AND NOT EXISTS (SELECT 1 FROM authenticator WHERE person = $1)
		OR factor IN ($6, $7) AND NOT EXISTS (SELECT 1 FROM passkey WHERE person = $1)
		OR factor IN ($2, $8) AND NOT EXISTS (SELECT 1 FROM authenticator WHERE person = $1) AND NOT EXISTS (SELECT 1 FROM passkey WHERE person = $1))`,
		id, contract.FactorOIDCSecond, contract.FactorOIDC, contract.FactorPassword, contract.FactorTOTP, contract.FactorPasskey, contract.FactorPasskeyOnly, contract.FactorRecovery)
	return records, err
}

// selectFactorCount counts the factors of a person.
const selectFactorCount = `SELECT (SELECT COUNT(*) FROM authenticator WHERE person = $1) + (SELECT COUNT(*) FROM passkey WHERE person = $1)`

// removeCodesOfLast removes the recovery codes of a person if the factor of record r was their last one. If keep is true, the last one may not be
// removed: ErrConflict. It returns the records that were written.
func removeCodesOfLast(ctx context.Context, t tx, id contract.PersonID, keep bool, r record) ([]record, error) {
	left := 0
	if err := queryOne(ctx, t, []any{&left}, selectFactorCount, id); err != nil || left > 0 {
		return []record{r}, err
	}
	if keep {
		return nil, store.ErrConflict
	}
	codes, err := replaceRecoveryCodes(ctx, t, id, nil)
	return []record{r, codes}, err
}

// SetRecoveryCodes implements [store.Factors].
func (s *Store) SetRecoveryCodes(ctx context.Context, id contract.PersonID, codes [][32]byte, e contract.Event) error {
	err := s.changeFactors(ctx, id, e, func(t tx) ([]record, error) {
		have := 0
		err := queryOne(ctx, t, []any{&have}, selectFactorCount, id)
		if err == nil && have == 0 {
			err = store.ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		r, err := replaceRecoveryCodes(ctx, t, id, codes)
		return []record{r}, err
	})
	return wrapf(err, "set the recovery codes of %s", id)
}

// ResetFactors implements [store.Factors].
func (s *Store) ResetFactors(ctx context.Context, id contract.PersonID, e contract.Event, told ...contract.Notice) error {
	err := s.changeFactors(ctx, id, e, func(t tx) ([]record, error) {
		passkeys, err := queryAll(ctx, t, column[string], `SELECT id FROM passkey WHERE person = $1`, id)
		if err != nil {
			return nil, err
		}
		apps, err := t.exec(ctx, `DELETE FROM authenticator WHERE person = $1`, id)
		if err == nil && apps == 0 && len(passkeys) == 0 {
			err = store.ErrConflict
		}
		if err != nil {
			return nil, err
		}
		records := []record{recordOf("authenticator", id)}
		for _, p := range passkeys {
			if _, err := t.exec(ctx, `DELETE FROM passkey_use WHERE passkey = $1`, p); err != nil {
				return nil, err
			}
			records = append(records, recordOf("passkey", p))
		}
		if _, err := t.exec(ctx, `DELETE FROM passkey WHERE person = $1`, id); err != nil {
			return nil, err
		}
		if _, err := t.exec(ctx, `DELETE FROM code_use WHERE person = $1`, id); err != nil {
			return nil, err
		}
		codes, err := replaceRecoveryCodes(ctx, t, id, nil)
		if err != nil {
			return nil, err
		}
		return slices.Concat(records, []record{codes}), endLogins(ctx, t, id)
	}, told...)
	return wrapf(err, "reset the factors of %s", id)
}

// RaiseSession implements [store.Factors].
func (s *Store) RaiseSession(ctx context.Context, family string, f contract.Factor, at time.Time) error {
	return wrapf(s.runStatement(ctx, `UPDATE session SET factor = $2, proved_at = $3 WHERE family = $1`, family, f, toMicros(at)), "record the factor of session %s", family)
}

// ProveSession implements [store.Factors].
func (s *Store) ProveSession(ctx context.Context, family string, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		return t.addStatements(ctx, statement{sql: `UPDATE session SET proved_at = $2 WHERE family = $1`, args: []any{family, toMicros(at)}, done: requireRow})
	})
	return wrapf(err, "record a proof in session %s", family)
}

// PurgeChallenges implements [store.Factors].
func (s *Store) PurgeChallenges(ctx context.Context, before time.Time) error {
	return wrapf(s.runPurges(ctx, purge{"used_challenge", "ticket", `used_at < $1`, []any{toMicros(before)}}), "purge challenges")
}
