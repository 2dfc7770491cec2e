package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/outage"
)

// DefaultTimeout is how long a transaction may take where [Options] say nothing.
const DefaultTimeout = 15 * time.Second

// maxTransactions bounds the transactions that run or wait for a connection at the same time. It is far above what a database that
// answers ever has; while one does not, requests beyond it are refused at once instead of piling up.
const maxTransactions = 1024

// boundedDatabase is a database whose transactions take a limited time, of which a limited number wait, and whose errors tell an outage from a
// defect.
type boundedDatabase struct {
	database
	timeout time.Duration
	turns   chan struct{} // holds one for each transaction that runs or waits
}

func newBoundedDatabase(db database, timeout time.Duration) *boundedDatabase {
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	return &boundedDatabase{database: db, timeout: timeout, turns: make(chan struct{}, maxTransactions)}
}

func (b *boundedDatabase) withSnapshot(ctx context.Context, fn func(querier) error) error {
	return b.runBounded(ctx, func(ctx context.Context) error { return b.database.withSnapshot(ctx, fn) })
}

func (b *boundedDatabase) withTx(ctx context.Context, fn func(tx) error) error {
	return b.runBounded(ctx, func(ctx context.Context) error { return b.database.withTx(ctx, fn) })
}

var errCrowded = errors.New("too many wait for it")

// runBounded runs a transaction, for as long as the timeout at most: a database that hangs does not hold on to who asks it.
func (b *boundedDatabase) runBounded(ctx context.Context, transaction func(context.Context) error) error {
	select {
	case b.turns <- struct{}{}:
	default:
		return &outage.Error{Part: outage.Database, Err: errCrowded}
	}
	defer func() { <-b.turns }()
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.classifyError(ctx, transaction(ctx))
}

// commitError is an error of a commit after which the transaction may stand all the same.
type commitError struct{ err error }

func (e *commitError) Error() string { return fmt.Sprintf("while it was committed: %v", e.err) }
func (e *commitError) Unwrap() error { return e.err }

// classifyError marks an error that means that the database does not answer. An owner of the context who gave up is no outage, unless
// the commit was under way.
func (b *boundedDatabase) classifyError(ctx context.Context, err error) error {
	var doubt *commitError
	switch {
	case err == nil || outage.Of(err) != nil:
		return err
	case errors.As(err, &doubt):
		return &outage.Error{Part: outage.Database, InDoubt: true, Err: err}
	case outage.TimedOut(ctx) && (errors.Is(err, ctx.Err()) || b.isUnavailable(err)):
		return &outage.Error{Part: outage.Database, Err: err}
	case ctx.Err() != nil: // whatever the driver made of it
		return err
	case b.isUnavailable(err):
		return &outage.Error{Part: outage.Database, Err: err}
	case b.isDiskFull(err):
		return &outage.Error{Part: outage.Disk, Err: err}
	}
	return err
}
