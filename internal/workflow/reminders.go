package workflow

import (
	"context"
	"fmt"
	"strconv"

	"segel/internal/contract"
	"segel/internal/store"
)

// AdminReminders returns an organisation with the reminders of its new documents. An empty identifier means the caller's own.
func (s *Service) AdminReminders(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, error) {
	return store.LoadAdministered(ctx, s.Store, by, contract.AdminReminders, of)
}

// SetReminders replaces the reminders of an organisation's new documents. Documents that exist keep theirs. Repeating a request changes
// nothing more.
func (s *Service) SetReminders(ctx context.Context, by contract.Actor, of contract.OrganisationID, r contract.Reminders) (store.Organisation, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetReminders, of)
	if err != nil {
		return o, err
	}
	if err := contract.CheckReminders(r); err != nil || r == o.Reminders {
		return o, err
	}
	now := s.Clock()
	days := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	e := withoutEmptyDetails(by.SignEvent(contract.Event{Type: contract.EventRemindersChanged, At: now, Details: map[string]string{
		"organisation": string(o.ID), "after": days(r.After), "every": days(r.Every), "before": days(r.Before),
	}}))
	// Durable with this commit: the schedule, and who set it.
	if err := s.Store.SetReminders(ctx, o.ID, r, now, e); err != nil {
		return o, fmt.Errorf("store the reminders of %s: %w", o.ID, err)
	}
	s.organisations.forget(o.ID)
	o.Reminders = r
	return o, nil
}

// chooseReminders returns what an upload asks for, or else the schedule of the caller's organisation. What another process changed may be
// some seconds old.
func (s *Service) chooseReminders(ctx context.Context, by contract.Actor, asked *contract.Reminders) (contract.Reminders, error) {
	if asked != nil {
		return *asked, nil
	}
	o, err := s.Organisation(ctx, by.Organisation)
	return o.Reminders, err
}

// chooseHidden returns whether a new document hides addresses: what an upload asks for, or else what the caller's organisation does.
func (s *Service) chooseHidden(ctx context.Context, by contract.Actor, asked *bool) (bool, error) {
	if asked != nil {
		return *asked, nil
	}
	o, err := s.Organisation(ctx, by.Organisation)
	return o.Accounts.HideAddresses, err
}
