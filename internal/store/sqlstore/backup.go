package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// keepRuns is how long runs of backups are remembered, in microseconds.
const keepRuns = int64(90 * 24 * time.Hour / time.Microsecond)

// BeginBackup implements [store.Backups].
func (s *Store) BeginBackup(ctx context.Context, id, destination string, hold time.Duration) error {
	now := s.db.clockMicros()
	err := s.db.withTx(ctx, func(t tx) error {
		if !s.db.embedded() { // two runs that begin at once would not see each other's row
			if _, err := t.exec(ctx, `LOCK TABLE backup_run IN SHARE ROW EXCLUSIVE MODE`); err != nil {
				return err
			}
		}
		var held bool
		if err := queryOne(ctx, t, []any{&held}, holdsDeletions(now)); err != nil {
			return err
		}
		if held {
			return store.ErrExists
		}
		if _, err := t.exec(ctx, `DELETE FROM backup_run WHERE began_at < `+now+` - $1 AND id <> (SELECT COALESCE(MAX(id), '') FROM backup_run
			WHERE completed_at = (SELECT MAX(completed_at) FROM backup_run))`, keepRuns); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO backup_run (id, destination, began_at, expires_at, completed_at) VALUES ($1, $2, `+now+`, `+now+` + $3, 0)`, id, destination, hold.Microseconds())
		return err
	})
	return wrapf(err, "begin backup %s", id)
}

// holdsDeletions is the statement that reads whether a backup is under way.
func holdsDeletions(now string) string {
	return `SELECT EXISTS (SELECT 1 FROM backup_run WHERE completed_at = 0 AND expires_at > ` + now + `)`
}

// RenewBackup implements [store.Backups].
func (s *Store) RenewBackup(ctx context.Context, id string, hold time.Duration) error {
	now := s.db.clockMicros()
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE backup_run SET expires_at = `+now+` + $2 WHERE id = $1 AND completed_at = 0 AND expires_at > `+now, id, hold.Microseconds())
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		return err
	})
	return wrapf(err, "renew backup %s", id)
}

// EndBackup implements [store.Backups].
func (s *Store) EndBackup(ctx context.Context, id string, completed bool) error {
	now := s.db.clockMicros()
	sql := `UPDATE backup_run SET expires_at = ` + now + ` WHERE id = $1 AND completed_at = 0 AND expires_at > ` + now
	if completed {
		sql = `UPDATE backup_run SET completed_at = ` + now + ` WHERE id = $1`
	}
	return wrapf(s.runStatement(ctx, sql, id), "end backup %s", id)
}

// HoldsDeletions implements [store.Backups].
func (s *Store) HoldsDeletions(ctx context.Context) (held bool, err error) {
	err = s.readRow(ctx, []any{&held}, holdsDeletions(s.db.clockMicros()))
	return held, wrapf(err, "look for backups under way")
}

// LastBackup implements [store.Backups].
func (s *Store) LastBackup(ctx context.Context) (r store.BackupRun, err error) {
	err = s.readRow(ctx, []any{&r.ID, &r.Destination, scanTime(&r.BeganAt), scanTime(&r.CompletedAt)},
		`SELECT id, destination, began_at, completed_at FROM backup_run WHERE completed_at > 0 ORDER BY completed_at DESC, id LIMIT 1`)
	return r, wrapf(err, "read the last backup")
}

// Restorations implements [store.Backups].
func (s *Store) Restorations(ctx context.Context) ([]store.Restoration, error) {
	all, err := readAll(ctx, s, func(r *store.Restoration) []any {
		return []any{&r.Number, &r.Backup, scanTime(&r.SnapshotAt), scanTime(&r.RestoredAt), &r.Events}
	}, `SELECT number, backup, snapshot_at, restored_at, events FROM restoration ORDER BY number`)
	return all, wrapf(err, "read the restorations")
}

// LogRestorations implements [store.Backups].
func (s *Store) LogRestorations(ctx context.Context, describe func(store.Restoration) contract.Event) (logged []store.Restoration, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		// Of several processes that start, one changes the rows; the others wait for its commit and find none.
		logged, err = queryAll(ctx, t, func(r *store.Restoration) []any {
			return []any{&r.Number, &r.Backup, scanTime(&r.SnapshotAt), scanTime(&r.RestoredAt), &r.Events}
		}, `UPDATE restoration SET logged = 1 WHERE logged = 0 RETURNING number, backup, snapshot_at, restored_at, events`)
		if err != nil || len(logged) == 0 {
			return err
		}
		slices.SortFunc(logged, func(a, b store.Restoration) int { return cmp.Compare(a.Number, b.Number) })
		var events []contract.Event
		for _, r := range logged {
			events = append(events, describe(r))
		}
		return logEntry{events: events}.appendToLog(ctx, t)
	})
	return logged, wrapf(err, "log the restorations")
}

// recordRestoration ends what processes and people had begun when the snapshot was taken, and records the restoration.
func recordRestoration(ctx context.Context, t tx, now string, r store.Restoration) error {
	for _, sql := range []string{
		// Those that were revoked since the snapshot would be valid again. People log in again; guests open their links again.
		`DELETE FROM token`,
		`DELETE FROM session`,
		// A hold that was set since the snapshot is lost. Owners are told again, so that it can be set again before anything is removed.
		`DELETE FROM removal_notice`,
		// No process of the snapshot runs. Nodes end by their leases, which have passed.
		`DELETE FROM claim`,
		`UPDATE lease SET holder = ''`,
		`DELETE FROM backup_run WHERE completed_at = 0`,
		// The backup does not have these files.
		`DELETE FROM resumable_part WHERE upload IN (SELECT id FROM resumable_upload WHERE document <> 0 OR ended)`,
		`DELETE FROM resumable_upload WHERE ended`,
	} {
		if _, err := t.exec(ctx, sql); err != nil {
			return err
		}
	}
	_, err := t.exec(ctx, `INSERT INTO restoration (number, backup, snapshot_at, restored_at, events) SELECT COALESCE(MAX(number), 0) + 1, $1, $2, `+now+`, $3 FROM restoration`,
		r.Backup, toMicros(r.SnapshotAt), r.Events)
	return err
}
