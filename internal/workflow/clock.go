package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
	"segel/pades"
	"segel/tsp"
)

// recordingTimestamper forwards requests to a time-stamp authority and records the last token. The fields are zero before the first one.
type recordingTimestamper struct {
	tsp.Timestamper
	service *Service
	token   *tsp.Token
	expiry  time.Time // of the token, see tokenExpiry
	time    contract.TrustedTime
}

func (s *Service) newRecordingTimestamper() *recordingTimestamper {
	return &recordingTimestamper{Timestamper: s.Timestamper, service: s}
}

// Timestamp obtains a token and records its time.
func (w *recordingTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	der, err := w.Timestamper.Timestamp(ctx, digest)
	w.service.RecordClockEvidence(ctx, err)
	if err != nil {
		return nil, err
	}
	token, err := tsp.Parse(der)
	if err != nil {
		return nil, err
	}
	w.token, w.expiry, w.time = token, tokenExpiry(token), contract.TrustedTime{At: token.Time, Accuracy: token.Accuracy}
	w.service.newestToken.Store(token)
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
		return contract.ErrClock.With("retry_after", int((2 * documents.ClockRetry).Seconds())).WithCause(err)
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
	if c.Found, err = s.ReadClock(ctx); err != nil {
		return c, err
	}
	e, err := contract.ConfirmClock(c.Found, by)
	if err != nil {
		return c, err
	}
	if c.Dated, c.InAll, err = s.Store.DatedAfter(ctx, c.Found.Local.Add(s.SigningClock().Tolerance), 20); err != nil {
		return c, err
	}
	if err := s.Store.ConfirmClock(ctx, e); err != nil {
		return c, err
	}
	// Durable: the confirmation; every process signs from now on. Not yet: the retry of work that was postponed to a
	// distant time while the clock was ahead. If the process dies here, an administrator retries those documents.
	waiting, err := s.Store.Stuck(ctx, farFuture, store.StuckDocument{}, maxResumed)
	if err != nil {
		return c, fmt.Errorf("read documents that wait: %w", err)
	}
	for _, w := range waiting {
		d, err := s.LoadDocument(ctx, w.ID)
		if errors.Is(err, contract.ErrNotFound) {
			continue
		}
		if err != nil {
			return c, err
		}
		kind := d.NextJob()
		if kind == "" {
			continue
		}
		if err := s.Store.EnqueueNow(ctx, contract.Job{Kind: kind, Document: w.ID}); err != nil {
			return c, fmt.Errorf("bring the work on document %d forward: %w", w.ID, err)
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
