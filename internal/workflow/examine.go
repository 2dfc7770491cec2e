package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"segel/internal/admission"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/stamping"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/inspect"
)

// examineOrRepair examines an upload. If it is damaged, it also returns the rewritten file that replaces it, and the
// examination is of that file.
func (s *Service) examineOrRepair(ctx context.Context, organisation contract.OrganisationID, base contract.Revision) (examination, []contract.Revision, error) {
	release, err := s.fileSlots.acquire(ctx, organisation)
	if err != nil {
		return examination{}, nil, err
	}
	defer release()
	// All readings of one upload, including its rewriting, share one budget and end when the client leaves.
	budget := pdf.FileBudget(ctx, base.End)
	f, doc, err := s.openToSign(ctx, []contract.Revision{base}, budget)
	var facts examination
	if err == nil {
		facts, err = s.examineFile(ctx, f, doc, base, budget)
		err = errors.Join(err, f.Close())
	}
	if !errors.Is(err, documents.ErrDamaged) {
		return facts, nil, err
	}
	rewritten, err := s.normaliseFile(ctx, base, budget)
	if err != nil {
		return examination{}, nil, err
	}
	facts, err = s.examineFile(ctx, rewritten.file, rewritten.doc, rewritten.base, budget)
	if err = errors.Join(err, rewritten.file.Close()); err != nil {
		return examination{}, nil, errors.Join(err, s.RemoveBlob(ctx, rewritten.base.Tail.Key))
	}
	return facts, []contract.Revision{rewritten.base}, nil
}

// examination is what must be known about a file before it is accepted.
type examination struct {
	pages      int
	findings   []contract.Finding
	nextObject uint32 // see contract.Revision
}

// examineFile refuses a file that cannot be signed safely, or whose signatures could not be validated.
func (s *Service) examineFile(ctx context.Context, f *documents.File, doc *pdf.Document, base contract.Revision, budget *pdf.Budget) (examination, error) {
	if err := doc.Check(); err != nil {
		return examination{}, documents.PDFRefusal(err)
	}
	pages, err := doc.PageCount()
	if err != nil {
		return examination{}, documents.PDFRefusal(err)
	}
	switch facts := doc.Facts(); {
	case facts.HeaderOffset > 0:
		return examination{}, documents.ErrDamaged.WithCause(fmt.Errorf("%d bytes of junk before the header", facts.HeaderOffset))
	case facts.DocMDP == 1:
		return examination{}, documents.ErrCertified
	case pages == 0:
		return examination{}, documents.ErrNoPages
	}
	if _, err := doc.Signatures(); err != nil {
		return examination{}, documents.PDFRefusal(fmt.Errorf("read form: %w", err)) // fields could not be added later
	}
	if err := documents.RequirePermission(doc, false); err != nil {
		return examination{}, err
	}
	if base.NextObject, err = doc.NextObject(); err != nil {
		return examination{}, documents.PDFRefusal(err)
	}
	findings, err := listFindings(ctx, doc)
	if err != nil {
		return examination{}, documents.PDFRefusal(err)
	}
	earlier, err := s.checkSignable(ctx, f.Reader, f.Size(), budget)
	if err != nil {
		return examination{}, err
	}
	if earlier.signed && earlier.digest != base.Digest {
		return examination{}, documents.ErrFileChanged
	}
	if err := s.requireCompletable(ctx, f.Reader, base, doc, budget); err != nil {
		return examination{}, err
	}
	return examination{pages: pages, findings: append(findings, earlier.findings...), nextObject: base.NextObject}, nil
}

// openToSign opens the file of a document that will be signed, within the limits for such files. The caller closes it.
func (s *Service) openToSign(ctx context.Context, revisions []contract.Revision, budget *pdf.Budget) (*documents.File, *pdf.Document, error) {
	f, err := s.OpenFile(ctx, revisions)
	if err != nil {
		return nil, nil, err
	}
	doc, err := f.PDF(signingOptions(f.Size(), budget))
	if err != nil {
		return nil, nil, errors.Join(documents.BlobRefusal(documents.PDFRefusal(fmt.Errorf("open file to be signed: %w", err))), f.Close())
	}
	return f, doc, nil
}

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
		return signable{}, documents.PDFRefusal(err)
	}
	if err != nil {
		return signable{}, documents.BlobRefusal(fmt.Errorf("validate file to be signed: %w", err))
	}
	if err := file.Unsignable; err != nil {
		return signable{}, documents.PDFRefusal(fmt.Errorf("later signatures could not be validated: %w", err))
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

// rewriting is a rewritten file, open and parsed, which replaces the base.
type rewriting struct {
	base contract.Revision
	file *documents.File // the caller closes it
	doc  *pdf.Document
}

// normaliseFile stores a rewritten file. It also raises the version to the lowest that the stamp office does not
// rewrite, unless the file claims to be PDF/A, so no file is rewritten twice. The rewritten file is read back from the
// store: it is sound and equivalent to its source.
//
// Durable on return: the rewritten file, beside the original. Not yet: a document's reference to it. If the process
// dies before the commit, fsck finds it.
func (s *Service) normaliseFile(ctx context.Context, base contract.Revision, budget *pdf.Budget) (*rewriting, error) {
	f, err := s.OpenRevisions(ctx, []contract.Revision{base})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// People will sign these bytes, not those whose digest was taken at the upload. Read all of them verified first, so
	// that the store cannot substitute others.
	if _, err := io.Copy(io.Discard, f.VerifiedReader()); err != nil {
		return nil, fmt.Errorf("read file to rewrite: %w", err)
	}
	before, err := pdf.Open(f, f.Size(), pdf.Options{Repair: true, Random: s.Random, Budget: budget})
	if err != nil {
		return nil, documents.PDFRefusal(err)
	}
	o := pdf.RewriteOptions{}
	if before.Facts().PDFA == "" {
		o.Version = stamping.MinOfficeVersion
	}
	r := &rewriting{}
	r.base, err = s.StoreBase(ctx, documents.ErrComplex, func(w io.Writer) error {
		_, err := before.Rewrite(w, o)
		return documents.PDFRefusal(err)
	})
	if err != nil {
		return nil, err
	}
	if r.file, r.doc, err = s.openToSign(ctx, []contract.Revision{r.base}, budget); err != nil {
		return nil, errors.Join(err, s.RemoveBlob(ctx, r.base.Tail.Key))
	}
	if err = r.doc.Check(); err != nil {
		err = fmt.Errorf("check rewriting: %w", err)
	} else if err = pdf.RequireEquivalent(before, r.doc); err != nil {
		err = fmt.Errorf("compare rewriting: %w", err)
	} else {
		r.base.NextObject, err = r.doc.NextObject()
	}
	if err != nil {
		return nil, errors.Join(documents.PDFRefusal(err), r.file.Close(), s.RemoveBlob(ctx, r.base.Tail.Key))
	}
	return r, nil
}

// findingCodes maps the kinds of findings to codes, in the order of the report. Kinds that are not listed are not
// reported.
var findingCodes = []struct {
	kind inspect.Kind
	code contract.FindingCode
}{
	{inspect.PrintDiffers, contract.FindingPrintDiffers}, {inspect.ViewVaries, contract.FindingViewVaries}, {inspect.External, contract.FindingExternal},
	{inspect.Launch, contract.FindingLaunch}, {inspect.Unreliable, contract.FindingUnreliableText}, {inspect.CoveredText, contract.FindingCoveredText},
	{inspect.InvisibleText, contract.FindingInvisibleText}, {inspect.HiddenLayer, contract.FindingHiddenLayer}, {inspect.OutsidePage, contract.FindingOutsidePage},
	{inspect.ScreenOnly, contract.FindingScreenOnly}, {inspect.Portfolio, contract.FindingPortfolio}, {inspect.XFA, contract.FindingXFA},
	{inspect.JavaScript, contract.FindingJavaScript}, {inspect.Actions, contract.FindingActions}, {inspect.SubmitForm, contract.FindingSubmitForm},
	{inspect.ImportData, contract.FindingImportData}, {inspect.OtherDocument, contract.FindingOtherDocument}, {inspect.FileURI, contract.FindingFileURI},
	{inspect.Media, contract.FindingMedia}, {inspect.EmbeddedFile, contract.FindingEmbeddedFile}, {inspect.NotExamined, contract.FindingNotExamined},
}

// listFindings finds what the readers of a file may not see or expect. It reports each kind once, with all its pages.
func listFindings(ctx context.Context, doc *pdf.Document) ([]contract.Finding, error) {
	found, err := inspect.Document(ctx, doc, inspect.Limits{})
	if err != nil {
		return nil, err
	}
	byKind := map[inspect.Kind][]inspect.Finding{}
	for _, f := range found {
		// A scanned page with recognised text has that text below the picture, which shows the same.
		if f.Kind != inspect.InvisibleText || !f.OnPicture {
			byKind[f.Kind] = append(byKind[f.Kind], f)
		}
	}
	var all []contract.Finding
	for _, c := range findingCodes {
		if matching := byKind[c.kind]; len(matching) > 0 {
			all = append(all, findingOf(c.code, matching))
		}
	}
	return all, nil
}

// findingOf merges the findings of one kind: their pages and one example.
func findingOf(code contract.FindingCode, found []inspect.Finding) contract.Finding {
	var args []string
	add := func(name, value string) {
		if value != "" {
			args = append(args, name, value)
		}
	}
	page := 0
	for _, f := range found {
		if f.Page > 0 && (page == 0 || f.Page < page) {
			page = f.Page
		}
	}
	add("pages", inspect.PageRanges(found))
	if slices.Contains(quotedKinds, found[0].Kind) {
		at := max(0, slices.IndexFunc(found, func(f inspect.Finding) bool { return f.Detail != "" }))
		add("what", shortenText(found[at].Detail))
		add("shown", shortenText(found[at].Shown))
	}
	return contract.NewFinding(code, page, args...)
}

// quotedKinds are the kinds whose detail, a text of the file or a name, is part of the report.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.Unreliable, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData,
	inspect.OtherDocument, inspect.FileURI, inspect.EmbeddedFile,
}

// shortenText returns the beginning of a text from the file, cleaned to be quoted in a message.
func shortenText(s string) string {
	const most = 60 // letters
	letters := []rune(contract.CleanText(s))
	if len(letters) <= most {
		return string(letters)
	}
	return strings.TrimSpace(string(letters[:most])) + "…"
}

// examineStored examines a file that was uploaded before files were examined.
func (s *Service) examineStored(ctx context.Context, d *contract.Document) error {
	f, err := s.OpenFile(ctx, d.Revisions[:1])
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := f.PDF(pdf.Options{Budget: pdf.FileBudget(ctx, f.Size())})
	if err != nil {
		return fmt.Errorf("open document %d: %w", d.ID, err)
	}
	found, err := listFindings(ctx, doc)
	if err != nil {
		return fmt.Errorf("examine document %d: %w", d.ID, documents.PDFRefusal(err))
	}
	d.Findings, d.Examined = found, true
	return nil
}

// fileSlots bounds how many files are examined at a time for requests. Limits bound the memory of one examination; the
// slots bound the sum. More slots than processors would not be faster. Organisations take turns, and there is one slot
// more than one organisation may hold, so a file never waits for all files of another organisation. The zero value is
// ready to use.
type fileSlots struct {
	once  sync.Once
	queue *admission.Queue
}

// Bounds on requests that wait for a slot, of all organisations and of one.
const (
	waitingForSlot       = 512
	waitingForSlotPerKey = 128
)

// errBusy refuses a request because too many others wait for a slot.
var errBusy = contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry()

// acquire waits for a slot until the context ends.
func (f *fileSlots) acquire(ctx context.Context, organisation contract.OrganisationID) (release func(), err error) {
	f.once.Do(func() {
		own := max(2, runtime.GOMAXPROCS(0))
		f.queue = admission.NewQueue(admission.Limits{Slots: own + 1, PerKey: own, Waiting: waitingForSlot, WaitingPerKey: waitingForSlotPerKey})
	})
	release, err = f.queue.Acquire(ctx, string(organisation))
	if errors.Is(err, admission.ErrFull) {
		return nil, errBusy.WithCause(err)
	}
	return release, err
}
