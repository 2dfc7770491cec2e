package store

import (
	"context"
	"time"
)

// KeyFiles stores the files of the embedded authority, whose keys are sealed, and the mark of the installation, if it keeps them in
// the database. A file never changes.
type KeyFiles interface {
	// KeyFile returns the content of a file, or ErrNotFound.
	KeyFile(ctx context.Context, name string) ([]byte, error)

	// AddKeyFile adds a file; ErrExists if there is one of that name, whatever its content. Of several writers one adds it.
	//
	// Durable on return. On error nothing was written.
	AddKeyFile(ctx context.Context, name string, content []byte, at time.Time) error
}
