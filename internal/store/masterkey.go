package store

import (
	"context"
	"time"
)

// MasterKey is a key that values are sealed under, by its identifier. The key itself is not in the database.
type MasterKey struct {
	ID          string
	AnnouncedAt time.Time
	UsedAt      time.Time // zero: nothing is sealed under it yet
	RetiredAt   time.Time // zero: values may be sealed under it
}

// DerivedKey is a key that was derived from the first master key for a purpose. It stays the same when the master key is exchanged.
type DerivedKey struct {
	Purpose string
	Sealed  []byte // 32 bytes, sealed under a master key
}

// SealedColumn is a column whose values are sealed under a master key.
type SealedColumn struct{ Table, Column string }

// SealedValue is a value of a [SealedColumn].
type SealedValue struct {
	Key    string   // of its row
	About  []string // other columns of the row that its associated data contain
	Sealed []byte
}

// Resealed replaces a sealed value by one that has the same content.
type Resealed struct {
	Key      string
	Old, New []byte
}

// MasterKeys stores which master keys are in use, and replaces what they sealed. The audit log has the digest of each row of it.
type MasterKeys interface {
	// MasterKeys returns the master keys, in the order in which they were announced: none if the master key was never exchanged.
	MasterKeys(ctx context.Context) ([]MasterKey, error)

	// DerivedKeys returns the derived keys.
	DerivedKeys(ctx context.Context) ([]DerivedKey, error)

	// AnnounceMasterKey adds a key that seals nothing yet. With the first one it adds that which sealed everything until then, and derived keys; those
	// that exist stay. A key that is known is left as it is.
	//
	// Durable on return: all of them.
	AnnounceMasterKey(ctx context.Context, id, first string, derived []DerivedKey, at time.Time) error

	// UseMasterKey records that values may be sealed under an announced key from now on. ErrNotFound: it is not announced, or was used before.
	UseMasterKey(ctx context.Context, id string, at time.Time) error

	// WithdrawMasterKey removes an announced key that was never used. One that was is left.
	WithdrawMasterKey(ctx context.Context, id string, at time.Time) error

	// RetireMasterKeys records that nothing is sealed under any key but that one. It returns how many were retired by this call.
	RetireMasterKeys(ctx context.Context, except string, at time.Time) (int, error)

	// AddDerivedKey adds a derived key; ErrExists if there is one for that purpose.
	AddDerivedKey(ctx context.Context, k DerivedKey, at time.Time) error

	// SealedColumns returns all columns with values that are sealed under a master key, besides the files of the authority.
	SealedColumns() []SealedColumn

	// SealedValues returns up to limit values after the row with a key, in the order of keys; "": the first ones. A row without a value has an empty one.
	SealedValues(ctx context.Context, c SealedColumn, after string, limit int) ([]SealedValue, error)

	// ReplaceSealed replaces values that are still the old ones, and returns how many it replaced. The content of records does not change, but their
	// digests do, which it logs.
	//
	// Durable on return: all of them. On error none.
	ReplaceSealed(ctx context.Context, c SealedColumn, values []Resealed, at time.Time) (int, error)
}
