// Package disk keeps a reserve on the disks of the data: what may be refused, such as an upload, leaves it for what may not, such as a
// signature that people wait for.
//
// The reserve is what the file system reports as free, not a file that would be given up: nothing has to be made before and restored
// afterwards, a changed setting holds at once, and a database on the same disk has its share of it. Whatever else writes to the disk
// can use it up all the same, which no setting of ours can prevent.
package disk

import (
	"errors"
	"fmt"
	"syscall"

	"segel/internal/outage"
)

// Space is what a file system has, in bytes. Free is what we may use of it.
type Space struct{ Total, Free int64 }

// share is the largest part of a disk that is kept: a tenth.
const share = 10

// enough is what signing needs at least, in bytes: a tail, and the log of the database. With less nothing works.
const enough = 4 << 20

// Room watches the disks of folders.
type Room struct {
	Folders []string
	Reserve int64 // bytes that are kept free, but at most a tenth of a disk
	// Look returns what the file system of a folder has; nil asks the operating system.
	Look func(folder string) (Space, error)
}

// ErrReserve is that a disk has no room but the reserve.
var ErrReserve = errors.New("no room but what is kept for signatures")

// Require demands that every disk has room for so many bytes more and the reserve. Its errors are outages.
func (r *Room) Require(bytes int64) error {
	for _, folder := range r.Folders {
		space, err := r.look(folder)
		if err != nil {
			return err
		}
		if kept := r.kept(space); space.Free-bytes < kept {
			return &outage.Error{Part: outage.Disk, Err: fmt.Errorf("%s: %w: %d bytes are free, %d are kept", folder, ErrReserve, space.Free, kept)}
		}
	}
	return nil
}

// State is how much room there is.
type State string

// The states.
const (
	Fine State = "fine"
	Low  State = "low"  // uploads are refused; signing goes on
	Full State = "full" // nothing works that has to be stored
)

// Check looks at every disk and returns the worst state, with what was found there.
func (r *Room) Check() (State, string, error) {
	state, found := Fine, ""
	for _, folder := range r.Folders {
		space, err := r.look(folder)
		if err != nil {
			return Full, "", err
		}
		kept, now := r.kept(space), Fine
		switch {
		case space.Free < min(enough, kept):
			now = Full
		case space.Free < kept:
			now = Low
		}
		if found == "" || now == Full || now == Low && state == Fine {
			state, found = now, fmt.Sprintf("%s: %d bytes are free, %d are kept for signatures", folder, space.Free, kept)
		}
	}
	return state, found, nil
}

// kept is the reserve on a disk.
func (r *Room) kept(s Space) int64 { return min(r.Reserve, s.Total/share) }

func (r *Room) look(folder string) (Space, error) {
	look := r.Look
	if look == nil {
		look = ask
	}
	space, err := look(folder)
	if err == nil {
		return space, nil
	}
	if outage.Of(err) == nil { // a folder that does not exist was there
		err = &outage.Error{Part: outage.Blobs, Err: err}
	}
	return space, fmt.Errorf("look how much room there is: %w", err)
}

// ask asks the operating system.
func ask(folder string) (Space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return Space{}, fmt.Errorf("%s: %w", folder, err)
	}
	return Space{Total: int64(s.Blocks) * int64(s.Bsize), Free: int64(s.Bavail) * int64(s.Bsize)}, nil //nolint:unconvert // the types differ by system
}
