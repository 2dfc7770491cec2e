package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Quotas stores how much organisations may still use.
type Quotas interface {
	Quota(ctx context.Context, o contract.OrganisationID) (map[contract.Unit]Quota, error)

	// Grant adds n to an organisation's quota, or subtracts if n is negative, and records in the audit log by whom
	// (the zero Actor is the service itself) and why. It returns the organisation's quotas after that.
	Grant(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, by contract.Actor, now time.Time) (map[contract.Unit]Quota, error)

	// GrantInitial grants an organisation its first quota of a unit, at most once; n = 0 records that it starts with none.
	// It does nothing if that was decided before or the organisation was ever granted any of the unit.
	GrantInitial(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, now time.Time) error

	// ReportLowQuota records in the audit log which quotas fell below a number of units since they were last above it, and which of
	// them have none left; each of these once until the quota has that many again. Quotas that were never granted are not reported.
	// Of two processes that do it at once, one records. It returns how many events it recorded.
	ReportLowQuota(ctx context.Context, below int, now time.Time) (int, error)

	// Storage returns the total storage that an organisation's documents and their evidence certificates use. Commit and
	// [EvidenceFiles.AddEvidenceFile] update it in the same transaction.
	Storage(ctx context.Context, o contract.OrganisationID) (contract.Storage, error)
	// Usage returns what an organisation uses, from counters that the same transactions update.
	Usage(ctx context.Context, o contract.OrganisationID) (contract.Usage, error)
	// QuotaEntries reads one page of the ledger, newest first.
	QuotaEntries(ctx context.Context, q QuotaQuery) (QuotaPage, error)

	// EachQuotaEntry calls yield with each matching entry of the ledger, oldest first, until yield returns false.
	// Offset and Limit are ignored. No transaction is open while yield runs.
	EachQuotaEntry(ctx context.Context, q QuotaQuery, yield func(QuotaEntry) bool) error
}

// Quota is an organisation's quota of one unit.
type Quota struct{ Granted, Reserved, Spent int }

// Left returns what can still be reserved.
func (q Quota) Left() int { return q.Granted - q.Reserved - q.Spent }

// QuotaEntry is one entry of the ledger. Quotas are the sums of their entries.
type QuotaEntry struct {
	contract.QuotaMove
	Number int64 // counts from 1 for each organisation and unit
	Reason string
	By     contract.Person // of a grant; the zero Person is the service itself
	At     time.Time
}

// QuotaQuery selects entries of the ledger. A zero member selects all.
type QuotaQuery struct {
	Organisation contract.OrganisationID
	Unit         contract.Unit
	From, Until  time.Time // made at From or later, and before Until
	Offset       int
	Limit        int
}

// QuotaPage is one page of the ledger and the number of all matching entries.
type QuotaPage struct {
	Entries []QuotaEntry
	Total   int
}
