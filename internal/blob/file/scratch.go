package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"segel/internal/blob"
	"segel/internal/outage"
)

// OpenScratch returns a function like [Store.Scratch] for a folder without blobs. It makes the folder where it is missing, and removes what
// crashed programs left in it.
func OpenScratch(root string) (func() (blob.Scratch, error), error) {
	s := &Store{root: root, opened: true}
	if err := os.MkdirAll(filepath.Join(root, tmpDir), 0o700); err != nil {
		return nil, fmt.Errorf("make folder of scratch files: %w", err)
	}
	if err := s.removeAbandoned(); err != nil {
		return nil, fmt.Errorf("sweep folder of scratch files: %w", err)
	}
	s.unnamed = s.tryUnnamed()
	return s.Scratch, nil
}

// Scratch returns an empty file without a name. Durable: nothing; the system frees the bytes with the handle, after a
// kill as well. A crash between making the file and taking its name away leaves an empty one, which the next Open
// sweeps.
func (s *Store) Scratch() (blob.Scratch, error) {
	if s.unnamed {
		f, err := openUnnamed(filepath.Join(s.root, tmpDir), 0o600)
		if err != nil {
			return nil, fmt.Errorf("make scratch file: %w", s.unavailable(err))
		}
		return &scratch{file: f}, nil
	}
	f, err := s.createTemp("scratch")
	if err != nil {
		return nil, fmt.Errorf("make scratch file: %w", s.unavailable(err))
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("take name of scratch file away: %w", err), f.Close())
	}
	return &scratch{file: f}, nil
}

// scratch hides the other ways in which a file can be written, which would not be counted.
type scratch struct {
	file *os.File
	size int64
}

func (s *scratch) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, outage.OfFile(outage.Blobs, err)
}

func (s *scratch) ReadAt(p []byte, at int64) (int, error) {
	n, err := s.file.ReadAt(p, at)
	return n, outage.OfFile(outage.Blobs, err)
}

func (s *scratch) Size() int64 { return s.size }

func (s *scratch) Close() error { return s.file.Close() }
