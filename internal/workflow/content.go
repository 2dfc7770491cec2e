package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Preview opens the current revision for an actor who may see it. The first view of a viewer is recorded.
func (s *Service) Preview(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.ApplyRuleAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		c, changed, err := contract.View(d, by, s.Clock())
		if err != nil || !changed {
			return nil, err
		}
		return &c, nil
	})
	if err != nil {
		return nil, err
	}
	return s.OpenContent(ctx, d, d.Revisions)
}

// Download opens the finished file.
func (s *Service) Download(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.Detail(ctx, by, contract.OpDownload, id)
	if err != nil {
		return nil, err
	}
	if d.State != contract.Completed {
		return nil, contract.ErrNotCompleted
	}
	return s.OpenContent(ctx, d, d.Revisions)
}

// Original opens the file as it was uploaded.
func (s *Service) Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.Detail(ctx, by, contract.OpOriginal, id)
	if err != nil {
		return nil, err
	}
	return s.OpenContent(ctx, d, []contract.Revision{{Tail: d.Original, End: d.Original.Size, Digest: d.Original.Digest, At: d.CreatedAt}})
}
