package identity

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// ExportPerson calls yield with everything that is stored about the account of a person, until it returns an error. An empty identifier means the
// caller's own, of which there is more: see [store.PersonalData].
func (s *Service) ExportPerson(ctx context.Context, by contract.Actor, id contract.PersonID, yield func(kind string, r store.PersonalRecord) error) error {
	own := id == ""
	u, err := s.store.User(ctx, by.ID)
	if !own {
		u, err = s.loadPerson(ctx, by, contract.AdminExport, id)
	}
	if err != nil {
		return err
	}
	// Durable: who asked for the data, before any of it is sent. Whether all of it arrived is not known.
	if err := s.store.LogEvents(ctx, s.accountEvent(contract.EventPersonExported, by, u)); err != nil {
		return fmt.Errorf("record the export of %s: %w", u.ID, err)
	}
	var failed error
	err = s.store.EachPersonalRecord(ctx, u.ID, own, func(kind string, r store.PersonalRecord) bool {
		failed = yield(kind, r)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
