package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/revocation"
)

// invalidError reports a sealed file that did not pass validation.
type invalidError struct{ faults []contract.SealFault }

func (e *invalidError) Error() string {
	all := make([]string, len(e.faults))
	for i, f := range e.faults {
		all[i] = f.String()
	}
	return "sealed file did not pass validation: " + strings.Join(all, ", ")
}

// checkSealed validates the file of a document with the added revisions, before they are committed. It uses the stored
// bytes, verified against the recorded sums, and no state from the time when the revisions were made. The file is read
// once from end to end, and its structure besides.
//
// A renewal is not refused for changes that were in the document before it, see [Service.newFaults].
//
// Errors: an [invalidError] with what [contract.Document.CheckSealed] found, after an alarm; [errFileMissing];
// [errFileChanged].
func (s *Service) checkSealed(ctx context.Context, d contract.Document, added []contract.Revision) error {
	before := d.Revisions
	d.Revisions = slices.Concat(before, added)
	faults, err := s.sealFaults(ctx, &d)
	if err != nil {
		return documents.FileProblem(fmt.Errorf("validate sealed file of document %d: %w", d.ID, err))
	}
	if d.State == contract.Completed && slices.ContainsFunc(faults, isFromEarlierRules) {
		if faults, err = s.newFaults(ctx, d, before, faults); err != nil {
			return documents.FileProblem(fmt.Errorf("validate document %d before its renewal: %w", d.ID, err))
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
	if current := d.Current(); digest.Total != current.Digest {
		s.RaiseAlarm(ctx, documents.AlarmBytes, "stored bytes of a document do not have the recorded digest", "document", d.ID)
		return errors.Join(documents.ErrFileChanged, invalid)
	}
	return invalid
}

// isFromEarlierRules reports whether a fault may be one that earlier releases did not look for.
func isFromEarlierRules(f contract.SealFault) bool { return f.Code == contract.FaultChanged }

// newFaults removes the faults that the document already had when it was completed under earlier rules. A renewal does
// not cause them, and without renewals the signatures could no longer be validated.
func (s *Service) newFaults(ctx context.Context, d contract.Document, before []contract.Revision, faults []contract.SealFault) ([]contract.SealFault, error) {
	d.Revisions = before
	known, err := s.sealFaults(ctx, &d)
	if err != nil {
		return nil, err
	}
	added := slices.DeleteFunc(faults, func(f contract.SealFault) bool { return isFromEarlierRules(f) && slices.Contains(known, f) })
	if len(added) == 0 {
		s.Log.WarnContext(ctx, "renewed a document whose signatures do not permit what was added before it was completed", "document", d.ID)
	}
	return added, nil
}

// sealFaults reads and validates a document's file.
func (s *Service) sealFaults(ctx context.Context, d *contract.Document) ([]contract.SealFault, error) {
	f, err := s.OpenFile(ctx, d.Revisions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := s.ValidationOptions()
	// Content hidden on pages only leads to warnings, which are not used here: one byte is the least limit.
	o.Limits.Content = 1
	file, err := facts.Read(ctx, f.VerifiedAt(), f.Size(), o.FactsOptions())
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
			Integrity: documents.IntegrityOf(g), Trust: trustOf(r), Archived: r.Level == validate.LevelLTA,
			CoversAll: r.Covers.All, Detail: string(r.SubIndication),
		}
		if r.SubIndication == "" {
			verdicts[i].Detail = string(r.Level)
		}
	}
	return verdicts
}

func trustOf(r *validate.Signature) contract.SignatureTrust {
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
