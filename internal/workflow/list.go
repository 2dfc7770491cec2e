package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// ListRequest selects one page of one of the caller's lists. Pages are numbered from 1.
type ListRequest struct {
	Box    store.Box
	State  contract.State
	Period store.Period
	Search string
	Page   int
	Limit  int
}

// List returns one page of the caller's inbox or outbox, newest first. A page out of range is empty.
func (s *Service) List(ctx context.Context, by contract.Actor, r ListRequest) (store.List, error) {
	if by.Guest != 0 {
		return store.List{}, contract.ErrNotAllowed
	}
	return s.Store.List(ctx, store.ListQuery{
		Person: by.ID, Box: r.Box, State: r.State, Period: r.Period, Search: r.Search,
		Offset: (r.Page - 1) * r.Limit, Limit: r.Limit, Now: s.Clock(),
	})
}
