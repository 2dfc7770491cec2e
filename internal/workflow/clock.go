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

// ownClock returns the clock that the times of new signatures are compared with.
func (s *Service) ownClock() pades.Clock {
	return pades.Clock{Now: s.Clock, Tolerance: s.clockTolerance()}
}

// clockRetry is the delay before work that waits for the clock checks it again.
const clockRetry = 30 * time.Second

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

// readClock reads the local and the database's clock and the recorded times, and compares them. It is called before
// anything is signed. It does not ask time-stamp authorities: the timestamp of the signature does.
func (s *Service) readClock(ctx context.Context) (contract.ClockFinding, error) {
	r, err := s.Store.Times(ctx)
	if err != nil {
		return contract.ClockFinding{}, err
	}
	r.Local = s.Clock()
	return contract.CheckClock(r, s.clockTolerance()), nil
}

// ClockFinding reports whether the clock is reliable, from all that this process knows. It is for operators and
// monitors.
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

// checkClock returns the local time if it is reliable, else ErrClock.
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

// logClockState logs each change of the clock's state once.
func (s *Service) logClockState(ctx context.Context, f contract.ClockFinding) {
	s.alarm.mu.Lock()
	before := cmp.Or(s.alarm.state, contract.ClockFine)
	s.alarm.state = f.State
	s.alarm.mu.Unlock()
	switch {
	case f.State == before:
	case f.State == contract.ClockFine:
		s.Log.InfoContext(ctx, "the clock is reliable again", "local", f.Local)
	default:
		s.Log.ErrorContext(ctx, "the clock is not reliable; nothing is signed, stamped or sealed", "state", f.State, "ahead", f.Ahead,
			"problem", f.Error(), "local", f.Local, "database", f.Database, "last_event", f.LastEvent, "last_timestamp", f.Timestamp.At)
	}
}

// recordClockEvidence records what a timestamp request showed about the clock.
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

// recordingTimestamper forwards requests to a time-stamp authority and records the time and expiry of the last token.
type recordingTimestamper struct {
	tsp.Timestamper
	service *Service
	expiry  time.Time            // when the last token expires, see tokenExpiry; zero: no token yet
	time    contract.TrustedTime // time of the last token; zero: no token yet
}

func (s *Service) newRecordingTimestamper() *recordingTimestamper {
	return &recordingTimestamper{Timestamper: s.Timestamper, service: s}
}

// Timestamp obtains a token and records its time.
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

// isClockError reports whether signing failed because clocks disagree.
func isClockError(err error) bool {
	var clock *tsp.ClockError
	var invalid *pades.ValidityError
	var refusal *tsp.Refusal
	return errors.Is(err, contract.ErrClock) || errors.As(err, &clock) || errors.As(err, &invalid) || errors.As(err, &refusal) && refusal.Failure == tsp.TimeNotAvailable
}

// timestampRefusal turns an error of the time-stamp authority or the clock into a refusal that the client may retry. No
// signature is made without a timestamp.
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

// ConfirmedClock is the result of [Service.ConfirmClock].
type ConfirmedClock struct {
	Found   contract.ClockFinding // what the clock was compared with
	Dated   []contract.DocumentID // some documents with an event in the future, sorted by number
	InAll   int                   // number of documents with an event in the future
	Resumed int                   // number of documents whose work was rescheduled to now
}

// ConfirmClock records that the local clock is right, as an operator says at the command line, although a recorded time
// lies in the future. It returns ErrClock if the clock disagrees with the database's: then one of the two has to be
// corrected first.
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
	// Durable: the confirmation; every process signs from now on. Not yet: the retry of work that was postponed to a
	// distant time while the clock was ahead. If the process dies here, an administrator retries those documents.
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

// farFuture is later than every time that a wrong clock can have recorded. maxResumed exceeds the number of documents
// that wait on any day.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

const maxResumed = 100_000

// FetchTrustedTime obtains a timestamp over random bytes, to learn the authority's time.
func (s *Service) FetchTrustedTime(ctx context.Context) (contract.TrustedTime, error) {
	var digest [32]byte
	if _, err := io.ReadFull(s.Random, digest[:]); err != nil {
		return contract.TrustedTime{}, err
	}
	w := s.newRecordingTimestamper()
	_, err := w.Timestamp(ctx, digest[:])
	return w.time, err
}
