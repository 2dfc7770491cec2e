package store

import (
	"context"
	"errors"
	"time"
)

// ErrInFolder means that the keys and the records of the stamp office were moved to a folder. Nothing was written.
var ErrInFolder = errors.New("the keys and the records of the stamp office were moved to a folder")

// KeyFiles stores the files of the embedded authority, whose keys are sealed, and the mark of the installation, if it keeps them in
// the database. Only how the keys in a file are sealed changes.
type KeyFiles interface {
	// KeyFile returns the content of a file, or ErrNotFound.
	KeyFile(ctx context.Context, name string) ([]byte, error)

	// AddKeyFile adds a file; ErrExists if there is one of that name, whatever its content, ErrInFolder after MoveStateToFolder. Of several
	// writers one adds it.
	//
	// Durable on return. On error nothing was written.
	AddKeyFile(ctx context.Context, name string, content []byte, at time.Time) error

	// ReplaceKeyFile replaces the content of a file; ErrConflict if it is not the old one, or there is none.
	//
	// Durable on return. On error nothing was written.
	ReplaceKeyFile(ctx context.Context, name string, old, content []byte) error
}
