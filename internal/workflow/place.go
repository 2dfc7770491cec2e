package workflow

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/pdf"
)

// WarnedDocument is the result of Place and Finalize as one value, from which the answer is made.
type WarnedDocument struct {
	Document contract.Document
	Warnings []contract.Warning
}

// Place replaces the placements of a draft. It returns warnings about placements that cover content which should stay
// readable.
func (s *Service) Place(ctx context.Context, by contract.Actor, id contract.DocumentID, requests []contract.PlaceRequest) (contract.Document, []contract.Warning, error) {
	var warnings []contract.Warning
	keep := store.WithFinalAnswer(ctx, func(d contract.Document) any { return WarnedDocument{d, warnings} })
	d, err := s.applyRuleAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
		// Authorise before the file is opened: callers without access must not cause any reading.
		if err := d.Authorise(by, contract.OpPlace); err != nil {
			return nil, err
		}
		if err := d.RequirePDF(); err != nil {
			return nil, err
		}
		release, err := s.fileSlots.acquire(ctx, d.Organisation)
		if err != nil {
			return nil, err
		}
		defer release()
		f, err := s.openRevisions(ctx, d.Revisions)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		doc, err := pdf.Open(f, f.Size(), signingOptions(f.Size(), pdf.FileBudget(ctx, f.Size())))
		if err != nil {
			return nil, fmt.Errorf("open document %d: %w", id, err)
		}
		c, w, err := contract.Place(d, requests, pageSizes(doc), by, s.Limits, s.Clock())
		if err != nil {
			return nil, err
		}
		warnings = append(w, contract.CheckOverlaps(c.After.Placements, newPageReader(doc, d.Current().Digest, &s.pageCache), "signers")...)
		return &c, nil
	})
	return d, warnings, err
}

// pageSizes returns a function that looks up the size of a page and remembers it.
func pageSizes(doc *pdf.Document) func(int) (contract.PageSize, bool) {
	type answer struct {
		size contract.PageSize
		ok   bool
	}
	known := map[int]answer{}
	return func(number int) (contract.PageSize, bool) {
		a, seen := known[number]
		if !seen {
			if p, err := doc.Page(number); err == nil {
				a.ok = true
				a.size.Width, a.size.Height = p.DisplayedSize()
			}
			known[number] = a
		}
		return a.size, a.ok
	}
}
