package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// BackupRun is one run of a backup.
type BackupRun struct {
	ID          string // chosen by the caller; never used again
	Destination string // for people; has no password
	BeganAt     time.Time
	CompletedAt time.Time // zero: under way, or ended early
}

// Restoration says that the database was restored from a backup.
type Restoration struct {
	Number     int64  // from 1
	Backup     string // identifier of the backup
	SnapshotAt time.Time
	RestoredAt time.Time
	Events     int64 // size of the log at the snapshot
}

// Backups stores which backups are under way, and what was restored. Times of runs are those of the clock of the database.
type Backups interface {
	// BeginBackup begins a run that holds deletions until it ends, or until the hold has passed since the last renewal. It returns
	// ErrExists while another one holds them.
	//
	// Durable on return: a deletion that looks afterwards finds the run.
	BeginBackup(ctx context.Context, id, destination string, hold time.Duration) error

	// RenewBackup renews the hold. It returns ErrNotFound if the hold has ended: files may have been deleted since.
	RenewBackup(ctx context.Context, id string, hold time.Duration) error

	// EndBackup ends the hold, if it has not ended, and records whether the backup is complete.
	EndBackup(ctx context.Context, id string, completed bool) error

	// HoldsDeletions reports whether a backup is under way.
	HoldsDeletions(ctx context.Context) (bool, error)

	// LastBackup returns the complete backup that ended last; ErrNotFound if there is none.
	LastBackup(ctx context.Context) (BackupRun, error)

	// Restorations returns when this database was restored, oldest first.
	Restorations(ctx context.Context) ([]Restoration, error)

	// LogRestorations appends an event to the audit log for each restoration that it does not say yet, and returns these, oldest first. Of several
	// processes that call it, one appends the event.
	LogRestorations(ctx context.Context, describe func(Restoration) contract.Event) ([]Restoration, error)
}
