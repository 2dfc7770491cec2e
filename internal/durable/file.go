package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteNew creates a file with mode 0600 and that content, durable on return: after a crash it is complete or absent. It never
// replaces a file; if one exists, the error is fs.ErrExist.
func WriteNew(file string, content []byte) (err error) {
	dir := filepath.Dir(file)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, os.Remove(f.Name()))
	}()
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir makes the entries of a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
