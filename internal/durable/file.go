package durable

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// WriteNew creates a file with mode 0600 and that content, durable on return: after a crash it is complete or absent. It never
// replaces a file; if one exists, the error is fs.ErrExist.
func WriteNew(file string, content []byte) (err error) {
	dir := filepath.Dir(file)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, SyncFile(f), f.Close())
	if err == nil {
		err = RenameNew(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(dir)
}

// RenameNew renames a file within a file system, and never replaces one: if there is one of the new name, the error is fs.ErrExist. After a crash the
// file has its former name, the new one, or both.
func RenameNew(from, to string) error { return renameNew(from, to, os.Link) }

// renameNew is RenameNew with the function that makes links. Sticks and disks of other systems (FAT, exFAT) and some network file systems have none:
// there the system is asked to rename without replacing.
func renameNew(from, to string, link func(from, to string) error) error {
	err := link(from, to)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return renameNoReplace(from, to, err)
	}
	if err != nil {
		return err
	}
	return os.Remove(from)
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
