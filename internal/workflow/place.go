package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
	"segel/pdf"
)

// WarnedDocument is the result of Place and Finalize, from which the answer is made.
type WarnedDocument struct {
	contract.Document
	Warnings []contract.Warning
}

// Place replaces the placements of a draft. It returns warnings about placements that cover content which should stay
// readable. Seen is the version that the caller read; see [contract.CheckDraftVersion].
func (s *Service) Place(ctx context.Context, by contract.Actor, id contract.DocumentID, seen int64, requests []contract.PlaceRequest) (WarnedDocument, error) {
	var warnings []contract.Warning
	effectCtx := store.WithFinalAnswer(ctx, func(d contract.Document) any { return WarnedDocument{d, warnings} })
	d, err := s.ApplyRuleAs(effectCtx, by, id, func(d *contract.Document) (*contract.Change, error) {
		// Authorise before the file is opened: callers without access must not cause any reading.
		if err := contract.CheckDraftVersion(d, seen, by, contract.OpPlace); err != nil {
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
		f, doc, err := s.openWithinSigningLimits(ctx, d.Revisions, pdf.FileBudget(ctx, d.Current().End))
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
	if err != nil {
		return WarnedDocument{}, err
	}
	return WarnedDocument{d, warnings}, nil
}

// PlacementWarnings returns warnings about placements that cover content which should stay readable, as Place did when
// they were accepted. If the file cannot be read now, there are no warnings: placing or finalizing has already
// succeeded.
func (s *Service) PlacementWarnings(ctx context.Context, d contract.Document) []contract.Warning {
	if len(d.Placements) == 0 || len(d.Revisions) == 0 {
		return nil
	}
	release, err := s.fileSlots.acquire(ctx, d.Organisation)
	if err != nil {
		return nil
	}
	defer release()
	f, doc, err := s.openWithinSigningLimits(ctx, d.Revisions[:1], pdf.FileBudget(ctx, d.Revisions[0].End)) // without our own fields
	if err != nil {
		s.Log.WarnContext(ctx, "placements not compared with the page", "document", d.ID, "error", err)
		return nil
	}
	defer f.Close()
	return contract.CheckOverlaps(d.Placements, newPageReader(doc, d.Revisions[0].Digest, &s.pageCache), "placements")
}
