package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"segel/internal/outage"
)

// DefaultTimeout bounds a transaction unless [Options] say otherwise.
const DefaultTimeout = 15 * time.Second

// maxTransactions bounds the transactions that run or wait for a connection at the same time. Others wait while the database
// answers: it serves a crowd in the end, such as thousands of browsers that reconnect after a restart. While it does not
// respond, that is if it answers none of the transactions within crowdWait, they are refused instead of piling up.
const (
	maxTransactions = 1024
	crowdWait       = time.Second
)

// boundedDatabase limits the duration of transactions and the number of those that wait, and classifies errors as outage or
// defect.
type boundedDatabase struct {
	database
	timeout  time.Duration
	counters *counters
	answered atomic.Int64  // transactions that the database has answered
	turns    chan struct{} // holds one element for each transaction that runs or waits
	tracer   trace.Tracer  // nil: transactions have no spans
}

func newBoundedDatabase(db database, timeout time.Duration, c *counters) *boundedDatabase {
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	return &boundedDatabase{database: db, timeout: timeout, counters: c, turns: make(chan struct{}, maxTransactions)}
}

func (b *boundedDatabase) withSnapshot(ctx context.Context, fn func(querier) error) error {
	return b.runBounded(ctx, "read", func(ctx context.Context) error {
		b.counters.reads.Add(1)
		return b.database.withSnapshot(ctx, fn)
	})
}

func (b *boundedDatabase) readTogether(ctx context.Context, all ...statement) error {
	return b.runBounded(ctx, "read", func(ctx context.Context) error {
		b.counters.reads.Add(1)
		return b.database.readTogether(ctx, all...)
	})
}

func (b *boundedDatabase) readWhole(ctx context.Context, fn func(querier) error) error {
	return b.inTurn(ctx, func() error {
		b.counters.reads.Add(1)
		return b.classifyError(ctx, b.database.readWhole(ctx, fn))
	})
}

func (b *boundedDatabase) withTx(ctx context.Context, fn func(tx) error) error {
	return b.runBounded(ctx, "write", func(ctx context.Context) error {
		b.counters.writes.Add(1)
		return nodeRefusal(b.database.withTx(ctx, fenced(ctx, fn)))
	})
}

var errCrowded = errors.New("too many transactions wait for it")

// runBounded runs a transaction for at most the timeout, so that a database that hangs does not block its callers.
func (b *boundedDatabase) runBounded(ctx context.Context, kind string, transaction func(context.Context) error) error {
	ctx, end := b.beginSpan(ctx, kind)
	err := b.inTurn(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, b.timeout)
		defer cancel()
		return b.classifyError(ctx, transaction(ctx))
	})
	end(err)
	return err
}

// beginSpan begins the span of a transaction, with the wait for its turn, if its trace is recorded.
func (b *boundedDatabase) beginSpan(ctx context.Context, kind string) (context.Context, func(error)) {
	if b.tracer == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := b.tracer.Start(ctx, "transaction "+kind, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, func(err error) {
		if outage.Of(err) != nil { // other errors are results, such as what does not exist
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// inTurn counts a transaction while it runs or waits.
func (b *boundedDatabase) inTurn(ctx context.Context, transaction func() error) error {
	select {
	case b.turns <- struct{}{}:
	default:
		if err := b.waitTurn(ctx); err != nil {
			return err
		}
	}
	defer func() { <-b.turns }()
	err := transaction()
	if outage.Of(err) == nil && ctx.Err() == nil { // a caller who gave up got no answer
		b.answered.Add(1)
	}
	return err
}

// waitTurn waits until the transaction is one of those that run or wait for a connection: while the database answers, but no longer
// than a transaction may take.
func (b *boundedDatabase) waitTurn(ctx context.Context) error {
	check := time.NewTicker(crowdWait)
	defer check.Stop()
	end := time.NewTimer(b.timeout)
	defer end.Stop()
	for answered := b.answered.Load(); ; {
		select {
		case b.turns <- struct{}{}:
			return nil
		case <-ctx.Done():
			return b.classifyError(ctx, ctx.Err())
		case <-check.C:
			now := b.answered.Load()
			if now == answered {
				return &outage.Error{Part: outage.Database, Err: errCrowded}
			}
			answered = now
		case <-end.C:
			return &outage.Error{Part: outage.Database, Err: errCrowded}
		}
	}
}

// commitError is an error of a commit that may have succeeded nevertheless.
type commitError struct{ err error }

func (e *commitError) Error() string { return fmt.Sprintf("while it was committed: %v", e.err) }
func (e *commitError) Unwrap() error { return e.err }

// classifyError marks errors which mean that the database does not respond. A cancelled context is not an outage, unless
// the commit was in progress.
func (b *boundedDatabase) classifyError(ctx context.Context, err error) error {
	var doubt *commitError
	switch {
	case err == nil || outage.Of(err) != nil:
		return err
	case errors.As(err, &doubt):
		return &outage.Error{Part: outage.Database, InDoubt: true, Err: err}
	case outage.TimedOut(ctx) && (errors.Is(err, ctx.Err()) || b.isUnavailable(err)):
		return &outage.Error{Part: outage.Database, Err: err}
	case ctx.Err() != nil: // whatever error the driver returned
		return err
	case b.isUnavailable(err):
		return &outage.Error{Part: outage.Database, Err: err}
	case b.isDiskFull(err):
		return &outage.Error{Part: outage.Disk, Err: err}
	}
	return err
}
