package workflow

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades"
)

// revisionStep builds one revision on top of the earlier ones.
type revisionStep struct {
	kind  contract.RevisionKind
	build func(pades.Source) (*pades.Result, error)
}

// buildRevisions builds revisions one on top of the other and stores their tails. It works on a copy of the document,
// whose open file grows with them, and commits nothing. On an error it also returns the revisions that were already
// stored; the caller removes them with [documents.Documents.RemoveTails].
func (s *Service) buildRevisions(ctx context.Context, d contract.Document, f *documents.File, steps []revisionStep) ([]contract.Revision, error) {
	d, err := s.EnsureAppendable(ctx, d, f)
	if err != nil {
		return nil, err
	}
	current := d.Current()
	var made []contract.Revision
	for _, step := range steps {
		built, err := step.build(f.Source(current))
		if err != nil {
			return made, fmt.Errorf("%s of document %d: %w", step.kind, d.ID, documents.BlobRefusal(err))
		}
		if current, err = s.StoreTail(ctx, d.Organisation, current, step.kind, built); err != nil {
			return made, err
		}
		made = append(made, current)
		if err := f.AppendRevision(current, built.Opened); err != nil {
			return made, err
		}
	}
	return made, nil
}
