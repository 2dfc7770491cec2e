package durable

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
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
	err = errors.Join(err, SyncFile(f), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Replace replaces a file by one with mode 0600 and that content, durable on return: after a crash it is the former or the new one.
func Replace(file string, content []byte) (err error) {
	dir := filepath.Dir(file)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, SyncFile(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(dir)
}

var syncs atomic.Int64

// SyncFile makes the content of a file durable.
func SyncFile(f *os.File) error {
	syncs.Add(1)
	return f.Sync()
}

// Syncs returns how often this process waited for the disk in this package. SQLite waits on its own.
func Syncs() int64 { return syncs.Load() }

// SyncDir makes the entries of a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(SyncFile(d), d.Close())
}
