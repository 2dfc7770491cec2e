package admission

import "time"

// Pace bounds how slowly a peer may send or receive bytes. Grace is how far a peer may fall behind: an idle peer is cut
// off after it. Rate is the minimum rate beyond that. A peer that is ahead saves up at most Grace, so a fast start does
// not pay for a slow end. For the whole transfer a peer has twice Grace, plus a second for each [overallFactor] times
// Rate bytes.
type Pace struct {
	Rate  int64 // bytes per second; 0: only Grace counts, between two bytes
	Grace time.Duration
}

// overallFactor is the multiple of Rate that a whole transfer must reach. At the minimum rate throughout, a peer would
// hold its resources four times as long.
const overallFactor = 4

// Allowance is the remaining time of one transfer. It is not safe for concurrent use.
type Allowance struct {
	pace  Pace
	size  int64 // bytes expected
	done  int64 // bytes transferred
	left  time.Duration
	spent time.Duration
}

// Allow returns the allowance of a transfer of size bytes; 0 or less if the size is unknown.
func (p Pace) Allow(size int64) Allowance { return Allowance{pace: p, size: size, left: p.Grace} }

// Left returns how long the peer may take for the next bytes.
func (a *Allowance) Left() time.Duration {
	if a.pace.Rate <= 0 {
		return a.pace.Grace
	}
	overall := 2*a.pace.Grace + a.pace.durationOf(max(a.size, a.done))/overallFactor - a.spent
	return max(0, min(a.left, overall))
}

// Spend records that the peer took the given time for n bytes.
func (a *Allowance) Spend(took time.Duration, n int) {
	a.done += int64(n)
	a.spent += took
	a.left = min(a.pace.Grace, a.left-took+a.pace.durationOf(int64(n)))
}

// durationOf returns the time for n bytes at the minimum rate.
func (p Pace) durationOf(n int64) time.Duration {
	if p.Rate <= 0 {
		return p.Grace
	}
	return time.Duration(float64(n) / float64(p.Rate) * float64(time.Second))
}
