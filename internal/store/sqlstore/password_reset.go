package sqlstore

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

var passwordRequestRows = rowType[store.PasswordRequest]{
	"password_request", `id, email, language, ip, user_agent, requested_at`,
	func(r *store.PasswordRequest) []any {
		return []any{&r.ID, &r.Email, &r.Language, &r.IP, &r.UserAgent, scanTime(&r.At)}
	},
}

var passwordResetRows = rowType[store.PasswordReset]{
	"password_reset", `id, person, hash, created_at, expires_at`,
	func(r *store.PasswordReset) []any {
		return []any{&r.ID, &r.Person, scanDigest(&r.Hash), scanTime(&r.CreatedAt), scanTime(&r.ExpiresAt)}
	},
}

// AddPasswordRequest implements [store.PasswordResets].
func (s *Store) AddPasswordRequest(ctx context.Context, r store.PasswordRequest, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		err := t.addStatements(ctx, statement{
			sql:  `INSERT INTO password_request (` + passwordRequestRows.columns + `) VALUES (` + placeholders(1, 6) + `)`,
			args: []any{r.ID, cleanText(r.Email), r.Language, cleanText(r.IP), cleanText(r.UserAgent), toMicros(r.At)},
		})
		if err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, jobs: []contract.Job{{Kind: contract.JobNotify}}}.appendToLog(ctx, t)
	})
	return wrapf(err, "store a request for a new password")
}

// PasswordRequests implements [store.PasswordResets].
func (s *Store) PasswordRequests(ctx context.Context, limit int) ([]store.PasswordRequest, error) {
	all, err := readAll(ctx, s, passwordRequestRows.dest, passwordRequestRows.selectWhere(`ORDER BY requested_at, id LIMIT $1`), limit)
	return all, wrapf(err, "read requests for new passwords")
}

// AnswerPasswordRequest implements [store.PasswordResets].
func (s *Store) AnswerPasswordRequest(ctx context.Context, id string, resets []store.PasswordReset, notices []contract.Notice) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `DELETE FROM password_request WHERE id = $1`, id); err != nil {
			return err
		}
		for _, r := range resets {
			err := t.addStatements(ctx, statement{
				sql:  `INSERT INTO password_reset (` + passwordResetRows.columns + `) VALUES (` + placeholders(1, 5) + `)`,
				args: []any{r.ID, r.Person, r.Hash[:], toMicros(r.CreatedAt), toMicros(r.ExpiresAt)},
			})
			if err != nil {
				return err
			}
		}
		return addAccountNotices(ctx, t, notices...)
	})
	return wrapf(err, "answer request %s for a new password", id)
}

// PasswordReset implements [store.PasswordResets].
func (s *Store) PasswordReset(ctx context.Context, id string) (store.PasswordReset, error) {
	r, err := passwordResetRows.readOne(ctx, s, `WHERE id = $1`, id)
	return r, wrapf(err, "read reset link %s", id)
}

// PasswordResetByHash implements [store.PasswordResets].
func (s *Store) PasswordResetByHash(ctx context.Context, hash [32]byte) (store.PasswordReset, error) {
	r, err := passwordResetRows.readOne(ctx, s, `WHERE hash = $1`, hash[:])
	return r, wrapf(err, "read a reset link")
}

// UsePasswordReset implements [store.PasswordResets].
func (s *Store) UsePasswordReset(ctx context.Context, r store.PasswordReset, was, encoded string, keys bool, e contract.Event, n contract.Notice) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The lock on the user comes first, as in replacePassword: of two uses of a link, the second one finds that it is gone.
		if err := lockUser(ctx, t, r.Person); err != nil {
			return err
		}
		used, err := t.exec(ctx, `DELETE FROM password_reset WHERE id = $1 AND hash = $2 AND person = $3 AND expires_at > $4`, r.ID, r.Hash[:], r.Person, toMicros(e.At))
		if err != nil {
			return err
		}
		if used == 0 {
			return store.ErrNotFound
		}
		told := []contract.Notice{n}
		if err := insertNotices(ctx, t, told); err != nil {
			return err
		}
		entry := logEntry{events: []contract.Event{e}, jobs: noticeJobs(told)}
		if keys {
			if entry.records, err = revokeKeys(ctx, t, r.Person, e.At); err != nil {
				return err
			}
		}
		return replacePassword(ctx, t, r.Person, was, encoded, false, entry)
	})
	return wrapf(err, "replace the password of user %s by a reset link", r.Person)
}
