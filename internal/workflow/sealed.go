package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/pades/validate"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/revocation"
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
	// What is hidden on its pages leads to warnings alone; one byte of content is as little as can be asked for.
	file, err := facts.Read(ctx, f.VerifiedAt(), f.Size(), facts.Options{Limits: facts.Limits{Content: 1}})
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
	// about, where several are asked in turn. Nothing but its own responder can tell about it then. Who leads to no trusted
	// root is not asked about, and issuers are not looked for.
	o.Online = statusOnly{s.Revocation}
	return s.judgeSealed(ctx, d, file, o)
}

// statusOnly hides that a source may find issuers too.
type statusOnly struct{ revocation.Source }

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
			Integrity: integrityOf(g), Trust: trustOf(r), Archived: r.Level == validate.LevelLTA,
			CoversAll: r.Covers.All, Why: string(r.SubIndication),
		}
		if r.SubIndication == "" {
			verdicts[i].Why = string(r.Level)
		}
	}
	return verdicts
}

// integrityOf says what became of what a signature covers. Where nobody here can compute the signature, what was added
// later counts all the same.
func integrityOf(g *facts.Signature) contract.SignatureIntegrity {
	// Without the signer's certificate the bytes can still be held against the digest that was signed.
	unknown := errors.Is(g.Integrity, facts.ErrAlgorithm) ||
		errors.Is(g.Integrity, facts.ErrNoSigner) && (g.Stated == nil || bytes.Equal(g.Stated, g.Computed))
	if g.Coverage.State == facts.Broken || g.Integrity != nil && !unknown {
		return contract.SignatureBroken
	}
	tooMuch := false
	for _, l := range g.Later {
		for _, i := range l.Denied {
			if l.Changes[i].Code != diff.CodeTooMuch {
				return contract.SignatureChanged
			}
			tooMuch = true
		}
	}
	switch {
	case tooMuch:
		return contract.SignatureTooMuch
	case unknown:
		return contract.SignatureUnknown
	case len(g.Later) == 0 && g.Coverage.State != facts.WholeFile:
		return contract.SignatureBroken // something follows, and nobody says what
	}
	return contract.SignatureIntact
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
