package sqlstore

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Counts is what a store has done since it was opened.
type Counts struct {
	// Statements on PostgreSQL are all round trips of statements, with those of the job queue and those that begin and end
	// transactions; on SQLite, which has no round trips, the statements of the store alone.
	Statements int64
	Reads      int64 // transactions that read
	Writes     int64 // transactions that may write; each one that commits waits for the disk once
}

// counters counts for [Store.Counts].
type counters struct{ statements, reads, writes atomic.Int64 }

// Counts returns what the store has done since it was opened.
func (s *Store) Counts() Counts {
	return Counts{Statements: s.counters.statements.Load(), Reads: s.counters.reads.Load(), Writes: s.counters.writes.Load()}
}

// TraceQueryStart implements [pgx.QueryTracer].
func (c *counters) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.statements.Add(1)
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (c *counters) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
