package jobs

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// place is a name that no other living process has, and that the next one takes over when this one dies: an empty
// file, locked for as long as the process lives. What is found under the name of a place that was free is what a
// process left that did not end in peace.
type place struct {
	name string
	file *os.File
}

// takePlace takes the first free place in a folder, or a new one. There are as many files as there ever were
// processes at the same time.
func takePlace(dir string) (*place, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of places: %w", err)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of places: %w", err)
	}
	for _, e := range all {
		if p, err := lockPlace(dir, e.Name()); p != nil || err != nil {
			return p, err
		}
	}
	for {
		// Whoever looks for a free place may be faster than we are with the one we just made.
		if p, err := lockPlace(dir, rand.Text()); p != nil || err != nil {
			return p, err
		}
	}
}

// lockPlace returns nil if another process has it.
func lockPlace(dir, name string) (*place, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("place of a process: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return &place{name, f}, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, f.Close()
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
}

// leave frees the place. It may be called again.
func (p *place) leave() error {
	if p == nil {
		return nil
	}
	if err := p.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
