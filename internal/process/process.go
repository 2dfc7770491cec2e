// Package process identifies the processes that share a data folder, and detects which of them have ended.
//
// A process has a name while it lives: that of an empty file which it keeps locked (flock(2)). The kernel releases the
// lock when the process ends for any reason, so a name without a lock belongs to a process that has ended. Processes on
// machines with another data folder are unknown here.
package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"segel/internal/durable"
)

// Process is the current process among those that share a folder. It is safe for concurrent use.
type Process struct {
	dir, name string
	file      *os.File
}

// Join takes the first free name in a folder, or a new one. It creates the folder if it is missing. Work recorded under
// the name belongs to a process that has ended. There are at most as many names as there ever were concurrent
// processes.
func Join(dir string) (*Process, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of processes: %w", err)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of processes: %w", err)
	}
	for _, e := range all {
		if p, err := lockName(dir, e.Name(), 0); p != nil || err != nil {
			return p, err
		}
	}
	for {
		// Another process that looks for a free name may lock the new file first.
		if p, err := lockName(dir, rand.Text(), os.O_CREATE); p != nil || err != nil {
			return p, err
		}
	}
}

// lockName returns nil if another process has the name, or if the file is missing and flags do not create it.
func lockName(dir, name string, flags int) (*Process, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|flags, 0o600)
	// If a file to be created is missing, the folder is gone: retrying would never end.
	if errors.Is(err, fs.ErrNotExist) && flags&os.O_CREATE == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("file of a process: %w", err)
	}
	locked, err := durable.Lock(f)
	if !locked {
		return nil, errors.Join(err, f.Close())
	}
	return &Process{dir, name, f}, nil
}

// Name returns the name, which is unique among living processes.
func (p *Process) Name() string { return p.name }

// IfEnded runs do if the process with that name has ended, and reports whether it has. No process can take the name
// while do runs. A name without a file in this folder does not count as ended.
func (p *Process) IfEnded(name string, do func() error) (ended bool, err error) {
	if filepath.Base(name) != name {
		return false, nil // names come from a database, and none of ours is a path
	}
	other, err := lockName(p.dir, name, 0)
	if other == nil || err != nil {
		return false, err
	}
	err = do()
	return true, errors.Join(err, other.Leave())
}

// Leave releases the name, as the end of the process would. It may be called again.
func (p *Process) Leave() error {
	if p == nil {
		return nil
	}
	// Unlock explicitly: closing alone would leave the lock with a forked child that has not yet executed its program
	// and still has the file open.
	unlocked := durable.Unlock(p.file)
	err := p.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return errors.Join(unlocked, err)
}
