// Package file keeps blobs as read-only files of one folder. It needs a Unix: hard links, flock and
// synchronised directories carry its promises.
//
//	tmp/<key>.<something>   being written, where files without a name are not supported; locked by its writer
//	installation            the mark
//	4f/<key>                final; the first two digits of the key name the folder
//	aside/<time>/<key>     moved aside by a check of the store, with a manifest
//
// A file gets its final name by a hard link, which, unlike a rename, fails when the name is taken. Until then it has none where the file
// system can do that (O_TMPFILE of Linux), so that nothing is left of a writer that dies.
package file

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"segel/internal/blob"
	"segel/internal/durable"
	"segel/internal/outage"
)

// tmpDir holds unfinished files. Its name is not two hexadecimal digits, so no key leads there.
const tmpDir = "tmp"

// Store is a [blob.Store] in a folder. Several processes may have the same folder open.
type Store struct {
	root    string
	opened  bool // by Open, which made every folder: one that is missing was lost since
	unnamed bool // the file system can make files without a name, and name them
}

// unavailable marks errors that mean that the folder does not answer, or has no room.
func (s *Store) unavailable(err error) error {
	if s.opened && errors.Is(err, fs.ErrNotExist) {
		return &outage.Error{Part: outage.Blobs, Err: err}
	}
	return outage.OfFile(outage.Blobs, err)
}

// requireFolder demands the folder that a blob would be in. A mount that has gone leaves an empty one in its place, in which every
// blob would seem to be lost.
func (s *Store) requireFolder(key blob.Key) error {
	_, err := os.Stat(filepath.Dir(s.blobPath(key)))
	return s.unavailable(err)
}

// Open makes the folder where it is missing, and removes what crashed writers left in it.
func Open(root string) (*Store, error) {
	s := &Store{root: root, opened: true}
	if err := s.makeDirs(); err != nil {
		return nil, fmt.Errorf("make blob folder: %w", err)
	}
	if err := s.removeAbandoned(); err != nil {
		return nil, fmt.Errorf("sweep blob folder: %w", err)
	}
	s.unnamed = s.tryUnnamed()
	return s, nil
}

// tryUnnamed reports whether a file without a name can be made and named. A crash in the middle leaves an empty file, which the next Open sweeps.
func (s *Store) tryUnnamed() bool {
	dir := filepath.Join(s.root, tmpDir)
	f, err := openUnnamed(dir, 0o400)
	if err != nil {
		return false
	}
	defer f.Close()
	locked, err := durable.Lock(f) // another process that opens the store may sweep meanwhile
	if err != nil || !locked {
		return false
	}
	name := filepath.Join(dir, "unnamed."+rand.Text())
	return linkUnnamed(f, name) == nil && os.Remove(name) == nil
}

// makeDirs makes every folder at once, so that a commit has only one directory to synchronise.
func (s *Store) makeDirs() error {
	if err := os.MkdirAll(filepath.Join(s.root, tmpDir), 0o700); err != nil {
		return err
	}
	for i := range 256 {
		err := os.Mkdir(filepath.Join(s.root, fmt.Sprintf("%02x", i)), 0o700)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// Even when all were there: who made them may have crashed before this line.
	if err := durable.SyncDir(s.root); err != nil {
		return err
	}
	// If we may not read the parent, another user created the folder in it.
	if err := durable.SyncDir(filepath.Dir(s.root)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Check writes, reads and removes a few bytes: the folder is there, and takes more.
func (s *Store) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("check blob folder: %w", err)
	}
	f, err := s.Scratch()
	if err != nil {
		return fmt.Errorf("check blob folder: %w", err)
	}
	written := []byte("segel")
	_, err = f.Write(written)
	read := make([]byte, len(written))
	if err == nil {
		_, err = f.ReadAt(read, 0)
	}
	if err == nil && !bytes.Equal(read, written) {
		err = &outage.Error{Part: outage.Blobs, Err: errors.New("it does not hold what was written")}
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("check blob folder: %w", err)
	}
	return nil
}

// Open opens a blob. See [blob.Store].
func (s *Store) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	f, err := os.Open(s.blobPath(key))
	if errors.Is(err, fs.ErrNotExist) {
		if s.opened {
			if err := s.requireFolder(key); err != nil {
				return nil, fmt.Errorf("open blob %s: %w", key, err)
			}
		}
		return nil, fmt.Errorf("%w: %s", blob.ErrNotFound, key)
	}
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", s.unavailable(err))
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open blob %s: %w", key, s.unavailable(err)), f.Close())
	}
	return &openedBlob{File: f, size: info.Size()}, nil
}

// Remove deletes a blob. See [blob.Store].
func (s *Store) Remove(ctx context.Context, key blob.Key) error {
	if err := checkCall(ctx, key); err != nil {
		return err
	}
	path := s.blobPath(key)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove blob: %w", s.unavailable(err))
	}
	// Also when it was gone: an earlier try may have crashed between the two.
	if err := durable.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("remove blob %s: %w", key, s.unavailable(err))
	}
	return nil
}

// List yields every final file in the order of the keys, folder by folder. Files whose name is not a key, or a key of another folder, are
// not blobs and are left out.
func (s *Store) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for i := range 256 {
			name := fmt.Sprintf("%02x", i)
			// One folder at a time in memory: a 256th of the names.
			entries, err := os.ReadDir(filepath.Join(s.root, name))
			if err != nil {
				yield(blob.Info{}, fmt.Errorf("list blobs: %w", err))
				return
			}
			for _, e := range entries {
				info, ok, err := s.blobInfo(ctx, name, e)
				if err != nil {
					yield(blob.Info{}, err)
					return
				}
				if ok && !yield(info, nil) {
					return
				}
			}
		}
	}
}

// blobInfo describes one entry of a folder; not ok for other files, or was removed since the folder was read.
func (s *Store) blobInfo(ctx context.Context, folder string, e fs.DirEntry) (_ blob.Info, ok bool, _ error) {
	key := blob.Key(e.Name())
	if key.Check() != nil || e.Name()[:2] != folder || !e.Type().IsRegular() {
		return blob.Info{}, false, nil
	}
	if err := ctx.Err(); err != nil {
		return blob.Info{}, false, fmt.Errorf("list blobs: %w", err)
	}
	fi, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return blob.Info{}, false, nil
	}
	if err != nil {
		return blob.Info{}, false, fmt.Errorf("list blobs: %w", err)
	}
	return blob.Info{Key: key, Size: fi.Size(), Modified: fi.ModTime()}, true, nil
}

// blobPath returns where the final file of a checked key is.
func (s *Store) blobPath(key blob.Key) string {
	return filepath.Join(s.root, string(key[:2]), string(key))
}

// checkCall checks context and key for every method.
func checkCall(ctx context.Context, key blob.Key) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("blob %s: %w", key, err)
	}
	return key.Check()
}

// openedBlob is a blob open for reading.
type openedBlob struct {
	*os.File
	size int64
}

// ReadAt reads as [os.File.ReadAt] does.
func (f *openedBlob) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	return n, outage.OfFile(outage.Blobs, err)
}

// Size returns the size it had when it was opened; it has no other.
func (f *openedBlob) Size() int64 { return f.size }
