package workflow

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
)

// overdue is after how long work that should have been done by a job is ordered again.
const overdue = 5 * time.Minute

// Resume orders again the work of documents that wait for nobody but us. Jobs are durable with the change that
// orders them, so this is the net under them: an operator who emptied the queue, a restored backup.
func (s *Service) Resume(ctx context.Context) error {
	stuck, err := s.Store.Stuck(ctx, s.Clock().Add(-overdue), 100)
	if err != nil {
		return fmt.Errorf("read documents that are stuck: %w", err)
	}
	for _, id := range stuck {
		d, err := s.loadDocument(ctx, id)
		if err != nil {
			continue
		}
		kind, waits := d.PendingWork()
		if !waits {
			continue
		}
		if err := s.Store.Enqueue(ctx, contract.Job{Kind: kind, Document: id}); err != nil {
			return fmt.Errorf("order work on document %d: %w", id, err)
		}
	}
	return nil
}
