package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/pades"
)

// timeToClose returns the local time if the document can be closed now. It returns zero if the document has failed
// because a signature lies too far in the future. It returns an error if the document has to wait: until the clock is
// known to be right, or until the time of its newest timestamp has passed. A seal and a document timestamp before that
// time would show that the signature is older than it says, and older than its certificate: the completed document
// would never be valid.
func (s *Service) timeToClose(ctx context.Context, d *contract.Document) (time.Time, error) {
	now, err := s.checkClock(ctx)
	if errors.Is(err, contract.ErrClock) {
		return time.Time{}, s.waitToClose(ctx, d.ID, contract.WaitsForClock, clockRetry, err)
	}
	if err != nil {
		return time.Time{}, err
	}
	newest, err := s.latestTimestamp(ctx, d)
	if err != nil {
		return time.Time{}, errors.Join(err, s.recordDelay(ctx, d.ID, err))
	}
	switch problem, far := contract.CheckNewestTime(newest, now); {
	case far:
		s.Log.ErrorContext(ctx, "document cannot be closed: a signature was made while the clock was ahead", "document", d.ID, "signed", newest, "now", now)
		_, err := s.applyRule(ctx, d.ID, func(d *contract.Document) (*contract.Change, error) {
			return changeOf(contract.FailClosing(d, problem, now))
		})
		return time.Time{}, err
	case problem != "":
		wait := min(newest.Sub(now)+time.Millisecond, longestRetry) // the clock may be corrected in the meantime
		return time.Time{}, s.waitToClose(ctx, d.ID, problem, wait, fmt.Errorf("a signature is dated %s", newest.UTC().Format(time.RFC3339)))
	}
	return now, nil
}

// waitToClose records why closing waits, and returns when to retry.
func (s *Service) waitToClose(ctx context.Context, id contract.DocumentID, problem string, wait time.Duration, cause error) error {
	_, err := s.applyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, changed, err := contract.DelayClosing(d, problem, s.Clock())
		if err != nil || !changed {
			return nil, err
		}
		return &c, nil
	})
	if err != nil {
		return err
	}
	return &Later{After: wait, Err: cause}
}

// latestTimestamp returns the latest time in the signatures of the document's signers, or zero without any. Other
// signatures of the file are not considered.
func (s *Service) latestTimestamp(ctx context.Context, d *contract.Document) (time.Time, error) {
	fields := signedFields(d)
	if len(fields) == 0 {
		return time.Time{}, nil
	}
	f, err := s.openRevisions(ctx, d.Revisions)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	latest, err := pades.LatestTimestamp(pades.Source{R: f, Size: f.Size()}, fields...)
	if err != nil {
		return time.Time{}, fmt.Errorf("timestamps of document %d: %w", d.ID, err)
	}
	return latest, nil
}

// signedFields returns the names of the fields that participants have signed.
func signedFields(d *contract.Document) []string {
	var fields []string
	for _, p := range d.Participants {
		if !p.SignedAt.IsZero() {
			fields = append(fields, p.Field)
		}
	}
	return fields
}
