package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// BlobKey is a key of an organisation, under which its files are encrypted. A key never changes.
type BlobKey struct {
	ID           string // random; stands in the header of each file
	Organisation contract.OrganisationID
	Generation   int    // 1 is the first; new files use the newest
	Sealed       []byte // the key, sealed under the master key
	CreatedAt    time.Time
}

// BlobKeys stores the keys of files. The files cannot be read without their keys, so no operation removes one.
type BlobKeys interface {
	// AddBlobKey stores a key. It returns ErrExists if the organisation has one of that generation. Durable on return.
	AddBlobKey(ctx context.Context, k BlobKey) error

	// BlobKey reads a key.
	BlobKey(ctx context.Context, id string) (BlobKey, error)

	// NewestBlobKey reads the key of an organisation with the highest generation.
	NewestBlobKey(ctx context.Context, o contract.OrganisationID) (BlobKey, error)

	// EachBlobKey calls yield with each key, until yield returns false. No transaction is open while yield runs.
	EachBlobKey(ctx context.Context, yield func(BlobKey) bool) error
}
