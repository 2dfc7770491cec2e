package documents

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/pades"
	"segel/tsp"
)

func (s *Documents) clockTolerance() time.Duration {
	return cmp.Or(s.ClockTolerance, contract.ClockTolerance)
}

// SigningClock returns the clock that the times of new signatures are compared with.
func (s *Documents) SigningClock() pades.Clock {
	return pades.Clock{Now: s.Clock, Tolerance: s.clockTolerance()}
}

// ClockRetry is the delay before work that waits for the clock checks it again.
const ClockRetry = 30 * time.Second

// clockAlarm holds what this process knows about the clock beyond the stored records.
type clockAlarm struct {
	mu      sync.Mutex // guards the fields below
	state   contract.ClockState
	against *tsp.LocalClockError // two time-stamp authorities agree with each other and contradict the clock; nil: none do
	at      time.Time            // when against was recorded, by the local clock
}

// disagreementLifetime is how long a disagreement with time-stamp authorities counts. Only signing asks them, so
// without this limit a corrected clock would stay in doubt until the next signature.
const disagreementLifetime = 10 * time.Minute

// ReadClock reads the local and the database's clock and the recorded times, and compares them. It does not ask time-stamp
// authorities: the timestamp of the signature does.
func (s *Documents) ReadClock(ctx context.Context) (contract.ClockFinding, error) {
	r, err := s.Store.Times(ctx)
	if err != nil {
		return contract.ClockFinding{}, err
	}
	return s.compareClock(r), nil
}

func (s *Documents) machineTime() time.Time {
	if s.MachineClock != nil {
		return s.MachineClock()
	}
	return s.Clock()
}

// compareClock compares the local clock with what the store has just returned.
func (s *Documents) compareClock(r contract.ClockReading) contract.ClockFinding {
	r.Local = s.machineTime()
	return contract.CheckClock(r, s.clockTolerance())
}

// ClockFinding reports whether the clock is reliable, from all that this process knows. It is for operators and
// monitors.
func (s *Documents) ClockFinding(ctx context.Context) (contract.ClockFinding, error) {
	f, err := s.ReadClock(ctx)
	if err != nil {
		return f, err
	}
	s.clockAlarm.mu.Lock()
	against, since := s.clockAlarm.against, f.Local.Sub(s.clockAlarm.at).Abs()
	s.clockAlarm.mu.Unlock()
	if against != nil && since < disagreementLifetime && f.State != contract.ClockDisagrees {
		f.State, f.With, f.Ahead = contract.ClockDisagrees, "timestamps", -against.Offset()
	}
	s.LogClockState(ctx, f)
	return f, nil
}

// CheckClock returns the local time if it is reliable, else ErrClock. It is called before anything is signed.
func (s *Documents) CheckClock(ctx context.Context) (time.Time, error) {
	r, err := s.Store.Times(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return s.CheckReading(ctx, r)
}

// CheckReading is CheckClock with a reading that the store has just returned.
func (s *Documents) CheckReading(ctx context.Context, r contract.ClockReading) (time.Time, error) {
	f := s.compareClock(r)
	if f.State != contract.ClockFine {
		s.LogClockState(ctx, f)
	}
	return f.Local, f.Err()
}

// LogClockState logs each change of the clock's state once.
func (s *Documents) LogClockState(ctx context.Context, f contract.ClockFinding) {
	s.clockAlarm.mu.Lock()
	before := cmp.Or(s.clockAlarm.state, contract.ClockFine)
	s.clockAlarm.state = f.State
	s.clockAlarm.mu.Unlock()
	switch {
	case f.State == before:
	case f.State == contract.ClockFine:
		s.Log.InfoContext(ctx, "the clock is reliable again", "local", f.Local)
	default:
		s.Log.ErrorContext(ctx, "the clock is not reliable; nothing is signed, stamped or sealed", "state", f.State, "ahead", f.Ahead,
			"problem", f.Error(), "local", f.Local, "database", f.Database, "last_event", f.LastEvent, "last_timestamp", f.Timestamp.At)
	}
}

// RecordClockEvidence records what a timestamp request showed about the clock.
func (s *Documents) RecordClockEvidence(ctx context.Context, err error) {
	var against *tsp.LocalClockError
	if err != nil && !errors.As(err, &against) {
		return
	}
	s.clockAlarm.mu.Lock()
	s.clockAlarm.against, s.clockAlarm.at = against, s.machineTime()
	s.clockAlarm.mu.Unlock()
	if against == nil {
		return
	}
	if _, err := s.ClockFinding(ctx); err != nil {
		s.Log.ErrorContext(ctx, "read the clock", "error", err)
	}
}
