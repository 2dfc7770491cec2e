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
	"segel/internal/outage"
	"segel/pdf"
)

// Refusals of a Word document. Each has a sentence of its own, since its author can do something about it.
var (
	errNoConverter = contract.Refuse(contract.Unsupported, "file.word_unavailable")
	errWordFailed  = contract.Refuse(contract.Invalid, "file.word_failed")
	errWordSlow    = contract.Refuse(contract.Invalid, "file.word_too_slow")
	errWordComplex = contract.Refuse(contract.Invalid, "file.word_complex")
	errCrowded     = contract.Refuse(contract.TooMany, "file.word_crowded").With("retry_after", 10).WithRetry()

	errSniffed = map[sniff.Reason]*contract.Error{
		sniff.NotWord:    errNotPDF,
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

// Convert makes the PDF of a Word document. It is a job and may run again: what a crash left undone is done from the
// start, and the PDF of a try that did not reach its commit is nobody's.
func (s *Service) Convert(ctx context.Context, id contract.DocumentID) error {
	d, err := s.loadDocument(ctx, id)
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
		return s.finishConversion(ctx, d) // which says so
	}
	leave, err := s.Turns.Acquire(ctx, string(d.Organisation))
	if errors.Is(err, admission.ErrFull) {
		return &Later{After: 5 * time.Second, Err: err}
	}
	if err != nil {
		return err
	}
	defer leave()
	release, err := s.documentLocks.acquire(ctx, id) // a job that was ordered twice does its work once
	if err != nil {
		return err
	}
	defer release()
	if d, err = s.loadDocument(ctx, id); errors.Is(err, contract.ErrNotFound) || err == nil && d.Conversion.State != contract.Converting {
		return nil
	} else if err != nil {
		return err
	}
	return s.finishConversion(ctx, d)
}

// finishConversion converts a document, or records why that is impossible. Anything that may pass is an error, and the job is
// tried again.
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
	_, err = s.applyRule(ctx, d.ID, func(now *contract.Document) (*contract.Change, error) {
		c, done := contract.RecordConvertFailure(now, refusal.Code, s.Clock())
		if done {
			return nil, nil
		}
		return &c, nil
	})
	return ignoreNotFound(err)
}

// ignoreNotFound forgives that a document was deleted while it was worked on.
func ignoreNotFound(err error) error {
	if errors.Is(err, contract.ErrNotFound) {
		return nil
	}
	return err
}

// conversionResult is what a conversion came to.
type conversionResult struct {
	base     contract.Revision
	facts    examination
	warnings []contract.Warning
}

func (s *Service) commitConverted(ctx context.Context, id contract.DocumentID, m conversionResult) error {
	kept := false
	_, err := s.applyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, done, err := contract.Convert(d, m.base, m.facts.pages, m.facts.findings, m.warnings, s.Limits, s.Clock())
		if err != nil || done {
			return nil, err
		}
		kept = true
		return &c, nil
	})
	if err != nil {
		return ignoreNotFound(s.removeUncommitted(ctx, err, m.base))
	}
	if !kept {
		return s.removeBlob(ctx, m.base.Tail.Key)
	}
	return nil
}

// convertWord runs the converter on what was uploaded. Its PDF is an upload like any other: the converter has read a
// stranger's file.
func (s *Service) convertWord(ctx context.Context, d contract.Document) (conversionResult, error) {
	if s.Converter == nil {
		return conversionResult{}, errNoConverter
	}
	f, err := s.openRevisions(ctx, []contract.Revision{{Tail: d.Original}})
	if err != nil {
		return conversionResult{}, err
	}
	defer f.Close()
	found, err := sniffWord(ctx, f) // again: it costs little beside a conversion, and the rules may have become stricter since
	if err != nil {
		return conversionResult{}, err
	}
	base, err := s.storeBase(ctx, errWordComplex, func(w io.Writer) error {
		return converterRefusal(s.Converter.Convert(ctx, found.Kind, f.Verified(), w))
	})
	if err != nil {
		return conversionResult{}, err
	}
	m, err := s.examineConverted(ctx, base, found)
	if err != nil {
		return conversionResult{}, errors.Join(err, s.removeBlob(ctx, base.Tail.Key))
	}
	return m, nil
}

// converterRefusal says in our words what the converter says in its own.
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

// examineConverted examines the PDF. One that the stamp office would rewrite is rewritten now, since nobody has seen it yet.
func (s *Service) examineConverted(ctx context.Context, base contract.Revision, found sniff.Findings) (conversionResult, error) {
	budget := pdf.FileBudget(ctx, base.End)
	facts, err := s.examineFile(ctx, base, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	f, err := s.openRevisions(ctx, []contract.Revision{base})
	if err != nil {
		return conversionResult{}, err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), pdf.Options{Budget: budget})
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	base.NextObject = facts.nextObject
	m := conversionResult{base: base, facts: facts, warnings: s.conversionWarnings(doc, found, facts.pages)}
	if paper := doc.Facts(); !paper.OlderThan(officeVersion) || paper.PDFA != "" {
		return m, nil
	}
	if m.base, err = s.normaliseFile(ctx, base, budget); err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	if _, err := s.examineFile(ctx, m.base, budget); err != nil {
		return conversionResult{}, errors.Join(errWordFailed.WithCause(err), s.removeBlob(ctx, m.base.Tail.Key))
	}
	return m, s.removeBlob(ctx, base.Tail.Key)
}
