package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// signingOptions returns the options to open a file that will be signed. The limits are those of the validation that
// has to read the finished file. Cache and work keep their defaults: they depend on the reader.
func signingOptions(size int64, budget *pdf.Budget) pdf.Options {
	limits := facts.LimitsForSigning(size).PDF
	limits.Cache, limits.Work = 0, 0
	return pdf.Options{Limits: limits, Budget: budget}
}

// checkSignable validates a file that is to be signed, within the limits of the validation of the finished file minus
// what signing adds. It works offline: certificates in the file cause no connections.
//
// In a file without signatures it reads only what the validation of later signatures has to read.
//
// Refusals: those of [contract.CheckUploaded]; errComplex; errDamaged if rewriting the file may help.
func (s *Service) checkSignable(ctx context.Context, r io.ReaderAt, size int64, budget *pdf.Budget) (signable, error) {
	o := s.ValidationOptions()
	o.Limits = facts.LimitsForSigning(size)
	reading := o.FactsOptions()
	reading.ForSigning, reading.Budget = true, budget
	file, err := facts.Read(ctx, r, size, reading)
	if errors.Is(err, facts.ErrUnreadable) {
		return signable{}, documents.FileRefusal(err)
	}
	if err != nil {
		return signable{}, documents.FileProblem(fmt.Errorf("validate file to be signed: %w", err))
	}
	if err := file.Unsignable; err != nil {
		return signable{}, documents.FileRefusal(fmt.Errorf("later signatures could not be validated: %w", err))
	}
	if len(file.Signatures) == 0 {
		return signable{}, nil
	}
	report, err := validate.ValidateFacts(ctx, file, o)
	if err != nil {
		return signable{}, err
	}
	findings, err := contract.CheckUploaded(verdictsOn(file, report, size))
	return signable{signed: true, digest: file.SHA256, findings: findings}, err
}

// signable is the result of checkSignable.
type signable struct {
	signed   bool     // the file has signatures
	digest   [32]byte // SHA-256 of the whole file; zero without signatures
	findings []contract.Finding
}
