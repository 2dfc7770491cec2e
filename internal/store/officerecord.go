package store

import (
	"context"
	"time"
)

// OfficeRecords stores what is kept about calls to the stamp office, if the installation keeps it in the database: the journals of
// sandbox offices, and what an office returned with serials.
type OfficeRecords interface {
	// OfficeEntries calls yield with each entry of an office's journal whose number is above after, in the order of numbers. No
	// transaction is open while yield runs. The error of yield ends it and is returned.
	OfficeEntries(ctx context.Context, office string, after int64, yield func(number int64, content []byte) error) error

	// AddOfficeEntry adds an entry with the given number; ErrExists if another writer has added one, ErrInFolder after MoveStateToFolder.
	//
	// Durable on return. On error nothing was written, unless the connection was lost while the database committed.
	AddOfficeEntry(ctx context.Context, office string, number int64, content []byte, at time.Time) error

	// StoreOfficeRecord stores what an office returned with a serial, in place of what is stored of it. ErrInFolder after MoveStateToFolder. Durable on
	// return.
	StoreOfficeRecord(ctx context.Context, serial string, content []byte) error

	// OfficeRecord returns what is stored of a serial, or ErrNotFound.
	OfficeRecord(ctx context.Context, serial string) ([]byte, error)

	// RetireOfficeRecord lets RemoveOfficeRecords remove a record, if there is one. StoreOfficeRecord takes it back.
	RetireOfficeRecord(ctx context.Context, serial string, at time.Time) error

	// RemoveOfficeRecords removes the records that were retired before that moment.
	RemoveOfficeRecords(ctx context.Context, before time.Time) error
}
