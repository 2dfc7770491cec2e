package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"segel/internal/store"
)

// Claim implements [store.Answers].
func (s *Store) Claim(ctx context.Context, a store.Answer, keep, stale time.Duration) (*store.Answer, error) {
	var there *store.Answer
	err := s.db.write(ctx, func(t tx) error {
		there = nil
		// One statement, so that of many at the same moment one claims. It replaces what counts as none.
		n, err := t.exec(ctx, `INSERT INTO answer (account, path, idempotency_key, body, done, status, header, content, claimed_at)
			VALUES ($1, $2, $3, $4, FALSE, 0, '{}', $5, $6)
			ON CONFLICT (account, path, idempotency_key) DO UPDATE
				SET body = excluded.body, done = FALSE, status = 0, header = '{}', content = excluded.content, claimed_at = excluded.claimed_at
				WHERE answer.claimed_at < $7 OR NOT answer.done AND answer.claimed_at < $8`,
			a.Account, a.Path, a.Key, a.Body[:], []byte{}, micros(a.At), micros(a.At.Add(-keep)), micros(a.At.Add(-stale)))
		if err != nil || n == 1 {
			return err
		}
		// The row that stood in the way is locked by the statement above, so it is still there.
		there, err = readAnswer(ctx, t, a)
		return err
	})
	return there, wrap(err, "claim key of %s on %s", a.Account, a.Path)
}

func readAnswer(ctx context.Context, q querier, a store.Answer) (*store.Answer, error) {
	there := store.Answer{Account: a.Account, Path: a.Path, Key: a.Key}
	var header string
	err := one(ctx, q, []any{digest(&there.Body), &there.Done, &there.Status, &header, octets(&there.Content), moment(&there.At)},
		`SELECT body, done, status, header, content, claimed_at FROM answer WHERE account = $1 AND path = $2 AND idempotency_key = $3`, a.Account, a.Path, a.Key)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(header), &there.Header); err != nil {
		return nil, fmt.Errorf("header of the answer: %w", err)
	}
	return &there, nil
}

// Finish implements [store.Answers].
func (s *Store) Finish(ctx context.Context, a store.Answer) error {
	header, err := json.Marshal(a.Header)
	if err != nil {
		return fmt.Errorf("header of the answer: %w", err)
	}
	err = s.update(ctx, `UPDATE answer SET body = $4, done = TRUE, status = $5, header = $6, content = $7
		WHERE account = $1 AND path = $2 AND idempotency_key = $3 AND NOT done`,
		a.Account, a.Path, a.Key, a.Body[:], a.Status, string(header), blob(a.Content))
	return wrap(err, "finish key of %s on %s", a.Account, a.Path)
}

// Drop implements [store.Answers].
func (s *Store) Drop(ctx context.Context, account, path, key string) error {
	err := s.run(ctx, `DELETE FROM answer WHERE account = $1 AND path = $2 AND idempotency_key = $3 AND NOT done`, account, path, key)
	return wrap(err, "drop key of %s on %s", account, path)
}

// PurgeAnswers implements [store.Answers].
func (s *Store) PurgeAnswers(ctx context.Context, before time.Time) error {
	return wrap(s.run(ctx, `DELETE FROM answer WHERE claimed_at < $1`, micros(before)), "purge answers")
}
