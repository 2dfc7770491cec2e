package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/pades"
	"segel/tsp"
)

func (s *Service) clockTolerance() time.Duration {
	return cmp.Or(s.ClockTolerance, contract.ClockTolerance)
}

// ownClock is what the times of what we sign are compared with.
func (s *Service) ownClock() pades.Clock {
	return pades.Clock{Now: s.Clock, Tolerance: s.clockTolerance()}
}

// clockRetry is after how long work that waits for the clock looks at it again.
const clockRetry = 30 * time.Second

// clockAlarm is what this process knows about the clock beyond what is recorded.
type clockAlarm struct {
	mu      sync.Mutex // guards the rest
	state   contract.ClockState
	against *tsp.LocalClockError // two time-stamp authorities agree with each other and not with the clock; nil: none do
	at      time.Time            // of against, by the local clock
}

// disagreementLifetime is how long it counts what time-stamp authorities said. They are asked by signing alone, so that a clock that
// was set right would be in doubt until somebody signs.
const disagreementLifetime = 10 * time.Minute

// readClock reads every clock there is at this moment, and decides. It is asked before anything is signed: what time-stamp
// authorities say, the timestamp itself will tell.
func (s *Service) readClock(ctx context.Context) (contract.ClockFinding, error) {
	r, err := s.Store.Times(ctx)
	if err != nil {
		return contract.ClockFinding{}, err
	}
	r.Local = s.Clock()
	return contract.CheckClock(r, s.clockTolerance()), nil
}

// ClockFinding tells whether the clock can be relied on, by all that this process knows: for operators and monitors.
func (s *Service) ClockFinding(ctx context.Context) (contract.ClockFinding, error) {
	f, err := s.readClock(ctx)
	if err != nil {
		return f, err
	}
	s.alarm.mu.Lock()
	against, since := s.alarm.against, f.Local.Sub(s.alarm.at).Abs()
	s.alarm.mu.Unlock()
	if against != nil && since < disagreementLifetime && f.State != contract.ClockDisagrees {
		f.State, f.With, f.Ahead = contract.ClockDisagrees, "timestamps", -against.Offset()
	}
	s.logClockState(ctx, f)
	return f, nil
}

// checkClock returns the local time if it can be relied on, else ErrClock.
func (s *Service) checkClock(ctx context.Context) (time.Time, error) {
	f, err := s.readClock(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if f.State != contract.ClockFine {
		s.logClockState(ctx, f)
	}
	return f.Local, f.Err()
}

// logClockState logs what has become of the clock, once for each change.
func (s *Service) logClockState(ctx context.Context, f contract.ClockFinding) {
	s.alarm.mu.Lock()
	before := cmp.Or(s.alarm.state, contract.ClockFine)
	s.alarm.state = f.State
	s.alarm.mu.Unlock()
	switch {
	case f.State == before:
	case f.State == contract.ClockFine:
		s.Log.InfoContext(ctx, "the clock can be relied on again", "local", f.Local)
	default:
		s.Log.ErrorContext(ctx, "the clock cannot be relied on; nothing is signed, stamped or sealed", "state", f.State, "ahead", f.Ahead,
			"problem", f.Error(), "local", f.Local, "database", f.Database, "last_event", f.LastEvent, "last_timestamp", f.Timestamp.At)
	}
}

// recordClockEvidence remembers what asking for a timestamp told about the clock.
func (s *Service) recordClockEvidence(ctx context.Context, err error) {
	var against *tsp.LocalClockError
	if err != nil && !errors.As(err, &against) {
		return
	}
	s.alarm.mu.Lock()
	s.alarm.against, s.alarm.at = against, s.Clock()
	s.alarm.mu.Unlock()
	if against == nil {
		return
	}
	if _, err := s.ClockFinding(ctx); err != nil {
		s.Log.ErrorContext(ctx, "read the clock", "error", err)
	}
}

// recordingTimestamper passes on what a time-stamp authority says, and remembers what the last token says.
type recordingTimestamper struct {
	tsp.Timestamper
	service *Service
	expiry  time.Time            // until when it lasts, see lasts; zero: there was none
	time    contract.TrustedTime // zero: there was none
}

func (s *Service) newRecordingTimestamper() *recordingTimestamper {
	return &recordingTimestamper{Timestamper: s.Timestamper, service: s}
}

// Timestamp obtains a token.
func (w *recordingTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	der, err := w.Timestamper.Timestamp(ctx, digest)
	w.service.recordClockEvidence(ctx, err)
	if err != nil {
		return nil, err
	}
	token, err := tsp.Parse(der)
	if err != nil {
		return nil, err
	}
	w.expiry, w.time = tokenExpiry(token), contract.TrustedTime{At: token.Time, Accuracy: token.Accuracy}
	return der, nil
}

// isClockError reports whether something was not signed because clocks disagree.
func isClockError(err error) bool {
	var clock *tsp.ClockError
	var invalid *pades.ValidityError
	var no *tsp.Refusal
	return errors.Is(err, contract.ErrClock) || errors.As(err, &clock) || errors.As(err, &invalid) || errors.As(err, &no) && no.Failure == tsp.TimeNotAvailable
}

// timestampRefusal tells the client to come back when trusted time cannot be had, or clocks disagree: no signature is made without it.
func timestampRefusal(err error) error {
	switch {
	case contract.KindOf(err) != 0:
		return err
	case isClockError(err):
		return contract.ErrClock.With("retry_after", int((2 * clockRetry).Seconds())).WithCause(err)
	case errors.Is(err, pades.ErrTimestamp):
		return contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry().WithCause(err)
	}
	return err
}

// ConfirmedClock is what came of [Service.ConfirmClock].
type ConfirmedClock struct {
	Found   contract.ClockFinding // what the clock was compared with
	Dated   []contract.DocumentID // some of the documents that have an event in the future, by number
	InAll   int                   // how many there are
	Resumed int                   // documents whose work was brought forward
}

// ConfirmClock records that the local clock is right, on the word of an operator at the command line, although something
// recorded lies in the future. ErrClock where the clock disagrees with the database's: then one of them has to be set right.
func (s *Service) ConfirmClock(ctx context.Context, by contract.Actor) (ConfirmedClock, error) {
	var c ConfirmedClock
	var err error
	if c.Found, err = s.readClock(ctx); err != nil {
		return c, err
	}
	e, err := contract.ConfirmClock(c.Found, by)
	if err != nil {
		return c, err
	}
	if c.Dated, c.InAll, err = s.Store.DatedAfter(ctx, c.Found.Local.Add(s.clockTolerance()), 20); err != nil {
		return c, err
	}
	if err := s.Store.ConfirmClock(ctx, e); err != nil {
		return c, err
	}
	// Durable here: that the clock is right; every process signs from now on. Not yet: that work which was put off while the
	// clock was ahead, to a time that is far away now, is tried again. After a crash an administrator has it retried.
	waiting, err := s.Store.Stuck(ctx, farFuture, maxResumed)
	if err != nil {
		return c, fmt.Errorf("read documents that wait: %w", err)
	}
	for _, id := range waiting {
		d, err := s.loadDocument(ctx, id)
		if errors.Is(err, contract.ErrNotFound) {
			continue
		}
		if err != nil {
			return c, err
		}
		kind, waits := d.PendingWork()
		if !waits {
			continue
		}
		if err := s.Store.EnqueueNow(ctx, contract.Job{Kind: kind, Document: id}); err != nil {
			return c, fmt.Errorf("bring the work on document %d forward: %w", id, err)
		}
		c.Resumed++
	}
	return c, nil
}

// farFuture is after every time that a wrong clock can have recorded, and maxResumed above what waits on any day.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

const maxResumed = 100_000

// FetchTrustedTime obtains a timestamp over nothing in particular, to learn the time of an authority.
func (s *Service) FetchTrustedTime(ctx context.Context) (contract.TrustedTime, error) {
	var digest [32]byte
	if _, err := io.ReadFull(s.Random, digest[:]); err != nil {
		return contract.TrustedTime{}, err
	}
	w := s.newRecordingTimestamper()
	_, err := w.Timestamp(ctx, digest[:])
	return w.time, err
}
