package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// AuditTrail returns the events of a document, oldest first.
func (s *Service) AuditTrail(ctx context.Context, by contract.Actor, id contract.DocumentID) ([]contract.Event, error) {
	d, err := s.Detail(ctx, by, contract.OpAuditTrail, id)
	if err != nil {
		return nil, err
	}
	return s.Store.Events(ctx, d.ID)
}

// Balance returns the quota of the caller's organisation.
func (s *Service) Balance(ctx context.Context, by contract.Actor) (map[contract.Unit]store.Quota, error) {
	if by.Guest != 0 {
		return nil, contract.ErrNotAllowed
	}
	return s.Store.Quota(ctx, by.Organisation)
}
