package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Schedules stores the reminders that new documents of organisations get. The reads of an organisation return them with it.
type Schedules interface {
	// SetReminders replaces the schedule of an organisation, and logs e.
	SetReminders(ctx context.Context, o contract.OrganisationID, r contract.Reminders, now time.Time, e contract.Event) error
}
