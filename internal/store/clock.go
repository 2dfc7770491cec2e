package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Clocks tells what the store knows of the time.
type Clocks interface {
	// Times reads what the local clock is compared with: the database server's own clock, and the latest times that were
	// recorded since the clock was confirmed last. SQLite is part of the process and has no clock of its own: its Database is
	// zero, and what was recorded is all there is. Local is left zero.
	//
	// The database's clock is read when the question arrives, so it is older than the answer by the time that takes.
	Times(ctx context.Context) (contract.ClockReading, error)

	// ConfirmClock logs the event by which an operator confirmed the clock. Times knows nothing recorded before it any more.
	//
	// Durable on return: both. On error: neither.
	ConfirmClock(ctx context.Context, e contract.Event) error

	// DatedAfter returns up to limit documents that have an event after that moment, by number, and how many there are. It
	// reads the whole log, and is for an operator who wants to know what a wrong clock has done.
	DatedAfter(ctx context.Context, at time.Time, limit int) ([]contract.DocumentID, int, error)
}
