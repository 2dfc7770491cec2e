// Package outage marks errors of parts that do not answer at the moment: the database, the blob store, the keys, the
// disk.
//
// Adapters classify errors, because they know their driver and operating system; no caller inspects such errors again.
// The interface answers 503 with Retry-After, and jobs wait until the part answers again. An unmarked error is a defect
// or a refusal, and retrying does not help.
package outage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Part is a part that may not answer.
type Part string

// The parts.
const (
	Database Part = "database"
	Blobs    Part = "blobs"
	Keys     Part = "keys"
	Disk     Part = "disk" // it answers, but has no free space
)

// Error reports that a part does not answer. Retrying later may help.
type Error struct {
	Part Part
	// InDoubt reports that the operation may have been carried out: the connection was lost while the database
	// committed. Everything that the operation refers to must stay.
	InDoubt bool
	Err     error
}

// Error returns which part does not answer, and why.
func (e *Error) Error() string {
	doubt := ""
	if e.InDoubt {
		doubt = ", and may have carried out the operation"
	}
	return fmt.Sprintf("%s does not answer%s: %v", e.Part, doubt, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Of returns the outage in err's chain, or nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// InDoubt reports whether the operation that failed with err may have been carried out.
func InDoubt(err error) bool {
	e := Of(err)
	return e != nil && e.InDoubt
}

// missingParts are the operating system's errors for a disk, mount or file server that is unavailable, and for a
// process that may not open more files. A lack of permission counts, because a wrong mount has other owners.
var missingParts = []error{
	syscall.EIO, syscall.EROFS, syscall.ESTALE, syscall.ENODEV, syscall.ENXIO, syscall.ETIMEDOUT, syscall.EHOSTDOWN, syscall.ENOTCONN,
	syscall.ENOTDIR, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, fs.ErrPermission,
}

// OfFile marks an error of the operating system about a file of the part. A file that does not exist is not an outage:
// the caller knows whether it should. Other errors are returned unchanged.
func OfFile(p Part, err error) error {
	if err == nil || Of(err) != nil {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &Error{Part: Disk, Err: err}
	}
	for _, m := range missingParts {
		if errors.Is(err, m) {
			return &Error{Part: p, Err: err}
		}
	}
	return err
}

// TimedOut reports whether ctx ended because of its deadline, not because its owner cancelled it.
func TimedOut(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}
