package blob

import (
	"context"
	"time"
)

// Volume is a store with what an installation needs besides: a check that it works, and a place for blobs that belong to nothing.
type Volume interface {
	Store

	// Check requires that the store is there and takes more.
	Check(ctx context.Context) error

	// NewAside returns the place for blobs that are moved aside at that time. It is made with the first blob.
	NewAside(at time.Time) Aside

	// PurgeAside removes for good what was moved aside before a moment, and returns how many places those were.
	PurgeAside(ctx context.Context, before time.Time) (places int, err error)
}

// Aside is a place for blobs that are moved aside together, outside of the blobs. It belongs to one goroutine.
type Aside interface {
	// Move moves a blob. What is known of it is durable before it is moved.
	Move(ctx context.Context, b Info, sha256 string, now time.Time) error

	// Dir names the place, for people.
	Dir() string

	// Close ends moving.
	Close() error
}

// AsideTime is how such a place is called: the time in UTC.
const AsideTime = "20060102T150405.000Z"

// Moved is what is written of a blob that is moved aside, as JSON.
type Moved struct {
	Key      Key       `json:"key"`
	Size     int64     `json:"size"`     // bytes as they are stored
	SHA256   string    `json:"sha256"`   // of what a reader gets
	Modified time.Time `json:"modified"` // when the blob was written
	MovedAt  time.Time `json:"moved_at"`
}
