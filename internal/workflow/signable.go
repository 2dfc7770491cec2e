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

// signingOptions opens a file that is to be signed within the limits of a validation, which has to read the finished file.
// Cache and work keep their defaults: they depend on what a reader does with the file.
func signingOptions(size int64, budget *pdf.Budget) pdf.Options {
	limits := facts.LimitsForSigning(size).PDF
	limits.Cache, limits.Work = 0, 0
	return pdf.Options{Limits: limits, Budget: budget}
}

// checkSignable validates a file that is to be signed. It uses the limits of the validation of the finished file, less
// what signing adds, and works offline: certificates in the file cause no connections.
//
// Of a file without signatures it reads what the validation of later signatures has to read, which is not the whole file.
//
// Refusals: those of [contract.CheckUploaded]; errComplex; errDamaged if rewriting the file may help.
func (s *Service) checkSignable(ctx context.Context, r io.ReaderAt, size int64, budget *pdf.Budget) (signable, error) {
	o := s.validationOptions()
	o.Limits = facts.LimitsForSigning(size)
	reading := o.FactsOptions()
	reading.ForSigning, reading.Budget = true, budget
	file, err := facts.Read(ctx, r, size, reading)
	if errors.Is(err, facts.ErrUnreadable) {
		return signable{}, fileRefusal(err)
	}
	if err != nil {
		return signable{}, fileProblem(fmt.Errorf("validate file to be signed: %w", err))
	}
	if err := file.Unsignable; err != nil {
		return signable{}, fileRefusal(fmt.Errorf("what is added could not be validated: %w", err))
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

// signable is what is known about a file that may be signed.
type signable struct {
	signed   bool     // it has signatures
	digest   [32]byte // SHA-256 over all of it; zero unless it has signatures
	findings []contract.Finding
}
