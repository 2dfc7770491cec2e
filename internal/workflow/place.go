package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
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
	d, err := s.ApplyRuleAs(keep, by, id, func(d *contract.Document) (*contract.Change, error) {
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
		f, doc, err := s.openToSign(ctx, d.Revisions, pdf.FileBudget(ctx, d.Current().End))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		c, w, err := contract.Place(d, requests, documents.PageSizes(doc), by, s.Limits, s.Clock())
		if err != nil {
			return nil, err
		}
		warnings = append(w, contract.CheckOverlaps(c.After.Placements, newPageReader(doc, d.Current().Digest, &s.pageCache), "signers")...)
		return &c, nil
	})
	return d, warnings, err
}
