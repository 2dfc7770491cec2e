package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// model describes a day of an installation. Times are in seconds.
type model struct {
	hours         float64 // simulated, from midnight
	perDay        float64 // single orders
	peak          float64 // rate of the busiest hour to the mean; 1: no profile
	organisations int     // that single orders come from

	batches int     // organisations that order many at once
	batch   int     // orders of each
	batchAt float64 // hour of the batches

	nodes, slots int // slots of each node

	office      func(*rand.Rand) float64 // time of the stamp office for one order
	outageEvery float64                  // mean time between outages of the office; 0: none
	outageLasts float64                  // mean

	database float64 // time of an order during which no other order is committed: its transactions times the time of the log's lock

	nodeLossEvery float64 // mean time between losses of nodes; 0: none
	takeover      float64 // until the work of a lost node goes on elsewhere
	restart       float64 // until the node is back
}

// profile is the share of each hour of a working day in Jakarta, before it is stretched to the peak.
var profile = [24]float64{1, 1, 1, 1, 1, 1, 2, 4, 8, 11, 12, 11, 7, 8, 11, 12, 12, 9, 5, 3, 2, 2, 1, 1}

// order is one order on its way.
type order struct {
	organisation int
	arrived      float64
	begun        float64 // first given a slot; negative: never
	completed    float64
	isBatch      bool
}

// simulation is one run of a model.
type simulation struct {
	model
	timeline
	random *rand.Rand

	orders   []*order
	waiting  map[int][]*order // by organisation
	turns    []int            // organisations that wait, in the order of their turns
	machines []*machine

	officeBack   float64 // the office does not answer before
	databaseFree float64 // what holds the database now is done
	busy         float64 // of slots, added up
	databaseBusy float64
	lost         int // nodes
}

// machine is a node.
type machine struct {
	alive bool
	work  map[*order]int // attempts at work, so that what a lost node had begun is ignored
	tries int
}

// simulate runs the model. The same seed gives the same result.
func simulate(m model, seed uint64) *simulation {
	s := &simulation{model: m, random: rand.New(rand.NewPCG(seed, 0)), waiting: map[int][]*order{}}
	for range m.nodes {
		s.machines = append(s.machines, &machine{alive: true, work: map[*order]int{}})
	}
	s.scheduleSingle(0)
	for b := range m.batches {
		s.at(m.batchAt*3600, func() {
			for range m.batch {
				s.arrive(-1-b, true)
			}
		})
	}
	if m.outageEvery > 0 {
		s.scheduleOutage()
	}
	if m.nodeLossEvery > 0 {
		s.scheduleLoss()
	}
	s.runAll()
	return s
}

// end is the time of the last arrival.
func (s *simulation) end() float64 { return s.hours * 3600 }

// rate returns the single orders a second at a time.
func (s *simulation) rate(at float64) float64 {
	mean := s.perDay / 86400
	if s.peak <= 1 {
		return mean
	}
	sum, most := 0.0, 0.0
	for _, share := range profile {
		sum, most = sum+share, max(most, share)
	}
	relative := profile[int(at/3600)%24] / (sum / 24)
	// Stretched around the mean, so that the busiest hour has the peak and the day its number.
	return max(0, mean*(1+(relative-1)*(s.peak-1)/(most/(sum/24)-1)))
}

// scheduleSingle draws the arrivals of a Poisson process whose rate changes, by thinning (Lewis and Shedler 1979).
func (s *simulation) scheduleSingle(from float64) {
	most := s.perDay / 86400 * max(1, s.peak)
	if most <= 0 {
		return
	}
	for at := from; ; {
		if at += s.random.ExpFloat64() / most; at >= s.end() {
			return
		}
		if s.random.Float64()*most < s.rate(at) {
			s.at(at, func() {
				s.arrive(s.random.IntN(max(1, s.organisations)), false)
				s.scheduleSingle(s.now)
			})
			return
		}
	}
}

func (s *simulation) scheduleOutage() {
	if next := s.now + s.random.ExpFloat64()*s.outageEvery; next < s.end() {
		s.at(next, func() {
			s.officeBack = max(s.officeBack, s.now+s.random.ExpFloat64()*s.outageLasts)
			s.scheduleOutage()
		})
	}
}

// scheduleLoss loses a node. Its work goes on elsewhere when its lease has ended.
func (s *simulation) scheduleLoss() {
	next := s.now + s.random.ExpFloat64()*s.nodeLossEvery
	if next >= s.end() {
		return
	}
	s.at(next, func() {
		s.scheduleLoss()
		n := s.machines[s.random.IntN(len(s.machines))]
		if !n.alive {
			return
		}
		s.lost++
		n.alive = false
		begun := make([]*order, 0, len(n.work))
		for o := range n.work {
			begun = append(begun, o)
		}
		slices.SortFunc(begun, func(a, b *order) int { return n.work[a] - n.work[b] }) // maps have no order
		clear(n.work)
		s.after(s.takeover, func() {
			for _, o := range begun {
				s.enqueue(o)
			}
			s.assign()
		})
		s.after(s.restart, func() { n.alive = true; s.assign() })
	})
}

func (s *simulation) arrive(organisation int, isBatch bool) {
	o := &order{organisation: organisation, arrived: s.now, begun: -1, completed: -1, isBatch: isBatch}
	s.orders = append(s.orders, o)
	s.enqueue(o)
	s.assign()
}

func (s *simulation) enqueue(o *order) {
	if len(s.waiting[o.organisation]) == 0 {
		s.turns = append(s.turns, o.organisation)
	}
	s.waiting[o.organisation] = append(s.waiting[o.organisation], o)
}

// assign gives free slots to the organisations in turn.
func (s *simulation) assign() {
	for len(s.turns) > 0 {
		var free *machine
		for _, n := range s.machines {
			if n.alive && len(n.work) < s.slots && (free == nil || len(n.work) < len(free.work)) {
				free = n
			}
		}
		if free == nil {
			return
		}
		organisation := s.turns[0]
		s.turns = s.turns[1:]
		o := s.waiting[organisation][0]
		if s.waiting[organisation] = s.waiting[organisation][1:]; len(s.waiting[organisation]) > 0 {
			s.turns = append(s.turns, organisation)
		} else {
			delete(s.waiting, organisation)
		}
		s.begin(free, o)
	}
}

// begin takes an order through the office and then through the database, which commits one order after the other.
func (s *simulation) begin(n *machine, o *order) {
	if o.begun < 0 {
		o.begun = s.now
	}
	n.tries++
	try, since := n.tries, s.now
	n.work[o] = try
	working := func() bool { return n.work[o] == try } // the node may have been lost meanwhile
	s.at(max(s.now, s.officeBack)+s.office(s.random), func() {
		if !working() {
			return
		}
		s.databaseFree = max(s.databaseFree, s.now) + s.database
		s.databaseBusy += s.database
		s.at(s.databaseFree, func() {
			if !working() {
				return
			}
			delete(n.work, o)
			s.busy += s.now - since
			o.completed = s.now
			s.assign()
		})
	})
}

// utilisation returns the shares of their time in which slots and the database are busy.
func (s *simulation) utilisation() (slots, database float64) {
	return s.busy / (s.now * float64(len(s.machines)*s.slots)), s.databaseBusy / s.now
}

// times returns the times from arrival to completion of single orders, or of those of batches, sorted.
func (s *simulation) times(batches bool) (all []float64) {
	for _, o := range s.orders {
		if o.isBatch == batches && o.completed >= 0 {
			all = append(all, o.completed-o.arrived)
		}
	}
	slices.Sort(all)
	return all
}

// quantile returns the value that so many of a thousand sorted ones do not exceed; 0: there are none.
func quantile(sorted []float64, perThousand int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*perThousand/1000]
}

// lognormal returns a distribution with a median and the value that 99 of 100 do not exceed.
func lognormal(median, p99 float64) func(*rand.Rand) float64 {
	const z99 = 2.3263478740408408 // of the standard normal distribution
	sigma := math.Log(p99/median) / z99
	return func(r *rand.Rand) float64 { return median * math.Exp(sigma*r.NormFloat64()) }
}
