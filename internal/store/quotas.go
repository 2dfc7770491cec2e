package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Quotas keeps what organisations may still spend.
type Quotas interface {
	Quota(ctx context.Context, o contract.OrganisationID) (map[contract.Unit]Quota, error)

	// Grant adds to what an organisation may spend, or with a negative n takes back, and says so in the audit log: who
	// (the zero Actor is the service itself) and why. It returns what the organisation has then.
	Grant(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, by contract.Actor, now time.Time) (map[contract.Unit]Quota, error)

	// GrantInitial gives an organisation what it starts with, at most once for each unit; 0 decides that it starts with
	// nothing. Where that was decided before, or the organisation was ever granted any of the unit, it does nothing.
	GrantInitial(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, now time.Time) error

	// QuotaEntries reads one page of the ledger, newest first.
	QuotaEntries(ctx context.Context, q QuotaQuery) (QuotaPage, error)

	// EachQuotaEntry calls yield with every line of the ledger that matches, oldest first, until it returns false.
	// Offset and Limit do not count. No transaction is open while yield runs.
	EachQuotaEntry(ctx context.Context, q QuotaQuery, yield func(QuotaEntry) bool) error
}

// Quota tells what an organisation has of a unit.
type Quota struct{ Granted, Reserved, Spent int }

// Left returns what can still be reserved.
func (q Quota) Left() int { return q.Granted - q.Reserved - q.Spent }

// QuotaEntry is one line of the ledger that quotas sum up.
type QuotaEntry struct {
	contract.QuotaMove
	Number int64 // ascends from 1 for each organisation and unit
	Reason string
	By     contract.Person // of a grant; the zero Person is the service itself
	At     time.Time
}

// QuotaQuery selects lines of the ledger. What is zero selects any.
type QuotaQuery struct {
	Organisation contract.OrganisationID
	Unit         contract.Unit
	From, Until  time.Time // made at From or later, and before Until
	Offset       int
	Limit        int
}

// QuotaPage is one page of the ledger and how many lines there are in all.
type QuotaPage struct {
	Entries []QuotaEntry
	Total   int
}
