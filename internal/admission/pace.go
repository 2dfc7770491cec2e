package admission

import "time"

// Pace bounds how slowly a peer may send or take bytes. Grace is how much time a peer may fall behind: a peer that does nothing
// is given up after it. Rate is the least number of bytes per second beyond that, which a peer that is ahead saves up only to
// the length of Grace, so that a fast beginning pays for no slow end. For all the bytes together a peer has twice Grace, and
// a second for each [overallFactor] times Rate bytes.
type Pace struct {
	Rate  int64 // bytes per second; 0: only Grace counts, between one byte and the next
	Grace time.Duration
}

// overallFactor is how many times Rate a whole transfer has to be. A peer at the least rate all the time would hold what it
// holds for four times as long.
const overallFactor = 4

// Allowance is the time that one transfer has left. It belongs to one goroutine.
type Allowance struct {
	pace  Pace
	size  int64 // bytes expected
	done  int64 // bytes
	left  time.Duration
	spent time.Duration
}

// Allow returns the allowance of a transfer of that many bytes; 0 or less where it is not known how many.
func (p Pace) Allow(size int64) Allowance { return Allowance{pace: p, size: size, left: p.Grace} }

// Left returns how long the peer may take for the next bytes.
func (a *Allowance) Left() time.Duration {
	if a.pace.Rate <= 0 {
		return a.pace.Grace
	}
	overall := 2*a.pace.Grace + a.pace.worth(max(a.size, a.done))/overallFactor - a.spent
	return max(0, min(a.left, overall))
}

// Spend counts n bytes for which the peer took so long.
func (a *Allowance) Spend(took time.Duration, n int) {
	a.done += int64(n)
	a.spent += took
	a.left = min(a.pace.Grace, a.left-took+a.pace.worth(int64(n)))
}

// worth is the time that a number of bytes takes at the least rate.
func (p Pace) worth(n int64) time.Duration {
	if p.Rate <= 0 {
		return p.Grace
	}
	return time.Duration(float64(n) / float64(p.Rate) * float64(time.Second))
}
