package workflow

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
)

// overdue is the delay after which pending work is enqueued again.
const overdue = 5 * time.Minute

// Resume enqueues the work of documents that wait for the service. Jobs are stored in the commit that enqueues them, so
// this is needed only if an operator emptied the queue or restored a backup.
func (s *Service) Resume(ctx context.Context) error {
	stuck, err := s.Store.Stuck(ctx, s.Clock().Add(-overdue), 100)
	if err != nil {
		return fmt.Errorf("read stuck documents: %w", err)
	}
	for _, id := range stuck {
		d, err := s.LoadDocument(ctx, id)
		if err != nil {
			continue
		}
		kind, waits := d.PendingWork()
		if !waits {
			continue
		}
		if err := s.Store.Enqueue(ctx, contract.Job{Kind: kind, Document: id}); err != nil {
			return fmt.Errorf("enqueue work on document %d: %w", id, err)
		}
	}
	return nil
}
