package identity

import (
	"context"
	"fmt"

	"segel/internal/store"
)

// isOperator reports whether a user is an operator: an admin of the first organisation, the one that runs the service.
func (s *Service) isOperator(ctx context.Context, u store.User) (bool, error) {
	if !u.Admin {
		return false, nil
	}
	first, err := s.store.FirstOrganisation(ctx)
	if err != nil {
		return false, fmt.Errorf("read the first organisation: %w", err)
	}
	return first.ID == u.Organisation, nil
}
