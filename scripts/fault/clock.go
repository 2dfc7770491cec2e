package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// clockTag is the build tag of a program whose clock can be moved: cmd/segel/clock_fault.go.
const clockTag = "clockfault"

// The jumps of a clock: all are more than the tolerance of two minutes, and some more than the lifetime of tokens and stored answers, which is a day.
const (
	leastMinutes, mostMinutes = 3, 20
	leastHours, mostHours     = 1, 30
)

// clockOutages returns the jumps of the clock of one node, which a function draws before each. The clock is right again at the end.
func (t *trial) clockOutages(node func() *node, draw func(func() error) func() error) []outage {
	var all []outage
	for _, jump := range []struct {
		name        string
		unit        time.Duration
		least, most int
	}{
		{"hours ahead", time.Hour, leastHours, mostHours}, {"hours behind", -time.Hour, leastHours, mostHours},
		{"minutes ahead", time.Minute, leastMinutes, mostMinutes}, {"minutes behind", -time.Minute, leastMinutes, mostMinutes},
	} {
		all = append(all, outage{
			"a node's clock jumps " + jump.name + ", and back",
			draw(func() error { return node().setClock(time.Duration(t.drawBetween(jump.least, jump.most)) * jump.unit) }),
			func() error { return node().setClock(0) },
		})
	}
	return all
}

func (t *trial) drawBetween(least, most int) int {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	return least + t.chance.IntN(most-least+1)
}

// setClock makes the clock of the node differ from that of the machine. The program reads the file while it is replaced.
func (n *node) setClock(offset time.Duration) error {
	next := n.clock + ".next"
	if err := os.WriteFile(next, []byte(offset.String()), 0o600); err != nil {
		return fmt.Errorf("clock of node %d: %w", n.number, err)
	}
	return os.Rename(next, n.clock)
}

// openClock creates the file of the offset, and returns the environment that names it.
func (n *node) openClock(dir string) ([]string, error) {
	n.clock = filepath.Join(dir, fmt.Sprintf("node-%d.clock", n.number))
	return []string{"FAULT_CLOCK_OFFSET=" + n.clock}, n.setClock(0)
}
