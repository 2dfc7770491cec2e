package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// slotUse observes which documents the nodes have stamped at the same time: they share one slot of the adapter, which each reaches by way
// of a separate proxy.
type slotUse struct {
	mu    sync.Mutex // guards all
	calls []stampCall
}

// stampCall is a call of a node that has a document stamped, from when it was forwarded to when the office had acted.
type stampCall struct {
	node       int
	began, end time.Time
}

// addCall records a call that has just ended.
func (u *slotUse) addCall(node int, took time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	u.calls = append(u.calls, stampCall{node, now.Add(-took), now})
}

// callTime is the time after which a node gives up a call (SEGEL_STAMP_FILE_TIMEOUT of [running.OfficeEnv]), and another one gets its slot.
const callTime = 5 * time.Second

// slotUnclear is how long after a disturbance a call of a node that was killed or has ended its term may still be carried out while another node has the
// slot: one that it sent just before, or, suspended, just after.
const slotUnclear = 2 * callTime

// compareCalls requires that no two calls overlap while nothing is disturbed.
func (u *slotUse) compareCalls(disturbed []time.Time) resultTable {
	u.mu.Lock()
	all := slices.Clone(u.calls)
	u.mu.Unlock()
	slices.SortFunc(all, func(a, b stampCall) int { return a.began.Compare(b.began) })
	undisturbed, disturbedBeside, nodes := 0, 0, map[int]bool{}
	var beside []string
	for i, c := range all {
		nodes[c.node] = true
		unclear := slices.ContainsFunc(disturbed, func(t time.Time) bool { return t.Before(c.end) && t.Add(slotUnclear).After(c.began) })
		if !unclear {
			undisturbed++
		}
		for _, former := range all[:i] {
			left := c.began.Sub(former.began)
			switch {
			case !former.end.After(c.began) || left >= callTime:
			case unclear:
				disturbedBeside++
			default:
				beside = append(beside, fmt.Sprintf("a call of node %d began %v after one of node %d and before its end", c.node, left, former.node))
			}
		}
	}
	var p resultTable
	p.addFigure("documents sent to the adapter; by nodes; while nothing was disturbed", "%d; %d; %d", len(all), len(nodes), undisturbed)
	p.addFigure("documents sent beside another one after a disturbance", "%d", disturbedBeside)
	p.addZeroCount("**documents that were sent beside another one to the adapter's only slot**, while nothing was disturbed", beside)
	return p
}
