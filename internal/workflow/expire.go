package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
)

// Expire ends every document whose deadline has passed. It ends none while the clock is in doubt, because that cannot
// be undone. Requests of people are refused from the deadline on in any case.
func (s *Service) Expire(ctx context.Context) error {
	if _, err := s.CheckClock(ctx); err != nil {
		return err
	}
	for {
		due, err := s.Store.PastDeadline(ctx, s.Clock(), 100)
		if err != nil {
			return fmt.Errorf("read documents past their deadline: %w", err)
		}
		ended := 0
		for _, id := range due {
			_, err := s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
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
