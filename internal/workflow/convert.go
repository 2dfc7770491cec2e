package workflow

import (
	"context"
	"errors"
	"io"
	"time"

	"segel/internal/admission"
	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/convert/sniff"
	"segel/internal/documents"
	"segel/internal/outage"
	"segel/pdf"
)

// Refusals of a Word document. Each has its own sentence, because the author can fix the cause.
var (
	errNoConverter = contract.Refuse(contract.Unsupported, "file.word_unavailable")
	errWordFailed  = contract.Refuse(contract.Invalid, "file.word_failed")
	errWordSlow    = contract.Refuse(contract.Invalid, "file.word_too_slow")
	errWordComplex = contract.Refuse(contract.Invalid, "file.word_complex")
	errCrowded     = contract.Refuse(contract.TooMany, "file.word_crowded").With("retry_after", 10).WithRetry()

	errSniffed = map[sniff.Reason]*contract.Error{
		sniff.NotWord:    documents.ErrNotPDF,
		sniff.Damaged:    contract.Refuse(contract.Invalid, "file.word_damaged"),
		sniff.TooComplex: errWordComplex,
		sniff.Encrypted:  contract.Refuse(contract.Invalid, "file.word_password"),
		sniff.Links:      contract.Refuse(contract.Invalid, "file.word_links"),
		sniff.Fields:     contract.Refuse(contract.Invalid, "file.word_fields"),
		sniff.Macros:     contract.Refuse(contract.Invalid, "file.word_macros"),
		sniff.Objects:    contract.Refuse(contract.Invalid, "file.word_objects"),
		sniff.Template:   contract.Refuse(contract.Invalid, "file.word_template"),
		sniff.OtherFiles: contract.Refuse(contract.Invalid, "file.word_other_file"),
	}
)

// Convert makes the PDF of a Word document. It is a job and may run again: after a crash it starts from the beginning,
// and nothing refers to the PDF of a run that did not reach its commit.
func (s *Service) Convert(ctx context.Context, id contract.DocumentID) error {
	d, err := s.LoadDocument(ctx, id)
	if errors.Is(err, contract.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if d.State != contract.Draft || d.Conversion.State != contract.Converting {
		return nil
	}
	if s.Converter == nil {
		return s.finishConversion(ctx, d) // records that there is no converter
	}
	leave, err := s.Turns.Acquire(ctx, string(d.Organisation))
	if errors.Is(err, admission.ErrFull) {
		return &documents.Later{After: 5 * time.Second, Err: err}
	}
	if err != nil {
		return err
	}
	defer leave()
	release, err := s.LockDocument(ctx, id) // a job that was enqueued twice does its work once
	if err != nil {
		return err
	}
	defer release()
	if d, err = s.LoadDocument(ctx, id); errors.Is(err, contract.ErrNotFound) || err == nil && d.Conversion.State != contract.Converting {
		return nil
	} else if err != nil {
		return err
	}
	return s.finishConversion(ctx, d)
}

// finishConversion converts a document, or records why that is impossible. A temporary failure is returned as an error
// and the job is retried.
func (s *Service) finishConversion(ctx context.Context, d contract.Document) error {
	made, err := s.convertWord(ctx, d)
	if err == nil {
		err = s.commitConverted(ctx, d.ID, made)
	}
	var refusal *contract.Error
	if ctx.Err() != nil || outage.Of(err) != nil || !errors.As(err, &refusal) || refusal.Retryable {
		return err
	}
	s.Log.InfoContext(ctx, "a Word document cannot be converted", "document", d.ID, "problem", refusal.Code, "cause", refusal.Err)
	_, err = s.ApplyRule(ctx, d.ID, func(now *contract.Document) (*contract.Change, error) {
		c, done := contract.RecordConvertFailure(now, refusal.Code, s.Clock())
		if done {
			return nil, nil
		}
		return &c, nil
	})
	return ignoreNotFound(err)
}

// ignoreNotFound ignores that a document was deleted during the work on it.
func ignoreNotFound(err error) error {
	if errors.Is(err, contract.ErrNotFound) {
		return nil
	}
	return err
}

// conversionResult is the PDF of a conversion with what was found in it.
type conversionResult struct {
	base     contract.Revision
	facts    examination
	warnings []contract.Warning
}

func (s *Service) commitConverted(ctx context.Context, id contract.DocumentID, m conversionResult) error {
	kept := false
	_, err := s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, done, err := contract.Convert(d, m.base, m.facts.pages, m.facts.findings, m.warnings, s.Limits, s.Clock())
		if err != nil || done {
			return nil, err
		}
		kept = true
		return &c, nil
	})
	if err != nil {
		return ignoreNotFound(s.RemoveUncommitted(ctx, err, m.base))
	}
	if !kept {
		return s.RemoveBlob(ctx, m.base.Tail.Key)
	}
	return nil
}

// convertWord runs the converter on the uploaded file. Its PDF is checked like any other upload, because the converter
// has read an untrusted file.
func (s *Service) convertWord(ctx context.Context, d contract.Document) (conversionResult, error) {
	if s.Converter == nil {
		return conversionResult{}, errNoConverter
	}
	f, err := s.OpenRevisions(ctx, []contract.Revision{{Tail: d.Original}})
	if err != nil {
		return conversionResult{}, err
	}
	defer f.Close()
	found, err := sniffWord(ctx, f) // again: cheap beside a conversion, and the rules may have become stricter since the upload
	if err != nil {
		return conversionResult{}, err
	}
	base, err := s.StoreBase(ctx, errWordComplex, func(w io.Writer) error {
		return converterRefusal(s.Converter.Convert(ctx, found.Kind, f.Verified(), w))
	})
	if err != nil {
		return conversionResult{}, err
	}
	m, err := s.examineConverted(ctx, base, found)
	if err != nil {
		return conversionResult{}, errors.Join(err, s.RemoveBlob(ctx, base.Tail.Key))
	}
	return m, nil
}

// converterRefusal maps the converter's errors to refusals.
func converterRefusal(err error) error {
	switch {
	case errors.Is(err, convert.ErrTooLong):
		return errWordSlow.WithCause(err)
	case errors.Is(err, convert.ErrTooLarge):
		return errWordComplex.WithCause(err)
	case errors.Is(err, convert.ErrUnreadable):
		return errWordFailed.WithCause(err)
	case errors.Is(err, convert.ErrMissing):
		return errNoConverter.WithCause(err)
	}
	return err
}

// examineConverted examines the PDF. If the stamp office would rewrite it, it is rewritten now, before anyone has seen
// it.
func (s *Service) examineConverted(ctx context.Context, base contract.Revision, found sniff.Findings) (conversionResult, error) {
	budget := pdf.FileBudget(ctx, base.End)
	f, doc, err := s.openToSign(ctx, []contract.Revision{base}, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	defer f.Close()
	facts, err := s.examineFile(ctx, f, doc, base, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	base.NextObject = facts.nextObject
	m := conversionResult{base: base, facts: facts, warnings: s.conversionWarnings(doc, found, facts.pages)}
	if !isRewrittenByOffice(doc) {
		return m, nil
	}
	rewritten, err := s.normaliseFile(ctx, base, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	defer rewritten.file.Close()
	if _, err := s.examineFile(ctx, rewritten.file, rewritten.doc, rewritten.base, budget); err != nil {
		return conversionResult{}, errors.Join(errWordFailed.WithCause(err), s.RemoveBlob(ctx, rewritten.base.Tail.Key))
	}
	m.base = rewritten.base
	return m, s.RemoveBlob(ctx, base.Tail.Key)
}
