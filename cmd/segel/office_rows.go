package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"segel/internal/config"
	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/sandbox"
	"segel/internal/store"
)

// officeRows is the journal of a sandbox office in the database.
type officeRows struct {
	rows   store.OfficeRecords
	office string
}

// ReadEntries implements [sandbox.Rows].
func (r officeRows) ReadEntries(ctx context.Context, after int64, yield func(number int64, content []byte) error) error {
	return r.rows.OfficeEntries(ctx, r.office, after, yield)
}

// AddEntry implements [sandbox.Rows].
func (r officeRows) AddEntry(ctx context.Context, number int64, content []byte, at time.Time) error {
	err := r.rows.AddOfficeEntry(ctx, r.office, number, content, at)
	if errors.Is(err, store.ErrExists) {
		return sandbox.ErrTaken
	}
	return err
}

// officeRecords is what the stamp office returned with serials, in the database.
type officeRecords struct{ rows store.OfficeRecords }

// StoreRecord implements [peruri.Records].
func (r officeRecords) StoreRecord(ctx context.Context, serial string, content []byte) error {
	return r.rows.StoreOfficeRecord(ctx, serial, content)
}

// FindRecord implements [peruri.Records].
func (r officeRecords) FindRecord(ctx context.Context, serial string) ([]byte, error) {
	b, err := r.rows.OfficeRecord(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return b, err
}

// RetireRecord implements [peruri.Records].
func (r officeRecords) RetireRecord(ctx context.Context, serial string, at time.Time) error {
	return r.rows.RetireOfficeRecord(ctx, serial, at)
}

// RemoveRetired implements [peruri.Records].
func (r officeRecords) RemoveRetired(ctx context.Context, before time.Time) error {
	return r.rows.RemoveOfficeRecords(ctx, before)
}

// Close implements [peruri.Records].
func (officeRecords) Close() error { return nil }

// copyOfficeToDatabase copies the records of the stamp office and the journals of both sandboxes from the data folder to the database, and returns
// how many there are.
func (a *app) copyOfficeToDatabase(ctx context.Context) (records int, entries int64, err error) {
	to := a.store.UnusedState()
	if records, err = peruri.CopyRecords(ctx, officeRecords{to}, a.dataFolder(officeDir)); err != nil {
		return records, 0, err
	}
	for _, name := range []string{officeDir, testOfficeDir} {
		n, err := sandbox.CopyJournal(ctx, officeRows{to, name}, a.dataFolder(name))
		if err != nil {
			return records, entries, err
		}
		entries += n
		a.reportEffect()
	}
	return records, entries, nil
}

// copyOfficeToFolder copies them from the database to the data folder.
func (a *app) copyOfficeToFolder(ctx context.Context) (records int, entries int64, err error) {
	if records, err = peruri.WriteRecords(ctx, a.dataFolder(officeDir), func(yield func(string, []byte, time.Time) error) error {
		return a.store.EachOfficeRecord(ctx, yield)
	}, a.clock()); err != nil {
		return records, 0, err
	}
	a.reportEffect()
	for _, name := range []string{officeDir, testOfficeDir} {
		n, err := sandbox.WriteJournal(ctx, officeRows{a.store, name}, a.dataFolder(name))
		if err != nil {
			return records, entries, err
		}
		entries += n
		a.reportEffect()
	}
	return records, entries, nil
}

func (a *app) dataFolder(name string) string { return filepath.Join(a.conf.DataDir, name) }

// sharesOffice reports whether several processes may have the sandbox open.
func (a *app) sharesOffice() bool { return a.conf.State == config.StateDatabase }
