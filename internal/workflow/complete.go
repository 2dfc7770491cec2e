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

// Complete closes a document on which nothing is left to sign or to stamp: the organisation's seal, the proof
// that every certificate was good, and a document timestamp over all of it (PAdES B-LTA). The sealed file is validated
// from its stored bytes before the commit. If it does not pass, it is not committed and the document waits.
//
// It is a job and may run again: what a crash or an outage left undone is done from the start, and the tails of
// a try that did not reach its commit are nobody's. Stamps are not affixed again.
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
		return nil // done before, or not yet; whoever makes it due orders the job again
	}
	now, err := s.timeToClose(ctx, &d)
	if err != nil || now.IsZero() {
		return err
	}
	closing, clock, err := s.buildClosingRevisions(ctx, d, now)
	if err == nil {
		// Durable: the closing tails. Not yet: that the document has them. After a crash here the next run makes new ones,
		// and fsck finds these. Nothing is committed that was not validated from its stored bytes.
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

// failClosing ends the tries on a document that trying again does not help: a certificate was revoked before the time
// that the signature's timestamp proves, so that no proof can ever be sealed in (decision 0021).
func (s *Service) failClosing(ctx context.Context, id contract.DocumentID, revoked *revocation.RevokedError) error {
	problem := "closing.revoked" + fmt.Sprintf(": %x, %s, %s", revoked.Serial,
		revoked.Status.At.Format(time.RFC3339), revoked.Status.Reason)
	s.Log.Error("document cannot be closed", "document", id, "problem", problem)
	_, err := s.applyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return changeOf(contract.FailClosing(d, problem, s.Clock()))
	})
	return err
}

// recordDelay tells those who wait for the document why its closing takes longer.
func (s *Service) recordDelay(ctx context.Context, id contract.DocumentID, cause error) error {
	if ctx.Err() != nil || outage.Of(cause) != nil {
		return nil // we are being stopped, or cannot work at the moment; nothing is wrong with the document
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

// removeTails removes the tails of a try that came to nothing: nothing was committed, so they are nobody's for certain.
func (s *Service) removeTails(ctx context.Context, err error, made []contract.Revision) error {
	for _, r := range made {
		err = errors.Join(err, s.removeBlob(ctx, r.Tail.Key))
	}
	return err
}

// buildClosingRevisions makes the closing revisions, and returns the witness of the document timestamp among them. Now is the local time,
// which was checked.
func (s *Service) buildClosingRevisions(ctx context.Context, d contract.Document, now time.Time) ([]contract.Revision, *recordingTimestamper, error) {
	clock := s.newRecordingTimestamper()
	seal, holder, err := s.sealCredential(ctx, d.Organisation, now)
	if err != nil {
		return nil, clock, err
	}
	ours := append([]string{d.SealField()}, signedFields(&d)...)
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
			// A file may have come with signatures of issuers that we cannot ask; ours have to be proved.
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: s.Revocation, Certificates: s.Certificates, Roots: s.trustedRoots(), Required: ours})
		}},
		{contract.RevisionTimestamp, func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, src, clock, s.ownClock())
		}},
	})
	return closing, clock, err
}

// trustedRoots are those of which responders may be asked about certificates that came with a file; none if nothing is trusted.
func (s *Service) trustedRoots() []*x509.Certificate {
	if s.Trust == nil {
		return nil
	}
	return s.Trust.Roots(validate.ForAll)
}

// revisionStep makes one revision on top of those before it.
type revisionStep struct {
	kind  contract.RevisionKind
	build func(pades.Source) (*pades.Result, error)
}

// storeRevisions makes revisions one on top of the other and stores their tails. The document is a copy: nothing is committed
// here. With an error come the revisions that were stored before it.
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
