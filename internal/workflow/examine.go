package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
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

// examineOrRepair examines an upload. If it is damaged, or readers may read it in two ways, the examination is of the
// rewritten file that replaces it, and rewritten is true.
func (s *Service) examineOrRepair(ctx context.Context, organisation contract.OrganisationID, base contract.Revision) (_ examination, rewritten bool, err error) {
	release, err := s.fileSlots.acquire(ctx, organisation)
	if err != nil {
		return examination{}, false, err
	}
	defer release()
	// All readings of one upload, including its rewriting, share one budget and end when the client leaves.
	budget := pdf.FileBudget(ctx, base.End)
	f, doc, err := s.openWithinSigningLimits(ctx, []contract.Revision{base}, budget)
	var found examination
	if err == nil {
		found, err = s.examineFile(ctx, f, doc, base, budget)
		err = errors.Join(err, f.Close())
	}
	if !errors.Is(err, documents.ErrDamaged) {
		return found, false, err
	}
	r, err := s.normaliseFile(ctx, organisation, base, budget)
	if err != nil {
		return examination{}, false, err
	}
	found, err = s.examineFile(ctx, r.file, r.doc, r.base, budget)
	if err = errors.Join(err, r.file.Close()); err != nil {
		return examination{}, false, errors.Join(err, s.RemoveBlob(ctx, r.base.Tail.Key))
	}
	return found, true, nil
}

// examination is what must be known about a file before it is accepted.
type examination struct {
	base     contract.Revision // the file that was examined, with its NextObject
	pages    int
	findings []contract.Finding
}

// examineFile refuses a file that cannot be signed safely, or whose signatures could not be validated. The checks, in
// order:
//   - Check: the structure can be read without repairing it;
//   - Properties: nothing before the header, no certification against changes, at least one page;
//   - RequirePermission: a certification permits signatures;
//   - listFindings: refuses nothing, reports what readers may not see or expect;
//   - checkSignable: the verifier can read the file, and accepts its signatures;
//   - requireCompletable: the updates up to completion can be made, and pass our own validation.
func (s *Service) examineFile(ctx context.Context, f *documents.File, doc *pdf.Document, base contract.Revision, budget *pdf.Budget) (examination, error) {
	if err := doc.Check(); err != nil {
		return examination{}, documents.PDFRefusal(err)
	}
	pages, err := doc.PageCount()
	if err != nil {
		return examination{}, documents.PDFRefusal(err)
	}
	switch properties := doc.Properties(); {
	case properties.HeaderOffset > 0:
		return examination{}, documents.ErrDamaged.WithCause(fmt.Errorf("%d bytes of junk before the header", properties.HeaderOffset))
	case properties.DocMDP == pdf.PermitNothing:
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
	uploaded, err := s.checkSignable(ctx, f.Reader, f.Size(), doc, budget)
	if err != nil {
		return examination{}, err
	}
	if uploaded.signed && uploaded.digest != base.Digest {
		return examination{}, documents.ErrFileChanged
	}
	if err := s.requireCompletable(ctx, f.Reader, base, doc, budget); err != nil {
		return examination{}, err
	}
	return examination{base: base, pages: pages, findings: mergeFindings(findings, uploaded.findings)}, nil
}

// mergeFindings appends findings about signatures and about the whole file. That the view of the whole file varies is
// reported beside pages whose view varies, and once.
func mergeFindings(findings, more []contract.Finding) []contract.Finding {
	for _, f := range more {
		if f.Code != contract.FindingViewVaries || !slices.ContainsFunc(findings, func(g contract.Finding) bool { return g.Code == f.Code && g.Page == f.Page }) {
			findings = append(findings, f)
		}
	}
	return findings
}

// openWithinSigningLimits opens a document's file within the limits for files that will be signed. The caller closes it.
func (s *Service) openWithinSigningLimits(ctx context.Context, revisions []contract.Revision, budget *pdf.Budget) (*documents.File, *pdf.Document, error) {
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
// In a file without signatures it reads only what the validation of later signatures has to read. Opened is a document over
// the file or its first bytes, whose objects are not parsed again.
//
// A file that readers may read in two ways can be rewritten so that there is only one, if it has no signatures. With
// signatures, in fields or not, it has the finding that what it shows varies.
//
// Refusals: those of [contract.CheckUploaded]; [documents.ErrComplex]; [documents.ErrDamaged] if rewriting the file may
// help.
func (s *Service) checkSignable(ctx context.Context, r io.ReaderAt, size int64, opened *pdf.Document, budget *pdf.Budget) (uploadedSignatures, error) {
	o := s.ValidationOptions()
	o.Limits = facts.LimitsForSigning(size)
	reading := o.FactsOptions()
	reading.ForSigning, reading.Budget, reading.Opened = true, budget, opened
	file, err := facts.Read(ctx, r, size, reading)
	if errors.Is(err, facts.ErrUnreadable) {
		return uploadedSignatures{}, documents.PDFRefusal(err)
	}
	if err != nil {
		return uploadedSignatures{}, documents.BlobRefusal(fmt.Errorf("validate file to be signed: %w", err))
	}
	if err := file.Unsignable; err != nil {
		return uploadedSignatures{}, documents.PDFRefusal(fmt.Errorf("later signatures could not be validated: %w", err))
	}
	if len(file.Signatures) == 0 {
		if len(file.Twofold) == 0 {
			return uploadedSignatures{}, nil
		}
		outside, err := opened.FindSignature()
		if err != nil {
			return uploadedSignatures{}, documents.PDFRefusal(err)
		}
		if outside.IsZero() {
			return uploadedSignatures{}, documents.ErrDamaged.WithCause(fmt.Errorf("readers may read it in two ways: %s", file.Twofold[0]))
		}
		return uploadedSignatures{findings: []contract.Finding{contract.NewFinding(contract.FindingViewVaries, 0)}}, nil
	}
	report, err := validate.ValidateFacts(ctx, file, o)
	if err != nil {
		return uploadedSignatures{}, err
	}
	findings, err := contract.CheckUploaded(verdictsOn(file, report, size))
	if len(file.Twofold) > 0 {
		findings = append(findings, contract.NewFinding(contract.FindingViewVaries, 0))
	}
	return uploadedSignatures{signed: true, digest: file.SHA256, findings: findings}, err
}

// uploadedSignatures is what checkSignable found out about the signatures of a file.
type uploadedSignatures struct {
	signed   bool     // fields of the file have signatures
	digest   [32]byte // SHA-256 of the whole file; zero without signatures
	findings []contract.Finding
}

// rewriting is a rewritten file, open and parsed, which replaces the base.
type rewriting struct {
	base contract.Revision
	file *documents.File // the caller closes it
	doc  *pdf.Document
}

// normaliseFile stores a rewritten file of an organisation. It also raises the version to the lowest that the stamp office does not
// rewrite, unless the file claims to be PDF/A, so no file is rewritten twice. The rewritten file is read back from the
// store: it is sound and equivalent to its source.
//
// Durable on return: the rewritten file, beside the original. Not yet: a document's reference to it. If the process
// dies before the commit, fsck finds it.
func (s *Service) normaliseFile(ctx context.Context, of contract.OrganisationID, base contract.Revision, budget *pdf.Budget) (*rewriting, error) {
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
	if before.Properties().PDFA == "" {
		o.Version = stamping.MinOfficeVersion
	}
	r := &rewriting{}
	r.base, err = s.StoreBase(ctx, of, documents.ErrComplex, func(w io.Writer) error {
		_, err := before.Rewrite(w, o)
		return documents.PDFRefusal(err)
	})
	if err != nil {
		return nil, err
	}
	if r.file, r.doc, err = s.openWithinSigningLimits(ctx, []contract.Revision{r.base}, budget); err != nil {
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
		add("what", contract.ShortenText(found[at].Detail))
		add("shown", contract.ShortenText(found[at].Shown))
	}
	return contract.NewFinding(code, page, args...)
}

// quotedKinds are the kinds whose detail, a text of the file or a name, is part of the report.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.Unreliable, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData,
	inspect.OtherDocument, inspect.FileURI, inspect.EmbeddedFile,
}

// listMissingFindings lists the findings of a file that was uploaded before findings were recorded.
func (s *Service) listMissingFindings(ctx context.Context, d *contract.Document) ([]contract.Finding, error) {
	f, err := s.OpenFile(ctx, d.Revisions[:1])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := f.PDF(pdf.Options{Budget: pdf.FileBudget(ctx, f.Size())})
	if err != nil {
		return nil, fmt.Errorf("open document %d: %w", d.ID, err)
	}
	found, err := listFindings(ctx, doc)
	if err != nil {
		return nil, fmt.Errorf("examine document %d: %w", d.ID, documents.PDFRefusal(err))
	}
	return found, nil
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
