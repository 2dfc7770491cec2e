// Package outage marks errors of parts that do not answer at the moment: the database, the blob store, the keys, the disk.
//
// Adapters classify: they know what their driver or operating system says, and nothing above them reads such errors again. The
// interface answers 503 with Retry-After, and jobs wait until the part answers again. An error without a mark is a defect or a
// refusal, and trying again changes nothing.
package outage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Part is what does not answer.
type Part string

// The parts.
const (
	Database Part = "database"
	Blobs    Part = "blobs"
	Keys     Part = "keys"
	Disk     Part = "disk" // it is there, and has no room
)

// Error says that a part does not answer. Trying again later helps.
type Error struct {
	Part Part
	// InDoubt reports that the operation may have been carried out all the same: the connection was lost while the database
	// committed. What the operation refers to must stay.
	InDoubt bool
	Err     error
}

// Error says which part and why.
func (e *Error) Error() string {
	doubt := ""
	if e.InDoubt {
		doubt = ", and may have carried it out"
	}
	return fmt.Sprintf("%s does not answer%s: %v", e.Part, doubt, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Of returns the outage in err's chain, or nil.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// InDoubt reports whether what failed with err may have been carried out all the same.
func InDoubt(err error) bool {
	e := Of(err)
	return e != nil && e.InDoubt
}

// missingParts are errors of the operating system with which a disk, a mount or a file server answers that is not there, and those
// of a process that may not open another file. A lack of permission counts, since a mount that comes up wrong has other owners.
var missingParts = []error{
	syscall.EIO, syscall.EROFS, syscall.ESTALE, syscall.ENODEV, syscall.ENXIO, syscall.ETIMEDOUT, syscall.EHOSTDOWN, syscall.ENOTCONN,
	syscall.ENOTDIR, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, fs.ErrPermission,
}

// OfFile marks an error of the operating system about a file of the part. A file that does not exist is no outage: the caller knows
// whether it has to. Other errors are returned as they are.
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

// TimedOut reports whether ctx has ended because its time was up, and not because its owner gave up.
func TimedOut(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}
