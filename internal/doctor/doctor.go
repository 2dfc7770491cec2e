// Package doctor examines what a service needs: the machine it runs on, its database, and the other machines that it calls. A check
// changes nothing; what it writes to try something it removes again.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// State is the result of a check.
type State string

// The states.
const (
	OK      State = "ok"
	Warning State = "warning" // it works, and something is weak or is going to end
	Problem State = "problem" // something that the configuration asks for does not work
)

// Finding is one line of the result.
type Finding struct {
	Check  string `json:"check"`
	State  State  `json:"state"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"` // what to do; empty if it is ok
}

// String returns the finding as lines to print.
func (f Finding) String() string {
	line := fmt.Sprintf("%-8s %-16s %s", f.State, f.Check, f.Text)
	if f.Remedy != "" {
		line += fmt.Sprintf("\n%-8s %-16s %s", "", "", "-> "+f.Remedy)
	}
	return line
}

func okf(format string, args ...any) Finding {
	return Finding{State: OK, Text: fmt.Sprintf(format, args...)}
}

func warnf(remedy, format string, args ...any) Finding {
	return Finding{State: Warning, Remedy: remedy, Text: fmt.Sprintf(format, args...)}
}

func problemf(remedy, format string, args ...any) Finding {
	return Finding{State: Problem, Remedy: remedy, Text: fmt.Sprintf(format, args...)}
}

// Check examines one thing.
type Check struct {
	Name string
	Run  func(ctx context.Context) []Finding
}

// Run runs checks at the same time, each for at most the timeout, and returns their findings in the order of the checks. A check that does not
// end in time is a problem; it is left running, because reading a file cannot be interrupted.
func Run(ctx context.Context, timeout time.Duration, checks []Check) []Finding {
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { found[i] = c.runBounded(ctx, timeout) })
	}
	all.Wait()
	var lines []Finding
	for i, c := range checks {
		for _, f := range found[i] {
			f.Check = cmp.Or(f.Check, c.Name)
			lines = append(lines, f)
		}
	}
	return lines
}

func (c Check) runBounded(ctx context.Context, timeout time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() { done <- c.Run(ctx) }()
	select {
	case found := <-done:
		return found
	case <-ctx.Done():
	}
	select {
	case found := <-done: // it ended with the context, and says what it waited for
		return found
	case <-time.After(grace):
		return []Finding{problemf("Look at what it examines: it answers too slowly or not at all", "it has not ended within %v", timeout)}
	}
}

// grace is the time in which a check that was cancelled may still say why.
const grace = 500 * time.Millisecond

// Need says how much the configuration needs something.
type Need int

// The needs.
const (
	NotNeeded Need = iota
	Wanted         // without it the service works, and offers less
	Required       // the configuration asks for it, so the service does not start without it
)

// lacking is the finding for something that is missing.
func (n Need) lacking(remedy, format string, args ...any) Finding {
	f := problemf(remedy, format, args...)
	if n != Required {
		f.State = Warning
	}
	return f
}
