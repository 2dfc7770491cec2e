package blobtest

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/blob"
)

// ErrFault is the error of every fault on demand.
var ErrFault = errors.New("fault on demand")

// Op names a call of a store that can fail.
type Op string

// The calls.
const (
	OpCreate Op = "create"
	OpWrite  Op = "write"
	OpCommit Op = "commit"
	OpOpen   Op = "open"
	OpRemove Op = "remove"
)

// Fault says how a call fails.
type Fault int

// A call can fail before it has done anything, or after it has done all: the caller cannot tell which.
const (
	NoFault Fault = iota
	Before
	After
)

// Faulty is a store whose calls fail when asked to.
type Faulty struct {
	blob.Store
	Fault func(Op, blob.Key) Fault // asked once a call
}

// Create begins a blob whose Write and Commit can fail too.
func (f *Faulty) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	var w blob.Writer
	err := f.callWithFault(OpCreate, key, func() (err error) {
		w, err = f.Store.Create(ctx, key)
		return err
	})
	if err != nil {
		if w != nil {
			w.Abort()
		}
		return nil, err
	}
	return &faultyWriter{w, f, key}, nil
}

// Open opens a blob.
func (f *Faulty) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	var b blob.Blob
	err := f.callWithFault(OpOpen, key, func() (err error) {
		b, err = f.Store.Open(ctx, key)
		return err
	})
	if err != nil {
		if b != nil {
			err = errors.Join(err, b.Close())
		}
		return nil, err
	}
	return b, nil
}

// Remove removes a blob.
func (f *Faulty) Remove(ctx context.Context, key blob.Key) error {
	return f.callWithFault(OpRemove, key, func() error { return f.Store.Remove(ctx, key) })
}

// callWithFault runs a call between its faults.
func (f *Faulty) callWithFault(op Op, key blob.Key, call func() error) error {
	fault := f.Fault(op, key)
	if fault == Before {
		return fmt.Errorf("%w: before %s of %s", ErrFault, op, key)
	}
	if err := call(); err != nil {
		return err
	}
	if fault == After {
		return fmt.Errorf("%w: after %s of %s", ErrFault, op, key)
	}
	return nil
}

// faultyWriter is a writer of a faulty store.
type faultyWriter struct {
	blob.Writer
	store *Faulty
	key   blob.Key
}

// Write appends to the blob.
func (w *faultyWriter) Write(p []byte) (n int, err error) {
	err = w.store.callWithFault(OpWrite, w.key, func() (err error) {
		n, err = w.Writer.Write(p)
		return err
	})
	return n, err
}

// Commit commits the blob.
func (w *faultyWriter) Commit() error { return w.store.callWithFault(OpCommit, w.key, w.Writer.Commit) }
