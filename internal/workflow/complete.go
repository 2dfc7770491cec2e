package workflow

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/outage"
	"segel/internal/store"
	"segel/pades"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/revocation"
)

// Complete closes a document on which nothing is left to sign or to stamp. It adds the organisation's seal, the
// validation data of every certificate, and a document timestamp over the whole file (PAdES B-LTA). The sealed file is
// validated from its stored bytes before the commit. If it is not valid, it is not committed and the document waits.
//
// Complete is a job and may run again: after a crash or an outage it starts from the beginning, and nothing refers to
// the tails of a run that did not reach its commit. Stamps are not affixed again.
func (s *Service) Complete(ctx context.Context, id contract.DocumentID) error {
	release, err := s.LockDocument(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	// Read together, and older than the seal and the commit:
	//   - the document: the commit is refused if its version has changed;
	//   - what the clock is compared with: times that others record meanwhile come from clocks that were checked as well, and each
	//     timestamp is compared with the local clock again;
	//   - the organisation's credential, and whether it is revoked: the validation data asks again after the seal is made, and a
	//     document with the seal of a revoked certificate is not committed.
	read, err := s.readSigning(ctx, id, "")
	if errors.Is(err, contract.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d := read.Document
	if d.NextJob() != contract.JobComplete {
		return nil // already done, or not yet due; the change that makes it due enqueues the job again, or is of the job that affixes the last stamp
	}
	now, err := s.CheckReading(ctx, read.Clock)
	if errors.Is(err, contract.ErrClock) {
		if err := s.delayClosing(ctx, id, contract.Problem{Code: contract.ProblemClockInDoubt}); err != nil {
			return err
		}
		return &contract.Later{After: documents.ClockRetry, Err: err}
	}
	if err != nil {
		return err
	}
	f, err := s.OpenFile(ctx, d.Revisions)
	if err != nil {
		return s.recordClosingError(ctx, id, err)
	}
	defer f.Close()
	newest, err := latestSignatureTime(f, &d)
	if err != nil {
		return s.recordClosingError(ctx, id, err)
	}
	// A seal and a document timestamp before the newest signature would show that the signature is older than it says, and
	// older than its certificate: the completed document would never be valid.
	switch problem := contract.CheckNewestTime(newest, now); problem.Code {
	case contract.ProblemSignedFarAhead:
		s.Log.ErrorContext(ctx, "document cannot be closed: a signature was made while the clock was ahead", "document", id, "signed", newest, "now", now)
		return s.failClosing(ctx, id, problem, now)
	case contract.ProblemSignedAhead:
		wait := min(newest.Sub(now)+time.Millisecond, documents.LongestRetry) // the clock may be corrected in the meantime
		if err := s.delayClosing(ctx, id, problem); err != nil {
			return err
		}
		return &contract.Later{After: wait, Err: fmt.Errorf("a signature is dated %s", newest.UTC().Format(time.RFC3339))}
	}
	closing, timestamper, err := s.buildClosingRevisions(ctx, read, f, now)
	if err == nil {
		// Durable: the closing tails. Not yet: the document's reference to them. If the process dies here, the next run
		// makes new tails and fsck finds these. Only revisions that were validated from their stored bytes are
		// committed.
		err = s.checkSealed(ctx, d, closing)
	}
	if err != nil {
		err = s.RemoveTails(ctx, err, closing)
		var revoked *revocation.RevokedError
		if errors.As(err, &revoked) {
			// No revocation data can ever show that the certificate was valid at the time that the signature's timestamp
			// proves (decision 0021).
			problem := contract.NewRevokedProblem(revoked.Serial, revoked.Status.At, revoked.Status.Reason.String())
			s.Log.Error("document cannot be closed", "document", id, "problem", problem.String())
			return s.failClosing(ctx, id, problem, s.Clock())
		}
		return s.recordClosingError(ctx, id, err)
	}
	_, err = s.CommitRevisions(ctx, d, closing, func(d *contract.Document) (contract.Change, error) {
		now := s.Clock()
		c, err := contract.Complete(d, closing, now)
		c.Renewal, c.Timestamp = contract.RenewalAt(timestamper.expiry, now, s.renewBefore()), timestamper.time
		return c, err
	})
	return err
}

// buildClosingRevisions makes and stores the closing revisions. It also returns the timestamper that recorded the time
// of the document timestamp. Now is the local time, checked by the caller.
func (s *Service) buildClosingRevisions(ctx context.Context, read store.Signing, f *documents.File, now time.Time) ([]contract.Revision, *recordingTimestamper, error) {
	timestamper := s.newRecordingTimestamper()
	d, holder := read.Document, organisationHolder(read.Organisation)
	seal, err := s.useOrCreateCredential(ctx, holder, read.Credential, now)
	if err != nil {
		return nil, timestamper, err
	}
	required := append([]string{d.SealField()}, signedFields(&d)...)
	closing, err := s.buildRevisions(ctx, d, f, []revisionStep{
		{contract.RevisionSeal, func(src pades.Source) (*pades.Result, error) {
			lock, err := listFieldsToLock(src)
			if err != nil {
				return nil, err
			}
			return pades.Sign(ctx, src, pades.Options{
				Field: d.SealField(), Key: seal.key, Chain: seal.chain, Timestamper: timestamper, Random: s.Random,
				Time: s.Clock(), Clock: s.SigningClock(), Name: holder.Name, Reason: reasonSealed, LockFields: lock,
			})
		}},
		{contract.RevisionValidation, func(src pades.Source) (*pades.Result, error) {
			// The upload may carry signatures whose issuers cannot be reached. Revocation data is required for our
			// signatures only.
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: s.Revocation, Certificates: s.Certificates, Roots: s.trustedRoots(), Required: required})
		}},
		{contract.RevisionTimestamp, func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, src, timestamper, s.SigningClock())
		}},
	})
	return closing, timestamper, err
}

// trustedRoots returns the roots whose responders may be asked about certificates that came with a file; none without a
// trust store.
func (s *Service) trustedRoots() []*x509.Certificate {
	if s.Trust == nil {
		return nil
	}
	return s.Trust.Roots(validate.ForAll)
}

// failClosing stops retrying a document that can never be closed.
func (s *Service) failClosing(ctx context.Context, id contract.DocumentID, problem contract.Problem, now time.Time) error {
	_, err := s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.FailClosing(d, problem, now))
	})
	return err
}

// recordClosingError records in the document why its closing takes longer, and returns the cause.
func (s *Service) recordClosingError(ctx context.Context, id contract.DocumentID, cause error) error {
	if ctx.Err() != nil || outage.Of(cause) != nil {
		return cause // the process is stopping or a service is unavailable; the document has no fault
	}
	problem := contract.Problem{Code: contract.ProblemUnexpected}
	var invalid *invalidError
	switch file := documents.BlobRefusal(cause); {
	case errors.Is(file, documents.ErrFileMissing):
		problem.Code = contract.ProblemClosingFileMissing
	case errors.Is(file, documents.ErrFileChanged):
		problem.Code = contract.ProblemClosingFileChanged
	case errors.As(cause, &invalid):
		problem = contract.NewInvalidProblem(invalid.faults)
	case isClockError(cause):
		problem.Code = contract.ProblemClockInDoubt
	case errors.Is(cause, pades.ErrTimestamp):
		problem.Code = contract.ProblemTimestamp
	case errors.Is(cause, pades.ErrRevocationData):
		problem.Code = contract.ProblemRevocationData
	}
	return errors.Join(cause, s.delayClosing(ctx, id, problem))
}

// delayClosing records why closing waits.
func (s *Service) delayClosing(ctx context.Context, id contract.DocumentID, problem contract.Problem) error {
	_, err := s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeIf(contract.DelayClosing(d, problem, s.Clock()))
	})
	return err
}

// latestSignatureTime returns the latest time in the signatures of the document's signers, or zero without any. Other
// signatures of the file are not considered.
func latestSignatureTime(f *documents.File, d *contract.Document) (time.Time, error) {
	fields := signedFields(d)
	if len(fields) == 0 {
		return time.Time{}, nil
	}
	latest, err := pades.LatestTimestamp(f.Source(d.Current()), fields...)
	if err != nil {
		return time.Time{}, fmt.Errorf("timestamps of document %d: %w", d.ID, err)
	}
	return latest, nil
}

// signedFields returns the names of the fields that participants have signed.
func signedFields(d *contract.Document) []string {
	var fields []string
	for _, p := range d.Participants {
		if p.MustSign() && !p.SignedAt.IsZero() {
			fields = append(fields, p.Field)
		}
	}
	return fields
}

// invalidError reports a sealed file that did not pass validation.
type invalidError struct{ faults []contract.SealFault }

func (e *invalidError) Error() string {
	return "sealed file did not pass validation: " + joinFaults(e.faults)
}

func joinFaults(faults []contract.SealFault) string {
	all := make([]string, len(faults))
	for i, f := range faults {
		all[i] = f.String()
	}
	return strings.Join(all, ", ")
}

// checkSealed validates the file of a document with the added revisions, before they are committed. It uses the stored
// bytes, verified against the recorded sums, and no state from the time when the revisions were made. The file is read
// once from end to end, and its structure besides.
//
// A renewal is not refused for faults that the document had before it, see [Service.newFaults].
//
// Errors: an [invalidError] with what [contract.Document.CheckSealed] found, after an alarm; [documents.ErrFileMissing];
// [documents.ErrFileChanged].
func (s *Service) checkSealed(ctx context.Context, d contract.Document, added []contract.Revision) error {
	before := d.Revisions
	d.Revisions = slices.Concat(before, added)
	faults, err := s.sealFaults(ctx, &d)
	if err != nil {
		return documents.BlobRefusal(fmt.Errorf("validate sealed file of document %d: %w", d.ID, err))
	}
	if d.State == contract.Completed && slices.ContainsFunc(faults, isFromEarlierRules) {
		if faults, err = s.newFaults(ctx, d, before, faults); err != nil {
			return documents.BlobRefusal(fmt.Errorf("validate document %d before its renewal: %w", d.ID, err))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	invalid := &invalidError{faults}
	s.RaiseAlarm(ctx, documents.AlarmInvalid, "sealed file did not pass validation and was not committed", "document", d.ID, "faults", invalid.Error())
	// The revisions were made from a midstate that finishes as the recorded digest. If the stored bytes have that digest,
	// the midstate is right and sealing can be tried again. If not, no attempt can succeed until the bytes are restored.
	d.Revisions = before
	digest, err := s.DigestBytes(ctx, before)
	if err != nil {
		return errors.Join(err, invalid)
	}
	if current := d.Current(); digest.DocumentSum != current.Digest {
		s.RaiseAlarm(ctx, documents.AlarmBytes, "stored bytes of a document do not have the recorded digest", "document", d.ID)
		return errors.Join(documents.ErrFileChanged, invalid)
	}
	return invalid
}

// isFromEarlierRules reports whether a fault may be one that earlier releases did not look for, or follow from one: a
// signature whose timestamp does not count any more is validated at the present.
func isFromEarlierRules(f contract.SealFault) bool {
	switch f.Code {
	case contract.FaultChanged, contract.FaultLevel:
		return true
	case contract.FaultNotPassed:
		return !slices.Contains(refusedByAllRules, validate.SubIndication(f.Detail))
	}
	return false
}

// refusedByAllRules are verdicts that no rule of a later release causes. A root that is missing is for an operator to add.
var refusedByAllRules = []validate.SubIndication{
	validate.FormatFailure, validate.HashFailure, validate.SigCryptoFailure, validate.SignedDataNotFound, validate.RevokedBefore, validate.Expired,
	validate.NoSigningCertificateFound, validate.NoCertificateChainFound,
}

// newFaults removes the faults that the document already had when it was completed under earlier rules. A renewal does
// not cause them, and without renewals the signatures could no longer be validated. The timestamp that it adds had no
// fault before, so all faults of that count.
func (s *Service) newFaults(ctx context.Context, d contract.Document, before []contract.Revision, faults []contract.SealFault) ([]contract.SealFault, error) {
	d.Revisions = before
	known, err := s.sealFaults(ctx, &d)
	if err != nil {
		return nil, err
	}
	added := slices.DeleteFunc(slices.Clone(faults), func(f contract.SealFault) bool { return isFromEarlierRules(f) && isKnownFault(f, known) })
	if len(added) == 0 {
		s.Log.WarnContext(ctx, "renewed a document that had faults before", "document", d.ID, "faults", joinFaults(faults))
	}
	return added, nil
}

// isKnownFault reports whether a fault is among those of the document before, or remains of a worse one of the same field:
// the further timestamp may prove more.
func isKnownFault(f contract.SealFault, known []contract.SealFault) bool {
	return slices.ContainsFunc(known, func(k contract.SealFault) bool {
		return k == f || k.Field == f.Field && k.Code == contract.FaultNotPassed && f.Code == contract.FaultLevel
	})
}

// sealFaults reads and validates a document's file.
func (s *Service) sealFaults(ctx context.Context, d *contract.Document) ([]contract.SealFault, error) {
	f, err := s.OpenFile(ctx, d.Revisions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := s.ValidationOptions()
	reading := o.FactsOptions()
	reading.SkipHidden = true
	file, err := facts.Read(ctx, f.VerifiedReaderAt(), f.Size(), reading)
	if errors.Is(err, facts.ErrUnreadable) {
		return d.CheckSealed(contract.SealedFile{Unreadable: true}), nil
	}
	if err != nil {
		return nil, err
	}
	faults, err := s.validateSealed(ctx, d, file, o)
	if err != nil || len(faults) == 0 {
		return faults, err
	}
	// With several time-stamp authorities, the document timestamp may come from one for which the file has no
	// revocation data. Then its responder is asked. No requests are made for certificates without a path to a trusted
	// root, and no issuers are fetched.
	o.Online = statusOnly{s.Revocation}
	return s.validateSealed(ctx, d, file, o)
}

// statusOnly hides the other methods of a source, such as those of a [revocation.IssuerSource].
type statusOnly struct{ revocation.Source }

func (s *Service) validateSealed(ctx context.Context, d *contract.Document, file *facts.File, o validate.Options) ([]contract.SealFault, error) {
	report, err := validate.ValidateFacts(ctx, file, o)
	if err != nil {
		return nil, err
	}
	return d.CheckSealed(contract.SealedFile{Digest: file.SHA256, Signatures: verdictsOn(file, report, d.Revisions[0].End)}), nil
}

// verdictsOn converts a validation to the values of the rules. Signatures that begin before the end of the base came with
// the file.
func verdictsOn(file *facts.File, report *validate.Report, base int64) []contract.SignatureVerdict {
	serials := map[int]string{}
	for _, stamp := range emeterai.FindStamps(report) {
		serials[stamp.Signature] = stamp.Serial
	}
	verdicts := make([]contract.SignatureVerdict, len(file.Signatures))
	for i, g := range file.Signatures { // in the order of the report
		r := &report.Signatures[i]
		verdicts[i] = contract.SignatureVerdict{
			Field: g.Field, Serial: serials[i], Timestamp: g.Kind == facts.Timestamp, Uploaded: g.ContentsAt() < base,
			Integrity: documents.IntegrityOf(g), Trust: signatureTrust(r), Archived: r.Level == validate.LevelLTA,
			CoversAll: r.Covers.All, Detail: string(r.SubIndication),
		}
		if r.SubIndication == "" {
			verdicts[i].Detail = string(r.Level)
		}
	}
	return verdicts
}

func signatureTrust(r *validate.Signature) contract.SignatureTrust {
	switch r.SubIndication {
	case "":
		return contract.TrustPassed
	case validate.NoCertificateChainFound, validate.NoSigningCertificateFound:
		return contract.TrustUnknownIssuer
	case validate.CertificateChainGeneralFailure, validate.TryLater:
		return contract.TrustNoRevocationData
	}
	return contract.TrustNotPassed
}
