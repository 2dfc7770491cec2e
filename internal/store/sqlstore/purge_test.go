package sqlstore

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestAPurgeOfManyRowsIsManyTransactions is about what has come together while nothing was purged. A transaction that deletes all of it may take longer than a transaction
// may, at each try.
func TestAPurgeOfManyRowsIsManyTransactions(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, ctx := openTest(t, dsn), t.Context()
		const old = 2*5000 + 7
		err := s.runStatement(ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO answer (account, path, idempotency_key, body, status, header, content, sealed, kept_at)
			SELECT 'account', '/v1/x', CAST(i AS TEXT), $3, 200, '{}', $3, TRUE, CASE WHEN i <= $2 THEN 1000000 ELSE 2000000 END FROM n`, old+3, old, []byte{1})
		if err != nil {
			t.Fatal(err)
		}
		var left []int
		s.Intercept(func(ctx context.Context, write bool, run func() error) error {
			if err := run(); err != nil || !write {
				return err
			}
			var n int
			err := s.readRow(ctx, []any{&n}, `SELECT COUNT(*) FROM answer`)
			left = append(left, n)
			return err
		})
		if err := s.PurgeAnswers(ctx, time.Unix(2, 0)); err != nil {
			t.Fatal(err)
		}
		if left = slices.Compact(left); !slices.Equal(left, []int{old + 3, old + 3 - 5000, old + 3 - 10_000, 3}) {
			t.Errorf("after each transaction are left %v", left)
		}
	})
}
