package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"segel/internal/admission"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/convert/sniff"
	"segel/internal/documents"
	"segel/internal/outage"
	"segel/internal/store"
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

// uploadWord commits the draft that create makes of a stored Word document and enqueues its conversion. The file is
// checked first, so that a refused file leaves nothing behind.
func (s *Service) uploadWord(ctx context.Context, by contract.Actor, base contract.Revision, create func() (contract.Change, error)) (contract.Document, error) {
	if err := s.requireConvertible(ctx, by, base); err != nil {
		return contract.Document{}, errors.Join(err, s.RemoveBlob(ctx, base.Tail.Key))
	}
	c, err := create()
	if err != nil {
		return contract.Document{}, s.RemoveTails(ctx, err, []contract.Revision{base})
	}
	// The request waits for the conversion. If the process dies meanwhile, a repeat gets the present state as the
	// answer.
	d, err := s.CommitChange(store.WithProvisionalAnswer(ctx, func(d contract.Document) any { return d }), c)
	if err != nil {
		return contract.Document{}, s.RemoveUncommitted(ctx, err, base)
	}
	return d, nil
}

func (s *Service) requireConvertible(ctx context.Context, by contract.Actor, original contract.Revision) error {
	if s.Converter != nil && s.Turns.Full(string(by.Organisation)) {
		return errCrowded
	}
	f, err := s.OpenRevisions(ctx, []contract.Revision{original})
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := sniffWord(ctx, f); err != nil {
		return err
	}
	if s.Converter == nil {
		return errNoConverter
	}
	if err := s.Converter.CheckAvailable(); err != nil {
		return errNoConverter.WithCause(err)
	}
	return nil
}

func sniffWord(ctx context.Context, f *blob.Stack) (sniff.Findings, error) {
	found, err := sniff.CheckDocument(ctx, f, f.Size(), sniff.Limits{})
	var r *sniff.Refusal
	if errors.As(err, &r) {
		return found, errSniffed[r.Reason].WithCause(err)
	}
	return found, err
}

// WaitForConversion waits until the document that the caller has just uploaded is converted, or the time is up. If the
// conversion fails, the document is deleted and the failure returned, as if the upload had been refused. In all other
// cases it returns the current document: the upload has succeeded.
func (s *Service) WaitForConversion(ctx context.Context, by contract.Actor, d contract.Document, wait time.Duration) (contract.Document, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for d.State == contract.Draft && d.Conversion.State == contract.Converting {
		next, err := s.WaitForChange(waiting, by, d.ID, d.Version)
		if err != nil {
			return d, nil
		}
		d = *next
	}
	if d.Conversion.State != contract.ConversionFailed {
		return d, nil
	}
	refusal := contract.Refuse(contract.Invalid, d.Conversion.Problem)
	if refusal.Code == errNoConverter.Code {
		refusal = errNoConverter
	}
	_, err := s.ApplyRule(store.WithFinalAnswer(ctx, func(contract.Document) any { return refusal }), d.ID, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Delete(d, by, s.Clock()))
	})
	if err != nil {
		return d, nil // changed by another request; its state shows the problem
	}
	return contract.Document{}, refusal
}

// Convert makes the PDF of a Word document, or records why that is impossible. It is a job and may run again: after a
// crash or a temporary failure it starts from the beginning, and nothing refers to the PDF of a run that did not reach
// its commit.
func (s *Service) Convert(ctx context.Context, id contract.DocumentID) error {
	d, err := s.loadConverting(ctx, id)
	if d == nil || err != nil {
		return err
	}
	if s.Converter != nil { // without a converter, the document records that there is none
		leave, err := s.Turns.Acquire(ctx, string(d.Organisation))
		if errors.Is(err, admission.ErrFull) {
			return &contract.Later{After: 5 * time.Second, Err: err}
		}
		if err != nil {
			return err
		}
		defer leave()
		release, err := s.LockConversion(ctx, id) // a job that was enqueued twice does its work once
		if err != nil {
			return err
		}
		defer release()
		if d, err = s.loadConverting(ctx, id); d == nil || err != nil {
			return err
		}
	}
	err = s.convertWord(ctx, d)
	var refusal *contract.Error
	if ctx.Err() == nil && outage.Of(err) == nil && errors.As(err, &refusal) && !refusal.Retryable && !errors.Is(err, contract.ErrNotFound) {
		s.Log.InfoContext(ctx, "a Word document cannot be converted", "document", id, "problem", refusal.Code, "cause", refusal.Err)
		_, err = s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
			c, changed := contract.RecordConvertFailure(d, refusal.Code, s.Clock())
			return documents.ChangeIf(c, changed, nil)
		})
	}
	if errors.Is(err, contract.ErrNotFound) {
		return nil // deleted during the work on it
	}
	return err
}

// loadConverting reads a document that waits for its conversion; nil if it does not wait any more.
func (s *Service) loadConverting(ctx context.Context, id contract.DocumentID) (*contract.Document, error) {
	d, err := s.LoadDocument(ctx, id)
	if errors.Is(err, contract.ErrNotFound) || err == nil && (d.State != contract.Draft || d.Conversion.State != contract.Converting) {
		return nil, nil
	}
	return &d, err
}

// conversionResult is the PDF of a conversion with what was found in it.
type conversionResult struct {
	examination
	warnings []contract.Warning
}

// convertWord runs the converter on the uploaded file and commits the PDF. The PDF is checked like any other upload,
// because the converter has read an untrusted file.
func (s *Service) convertWord(ctx context.Context, d *contract.Document) error {
	if s.Converter == nil {
		return errNoConverter
	}
	f, err := s.OpenRevisions(ctx, []contract.Revision{{Tail: d.Original}})
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := sniffWord(ctx, f) // again: cheap beside a conversion, and the rules may have become stricter since the upload
	if err != nil {
		return err
	}
	base, err := s.StoreBase(ctx, d.Organisation, errWordComplex, func(w io.Writer) error {
		return converterRefusal(s.Converter.Convert(ctx, found.Kind, f.VerifiedReader(), w))
	})
	if err != nil {
		return err
	}
	m, err := s.examineConverted(ctx, d.Organisation, base, found)
	if err != nil {
		return errors.Join(err, s.RemoveBlob(ctx, base.Tail.Key))
	}
	kept := false
	_, err = s.ApplyRule(ctx, d.ID, func(d *contract.Document) (*contract.Change, error) {
		c, changed, err := contract.Convert(d, m.base, m.pages, m.findings, m.warnings, s.Limits, s.Clock())
		kept = changed
		return documents.ChangeIf(c, changed, err)
	})
	if err != nil {
		return s.RemoveUncommitted(ctx, err, m.base)
	}
	if !kept {
		return s.RemoveBlob(ctx, m.base.Tail.Key)
	}
	return nil
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

// examineConverted examines the PDF of a document of an organisation. If the stamp office would rewrite it, it is rewritten now, before anyone has seen
// it.
func (s *Service) examineConverted(ctx context.Context, of contract.OrganisationID, base contract.Revision, found sniff.Findings) (conversionResult, error) {
	budget := pdf.FileBudget(ctx, base.End)
	f, doc, err := s.openWithinSigningLimits(ctx, []contract.Revision{base}, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	defer f.Close()
	examined, err := s.examineFile(ctx, f, doc, base, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	m := conversionResult{examination: examined, warnings: s.conversionWarnings(doc, found, examined.pages)}
	if !isRewrittenByOffice(doc) {
		return m, nil
	}
	rewritten, err := s.normaliseFile(ctx, of, base, budget)
	if err != nil {
		return conversionResult{}, errWordFailed.WithCause(err)
	}
	defer rewritten.file.Close()
	examined, err = s.examineFile(ctx, rewritten.file, rewritten.doc, rewritten.base, budget)
	if err != nil {
		return conversionResult{}, errors.Join(errWordFailed.WithCause(err), s.RemoveBlob(ctx, rewritten.base.Tail.Key))
	}
	m.base = examined.base // the findings stay those of the conversion's own file
	return m, s.RemoveBlob(ctx, base.Tail.Key)
}

// fontSubstitutes maps fonts that are often missing to fonts with the same letter widths, which keep line and page
// breaks.
var fontSubstitutes = map[string]string{
	"calibri": "Carlito", "cambria": "Caladea", "arial": "Liberation Sans", "times new roman": "Liberation Serif", "courier new": "Liberation Mono",
	"helvetica": "Liberation Sans", "times": "Liberation Serif", "courier": "Liberation Mono",
}

// conversionWarnings returns what the author may not expect in the PDF.
func (s *Service) conversionWarnings(doc *pdf.Document, found sniff.Findings, pages int) []contract.Warning {
	var all []contract.Warning
	warn := func(code string, args map[string]any) {
		all = append(all, contract.Warning{Field: "document", Code: code, Args: args})
	}
	available := documentFonts(doc)
	for _, name := range s.Converter.FontFamilies() {
		available[plainFontName(name)] = true
	}
	var replaced, substituted []string
	for _, name := range found.Fonts {
		substitute := fontSubstitutes[strings.ToLower(name)]
		switch {
		case available[plainFontName(name)]:
		case substitute != "" && available[plainFontName(substitute)]:
			substituted = append(substituted, fmt.Sprintf("%s (%s)", name, substitute))
		default:
			replaced = append(replaced, name)
		}
	}
	if len(replaced) > 0 {
		warn("document.fonts_replaced", map[string]any{"fonts": joinNames(replaced)})
	}
	if len(substituted) > 0 {
		warn("document.fonts_alike", map[string]any{"fonts": joinNames(substituted)})
	}
	if found.Tracked {
		warn("document.tracked_changes", nil)
	}
	if found.Pages > 0 && found.Pages != pages {
		warn("document.pages_differ", map[string]any{"pages": fmt.Sprint(pages), "expected": fmt.Sprint(found.Pages)})
	}
	return all
}

// joinNames joins names for a sentence, up to ten.
func joinNames(names []string) string {
	const most = 10
	s := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		s += ", …"
	}
	return s
}

// plainFontName normalises the spelling of a font name.
func plainFontName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", ",", "").Replace(name))
}

// maxFontPages bounds the pages whose fonts are examined. Later pages of a contract rarely use other fonts.
const maxFontPages = 50

// documentFonts returns the fonts that the PDF's pages name, normalised. Unreadable entries are skipped: the result
// only serves warnings.
func documentFonts(doc *pdf.Document) map[string]bool {
	names := map[string]bool{}
	pages, err := doc.PageCount()
	if err != nil {
		return names
	}
	for n := 1; n <= min(pages, maxFontPages); n++ {
		p, err := doc.Page(n)
		if err != nil {
			continue
		}
		resources, _ := doc.Dict(p.Resources)
		fonts, _ := doc.Dict(resources["Font"])
		for _, f := range fonts {
			font, _ := doc.Dict(f)
			if name, err := doc.Name(font["BaseFont"]); err == nil && name != "" {
				addFontFamily(names, string(name))
			}
		}
	}
	return names
}

// addFontFamily adds a font's family: its name without subset tag and style.
func addFontFamily(names map[string]bool, name string) {
	if mark, rest, found := strings.Cut(name, "+"); found && len(mark) == 6 {
		name = rest
	}
	family, _, _ := strings.Cut(name, "-")
	family, _, _ = strings.Cut(family, ",")
	for _, suffix := range []string{"PSMT", "PS", "MT"} {
		names[plainFontName(strings.TrimSuffix(family, suffix))] = true
	}
	names[plainFontName(family)] = true
}
