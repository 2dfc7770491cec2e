package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/pades/validate"
	"segel/pades/validate/facts"
)

// invalidError says why the file that closing or renewing made of a document must not be committed.
type invalidError struct{ faults []contract.SealFault }

func (e *invalidError) Error() string {
	all := make([]string, len(e.faults))
	for i, f := range e.faults {
		all[i] = f.String()
	}
	return "sealed file did not pass validation: " + strings.Join(all, ", ")
}

// checkSealed validates the file that the added revisions make of a document, as any reader of it would: from its bytes,
// each of which is verified against the recorded sums, and from nothing that was kept while it was made. The file is read
// through once, besides what its structure takes. Nothing of the added revisions is committed yet.
//
// It returns an [invalidError] if [contract.Document.CheckSealed] has anything against the file; then it was told as an
// alarm. [errFileMissing] and [errFileChanged]: the bytes are not there, or not those that were recorded.
func (s *Service) checkSealed(ctx context.Context, d contract.Document, added []contract.Revision) error {
	before := d.Revisions
	d.Revisions = slices.Concat(before, added)
	faults, err := s.sealFaults(ctx, &d)
	if err != nil {
		return fileProblem(fmt.Errorf("validate sealed file of document %d: %w", d.ID, err))
	}
	if len(faults) == 0 {
		return nil
	}
	invalid := &invalidError{faults}
	s.raise(ctx, AlarmInvalid, "sealed file did not pass validation and was not committed", "document", d.ID, "faults", invalid.Error())
	// The revisions were made from the recorded state of the hash, which finishes as the recorded digest. If the bytes
	// have that digest it is their state, and sealing is tried again from it. If not, no try can come to anything.
	d.Revisions = before
	digest, err := s.digestBytes(ctx, before)
	if err != nil {
		return errors.Join(err, invalid)
	}
	if current := d.Current(); digest.Total != current.Digest {
		s.raise(ctx, AlarmBytes, "bytes of a document are not those that were recorded", "document", d.ID)
		return errors.Join(errFileChanged, invalid)
	}
	return invalid
}

// sealFaults reads and validates a document's file.
func (s *Service) sealFaults(ctx context.Context, d *contract.Document) ([]contract.SealFault, error) {
	f, err := s.whole(ctx, d.Revisions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := facts.Read(ctx, f.VerifiedAt(), f.Size(), facts.Options{})
	if errors.Is(err, facts.ErrUnreadable) {
		return d.CheckSealed(contract.SealedFile{Unreadable: true}), nil
	}
	if err != nil {
		return nil, err
	}
	o := validate.Options{At: s.Clock(), Trust: s.Trust}
	faults, err := s.judgeSealed(ctx, d, file, o)
	if err != nil || len(faults) == 0 {
		return faults, err
	}
	// The certificate of the authority that made the document timestamp may be another than those that the file has proof
	// about, where several are asked in turn. Nothing but its own responder can tell about it then.
	o.Online = s.Revocation
	return s.judgeSealed(ctx, d, file, o)
}

func (s *Service) judgeSealed(ctx context.Context, d *contract.Document, file *facts.File, o validate.Options) ([]contract.SealFault, error) {
	report, err := validate.Judge(ctx, file, o)
	if err != nil {
		return nil, err
	}
	return d.CheckSealed(contract.SealedFile{Digest: file.SHA256, Signatures: verdictsOn(file, report, d.Revisions[0].End)}), nil
}

// verdictsOn puts a validation into the words of the rules. What stands before the end of the base came with the file.
func verdictsOn(file *facts.File, report *validate.Report, base int64) []contract.SignatureVerdict {
	serials := map[string]string{}
	for _, stamp := range report.Stamps {
		serials[stamp.Field] = stamp.Serial
	}
	verdicts := make([]contract.SignatureVerdict, len(file.Signatures))
	for i, g := range file.Signatures { // the report has them in the same order
		r := &report.Signatures[i]
		verdicts[i] = contract.SignatureVerdict{
			Field: g.Field, Serial: serials[r.Field], Timestamp: g.Kind == facts.Timestamp, Uploaded: g.ContentsAt() < base,
			Integrity: integrityOf(g, r), Passed: r.Indication == validate.TotalPassed, Archived: r.Level == validate.LevelLTA,
			CoversAll: r.Covers.All, Why: string(r.SubIndication),
		}
		if r.SubIndication == "" {
			verdicts[i].Why = string(r.Level)
		}
	}
	return verdicts
}

func integrityOf(g *facts.Signature, r *validate.Signature) contract.SignatureIntegrity {
	switch {
	case g.Coverage.State != facts.Broken && errors.Is(g.Integrity, facts.ErrAlgorithm):
		return contract.SignatureUnknown
	case g.Coverage.State == facts.Broken || g.Integrity != nil:
		return contract.SignatureBroken
	case r.Integrity == validate.ChangedAfter:
		return contract.SignatureChanged
	case r.Integrity == validate.Intact || r.Integrity == validate.IntactLater:
		return contract.SignatureIntact
	}
	return contract.SignatureBroken
}
