package sqlstore

import (
	"context"
	"errors"
	"time"

	"segel/internal/store"
)

// officeEntriesAtOnce is how many entries are read at a time.
const officeEntriesAtOnce = 1000

// officeEntry is a row of office_entry.
type officeEntry struct {
	number  int64
	content string
}

// OfficeEntries implements [store.OfficeRecords].
func (s *Store) OfficeEntries(ctx context.Context, office string, after int64, yield func(number int64, content []byte) error) error {
	for {
		entries, err := readAll(ctx, s, func(e *officeEntry) []any { return []any{&e.number, &e.content} },
			`SELECT number, content FROM office_entry WHERE office = $1 AND number > $2 ORDER BY number LIMIT $3`, office, after, officeEntriesAtOnce)
		if err != nil {
			return wrapf(err, "read the journal of %s", office)
		}
		for _, e := range entries {
			if err := yield(e.number, []byte(e.content)); err != nil {
				return err
			}
			after = e.number
		}
		if len(entries) < officeEntriesAtOnce {
			return nil
		}
	}
}

// AddOfficeEntry implements [store.OfficeRecords].
func (s *Store) AddOfficeEntry(ctx context.Context, office string, number int64, content []byte, at time.Time) error {
	return s.addOfficeEntry(ctx, requireUsedState, office, number, content, at)
}

func (s *Store) addOfficeEntry(ctx context.Context, require func(context.Context, tx) error, office string, number int64, content []byte, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `INSERT INTO office_entry (office, number, content, made_at) VALUES ($1, $2, $3, $4) ON CONFLICT (office, number) DO NOTHING`,
			office, number, string(content), toMicros(at))
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		if err != nil {
			return err
		}
		return require(ctx, t)
	})
	return wrapf(err, "add entry %d to the journal of %s", number, office)
}

// StoreOfficeRecord implements [store.OfficeRecords].
func (s *Store) StoreOfficeRecord(ctx context.Context, serial string, content []byte) error {
	return s.storeOfficeRecord(ctx, requireUsedState, serial, content)
}

func (s *Store) storeOfficeRecord(ctx context.Context, require func(context.Context, tx) error, serial string, content []byte) error {
	err := s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO office_record (serial, content, retired_at) VALUES ($1, $2, 0)
			ON CONFLICT (serial) DO UPDATE SET content = excluded.content, retired_at = 0`, serial, string(content))
		if err != nil {
			return err
		}
		return require(ctx, t)
	})
	return wrapf(err, "store what the office returned with serial %s", serial)
}

// OfficeRecord implements [store.OfficeRecords].
func (s *Store) OfficeRecord(ctx context.Context, serial string) ([]byte, error) {
	var content string
	err := s.readRow(ctx, []any{&content}, `SELECT content FROM office_record WHERE serial = $1`, serial)
	if errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return []byte(content), wrapf(err, "read what the office returned with serial %s", serial)
}

// RetireOfficeRecord implements [store.OfficeRecords].
func (s *Store) RetireOfficeRecord(ctx context.Context, serial string, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `UPDATE office_record SET retired_at = $2 WHERE serial = $1`, serial, toMicros(at))
		return err
	})
	return wrapf(err, "retire what the office returned with serial %s", serial)
}

// RemoveOfficeRecords implements [store.OfficeRecords].
func (s *Store) RemoveOfficeRecords(ctx context.Context, before time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `DELETE FROM office_record WHERE retired_at > 0 AND retired_at < $1`, toMicros(before))
		return err
	})
	return wrapf(err, "remove what the office returned")
}
