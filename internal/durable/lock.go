package durable

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Lock takes the exclusive lock (flock) of an open file or folder without waiting, and returns false if another open file has it.
// The lock ends when the file is closed, at the latest with the process. A program that this process starts holds the lock for the
// moment between fork and exec.
func Lock(f *os.File) (locked bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}

// Unlock releases the lock of a file before it is closed, also for a child that was forked and has not executed its program yet.
func Unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// LockShared is Lock for a lock that several open files may share. It excludes the one of Lock.
func LockShared(f *os.File) (locked bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}
