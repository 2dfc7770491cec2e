package workflow

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// AdminLocale returns an organisation with its language and time zone. An empty identifier means the caller's own.
func (s *Service) AdminLocale(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, error) {
	return store.LoadAdministered(ctx, s.Store, by, contract.AdminLocale, of)
}

// SetLocale replaces the language and the time zone of an organisation. What was written keeps the zone in which it was written. Repeating a
// request changes nothing more.
func (s *Service) SetLocale(ctx context.Context, by contract.Actor, of contract.OrganisationID, l contract.Locale) (store.Organisation, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetLocale, of)
	if err != nil {
		return o, err
	}
	if err := l.Check(); err != nil || l == o.Locale {
		return o, err
	}
	now := s.Clock()
	e := withoutEmptyDetails(by.SignEvent(contract.Event{Type: contract.EventLocaleChanged, At: now, Details: map[string]string{
		"organisation": string(o.ID), "language": l.Language, "zone": l.Zone,
	}}))
	// Durable with this commit: the locale, and who set it.
	if err := s.Store.SetLocale(ctx, o.ID, l, now, e); err != nil {
		return o, fmt.Errorf("store the locale of %s: %w", o.ID, err)
	}
	s.organisations.forget(o.ID)
	o.Locale = l
	return o, nil
}

// outsideQuietHours returns the organisations for which it is not one of the quiet hours now; some is false if there is none. Few have a
// time zone that is not the default, so those are named.
func (s *Service) outsideQuietHours(ctx context.Context, now time.Time) (among store.Among, some bool, err error) {
	all, err := s.Store.Organisations(ctx)
	if err != nil {
		return among, false, fmt.Errorf("read organisations: %w", err)
	}
	quiet := s.QuietHours.Include(now, contract.Jakarta)
	for _, o := range all {
		switch differs := s.QuietHours.Include(now, o.Locale.Location()) != quiet; {
		case differs && quiet:
			among.Only = append(among.Only, o.ID)
		case differs:
			among.Except = append(among.Except, o.ID)
		}
	}
	return among, !quiet || len(among.Only) > 0, nil
}
