package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/stamping"
	"segel/internal/store"
	"segel/pades"
	"segel/pdf"
)

// Finalize freezes a draft and starts its work. It adds every signer's field and the seal's field to the file in one
// update before the first signature, so later signatures only fill fields and change no page. It returns warnings about
// placements that cover content which should stay readable.
func (s *Service) Finalize(ctx context.Context, by contract.Actor, id contract.DocumentID, o contract.FinalizeOptions) (WarnedDocument, error) {
	release, err := s.LockDocument(ctx, id)
	if err != nil {
		return WarnedDocument{}, err
	}
	defer release()
	var made []contract.Revision // by tries that lost a race, and by the one that won
	var warnings []contract.Warning
	effectCtx := store.WithFinalAnswer(ctx, func(d contract.Document) any { return WarnedDocument{d, warnings} })
	d, err := s.ApplyRuleAs(effectCtx, by, id, func(d *contract.Document) (*contract.Change, error) {
		if err := d.Authorise(by, contract.OpFinalize); err != nil {
			return nil, err
		}
		if d.State == contract.Draft && !d.Examined && d.RequirePDF() == nil {
			found, err := s.listMissingFindings(ctx, d)
			if err != nil {
				return nil, err
			}
			d.Findings, d.Examined = found, true
		}
		if s.StampOnly && d.OnlyStamps() {
			o.StampOnly = true // for old clients
		}
		c, changed, err := contract.Finalize(d, o, by, s.Clock())
		if err != nil {
			return nil, err
		}
		if !changed {
			warnings = s.PlacementWarnings(ctx, *d)
			return nil, nil
		}
		release, err := s.fileSlots.acquire(ctx, d.Organisation)
		if err != nil {
			return nil, err
		}
		defer release()
		stored, found, err := s.prepareFile(ctx, &c, by, o.AcceptFindings)
		made = append(made, stored...)
		warnings = found // before the commit, because the answer is stored with it
		return documents.ChangeOf(c, err)
	})
	if err != nil {
		return WarnedDocument{}, s.RemoveUncommitted(ctx, err, made...)
	}
	for _, r := range made {
		if slices.ContainsFunc(d.Revisions, func(current contract.Revision) bool { return current.Tail.Key == r.Tail.Key }) {
			continue
		}
		if err := s.RemoveBlob(ctx, r.Tail.Key); err != nil {
			s.Log.WarnContext(ctx, "a blob that nothing refers to was not removed", "error", err)
		}
	}
	return WarnedDocument{d, warnings}, nil
}

// prepareFile adds to the change the file that people will sign: rewritten if the stamp office would rewrite it, or if an earlier release
// took it and upload would rewrite it today, and with every field. It refuses a file that the stamp office would refuse, and one that could not be validated after
// completion: earlier signatures are broken or do not permit the fields, or the file exceeds the limits. A signed file that can be read in two ways,
// of which the draft has no finding, has to be accepted as after an upload.
//
// It returns the revisions that it stored, these also on an error, and warnings about placements on the file. Nothing
// refers to the revisions until the change is committed.
func (s *Service) prepareFile(ctx context.Context, c *contract.Change, by contract.Actor, accept []contract.FindingCode) (made []contract.Revision, warnings []contract.Warning, err error) {
	d := &c.After
	budget := pdf.FileBudget(ctx, d.Current().End)
	f, doc, err := s.openWithinSigningLimits(ctx, d.Revisions, budget)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // of the rewritten file, if there is one
	replaceFile := func(r *rewriting, why string) error {
		made = append(made, r.base)
		before := f
		f, doc = r.file, r.doc
		return errors.Join(before.Close(), c.ReplaceBase(r.base, why, by, s.Clock()))
	}
	rewritten, err := s.rewriteForOffice(ctx, d, doc, budget)
	if err != nil {
		return nil, nil, err
	}
	if rewritten != nil {
		if err := replaceFile(rewritten, contract.NormalisedOffice); err != nil {
			return made, nil, err
		}
	}
	tail, uploaded, err := s.buildSignableTail(ctx, d, f, doc, budget)
	if errors.Is(err, documents.ErrDamaged) && d.CanReplaceBase() {
		if rewritten, err = s.normaliseFile(ctx, d.Organisation, d.Revisions[0], budget); err != nil {
			return made, nil, err
		}
		if err := replaceFile(rewritten, contract.NormalisedDamaged); err != nil {
			return made, nil, err
		}
		tail, uploaded, err = s.buildSignableTail(ctx, d, f, doc, budget)
	}
	if err != nil {
		return made, nil, err
	}
	varies := slices.DeleteFunc(uploaded.findings, func(f contract.Finding) bool { return f.Code != contract.FindingViewVaries })
	if err := c.AddFindings(varies, accept, by, s.Clock()); err != nil {
		return made, nil, err
	}
	appendable, err := s.EnsureAppendable(ctx, *d, f)
	if err != nil {
		return made, nil, documents.PDFRefusal(err)
	}
	built, err := f.Source(appendable.Current()).Append(tail)
	if err != nil {
		return made, nil, fmt.Errorf("continue document %d: %w", d.ID, err)
	}
	r, err := s.StoreTail(ctx, appendable.Organisation, appendable.Current(), contract.RevisionFields, built)
	if err != nil {
		return made, nil, err
	}
	r.At = s.Clock()
	made = append(made, r)
	if uploaded.signed && uploaded.digest != r.Digest {
		return made, nil, documents.ErrFileChanged.WithCause(fmt.Errorf("document %d with its fields has digest %x, not %x", d.ID, uploaded.digest, r.Digest))
	}
	if err := c.AppendRevision(r); err != nil {
		return made, nil, err
	}
	pages := newPageReader(doc, d.Revisions[0].Digest, &s.pageCache)
	pages.spent = true
	return made, contract.CheckOverlaps(d.Placements, pages, "placements"), nil
}

// buildSignableTail builds the tail that adds every field of a document to its file. It refuses what the stamp office would refuse, and what could
// not be validated after completion; see [Service.checkSignable].
func (s *Service) buildSignableTail(ctx context.Context, d *contract.Document, f *documents.File, doc *pdf.Document, budget *pdf.Budget) ([]byte, uploadedSignatures, error) {
	if d.NextStamp() >= 0 {
		if err := s.PreflightStamps(ctx, d, f, false); err != nil {
			return nil, uploadedSignatures{}, err
		}
	}
	tail, err := s.buildFieldsTail(d, doc)
	if err != nil {
		return nil, uploadedSignatures{}, err
	}
	whole := pades.Source{R: f.Reader, Size: f.Size()}.WithTail(tail)
	uploaded, err := s.checkSignable(ctx, whole.R, whole.Size, doc, budget)
	return tail, uploaded, err
}

// rewriteForOffice rewrites the file if the stamp office would, else returns nil. The stamp office rewrites unsigned
// files older than PDF 1.6, which would lose what Segel added before; it stamps PDF/A unchanged. A file with a signature
// that no field references is not rewritten.
func (s *Service) rewriteForOffice(ctx context.Context, d *contract.Document, doc *pdf.Document, budget *pdf.Budget) (*rewriting, error) {
	if len(d.Stamps) == 0 || !d.CanReplaceBase() || !isRewrittenByOffice(doc) {
		return nil, nil
	}
	if signatures, err := doc.Signatures(); err != nil || len(signatures) > 0 {
		return nil, err
	}
	r, err := s.normaliseFile(ctx, d.Organisation, d.Revisions[0], budget)
	if errors.Is(err, documents.ErrDamagedSigned) {
		return nil, nil
	}
	return r, err
}

// isRewrittenByOffice reports whether the stamp office would rewrite the file if it has no signatures.
func isRewrittenByOffice(doc *pdf.Document) bool {
	properties := doc.Properties()
	return properties.OlderThan(stamping.MinOfficeVersion) && properties.PDFA == ""
}

// buildFieldsTail builds the tail that adds every field of a document.
func (s *Service) buildFieldsTail(d *contract.Document, doc *pdf.Document) ([]byte, error) {
	if err := documents.RequirePermission(doc, len(d.Placements) > 0); err != nil {
		return nil, err
	}
	// The draft may have been placed under another limit.
	if err := contract.CheckBoxes(d.Placements, documents.PageSizes(doc), s.Limits, "placements"); err != nil {
		return nil, err
	}
	fields, err := buildFieldSpecs(d, doc)
	if err != nil {
		return nil, err
	}
	tail, err := pades.AddFields(doc, fields)
	if err != nil {
		return nil, documents.PDFRefusal(fmt.Errorf("add fields to document %d: %w", d.ID, err))
	}
	return tail.Bytes, nil
}

// maxLockBytes bounds the names of the fields that a seal locks. They are in the file twice: in the /Lock of the seal's
// field and in the seal.
const maxLockBytes = 512 << 10

// buildSealFieldLock returns the lock of the seal's field: it names the fields of the form at finalize and those added for
// signers. It is nil if there are none. Duty stamps come later; the seal itself names them.
func buildSealFieldLock(doc *pdf.Document, added []pades.FieldSpec) (*pades.Lock, error) {
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form: %w", err)
	}
	for _, f := range added {
		names = append(names, f.Name)
	}
	if names = boundFieldNames(names); len(names) == 0 {
		return nil, nil
	}
	return &pades.Lock{Action: pdf.LockInclude, Fields: names}, nil
}

// listFieldsToLock lists the fields that exist when a document is sealed, so that they cannot be filled in later.
func listFieldsToLock(src pades.Source) ([]string, error) {
	doc, err := src.Open()
	if err != nil {
		return nil, fmt.Errorf("open document to be sealed: %w", err)
	}
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form to be sealed: %w", err)
	}
	return boundFieldNames(names), nil
}

// boundFieldNames bounds the names that a seal locks in a large form. A name includes the fields below it, so the root names
// of the form cover the same fields in fewer bytes. If even those are too many, no field is locked, and the comparison
// of later changes still protects what the fields show.
func boundFieldNames(names []string) []string {
	if len(strings.Join(names, "")) <= maxLockBytes {
		return names
	}
	var roots []string
	listed := map[string]bool{}
	for _, n := range names {
		root, _, _ := strings.Cut(n, ".")
		if !listed[root] {
			listed[root] = true
			roots = append(roots, root)
		}
	}
	if len(strings.Join(roots, "")) <= maxLockBytes {
		return roots
	}
	return nil
}
