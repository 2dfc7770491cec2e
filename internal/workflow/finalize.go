package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/pades"
	"segel/pdf"
)

// Finalize freezes a draft and starts its work. It adds every signer's field and the seal's field to the file in one
// update before the first signature, so later signatures only fill fields and change no page. It returns warnings about
// placements that cover content which should stay readable.
func (s *Service) Finalize(ctx context.Context, by contract.Actor, id contract.DocumentID, o contract.FinalizeOptions) (contract.Document, []contract.Warning, error) {
	release, err := s.documentLocks.acquire(ctx, id)
	if err != nil {
		return contract.Document{}, nil, err
	}
	defer release()
	var made []contract.Revision // by tries that lost a race, and by the one that won
	var warnings []contract.Warning
	keep := store.WithFinalAnswer(ctx, func(d contract.Document) any { return WarnedDocument{d, warnings} })
	d, err := s.applyRuleAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
		if err := d.Authorise(by, contract.OpFinalize); err != nil {
			return nil, err
		}
		if d.State == contract.Draft && !d.Examined && d.RequirePDF() == nil {
			if err := s.examineStored(ctx, d); err != nil {
				return nil, err
			}
		}
		c, done, err := contract.Finalize(d, s.finalizeOptions(d, o), by, s.Clock())
		if err != nil {
			return nil, err
		}
		if done {
			warnings = s.PlacementWarnings(ctx, *d)
			return nil, nil
		}
		stored, err := s.prepareFile(ctx, &c, by)
		made = append(made, stored...)
		if err == nil {
			warnings = s.PlacementWarnings(ctx, c.After) // before the commit, because the answer is stored with it
		}
		return &c, err
	})
	if err != nil {
		return contract.Document{}, nil, s.removeUncommitted(ctx, err, made...)
	}
	for _, r := range made {
		if slices.ContainsFunc(d.Revisions, func(current contract.Revision) bool { return current.Tail.Key == r.Tail.Key }) {
			continue
		}
		if err := s.removeBlob(ctx, r.Tail.Key); err != nil {
			s.Log.WarnContext(ctx, "a blob that nothing refers to was not removed", "error", err)
		}
	}
	return d, warnings, nil
}

// prepareFile adds to the change the file that people will sign: rewritten if the stamp office would rewrite it, and
// with every field. It refuses a file that the stamp office would refuse, and one that could not be validated after
// completion: earlier signatures are broken or do not permit the fields, or the file exceeds the limits.
//
// It returns the revisions that it stored, also on an error. Nothing refers to them until the change is committed.
func (s *Service) prepareFile(ctx context.Context, c *contract.Change, by contract.Actor) (made []contract.Revision, err error) {
	d := &c.After
	var f openedFile
	defer f.close() //nolint:errcheck // it was read only
	release, err := s.fileSlots.acquire(ctx, d.Organisation)
	if err != nil {
		return nil, err
	}
	defer release()
	budget := pdf.FileBudget(ctx, d.Current().End)
	doc, err := s.openDraft(ctx, d, &f, budget)
	if err != nil {
		return nil, err
	}
	base, err := s.rewriteForOffice(ctx, d, doc, budget)
	if err != nil {
		return nil, err
	}
	if base != nil {
		made = append(made, *base)
		if err := c.ReplaceBase(*base, contract.NormalisedOffice, by, s.Clock()); err != nil {
			return made, err
		}
		if doc, err = s.openDraft(ctx, d, &f, budget); err != nil {
			return made, err
		}
	}
	if d.NextStamp() >= 0 {
		if err := s.preflightStamps(ctx, d, &f, false); err != nil {
			return made, err
		}
	}
	tail, err := s.buildFieldsTail(d, doc)
	if err != nil {
		return made, err
	}
	whole := pades.Source{R: f.reader, Size: f.stack.Size()}.WithTail(tail)
	earlier, err := s.checkSignable(ctx, whole.R, whole.Size, budget)
	if err != nil {
		return made, err
	}
	if err := s.requireMidstate(ctx, d); err != nil {
		return made, err
	}
	current := d.Current()
	if current.NextObject, err = doc.NextObject(); err != nil {
		return made, fileRefusal(fmt.Errorf("number objects of document %d: %w", d.ID, err))
	}
	r, err := s.storeTail(ctx, current, contract.RevisionFields, tail)
	if err != nil {
		return made, err
	}
	r.At = s.Clock()
	made = append(made, r)
	if earlier.signed && earlier.digest != r.Digest {
		return made, errFileChanged.WithCause(fmt.Errorf("document %d with its fields has digest %x, not %x", d.ID, earlier.digest, r.Digest))
	}
	return made, c.AppendRevision(r)
}

// openDraft opens the current file of a draft, within the limits for files that are to be signed.
func (s *Service) openDraft(ctx context.Context, d *contract.Document, f *openedFile, budget *pdf.Budget) (*pdf.Document, error) {
	if err := f.openDocument(ctx, s, d); err != nil {
		return nil, err
	}
	o := signingOptions(f.stack.Size(), budget)
	o.Random, o.NextObject = s.Random, d.Current().NextObject
	doc, err := pdf.Open(f.reader, f.stack.Size(), o)
	if err != nil {
		return nil, fileProblem(fileRefusal(fmt.Errorf("open document %d: %w", d.ID, err)))
	}
	f.doc = doc
	return doc, nil
}

// finalizeOptions makes a document with stamps only a stamping order if the configuration says so, for old clients.
func (s *Service) finalizeOptions(d *contract.Document, o contract.FinalizeOptions) contract.FinalizeOptions {
	if s.StampOnly && d.OnlyStamps() {
		o.StampOnly = true
	}
	return o
}

// rewriteForOffice rewrites the file if the stamp office would, else returns nil. A file with a signature that no field
// references is not rewritten.
func (s *Service) rewriteForOffice(ctx context.Context, d *contract.Document, doc *pdf.Document, budget *pdf.Budget) (*contract.Revision, error) {
	needed, err := isRewrittenByOffice(d, doc)
	if err != nil || !needed {
		return nil, err
	}
	r, err := s.normaliseFile(ctx, d.Revisions[0], budget)
	if errors.Is(err, errDamagedSigned) {
		return nil, nil
	}
	return &r, err
}

// isRewrittenByOffice reports whether the stamp office would rewrite the file. It rewrites unsigned files older than
// PDF 1.6, which would lose what Segel added before. It stamps PDF/A unchanged.
func isRewrittenByOffice(d *contract.Document, doc *pdf.Document) (bool, error) {
	if len(d.Stamps) == 0 || d.IsWord() || d.Normalised() || len(d.Revisions) != 1 {
		return false, nil
	}
	if facts := doc.Facts(); !facts.OlderThan(officeVersion) || facts.PDFA != "" {
		return false, nil
	}
	signatures, err := doc.Signatures()
	return len(signatures) == 0, err
}

// buildFieldsTail builds the tail that adds every field of a document.
func (s *Service) buildFieldsTail(d *contract.Document, doc *pdf.Document) ([]byte, error) {
	if err := requirePermission(doc, len(d.Placements) > 0); err != nil {
		return nil, err
	}
	// The draft may have been placed under another limit.
	if err := contract.CheckBoxes(d.Placements, pageSizes(doc), s.Limits, "placements"); err != nil {
		return nil, err
	}
	fields, err := fieldsFor(d, doc)
	if err != nil {
		return nil, err
	}
	tail, err := pades.AddFields(doc, fields)
	if err != nil {
		return nil, fileRefusal(fmt.Errorf("add fields to document %d: %w", d.ID, err))
	}
	return tail.Bytes, nil
}
