package process

import (
	"sync"
	"time"

	"segel/internal/contract"
)

// Clock is the clock of a process that shares a database with others. It is the clock of the machine, which it compares with that of the
// database from time to time. If the machine's is set in between, [Clock.Check] says so at once, and [Clock.Now] goes on as if it had not been: work that
// began before records no time that contradicts what others recorded. It is safe for concurrent use.
type Clock struct {
	machine   func() time.Time
	tolerance time.Duration

	mu       sync.Mutex // guards the fields below
	database time.Time  // the database's clock when it was last read; zero: it was not
	readAt   time.Time  // when that was, by the monotonic clock
	agreed   time.Time  // the machine's clock when the two last agreed; zero: they did not
	agreedAt time.Time  // when that was, by the monotonic clock
}

// NewClock returns a clock that reads machine. It has been compared with no other yet. With a tolerance of 0 it never is, and only reads.
func NewClock(machine func() time.Time, tolerance time.Duration) *Clock {
	return &Clock{machine: machine, tolerance: tolerance}
}

// Now returns the time of the machine. If that is further than the tolerance from what it should be by the monotonic clock, since it last agreed
// with the database, Now returns what it should be.
//
// The monotonic clock of some systems stands still while the machine is suspended. After that Now is behind until the next comparison; a commit
// that compares it with the server notices ([segel/internal/store/sqlstore.Options]).
func (c *Clock) Now() time.Time {
	now := c.machine()
	c.mu.Lock()
	agreed, agreedAt := c.agreed, c.agreedAt
	c.mu.Unlock()
	if agreed.IsZero() {
		return now
	}
	expected := agreed.Add(time.Since(agreedAt))
	if now.Round(0).Sub(expected).Abs() <= c.tolerance { // without its monotonic reading: what counts is the time that would be recorded
		return now
	}
	return expected
}

// Machine returns the time of the machine.
func (c *Clock) Machine() time.Time { return c.machine() }

// Tolerance returns how far the clock of the machine may be from the database's; 0: they are not compared.
func (c *Clock) Tolerance() time.Duration { return c.tolerance }

// Check returns contract.ErrClock if the clock of the machine is further than the tolerance from the database's. From the last reading of that on, the
// monotonic clock says what it shows now, so that a clock that is set between two readings is noticed as well.
func (c *Clock) Check() error {
	c.mu.Lock()
	database, readAt := c.database, c.readAt
	c.mu.Unlock()
	if c.tolerance == 0 || database.IsZero() {
		return nil
	}
	return c.compareTimes(c.machine().Round(0), database.Add(time.Since(readAt)))
}

func (c *Clock) compareTimes(machine, database time.Time) error {
	return contract.CheckClock(contract.ClockReading{Local: machine, Database: database}, c.tolerance).Err()
}

// recordReading records what the database's clock has just shown.
func (c *Clock) recordReading(database time.Time) {
	if c.tolerance == 0 {
		return
	}
	readAt, machine := time.Now(), c.machine().Round(0)
	agrees := c.compareTimes(machine, database) == nil
	c.mu.Lock()
	defer c.mu.Unlock()
	c.database, c.readAt = database, readAt
	if agrees {
		c.agreed, c.agreedAt = machine, readAt
	}
}
