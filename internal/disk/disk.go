// Package disk keeps a reserve on the disks of the data. Work that may be refused, such as an upload, leaves the
// reserve to work that may not, such as a signature that people wait for.
//
// The reserve is part of the free space that the file system reports, not a placeholder file. So nothing has to be
// created or restored, a changed setting takes effect at once, and a database on the same disk benefits too. Other
// programs can still use the reserve up; no setting can prevent that.
package disk

import (
	"errors"
	"fmt"
	"slices"

	"segel/internal/contract"
	"segel/internal/outage"
)

// Space is the space of a file system in bytes. Free is what this process may use.
type Space struct{ Total, Free int64 }

// share bounds the reserve to a tenth of a disk, and warningShare the warning to a fifth.
const share, warningShare = 10, 5

// enough is the least that signing needs, in bytes: a tail, and the log of the database. With less nothing works.
const enough = 4 << 20

// Monitor watches the free space of the disks of folders.
type Monitor struct {
	Folders []string
	Reserve int64 // bytes to keep free, at most a tenth of a disk
	Warning int64 // free bytes below which the space is scarce, at most a fifth of a disk; 0: never
	// Look returns the space of a folder's file system; nil asks the operating system, for two seconds at most.
	Look func(folder string) (Space, error)
}

// ErrReserve reports that a disk has no free space beyond the reserve.
var ErrReserve = errors.New("only the reserve for signatures is free")

// Require returns an error unless every disk has space for that many bytes beyond the reserve. Its errors are outages.
func (m *Monitor) Require(bytes int64) error {
	for _, folder := range m.Folders {
		space, err := m.readSpace(folder)
		if err != nil {
			return err
		}
		if kept := m.reserveOn(space); space.Free-bytes < kept {
			return &outage.Error{Part: outage.Disk, Err: fmt.Errorf("%s: %w: %d bytes are free, the reserve is %d", folder, ErrReserve, space.Free, kept)}
		}
	}
	return nil
}

// Check checks every disk and returns the worst finding, with a sentence for operators.
func (m *Monitor) Check() (contract.DiskFinding, string, error) {
	var worst contract.DiskFinding
	found := ""
	for _, folder := range m.Folders {
		space, err := m.readSpace(folder)
		if err != nil {
			return contract.DiskFinding{}, "", err
		}
		now := contract.DiskFinding{State: contract.DiskFine, Free: space.Free, Reserved: m.reserveOn(space)}
		switch {
		case space.Free < min(enough, now.Reserved):
			now.State = contract.DiskFull
		case space.Free < now.Reserved:
			now.State = contract.DiskLow
		case space.Free < min(m.Warning, space.Total/warningShare):
			now.State = contract.DiskScarce
		}
		if d := slices.Index(states, now.State) - slices.Index(states, worst.State); found == "" || d > 0 || d == 0 && now.Free < worst.Free {
			worst, found = now, fmt.Sprintf("%s: %d bytes are free, %d are reserved for signatures", folder, now.Free, now.Reserved)
		}
	}
	return worst, found, nil
}

// states are in the order of their severity.
var states = []contract.DiskState{contract.DiskFine, contract.DiskScarce, contract.DiskLow, contract.DiskFull}

// reserveOn returns the reserve on a disk.
func (m *Monitor) reserveOn(s Space) int64 { return min(m.Reserve, s.Total/share) }

func (m *Monitor) readSpace(folder string) (Space, error) {
	look := m.Look
	if look == nil {
		look = ReadSpace
	}
	space, err := look(folder)
	if err == nil {
		return space, nil
	}
	if outage.Of(err) == nil { // the folder existed before, so a missing folder is an outage
		err = &outage.Error{Part: outage.Blobs, Err: err}
	}
	return space, fmt.Errorf("read free space: %w", err)
}
