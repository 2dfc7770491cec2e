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

// Key names a blob: 128 random bits in 32 lower-case hexadecimal digits. It tells nothing about the bytes, so
// that it can be recorded before they exist, and so that knowing a file is not knowing where it is.
type Key string

// keyLen is the number of random bytes of a key.
const keyLen = 16

// NewKey draws a key. Two draws never meet as long as random is.
func NewKey(random io.Reader) (Key, error) {
	var b [keyLen]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw blob key: %w", err)
	}
	return Key(hex.EncodeToString(b[:])), nil
}

// Check returns [ErrKey] for anything but a key. Stores call it before they make a path of a key, since keys
// come out of a database and a database may lie.
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

// Store keeps blobs. Package blobtest says what every implementation owes; all methods may be called from
// several goroutines, and keys that are none are refused with [ErrKey].
type Store interface {
	// Create begins a blob. Nothing can be opened or listed under the key before Commit. The context covers
	// the life of the writer.
	Create(ctx context.Context, key Key) (Writer, error)

	// Open returns the blob for reading, or [ErrNotFound]. The context covers the life of the blob.
	Open(ctx context.Context, key Key) (Blob, error)

	// Remove makes the blob unfindable. To remove what is not there is no error: a retry meets that.
	Remove(ctx context.Context, key Key) error

	// List yields every committed blob in no particular order. An error ends it.
	List(ctx context.Context) iter.Seq2[Info, error]

	// Mark returns what SetMark has written, or [ErrNoMark]: an empty mount in the place of the store has none.
	Mark(ctx context.Context) ([]byte, error)

	// SetMark writes what the store is recognised by, up to [MaxMark] bytes, once for all times: [ErrExists] where there
	// is a mark already. It is durable on return. After any other error it may be there or not.
	SetMark(ctx context.Context, mark []byte) error
}

// MaxMark bounds a mark, in bytes.
const MaxMark = 1 << 10

// Writer takes the bytes of one blob. It belongs to one goroutine.
type Writer interface {
	io.Writer

	// Commit makes the blob durable under its key and final. [ErrExists]: the key was taken, and what was
	// there is untouched. After any other error the blob may be there or not; the key is spent, and a check
	// of the store removes what nobody refers to.
	Commit() error

	// Abort forgets the bytes. It is harmless after Commit, so it can be deferred.
	Abort()
}

// Blob reads one blob. ReadAt may be called from several goroutines.
type Blob interface {
	io.ReaderAt
	io.Closer
	Size() int64 // bytes
}

// Info is what a store knows of a blob by itself.
type Info struct {
	Key      Key
	Size     int64     // bytes
	Modified time.Time // when it was written; a check leaves young blobs alone, whose record may be on its way
}
