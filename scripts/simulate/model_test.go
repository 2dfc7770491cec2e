package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// erlangC returns the mean time in the queue of M/M/c: Poisson arrivals, exponential service, c servers (Erlang 1917).
func erlangC(arrivals, service float64, c int) float64 {
	load := arrivals * service
	term, sum := 1.0, 1.0 // load^k / k!
	for k := 1; k < c; k++ {
		term *= load / float64(k)
		sum += term
	}
	last := term * load / float64(c) / (1 - load/float64(c))
	return last / (sum + last) * service / (float64(c) - load)
}

func TestTheMeanWaitIsThatOfErlang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		servers int
		load    float64 // of each server
	}{{1, 0.5}, {1, 0.8}, {4, 0.8}, {16, 0.9}} {
		const service = 1.0
		arrivals := c.load * float64(c.servers) / service
		m := model{
			hours: 100000 / arrivals / 3600, perDay: arrivals * 86400, organisations: 1, nodes: 1, slots: c.servers,
			office: func(r *rand.Rand) float64 { return service * r.ExpFloat64() },
		}
		s := simulate(m, 7)
		sum := 0.0
		for _, o := range s.orders {
			sum += o.begun - o.arrived
		}
		got, want := sum/float64(len(s.orders)), erlangC(arrivals, service, c.servers)
		if math.Abs(got/want-1) > 0.07 {
			t.Errorf("%d servers, load %.1f: a mean wait of %.4f s, want %.4f", c.servers, c.load, got, want)
		}
		if slots, _ := s.utilisation(); math.Abs(slots/c.load-1) > 0.02 {
			t.Errorf("%d servers are busy for %.3f of the time, want %.1f", c.servers, slots, c.load)
		}
	}
}

// troubled is a day with everything that can happen.
func troubled() model {
	return model{
		hours: 24, perDay: 20000, peak: 2, organisations: 50, batches: 2, batch: 1500, batchAt: 15, nodes: 3, slots: 4,
		office: lognormal(0.3, 2), outageEvery: 4 * 3600, outageLasts: 300, database: 0.02, nodeLossEvery: 3600, takeover: 5, restart: 60,
	}
}

func TestNoOrderIsLostOrCompletedBeforeItArrived(t *testing.T) {
	t.Parallel()
	s := simulate(troubled(), 3)
	if s.lost == 0 || len(s.times(true)) != 3000 {
		t.Fatalf("%d nodes were lost, %d orders of batches are completed", s.lost, len(s.times(true)))
	}
	if n := len(s.times(false)); math.Abs(float64(n)/20000-1) > 0.03 {
		t.Errorf("%d single orders in a day of 20,000", n)
	}
	for i, o := range s.orders {
		if o.completed < o.begun || o.begun < o.arrived {
			t.Fatalf("order %d: arrived %.1f, begun %.1f, completed %.1f", i, o.arrived, o.begun, o.completed)
		}
	}
	if len(s.waiting) != 0 || len(s.turns) != 0 {
		t.Errorf("orders of %d organisations wait at the end", len(s.waiting))
	}
}

func TestASeedDecidesEverything(t *testing.T) {
	t.Parallel()
	results := func(seed uint64) [][]float64 {
		s := simulate(troubled(), seed)
		return [][]float64{s.times(false), s.times(true)}
	}
	first := results(1)
	if !reflect.DeepEqual(first, results(1)) {
		t.Error("two runs with one seed differ")
	}
	if reflect.DeepEqual(first, results(2)) {
		t.Error("two seeds give the same")
	}
}

func TestTurnsKeepABatchFromDelayingOthers(t *testing.T) {
	t.Parallel()
	m := model{hours: 1, perDay: 2400, organisations: 20, batches: 1, batch: 2000, batchAt: 0.1, nodes: 1, slots: 4, office: func(*rand.Rand) float64 { return 1 }}
	s := simulate(m, 1)
	if worst := quantile(s.times(false), 1000); worst > 4 {
		t.Errorf("a single order took %.1f s beside a batch that takes %.0f s", worst, quantile(s.times(true), 1000))
	}
}
