package sqlstore

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Counts is what a store has done since it was opened.
type Counts struct {
	// Statements on PostgreSQL include those of the job queue and those that begin and end transactions; on SQLite they are the
	// statements of the store alone.
	Statements int64
	RoundTrips int64 // on PostgreSQL; 0 on SQLite, which runs in the process
	Reads      int64 // transactions that read
	Writes     int64 // transactions that may write
	Rows       int64 // that statements returned on SQLite; 0 on PostgreSQL
	Commits    int64 // that waited for the disk; on SQLite transactions that arrive together share one
}

// counters counts for [Store.Counts].
type counters struct{ statements, roundTrips, reads, writes, commits, rows atomic.Int64 }

// Counts returns what the store has done since it was opened.
func (s *Store) Counts() Counts {
	c := s.counters
	return Counts{Statements: c.statements.Load(), RoundTrips: c.roundTrips.Load(), Reads: c.reads.Load(), Writes: c.writes.Load(), Commits: c.commits.Load(), Rows: c.rows.Load()}
}

// TraceQueryStart implements [pgx.QueryTracer].
func (c *counters) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.statements.Add(1)
	c.roundTrips.Add(1)
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (c *counters) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements [pgx.BatchTracer].
func (c *counters) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	c.statements.Add(int64(data.Batch.Len()))
	c.roundTrips.Add(1)
	return ctx
}

// TraceBatchQuery implements [pgx.BatchTracer].
func (c *counters) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements [pgx.BatchTracer].
func (c *counters) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
