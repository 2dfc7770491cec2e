package sqlstore

import (
	"context"
	"time"

	"segel/internal/store"
)

// trimTriesEvery is how many tries of a process pass until it looks whether a kind has too many keys. A kind has at most so many more, for each process.
const trimTriesEvery = 256

// CountTry implements [store.Tries]. It is one statement, which locks the row. A count that is spent is read again for its time: a try that was
// counted or forgiven in between makes the answer a little older, and admits nothing.
func (s *Store) CountTry(ctx context.Context, t store.Try, now time.Time) (time.Time, bool, error) {
	var spent time.Time
	counted := false
	err := s.db.withTx(ctx, func(q tx) error {
		counted = false
		n, err := q.exec(ctx, `INSERT INTO try_count (kind, key, spent_until) VALUES ($1, $2, CAST($3 AS BIGINT) + $4) ON CONFLICT (kind, key) DO UPDATE
			SET spent_until = CASE WHEN try_count.spent_until > $3 THEN try_count.spent_until ELSE $3 END + $4
			WHERE try_count.spent_until - CAST($3 AS BIGINT) + $4 <= $5`, t.Kind, t.Key[:], toMicros(now), t.Every.Microseconds(), t.Limit.Microseconds())
		if err != nil {
			return err
		}
		counted = n > 0
		return queryOne(ctx, q, []any{scanTime(&spent)}, `SELECT spent_until FROM try_count WHERE kind = $1 AND key = $2`, t.Kind, t.Key[:])
	})
	if err != nil {
		return spent, false, wrapf(err, "count a try of kind %s", t.Kind)
	}
	if counted && s.tries.Add(1)%trimTriesEvery == 0 {
		err = s.trimTries(ctx, t.Kind, t.Keys)
	}
	return spent, counted, err
}

// trimTries forgets the counts of a kind that were spent for the shortest time, if there are more than keep.
func (s *Store) trimTries(ctx context.Context, kind string, keep int) error {
	return wrapf(s.runStatement(ctx, `DELETE FROM try_count WHERE kind = $1 AND spent_until <= (
		SELECT spent_until FROM try_count WHERE kind = $1 ORDER BY spent_until DESC LIMIT 1 OFFSET $2)`, kind, keep), "trim the tries of kind %s", kind)
}

// forgiveTries deletes counts.
func forgiveTries(ctx context.Context, t tx, keys []store.TryKey) error {
	for _, k := range keys {
		if err := t.addStatements(ctx, statement{sql: `DELETE FROM try_count WHERE kind = $1 AND key = $2`, args: []any{k.Kind, k.Key[:]}}); err != nil {
			return err
		}
	}
	return nil
}

// PurgeTries implements [store.Tries].
func (s *Store) PurgeTries(ctx context.Context, now time.Time) error {
	return wrapf(s.runPurges(ctx, purge{"try_count", "kind, key", `spent_until <= $1`, []any{toMicros(now)}}), "purge tries")
}
