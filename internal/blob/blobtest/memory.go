package blobtest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"segel/internal/blob"
)

// Memory is a store in memory. Its zero value is empty and ready.
type Memory struct {
	Now func() time.Time // time of commits; nil: the Unix epoch

	mu    sync.Mutex // guards all below; never held while a caller's code runs
	blobs map[blob.Key]stored
	mark  []byte // nil: none
}

// stored is a committed blob. Its bytes are never written again.
type stored struct {
	content  []byte
	modified time.Time
}

// Create begins a blob. See [blob.Store].
func (m *Memory) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	return &memoryWriter{ctx: ctx, store: m, key: key}, nil
}

// Open opens a blob. See [blob.Store].
func (m *Memory) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.blobs[key]
	if !ok {
		return nil, fmt.Errorf("%w: %s", blob.ErrNotFound, key)
	}
	return memoryBlob{bytes.NewReader(s.content)}, nil
}

// Remove removes a blob. See [blob.Store].
func (m *Memory) Remove(ctx context.Context, key blob.Key) error {
	if err := checkCall(ctx, key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, key)
	return nil
}

// List yields what was committed before it was called. See [blob.Store].
func (m *Memory) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		m.mu.Lock()
		blobs := maps.Clone(m.blobs)
		m.mu.Unlock()
		for _, key := range slices.Sorted(maps.Keys(blobs)) {
			s := blobs[key]
			if err := ctx.Err(); err != nil {
				yield(blob.Info{}, err)
				return
			}
			if !yield(blob.Info{Key: key, Size: int64(len(s.content)), Modified: s.modified}, nil) {
				return
			}
		}
	}
}

// Mark returns the mark. See [blob.Store].
func (m *Memory) Mark(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mark == nil {
		return nil, blob.ErrNoMark
	}
	return bytes.Clone(m.mark), nil
}

// SetMark sets the mark. See [blob.Store].
func (m *Memory) SetMark(ctx context.Context, mark []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(mark) > blob.MaxMark {
		return blob.ErrMark
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mark != nil {
		return blob.ErrExists
	}
	m.mark = append([]byte{}, mark...)
	return nil
}

// CorruptByte changes one byte of a committed blob.
func (m *Memory) CorruptByte(key blob.Key, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.blobs[key]
	s.content = bytes.Clone(s.content)
	s.content[at] ^= 1
	m.blobs[key] = s
}

// TruncateBlob truncates a committed blob.
func (m *Memory) TruncateBlob(key blob.Key, size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.blobs[key]
	s.content = s.content[:size:size]
	m.blobs[key] = s
}

// memoryBlob is an open blob.
type memoryBlob struct{ *bytes.Reader }

// Close has nothing to close.
func (memoryBlob) Close() error { return nil }

// memoryWriter is a blob being written.
type memoryWriter struct {
	ctx   context.Context
	store *Memory // nil once committed or aborted
	key   blob.Key
	buf   bytes.Buffer
}

// Write appends to the blob.
func (w *memoryWriter) Write(p []byte) (int, error) {
	if w.store == nil {
		return 0, blob.ErrClosed
	}
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.buf.Write(p)
}

// Commit stores the blob under its key. See [blob.Writer].
func (w *memoryWriter) Commit() error {
	m := w.store
	if m == nil {
		return blob.ErrClosed
	}
	w.store = nil
	if err := w.ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.blobs[w.key]; taken {
		return fmt.Errorf("%w: %s", blob.ErrExists, w.key)
	}
	if m.blobs == nil {
		m.blobs = map[blob.Key]stored{}
	}
	at := time.Unix(0, 0)
	if m.Now != nil {
		at = m.Now()
	}
	m.blobs[w.key] = stored{w.buf.Bytes(), at}
	return nil
}

// Abort discards the bytes.
func (w *memoryWriter) Abort() { w.store = nil }

// checkCall checks context and key for every method.
func checkCall(ctx context.Context, key blob.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return key.Check()
}

// Scratches makes scratch files in memory and counts the open ones. Its zero value is ready to use.
type Scratches struct{ open atomic.Int64 }

// Scratch returns a new scratch file.
func (s *Scratches) Scratch() (blob.Scratch, error) {
	s.open.Add(1)
	return &scratch{of: s}, nil
}

// OpenCount returns how many scratch files are open.
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
