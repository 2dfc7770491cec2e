package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/contract"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// intakeOptions open a file that is to be signed within the limits of a validation, which are the only ones: what is
// accepted has to be read again when it is finished. Memory and work are for each reader of it to bound, since each does
// something else.
func intakeOptions(size int64) pdf.Options {
	limits := facts.Intake(size).PDF
	limits.Cache, limits.Work = 0, 0
	return pdf.Options{Limits: limits}
}

// checkSignable validates a file that is to be signed, or to be signed further, as its readers will when it is finished:
// within the same limits, less what signing adds. It returns what its findings tell of the signatures that it came with.
// Certificates in it lead to no connection: nobody is asked about them.
//
// A file without signatures is not read through; what a validation of later signatures will have to read of it is. With
// signatures the digest of the whole file comes back too.
//
// Refusals: those of [contract.CheckUploaded], file.too_complex, and errDamaged where a rewriting may help.
func (s *Service) checkSignable(ctx context.Context, r io.ReaderAt, size int64) (signable, error) {
	file, err := facts.Read(ctx, r, size, facts.Options{Limits: facts.Intake(size), ForSigning: true})
	if errors.Is(err, facts.ErrUnreadable) {
		return signable{}, refusal(err)
	}
	if err != nil {
		return signable{}, fileProblem(fmt.Errorf("validate file to be signed: %w", err))
	}
	if err := file.Unsignable; err != nil {
		return signable{}, refusal(fmt.Errorf("what is added could not be validated: %w", err))
	}
	if len(file.Signatures) == 0 {
		return signable{}, nil
	}
	report, err := validate.Judge(ctx, file, validate.Options{At: s.Clock(), Trust: s.Trust})
	if err != nil {
		return signable{}, err
	}
	findings, err := contract.CheckUploaded(verdictsOn(file, report, size))
	return signable{signed: true, digest: file.SHA256, findings: findings}, err
}

// signable is what is known of a file that may be signed.
type signable struct {
	signed   bool     // it has signatures
	digest   [32]byte // SHA-256 over all of it; zero if it has none
	findings []contract.Finding
}
