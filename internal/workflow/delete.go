package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Delete removes a draft. A job removes its file after the commit.
func (s *Service) Delete(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Delete(d, by, s.Clock()))
	})
}

// Sweep removes blobs that nothing refers to any more. A blob that is already gone is not an error.
func (s *Service) Sweep(ctx context.Context, keys []string) error {
	for _, k := range keys {
		if err := s.RemoveBlob(ctx, k); err != nil {
			return err
		}
	}
	return nil
}
