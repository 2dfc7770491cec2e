package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Clocks returns what the store knows about the time.
type Clocks interface {
	// Times reads what the local clock is compared with: the database server's clock, and the latest times recorded since
	// the clock was last confirmed. SQLite runs in the process and has no separate clock, so Database is zero and only
	// the recorded times are known. Times leaves Local zero.
	//
	// The server reads its clock when the query arrives, so the result is older than the return by the network delay.
	Times(ctx context.Context) (contract.ClockReading, error)

	// ConfirmClock logs the event by which an operator confirmed the clock. Times then ignores everything recorded earlier.
	//
	// Durable on return: both. On error: neither.
	ConfirmClock(ctx context.Context, e contract.Event) error

	// DatedAfter returns up to limit documents that have an event after that moment, by number, and their count. It
	// reads the whole log; it is for an operator who examines the effects of a wrong clock.
	DatedAfter(ctx context.Context, at time.Time, limit int) ([]contract.DocumentID, int, error)
}
