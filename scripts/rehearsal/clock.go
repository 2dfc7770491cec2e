package main

import (
	"fmt"
	"os"
	"time"
)

// clockTag is the build tag of a program whose clock can be moved: cmd/segel/clock_fault.go.
const clockTag = "clockfault"

// movedClock is the clock of the services and of everything that they are compared with. It is ahead of the machine's by what its file says.
type movedClock struct {
	file   string
	start  time.Time // of the rehearsal
	offset time.Duration
}

func newMovedClock(file string) (*movedClock, error) {
	c := &movedClock{file: file, start: time.Now()}
	return c, c.moveTo(0)
}

// moveTo moves the clock to that many months after the start. It goes on from there as the machine's does. Services read the file while it is
// replaced.
func (c *movedClock) moveTo(months int) error {
	c.offset = max(c.offset, time.Until(c.start.AddDate(0, months, 0))).Truncate(time.Second)
	next := c.file + ".next"
	if err := os.WriteFile(next, []byte(c.offset.String()), 0o600); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	return os.Rename(next, c.file)
}

// now returns the time of the clock, in whole seconds.
func (c *movedClock) now() time.Time { return time.Now().Add(c.offset).UTC().Truncate(time.Second) }

// awaitSecond waits for the next whole second of the clock, and returns it. Not all validators take a fraction, and as of the second before, what was
// signed in its course would be of the future.
func (c *movedClock) awaitSecond() time.Time {
	at := c.now().Add(time.Second)
	time.Sleep(at.Sub(time.Now().Add(c.offset)))
	return at
}

// env returns what a program with the build tag needs to have this clock.
func (c *movedClock) env() string { return "FAULT_CLOCK_OFFSET=" + c.file }
