package libreoffice

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const folderPrefix = "segel-convert-"

// minFolderAge is how old a folder must be before it is thought left behind: a younger one may have been made by
// somebody who is about to lock it.
const minFolderAge = time.Minute

// claimFolder makes the folder in which processes have theirs, and removes those of services that were killed: a
// lock shows which are in use. Others may pass through it, since a fenced process may be another user.
func (o *Converter) claimFolder(parent string) error {
	old, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("look for folders left behind: %w", err)
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

func lockFolder(folder string) (*os.File, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
