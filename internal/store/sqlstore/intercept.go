package sqlstore

import "context"

// Interceptor is called in place of a transaction, which run carries out and commits. Write reports whether the transaction may change
// something. What it returns is the result of the transaction.
type Interceptor func(ctx context.Context, write bool, run func() error) error

// Intercept passes every transaction of the store through f: tests let those fail that they choose, before their effect or after it. The job
// queue's transactions that are not part of one of the store's do not pass. Call it before the store is shared.
func (s *Store) Intercept(f Interceptor) { s.db = interceptedDatabase{s.db, f} }

type interceptedDatabase struct {
	database
	intercept Interceptor
}

func (d interceptedDatabase) withSnapshot(ctx context.Context, fn func(querier) error) error {
	return d.intercept(ctx, false, func() error { return d.database.withSnapshot(ctx, fn) })
}

func (d interceptedDatabase) readTogether(ctx context.Context, all ...statement) error {
	return d.intercept(ctx, false, func() error { return d.database.readTogether(ctx, all...) })
}

func (d interceptedDatabase) readWhole(ctx context.Context, fn func(querier) error) error {
	return d.intercept(ctx, false, func() error { return d.database.readWhole(ctx, fn) })
}

func (d interceptedDatabase) withTx(ctx context.Context, fn func(tx) error) error {
	return d.intercept(ctx, true, func() error { return d.database.withTx(ctx, fn) })
}
