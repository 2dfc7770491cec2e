package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"segel/internal/blob"
	"segel/internal/durable"
	"segel/internal/outage"
)

// markFile contains the mark of the store. Its name is not two hexadecimal digits, so no key leads there.
const markFile = "installation"

// Find returns the store in a folder without touching the folder: nothing is created or removed. Nothing can be
// written to it until a store of that folder was opened with [Open]. A folder that does not exist has no mark.
func Find(root string) *Store { return &Store{root: root} }

// Mark reads the mark. See [blob.Store].
func (s *Store) Mark(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read mark of blobs: %w", err)
	}
	f, err := os.Open(filepath.Join(s.root, markFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", blob.ErrNoMark, s.root)
	}
	if err != nil {
		return nil, fmt.Errorf("read mark of blobs: %w", outage.OfFile(outage.Blobs, err))
	}
	defer f.Close()
	mark, err := io.ReadAll(io.LimitReader(f, blob.MaxMark+1))
	if err == nil && len(mark) > blob.MaxMark {
		err = blob.ErrMark
	}
	if err != nil {
		return nil, fmt.Errorf("read mark of blobs in %s: %w", s.root, outage.OfFile(outage.Blobs, err))
	}
	return mark, nil
}

// SetMark writes the mark. See [blob.Store].
func (s *Store) SetMark(ctx context.Context, mark []byte) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("mark blobs: %w", err)
	}
	if len(mark) > blob.MaxMark {
		return blob.ErrMark
	}
	f, err := s.createTemp(markFile)
	if err != nil {
		return fmt.Errorf("mark blobs: %w", err)
	}
	defer f.Close()
	defer os.Remove(f.Name()) // what is left of it, the next Open sweeps
	if _, err := f.Write(mark); err != nil {
		return fmt.Errorf("mark blobs: %w", err)
	}
	if err := errors.Join(f.Chmod(0o400), durable.SyncFile(f)); err != nil {
		return fmt.Errorf("mark blobs: %w", err)
	}
	// Durable now: the bytes, under a temporary name, which the next Open sweeps. It fails where another process was first.
	err = durable.RenameNew(f.Name(), filepath.Join(s.root, markFile))
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: mark of %s", blob.ErrExists, s.root)
	}
	if err != nil {
		return fmt.Errorf("mark blobs: %w", err)
	}
	return durable.SyncDir(s.root)
}
