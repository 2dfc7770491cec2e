package workflow

import (
	"context"
	"errors"
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
		base, err := s.baseForOffice(ctx, &c.After)
		if err != nil {
			return nil, err
		}
		if base != nil {
			made = append(made, *base)
			if err := c.Rebase(*base, contract.NormalisedOffice, by, s.Clock()); err != nil {
				return nil, err
			}
		}
		if err := s.preflight(ctx, &c.After, true); err != nil {
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
			s.Log.WarnContext(ctx, "a blob that nothing refers to stays behind", "error", err)
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

// baseForOffice rewrites the file if the stamp office would, or returns nil. A file in whose depths a signature lies
// that no field shows is left to the office as it is.
func (s *Service) baseForOffice(ctx context.Context, d *contract.Document) (*contract.Revision, error) {
	wanted, err := s.wantedByOffice(ctx, d)
	if err != nil || !wanted {
		return nil, err
	}
	r, err := s.normalise(ctx, d.Revisions[0])
	if errors.Is(err, errLostCause) {
		return nil, nil
	}
	return &r, err
}

// wantedByOffice reports whether the stamp office would rewrite the file: it does so with files older than PDF 1.6 that
// carry no signature, and what we had added by then would be lost. PDF/A is stamped as it is.
func (s *Service) wantedByOffice(ctx context.Context, d *contract.Document) (bool, error) {
	if len(d.Stamps) == 0 || d.IsWord() || d.Normalised() || len(d.Revisions) != 1 {
		return false, nil
	}
	f, err := s.open(ctx, d.Revisions)
	if err != nil {
		return false, err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), pdf.Options{})
	if err != nil {
		return false, fmt.Errorf("open document %d: %w", d.ID, err)
	}
	if facts := doc.Facts(); !facts.OlderThan(officeVersion) || facts.PDFA != "" {
		return false, nil
	}
	signatures, err := doc.Signatures()
	return len(signatures) == 0, err
}

func (s *Service) addFields(ctx context.Context, d *contract.Document) (contract.Revision, error) {
	f, err := s.open(ctx, d.Revisions)
	if err != nil {
		return contract.Revision{}, err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), pdf.Options{Random: s.Random, NextObject: d.Current().NextObject})
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
	after := d.Current()
	if after.NextObject, err = doc.NextObject(); err != nil {
		return contract.Revision{}, fmt.Errorf("number objects of document %d: %w", d.ID, err)
	}
	r, err := s.keep(ctx, after, contract.RevisionFields, tail.Bytes)
	r.At = s.Clock()
	return r, err
}
