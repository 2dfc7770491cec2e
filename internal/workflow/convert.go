package workflow

import (
	"context"
	"errors"
	"io"
	"time"

	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/convert/sniff"
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
	d, err := s.document(ctx, id)
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
		return s.settle(ctx, d) // which says so
	}
	leave, err := s.Turns.Wait(ctx, string(d.Organisation))
	if errors.Is(err, convert.ErrCrowded) {
		return &Later{After: 5 * time.Second, Err: err}
	}
	if err != nil {
		return err
	}
	defer leave()
	release, err := s.files.acquire(ctx, id) // a job that was ordered twice does its work once
	if err != nil {
		return err
	}
	defer release()
	if d, err = s.document(ctx, id); errors.Is(err, contract.ErrNotFound) || err == nil && d.Conversion.State != contract.Converting {
		return nil
	} else if err != nil {
		return err
	}
	return s.settle(ctx, d)
}

// settle converts a document, or records why that is impossible. Anything that may pass is an error, and the job is
// tried again.
func (s *Service) settle(ctx context.Context, d contract.Document) error {
	made, err := s.convert(ctx, d)
	if err == nil {
		err = s.commitConverted(ctx, d.ID, made)
	}
	var refusal *contract.Error
	if ctx.Err() != nil || !errors.As(err, &refusal) || refusal.Retryable {
		return err
	}
	s.Log.InfoContext(ctx, "a Word document cannot be converted", "document", d.ID, "problem", refusal.Code, "cause", refusal.Err)
	_, err = s.apply(ctx, d.ID, func(now *contract.Document) (*contract.Change, error) {
		c, done := contract.RecordConvertFailure(now, refusal.Code, s.Clock())
		if done {
			return nil, nil
		}
		return &c, nil
	})
	return gone(err)
}

// gone forgives that a document was deleted while it was worked on.
func gone(err error) error {
	if errors.Is(err, contract.ErrNotFound) {
		return nil
	}
	return err
}

// made is what a conversion came to.
type made struct {
	base     contract.Revision
	facts    examined
	warnings []contract.Warning
}

func (s *Service) commitConverted(ctx context.Context, id contract.DocumentID, m made) error {
	kept := false
	_, err := s.apply(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, done, err := contract.Convert(d, m.base, m.facts.pages, m.facts.findings, m.warnings, s.Limits, s.Clock())
		if err != nil || done {
			return nil, err
		}
		kept = true
		return &c, nil
	})
	if err != nil {
		return gone(s.disown(ctx, err, m.base))
	}
	if !kept {
		return s.discard(ctx, m.base.Tail.Key)
	}
	return nil
}

// convert runs the converter on what was uploaded. Its PDF is an upload like any other: the converter has read a
// stranger's file.
func (s *Service) convert(ctx context.Context, d contract.Document) (made, error) {
	if s.Converter == nil {
		return made{}, errNoConverter
	}
	f, err := s.open(ctx, []contract.Revision{{Tail: d.Original}})
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	found, err := look(ctx, f) // again: it costs little beside a conversion, and the rules may have become stricter since
	if err != nil {
		return made{}, err
	}
	base, err := s.keepBase(ctx, errWordComplex, func(w io.Writer) error {
		return conversion(s.Converter.Convert(ctx, found.Kind, f.Verified(), w))
	})
	if err != nil {
		return made{}, err
	}
	m, err := s.inspect(ctx, base, found)
	if err != nil {
		return made{}, errors.Join(err, s.discard(ctx, base.Tail.Key))
	}
	return m, nil
}

// conversion says in our words what the converter says in its own.
func conversion(err error) error {
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

// inspect examines the PDF. One that the stamp office would rewrite is rewritten now, since nobody has seen it yet.
func (s *Service) inspect(ctx context.Context, base contract.Revision, found sniff.Findings) (made, error) {
	budget := pdf.FileBudget(ctx, base.End)
	facts, err := s.examine(ctx, base, budget)
	if err != nil {
		return made{}, errWordFailed.WithCause(err)
	}
	f, err := s.open(ctx, []contract.Revision{base})
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), pdf.Options{Budget: budget})
	if err != nil {
		return made{}, errWordFailed.WithCause(err)
	}
	base.NextObject = facts.nextObject
	m := made{base: base, facts: facts, warnings: s.differences(doc, found, facts.pages)}
	if paper := doc.Facts(); !paper.OlderThan(officeVersion) || paper.PDFA != "" {
		return m, nil
	}
	if m.base, err = s.normalise(ctx, base, budget); err != nil {
		return made{}, errWordFailed.WithCause(err)
	}
	if _, err := s.examine(ctx, m.base, budget); err != nil {
		return made{}, errors.Join(errWordFailed.WithCause(err), s.discard(ctx, m.base.Tail.Key))
	}
	return m, s.discard(ctx, base.Tail.Key)
}
