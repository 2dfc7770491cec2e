package libreoffice

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"segel/internal/durable"
)

const folderPrefix = "segel-convert-"

// minFolderAge is how old a folder must be before it counts as left behind: a younger one may have been made by a
// process that is about to lock it.
const minFolderAge = time.Minute

// claimFolder creates the folder of all jobs, and removes the folders of services that were killed: locks show which
// are in use. Other users may pass through it, because a sandboxed process may be another user.
func (o *Converter) claimFolder(parent string) error {
	old, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("find folders left behind: %w", err)
	}
	for _, folder := range old {
		if s, err := os.Stat(folder); err != nil || time.Since(s.ModTime()) < minFolderAge {
			continue
		}
		if l, err := lockFolder(folder); err == nil {
			_ = errors.Join(os.RemoveAll(folder), l.Close()) // another user's stays
		}
	}
	if o.folder, err = os.MkdirTemp(parent, folderPrefix); err != nil {
		return fmt.Errorf("make folder to convert in: %w", err)
	}
	if o.lock, err = lockFolder(o.folder); err == nil {
		err = os.Chmod(o.folder, 0o711)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make folder to convert in: %w", err), os.RemoveAll(o.folder))
	}
	return nil
}

var errFolderInUse = errors.New("another process uses the folder")

// lockFolder opens and locks a folder; errFolderInUse if another process has the lock.
func lockFolder(folder string) (*os.File, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	locked, err := durable.Lock(f)
	if err == nil && !locked {
		err = errFolderInUse
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
