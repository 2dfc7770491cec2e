package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
)

// SetLocale implements [store.Locales].
func (s *Store) SetLocale(ctx context.Context, o contract.OrganisationID, l contract.Locale, now time.Time, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `INSERT INTO organisation_locale (organisation, language, zone, changed_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (organisation) DO UPDATE SET language = excluded.language, zone = excluded.zone, changed_at = excluded.changed_at`,
			o, l.Language, l.Zone, toMicros(now)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("organisation_locale", o)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the locale of organisation %s", o)
}
