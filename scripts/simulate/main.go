// Command simulate answers how long orders wait where arithmetic is not enough: arrivals that follow the day, organisations that order thousands at
// once, a stamp office with a tail and outages, nodes that are lost. It is a discrete-event simulation of the queue with turns for each
// organisation. The defaults are what docs/scale.md measures. The same seed prints the same.
package main

import (
	"flag"
	"fmt"
	"os"
)

// targets are what has to hold, in seconds.
type targets struct{ single, batch float64 }

func main() {
	var m model
	var t targets
	var median, p99, transactions, lock float64
	var most int
	seed := flag.Uint64("seed", 1, "of everything that is left to chance")
	flag.Float64Var(&m.hours, "hours", 24, "hours to simulate, from midnight")
	flag.Float64Var(&m.perDay, "documents", 10_000, "single orders a day")
	flag.Float64Var(&m.peak, "peak", 2.5, "orders in the busiest hour to the mean")
	flag.IntVar(&m.organisations, "organisations", 200, "organisations that single orders come from")
	flag.IntVar(&m.batches, "batches", 2, "organisations that order many at once")
	flag.IntVar(&m.batch, "batch", 2000, "orders of each of them")
	flag.Float64Var(&m.batchAt, "batch-at", 15, "hour of the batches")
	flag.IntVar(&m.slots, "slots", 4, "orders at work on each node (SEGEL_MAX_JOBS)")
	flag.Float64Var(&median, "office", 0.5, "half of the orders take the office so long, in seconds")
	flag.Float64Var(&p99, "office-99", 5, "99 of 100 take it so long, in seconds")
	flag.Float64Var(&m.outageEvery, "outage-every", 43200, "mean time between outages of the office, in seconds; 0: none")
	flag.Float64Var(&m.outageLasts, "outage", 120, "mean length of an outage, in seconds")
	flag.Float64Var(&transactions, "transactions", 8, "transactions of an order that add to the log")
	flag.Float64Var(&lock, "lock", 0.0025, "time of the log's lock for each of them, in seconds")
	flag.Float64Var(&m.nodeLossEvery, "loss-every", 21600, "mean time between losses of nodes, in seconds; 0: none")
	flag.Float64Var(&m.takeover, "takeover", 5, "until the work of a lost node goes on elsewhere, in seconds")
	flag.Float64Var(&m.restart, "restart", 60, "until the node is back, in seconds")
	flag.IntVar(&m.nodes, "nodes", 0, "nodes; 0: the least with which the targets hold")
	flag.IntVar(&most, "most", 64, "the most nodes to try")
	flag.Float64Var(&t.single, "target", 600, "99 of 100 single orders are to be completed within so many seconds")
	flag.Float64Var(&t.batch, "target-batch", 3600, "all orders of batches are to be completed within so many seconds")
	flag.Parse()
	if flag.NArg() > 0 || m.hours <= 0 || m.slots < 1 || m.nodes < 0 || most < 1 || median <= 0 || p99 <= median {
		flag.Usage()
		os.Exit(2)
	}
	m.office, m.database = lognormal(median, p99), transactions*lock
	if !search(m, t, *seed, most) {
		os.Exit(1)
	}
}

// search simulates one number of nodes, or searches for the least with which the targets hold, and reports whether they do.
func search(m model, t targets, seed uint64, most int) bool {
	fmt.Printf("seed %d, %.0f single orders a day, %d batches of %d, %d slots a node, %.0f ms of the log for each order\n\n", seed, m.perDay, m.batches, m.batch, m.slots, 1000*m.database)
	fmt.Println("| nodes | slots busy | database busy | lost nodes | single: half; 99 of 100; worst | batch: half; 99 of 100; worst | targets |\n|---|---|---|---|---|---|---|")
	hold := func(nodes int) bool {
		m.nodes = nodes
		s := simulate(m, seed)
		single, batch := s.times(false), s.times(true)
		holds, verdict := quantile(single, 990) <= t.single && quantile(batch, 1000) <= t.batch, "missed"
		if holds {
			verdict = "hold"
		}
		slots, database := s.utilisation()
		fmt.Printf("| %d | %.0f %% | %.0f %% | %d | %s | %s | %s |\n", nodes, 100*slots, 100*database, s.lost, describe(single), describe(batch), verdict)
		return holds
	}
	if m.nodes > 0 {
		return hold(m.nodes)
	}
	missed, enough := 0, 1
	for !hold(enough) {
		if missed = enough; enough == most {
			return false
		}
		enough = min(2*enough, most)
	}
	for enough-missed > 1 {
		if middle := (missed + enough) / 2; hold(middle) {
			enough = middle
		} else {
			missed = middle
		}
	}
	fmt.Printf("\nThe targets hold from %d nodes on.\n", enough)
	return true
}

func describe(sorted []float64) string {
	return fmt.Sprintf("%.1f; %.1f; %.1f s", quantile(sorted, 500), quantile(sorted, 990), quantile(sorted, 1000))
}
