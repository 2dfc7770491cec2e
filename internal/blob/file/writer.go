package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/blob"
	"segel/internal/durable"
)

// writer is a blob being written. A file without a name ends with the process. The lock on one with a name shows that the writer is
// alive; the kernel releases the lock with the process.
type writer struct {
	ctx   context.Context
	store *Store
	key   blob.Key
	file  *os.File // nil once committed or aborted
	begun time.Time
}

// Create begins a blob in a new file. See [blob.Store].
func (s *Store) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	var f *os.File
	var err error
	if s.unnamed {
		f, err = openUnnamed(filepath.Join(s.root, tmpDir), finalMode)
	} else {
		f, err = s.createTemp(key)
	}
	if err != nil {
		return nil, fmt.Errorf("create blob %s: %w", key, s.unavailable(err))
	}
	return &writer{ctx: ctx, store: s, key: key, file: f, begun: time.Now()}, nil
}

// finalMode is the mode of a blob: its owner alone reads it.
const finalMode = 0o400

// createTemp returns a new locked file. A sweep of another process can catch it between its creation and its
// lock; then it is made again.
func (s *Store) createTemp(key blob.Key) (*os.File, error) {
	for {
		f, err := os.CreateTemp(filepath.Join(s.root, tmpDir), string(key)+".*")
		if err != nil {
			return nil, err
		}
		locked, err := durable.Lock(f)
		if err == nil && locked && hasItsName(f) {
			return f, nil
		}
		if err != nil {
			return nil, errors.Join(err, os.Remove(f.Name()), f.Close())
		}
		// The other process has the lock, or had it and removed the name. Only the handle is ours.
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// Write appends to the blob.
func (w *writer) Write(p []byte) (int, error) {
	if w.file == nil {
		return 0, blob.ErrClosed
	}
	if err := w.ctx.Err(); err != nil {
		return 0, fmt.Errorf("write blob %s: %w", w.key, err)
	}
	n, err := w.file.Write(p)
	return n, w.store.unavailable(err)
}

// Commit gives the file its final name. See [blob.Writer].
func (w *writer) Commit() error {
	if w.file == nil {
		return blob.ErrClosed
	}
	defer w.Abort() // takes the temporary name away; the final one stays
	if err := w.ctx.Err(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.key, err)
	}
	if time.Since(w.begun) > blob.WriterLife { // the time of the file may be as old, and the file counts as left over then
		return fmt.Errorf("commit blob %s: %w", w.key, blob.ErrTooOld)
	}
	if !w.store.unnamed {
		if err := w.file.Chmod(finalMode); err != nil {
			return fmt.Errorf("commit blob: %w", w.store.unavailable(err))
		}
	}
	if err := durable.SyncFile(w.file); err != nil {
		return fmt.Errorf("commit blob: %w", w.store.unavailable(err))
	}
	// Durable now: the bytes, under a temporary name or none. Not yet: the final name. After a power cut the file system, or the
	// next Open of the store, removes them, and the caller writes them again under another key.
	path := w.store.blobPath(w.key)
	var err error
	if w.store.unnamed {
		err = linkUnnamed(w.file, path)
	} else {
		err = durable.RenameNew(w.file.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s", blob.ErrExists, w.key)
	}
	if err != nil {
		return fmt.Errorf("commit blob: %w", w.store.unavailable(err))
	}
	// Visible now, but durable only after the next line: a caller that goes on after an error of it must not
	// take the blob for written. If it survives all the same, it is an orphan, and a check of the store finds it.
	if err := durable.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.key, w.store.unavailable(err))
	}
	return nil
}

// Abort removes the temporary name. A failure does no harm: the next Open of the store removes it.
func (w *writer) Abort() {
	if w.file == nil {
		return
	}
	if !w.store.unnamed {
		os.Remove(w.file.Name())
	}
	w.file.Close()
	w.file = nil
}

// removeAbandoned removes the files of writers that have ended. Locked ones belong to living writers of other
// processes.
func (s *Store) removeAbandoned() error {
	dir := filepath.Join(s.root, tmpDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := removeIfAbandoned(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// removeIfAbandoned removes one temporary file unless its writer lives. It holds the lock while it removes, so that a
// writer that has just made the file cannot take it for its own.
func removeIfAbandoned(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	locked, err := durable.Lock(f)
	if err != nil || !locked {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// hasItsName reports whether the file is still found under the name it was made with.
func hasItsName(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	found, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, found)
}
