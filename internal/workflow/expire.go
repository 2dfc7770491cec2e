package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
)

// Expire ends every document whose deadline has passed. While the clock is in doubt it ends none, since none can be brought
// back: people's verbs are refused from the deadline on all the same.
func (s *Service) Expire(ctx context.Context) error {
	if _, err := s.checkClock(ctx); err != nil {
		return err
	}
	for {
		due, err := s.Store.PastDeadline(ctx, s.Clock(), 100)
		if err != nil {
			return fmt.Errorf("read documents that are due: %w", err)
		}
		ended := 0
		for _, id := range due {
			_, err := s.applyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
				c, done := contract.Expire(d, s.Clock())
				if done {
					return nil, nil
				}
				ended++
				return &c, nil
			})
			if err != nil && !errors.Is(err, contract.ErrNotFound) {
				return fmt.Errorf("expire document %d: %w", id, err)
			}
		}
		if ended == 0 {
			return nil
		}
	}
}
