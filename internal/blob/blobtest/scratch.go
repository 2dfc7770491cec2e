package blobtest

import (
	"bytes"
	"io/fs"
	"sync/atomic"

	"segel/internal/blob"
)

// Scratches makes scratch files in memory and counts those that are open. Its zero value is ready.
type Scratches struct{ open atomic.Int64 }

// Scratch makes one.
func (s *Scratches) Scratch() (blob.Scratch, error) {
	s.open.Add(1)
	return &scratch{of: s}, nil
}

// OpenCount is how many were made and not closed.
func (s *Scratches) OpenCount() int64 { return s.open.Load() }

type scratch struct {
	of     *Scratches
	b      []byte
	closed bool
}

func (s *scratch) Write(p []byte) (int, error) {
	if s.closed {
		return 0, fs.ErrClosed
	}
	s.b = append(s.b, p...)
	return len(p), nil
}

func (s *scratch) ReadAt(p []byte, at int64) (int, error) {
	if s.closed {
		return 0, fs.ErrClosed
	}
	return bytes.NewReader(s.b).ReadAt(p, at)
}

func (s *scratch) Size() int64 { return int64(len(s.b)) }

func (s *scratch) Close() error {
	if s.closed {
		return fs.ErrClosed
	}
	s.closed = true
	s.of.open.Add(-1)
	return nil
}
