package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
)

// SetReminders implements [store.Schedules].
func (s *Store) SetReminders(ctx context.Context, o contract.OrganisationID, r contract.Reminders, now time.Time, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `INSERT INTO reminder_schedule (organisation, after_days, every_days, before_days, changed_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (organisation) DO UPDATE SET after_days = excluded.after_days, every_days = excluded.every_days, before_days = excluded.before_days,
				changed_at = excluded.changed_at`,
			o, r.After, r.Every, r.Before, toMicros(now)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("reminder_schedule", o)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the reminders of organisation %s", o)
}
