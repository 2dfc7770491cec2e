package workflow

import (
	"context"
	"fmt"
	"slices"

	"segel/internal/contract"
	"segel/pades"
	"segel/pdf"
)

// Finalize freezes a draft and starts its work. Every signer's field and the seal's are added to the file in one
// update before the first signature, so that later signatures only fill fields and no page changes any more.
func (s *Service) Finalize(ctx context.Context, by contract.Actor, id contract.DocumentID, o contract.FinalizeOptions) (contract.Document, error) {
	release, err := s.files.acquire(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	defer release()
	var made []contract.Revision // by tries that lost a race, and by one that won if any did
	d, err := s.apply(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, done, err := contract.Finalize(d, s.wishes(d, o), by, s.Clock())
		if err != nil || done {
			return nil, err
		}
		r, err := s.addFields(ctx, &c.After)
		if err != nil {
			return nil, err
		}
		made = append(made, r)
		return &c, c.Append(r)
	})
	if err != nil {
		return contract.Document{}, s.disown(ctx, err, made...)
	}
	for _, r := range made {
		if slices.ContainsFunc(d.Revisions, func(of contract.Revision) bool { return of.Tail.Key == r.Tail.Key }) {
			continue
		}
		if err := s.discard(ctx, r.Tail.Key); err != nil {
			s.Log.WarnContext(ctx, "a tail that nothing refers to stays behind", "error", err)
		}
	}
	return d, nil
}

// wishes makes a stamping order of what could be one, where the configuration says so for old clients.
func (s *Service) wishes(d *contract.Document, o contract.FinalizeOptions) contract.FinalizeOptions {
	if s.StampOnly && d.OnlyStamps() {
		o.StampOnly = true
	}
	return o
}

func (s *Service) addFields(ctx context.Context, d *contract.Document) (contract.Revision, error) {
	f, err := s.open(ctx, d.Revisions)
	if err != nil {
		return contract.Revision{}, err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), pdf.Options{Random: s.Random})
	if err != nil {
		return contract.Revision{}, fmt.Errorf("open document %d: %w", d.ID, err)
	}
	if err := permits(doc, len(d.Placements) > 0); err != nil {
		return contract.Revision{}, err
	}
	fields, err := fieldsFor(d, doc)
	if err != nil {
		return contract.Revision{}, err
	}
	tail, err := pades.AddFields(doc, fields)
	if err != nil {
		return contract.Revision{}, fmt.Errorf("add fields to document %d: %w", d.ID, err)
	}
	r, err := s.keep(ctx, d.Current(), contract.RevisionFields, tail.Bytes)
	r.At = s.Clock()
	return r, err
}
