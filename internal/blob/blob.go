package blob

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// Errors of every store.
var (
	ErrNotFound = errors.New("no such blob")
	ErrExists   = errors.New("blob exists already")
	ErrKey      = errors.New("not a blob key")
	ErrClosed   = errors.New("already committed, aborted or closed")
	ErrNoMark   = errors.New("blob store has no mark")
	ErrMark     = errors.New("mark of a blob store has too many bytes")
	ErrSegment  = errors.New("size and sums of a blob do not fit each other")
)

// Key names a blob: 128 random bits in 32 lower-case hexadecimal digits. It is independent of the bytes, so it can be
// recorded before they exist, and a person who knows a file does not know where it is stored.
type Key string

// keyLen is the number of random bytes of a key.
const keyLen = 16

// NewKey returns a random key. Keys are unique if random is.
func NewKey(random io.Reader) (Key, error) {
	var b [keyLen]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw blob key: %w", err)
	}
	return Key(hex.EncodeToString(b[:])), nil
}

// Check returns [ErrKey] for anything but a key. Stores call it before they make a path from a key, because a database
// may contain anything.
func (k Key) Check() error {
	if len(k) != 2*keyLen {
		return fmt.Errorf("%w: %.40q", ErrKey, string(k))
	}
	for i := range len(k) {
		c := k[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("%w: %.40q", ErrKey, string(k))
		}
	}
	return nil
}

// Store stores blobs. Package blobtest tests every implementation. All methods are safe for concurrent use, and
// invalid keys are refused with [ErrKey].
type Store interface {
	// Create begins a blob. It cannot be opened or listed before Commit. The context covers the life of the writer.
	Create(ctx context.Context, key Key) (Writer, error)

	// Open returns the blob for reading, or [ErrNotFound]. The context covers the life of the blob.
	Open(ctx context.Context, key Key) (Blob, error)

	// Remove deletes the blob. Deleting a missing blob is not an error, so that it can be retried.
	Remove(ctx context.Context, key Key) error

	// List yields every committed blob in the order of the keys. An error ends it.
	List(ctx context.Context) iter.Seq2[Info, error]

	// Mark returns what SetMark has written, or [ErrNoMark]: an empty volume mounted in the place of the store has
	// none.
	Mark(ctx context.Context) ([]byte, error)

	// SetMark writes the mark by which the store is recognised, up to [MaxMark] bytes. It can be written only once:
	// [ErrExists] if there is a mark. It is durable on return. After any other error the mark may or may not be there.
	SetMark(ctx context.Context, mark []byte) error
}

// MaxMark bounds a mark, in bytes.
const MaxMark = 1 << 10

// WriterLife bounds the life of a writer: Commit fails when it was begun earlier. So what collects blobs that nothing refers to knows when none can
// appear any more.
const WriterLife = 12 * time.Hour

// ErrTooOld means that a writer was begun more than [WriterLife] ago.
var ErrTooOld = fmt.Errorf("blob was begun more than %v ago", WriterLife)

// Writer writes one blob. It must not be used concurrently.
type Writer interface {
	io.Writer

	// Commit makes the blob durable and final under its key. [ErrExists]: the key is in use, and its blob is
	// unchanged. [ErrTooOld]: it was begun too long ago. After any other error the blob may or may not be there; the key must not be used again, and a check
	// of the store removes unreferenced blobs.
	Commit() error

	// Abort discards the bytes. It has no effect after Commit, so it can be deferred.
	Abort()
}

// Blob reads one blob. ReadAt is safe for concurrent use.
type Blob interface {
	io.ReaderAt
	io.Closer
	Size() int64 // bytes
}

// Info is what a store itself knows about a blob.
type Info struct {
	Key      Key
	Size     int64     // bytes as they are stored; a store that encrypts has more than a reader gets
	Modified time.Time // when it was written; a check ignores young blobs, which may not be recorded yet
}

// Scratch is a temporary file: its bytes are gone when it is closed and when the program ends for any reason. It is
// written first and read afterwards, by one goroutine.
type Scratch interface {
	io.Writer
	Blob
}
