package workflow

import (
	"cmp"
	"time"

	"segel/internal/contract"
	"segel/pades"
)

func (s *Service) clockTolerance() time.Duration {
	return cmp.Or(s.ClockTolerance, contract.ClockTolerance)
}

// ownClock is what the times of what we sign are compared with.
func (s *Service) ownClock() pades.Clock {
	return pades.Clock{Now: s.Clock, Tolerance: s.clockTolerance()}
}
