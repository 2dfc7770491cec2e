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
func (s *Service) Finalize(ctx context.Context, by contract.Actor, id contract.DocumentID, o contract.FinalizeOptions) (contract.Document, []contract.Warning, error) {
	release, err := s.LockDocument(ctx, id)
	if err != nil {
		return contract.Document{}, nil, err
	}
	defer release()
	var made []contract.Revision // by tries that lost a race, and by the one that won
	var warnings []contract.Warning
	keep := store.WithFinalAnswer(ctx, func(d contract.Document) any { return WarnedDocument{d, warnings} })
	d, err := s.ApplyRuleAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
		if err := d.Authorise(by, contract.OpFinalize); err != nil {
			return nil, err
		}
		if d.State == contract.Draft && !d.Examined && d.RequirePDF() == nil {
			if err := s.examineStored(ctx, d); err != nil {
				return nil, err
			}
		}
		if s.StampOnly && d.OnlyStamps() {
			o.StampOnly = true // for old clients
		}
		c, done, err := contract.Finalize(d, o, by, s.Clock())
		if err != nil {
			return nil, err
		}
		if done {
			warnings = s.PlacementWarnings(ctx, *d)
			return nil, nil
		}
		release, err := s.fileSlots.acquire(ctx, d.Organisation)
		if err != nil {
			return nil, err
		}
		defer release()
		f, stored, err := s.prepareFile(ctx, &c, by)
		made = append(made, stored...)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if base, err := f.PDF(pdf.Options{}); err == nil {
			warnings = s.comparePlacements(c.After, base) // before the commit, because the answer is stored with it
		}
		return &c, nil
	})
	if err != nil {
		return contract.Document{}, nil, s.RemoveUncommitted(ctx, err, made...)
	}
	for _, r := range made {
		if slices.ContainsFunc(d.Revisions, func(current contract.Revision) bool { return current.Tail.Key == r.Tail.Key }) {
			continue
		}
		if err := s.RemoveBlob(ctx, r.Tail.Key); err != nil {
			s.Log.WarnContext(ctx, "a blob that nothing refers to was not removed", "error", err)
		}
	}
	return d, warnings, nil
}

// prepareFile adds to the change the file that people will sign: rewritten if the stamp office would rewrite it, and
// with every field. It refuses a file that the stamp office would refuse, and one that could not be validated after
// completion: earlier signatures are broken or do not permit the fields, or the file exceeds the limits.
//
// It returns the open file without the fields, which the caller closes, and the revisions that it stored, these also on
// an error. Nothing refers to them until the change is committed.
func (s *Service) prepareFile(ctx context.Context, c *contract.Change, by contract.Actor) (f *documents.File, made []contract.Revision, err error) {
	d := &c.After
	defer func() {
		if err != nil && f != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	budget := pdf.FileBudget(ctx, d.Current().End)
	f, doc, err := s.openToSign(ctx, d.Revisions, budget)
	if err != nil {
		return nil, nil, err
	}
	rewritten, err := s.rewriteForOffice(ctx, d, doc, budget)
	if err != nil {
		return f, nil, err
	}
	if rewritten != nil {
		made = append(made, rewritten.base)
		if err := errors.Join(f.Close(), c.ReplaceBase(rewritten.base, contract.NormalisedOffice, by, s.Clock())); err != nil {
			return rewritten.file, made, err
		}
		f, doc = rewritten.file, rewritten.doc
	}
	if d.NextStamp() >= 0 {
		if err := s.PreflightStamps(ctx, d, f, false); err != nil {
			return f, made, err
		}
	}
	tail, err := s.buildFieldsTail(d, doc)
	if err != nil {
		return f, made, err
	}
	whole := pades.Source{R: f.Reader, Size: f.Size()}.WithTail(tail)
	earlier, err := s.checkSignable(ctx, whole.R, whole.Size, budget)
	if err != nil {
		return f, made, err
	}
	appendable, err := s.EnsureAppendable(ctx, *d, f)
	if err != nil {
		return f, made, documents.PDFRefusal(err)
	}
	r, err := s.StoreTail(ctx, appendable.Current(), contract.RevisionFields, tail)
	if err != nil {
		return f, made, err
	}
	r.At = s.Clock()
	made = append(made, r)
	if earlier.signed && earlier.digest != r.Digest {
		return f, made, documents.ErrFileChanged.WithCause(fmt.Errorf("document %d with its fields has digest %x, not %x", d.ID, earlier.digest, r.Digest))
	}
	return f, made, c.AppendRevision(r)
}

// rewriteForOffice rewrites the file if the stamp office would, else returns nil. The stamp office rewrites unsigned
// files older than PDF 1.6, which would lose what Segel added before; it stamps PDF/A unchanged. A file with a signature
// that no field references is not rewritten.
func (s *Service) rewriteForOffice(ctx context.Context, d *contract.Document, doc *pdf.Document, budget *pdf.Budget) (*rewriting, error) {
	if len(d.Stamps) == 0 || d.IsWord() || d.Normalised() || len(d.Revisions) != 1 || !isRewrittenByOffice(doc) {
		return nil, nil
	}
	if signatures, err := doc.Signatures(); err != nil || len(signatures) > 0 {
		return nil, err
	}
	r, err := s.normaliseFile(ctx, d.Revisions[0], budget)
	if errors.Is(err, documents.ErrDamagedSigned) {
		return nil, nil
	}
	return r, err
}

// isRewrittenByOffice reports whether the stamp office would rewrite the file if it has no signatures.
func isRewrittenByOffice(doc *pdf.Document) bool {
	facts := doc.Facts()
	return facts.OlderThan(stamping.MinOfficeVersion) && facts.PDFA == ""
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
	fields, err := fieldsFor(d, doc)
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

// lockAtFinalize returns the lock of the seal's field: it names the fields of the form at finalize and those added for
// signers. It is nil if there are none. Duty stamps come later; the seal itself names them.
func lockAtFinalize(doc *pdf.Document, added []pades.FieldSpec) (*pades.Lock, error) {
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form: %w", err)
	}
	for _, f := range added {
		names = append(names, f.Name)
	}
	if names = boundNames(names); len(names) == 0 {
		return nil, nil
	}
	return &pades.Lock{Action: pades.LockInclude, Fields: names}, nil
}

// lockAtSealing lists the fields that exist when a document is sealed, so that they cannot be filled in later.
func lockAtSealing(src pades.Source) ([]string, error) {
	doc, err := src.Open()
	if err != nil {
		return nil, fmt.Errorf("open document to be sealed: %w", err)
	}
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form to be sealed: %w", err)
	}
	return boundNames(names), nil
}

// boundNames bounds the names that a seal locks in a large form. A name includes the fields below it, so the root names
// of the form cover the same fields in fewer bytes. If even those are too many, no field is locked, and the comparison
// of later changes still protects what the fields show.
func boundNames(names []string) []string {
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
