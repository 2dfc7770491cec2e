package workflow

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/outage"
	"segel/pades"
	"segel/pades/validate"
	"segel/revocation"
)

// Complete closes a document on which nothing is left to sign or to stamp. It adds the organisation's seal, the
// validation data of every certificate, and a document timestamp over the whole file (PAdES B-LTA). The sealed file is
// validated from its stored bytes before the commit. If it is not valid, it is not committed and the document waits.
//
// Complete is a job and may run again: after a crash or an outage it starts from the beginning, and nothing refers to
// the tails of a run that did not reach its commit. Stamps are not affixed again.
func (s *Service) Complete(ctx context.Context, id contract.DocumentID) error {
	release, err := s.documentLocks.acquire(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	d, err := s.loadDocument(ctx, id)
	if errors.Is(err, contract.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if d.State != contract.Processing || !d.FullySigned() || d.NextStamp() >= 0 {
		return nil // already done, or not yet due; the change that makes it due enqueues the job again
	}
	now, err := s.timeToClose(ctx, &d)
	if err != nil || now.IsZero() {
		return err
	}
	closing, clock, err := s.buildClosingRevisions(ctx, d, now)
	if err == nil {
		// Durable: the closing tails. Not yet: the document's reference to them. If the process dies here, the next run
		// makes new tails and fsck finds these. Only revisions that were validated from their stored bytes are
		// committed.
		err = s.checkSealed(ctx, d, closing)
	}
	if err != nil {
		err = s.removeTails(ctx, err, closing)
		var revoked *revocation.RevokedError
		if errors.As(err, &revoked) {
			return s.failClosing(ctx, id, revoked)
		}
		return errors.Join(err, s.recordDelay(ctx, id, err))
	}
	_, err = s.applyRule(ctx, id, func(at *contract.Document) (*contract.Change, error) {
		if at.Current().End != d.Current().End {
			return nil, contract.ErrRace
		}
		now := s.Clock()
		c, err := contract.Complete(at, closing, now)
		c.Renewal, c.Timestamp = contract.RenewalAt(clock.expiry, now, s.renewBefore()), clock.time
		return changeOf(c, err)
	})
	if err != nil {
		return s.removeUncommitted(ctx, err, closing...)
	}
	return nil
}

// failClosing stops retrying a document that can never be closed: a certificate was revoked before the time that the
// signature's timestamp proves, so no revocation data can ever show that it was valid (decision 0021).
func (s *Service) failClosing(ctx context.Context, id contract.DocumentID, revoked *revocation.RevokedError) error {
	problem := "closing.revoked" + fmt.Sprintf(": %x, %s, %s", revoked.Serial,
		revoked.Status.At.Format(time.RFC3339), revoked.Status.Reason)
	s.Log.Error("document cannot be closed", "document", id, "problem", problem)
	_, err := s.applyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.FailClosing(d, problem, s.Clock()))
	})
	return err
}

// recordDelay records in the document why its closing takes longer.
func (s *Service) recordDelay(ctx context.Context, id contract.DocumentID, cause error) error {
	if ctx.Err() != nil || outage.Of(cause) != nil {
		return nil // the process is stopping or a service is unavailable; the document has no fault
	}
	problem := "closing.unexpected"
	var invalid *invalidError
	switch file := fileProblem(cause); {
	case errors.Is(file, errFileMissing):
		problem = "closing.file_missing"
	case errors.Is(file, errFileChanged):
		problem = "closing.file_changed"
	case errors.As(cause, &invalid):
		problem = contract.InvalidReason(invalid.faults)
	case isClockError(cause):
		problem = contract.WaitsForClock
	case errors.Is(cause, pades.ErrTimestamp):
		problem = "closing.timestamp"
	case errors.Is(cause, pades.ErrRevocationData):
		problem = "closing.proof"
	}
	_, err := s.applyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, changed, err := contract.DelayClosing(d, problem, s.Clock())
		if err != nil || !changed {
			return nil, err
		}
		return &c, nil
	})
	return err
}

// removeTails removes the tails of a failed run. Nothing was committed, so nothing can refer to them.
func (s *Service) removeTails(ctx context.Context, err error, made []contract.Revision) error {
	for _, r := range made {
		err = errors.Join(err, s.removeBlob(ctx, r.Tail.Key))
	}
	return err
}

// buildClosingRevisions makes and stores the closing revisions. It also returns the timestamper that recorded the time
// of the document timestamp. Now is the local time, checked by the caller.
func (s *Service) buildClosingRevisions(ctx context.Context, d contract.Document, now time.Time) ([]contract.Revision, *recordingTimestamper, error) {
	clock := s.newRecordingTimestamper()
	seal, holder, err := s.sealCredential(ctx, d.Organisation, now)
	if err != nil {
		return nil, clock, err
	}
	required := append([]string{d.SealField()}, signedFields(&d)...)
	closing, err := s.storeRevisions(ctx, d, []revisionStep{
		{contract.RevisionSeal, func(src pades.Source) (*pades.Result, error) {
			lock, err := lockAtSealing(src)
			if err != nil {
				return nil, err
			}
			return pades.Sign(ctx, src, pades.Options{
				Field: d.SealField(), Key: seal.key, Chain: seal.chain, Timestamper: clock, Random: s.Random,
				Time: s.Clock(), Clock: s.ownClock(), Name: holder.Name, Reason: reasonSealed, LockFields: lock,
			})
		}},
		{contract.RevisionValidation, func(src pades.Source) (*pades.Result, error) {
			// The upload may carry signatures whose issuers cannot be reached. Revocation data is required for our
			// signatures only.
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: s.Revocation, Certificates: s.Certificates, Roots: s.trustedRoots(), Required: required})
		}},
		{contract.RevisionTimestamp, func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, src, clock, s.ownClock())
		}},
	})
	return closing, clock, err
}

// trustedRoots returns the roots whose responders may be asked about certificates that came with a file; none without a
// trust store.
func (s *Service) trustedRoots() []*x509.Certificate {
	if s.Trust == nil {
		return nil
	}
	return s.Trust.Roots(validate.ForAll)
}

// revisionStep builds one revision on top of the earlier ones.
type revisionStep struct {
	kind  contract.RevisionKind
	build func(pades.Source) (*pades.Result, error)
}

// storeRevisions builds revisions one on top of the other and stores their tails. It works on a copy of the document
// and commits nothing. On an error it returns the revisions that were already stored.
func (s *Service) storeRevisions(ctx context.Context, d contract.Document, steps []revisionStep) ([]contract.Revision, error) {
	var made []contract.Revision
	d.Revisions = append([]contract.Revision{}, d.Revisions...)
	for _, step := range steps {
		tail, err := s.buildTail(ctx, &d, step.build)
		if err != nil {
			return made, fmt.Errorf("%s of document %d: %w", step.kind, d.ID, err)
		}
		r, err := s.storeTail(ctx, d.Current(), step.kind, tail)
		if err != nil {
			return made, err
		}
		made = append(made, r)
		d.Revisions = append(d.Revisions, r)
	}
	return made, nil
}
