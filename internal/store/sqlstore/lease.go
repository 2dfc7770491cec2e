package sqlstore

import (
	"context"
	"errors"

	"segel/internal/store"
)

// holderLives is the condition that a node has a lease.
const holderLives = `EXISTS (SELECT 1 FROM node WHERE node.name = lease.holder AND node.ended_at = 0)`

// TakeLease implements [store.Leases]. It tries the numbers that look free; another node that takes one first makes it try the
// next.
func (s *Store) TakeLease(ctx context.Context, resource string, count int, node string) (l store.NodeLease, taken bool, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		l, taken = store.NodeLease{Resource: resource}, false
		held := map[int]bool{}
		numbers, err := queryAll(ctx, t, column[int], `SELECT number FROM lease WHERE resource = $1 AND `+holderLives, resource)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			held[n] = true
		}
		for l.Number = 0; l.Number < count; l.Number++ {
			if held[l.Number] {
				continue
			}
			err := queryOne(ctx, t, []any{&l.Fence}, `INSERT INTO lease (resource, number, holder, fence) VALUES ($1, $2, $3, 1)
				ON CONFLICT (resource, number) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1 WHERE NOT `+holderLives+` RETURNING fence`, resource, l.Number, node)
			if !errors.Is(err, store.ErrNotFound) {
				taken = err == nil
				return err
			}
		}
		return nil
	})
	return l, taken && err == nil, wrapf(err, "take a lease of %s", resource)
}

// ReleaseLease implements [store.Leases].
func (s *Store) ReleaseLease(ctx context.Context, l store.NodeLease) error {
	return wrapf(s.runStatement(ctx, `UPDATE lease SET holder = '' WHERE resource = $1 AND number = $2 AND fence = $3`, l.Resource, l.Number, l.Fence), "release a lease of %s", l.Resource)
}

// CountLeases implements [store.Leases].
func (s *Store) CountLeases(ctx context.Context, resource string) (n int, err error) {
	err = s.readRow(ctx, []any{&n}, `SELECT COUNT(*) FROM lease WHERE resource = $1 AND `+holderLives, resource)
	return n, wrapf(err, "count the leases of %s", resource)
}
