package audit

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// HashReader reads stored hashes of the tree by [tlog.StoredHashIndex], in the requested order.
type HashReader interface {
	ReadHashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error)
}

// Tree is a log at one size: the roots of its complete subtrees, largest first. Appending and the root need nothing
// else, at most 63 hashes.
type Tree struct {
	size  int64
	peaks []tlog.Hash
}

// ResumeTree returns the tree of that size from stored hashes.
func ResumeTree(ctx context.Context, size int64, h HashReader) (*Tree, error) {
	if size == 0 {
		return &Tree{}, nil
	}
	peaks, err := h.ReadHashes(ctx, PeakIndexes(size))
	if err != nil {
		return nil, fmt.Errorf("read the log's hashes at size %d: %w", size, err)
	}
	return &Tree{size: size, peaks: peaks}, nil
}

// PeakIndexes returns where the roots of the complete subtrees of a tree of that size are stored, largest first.
func PeakIndexes(size int64) []int64 {
	var indexes []int64
	for level := bits.Len64(uint64(size)) - 1; level >= 0; level-- {
		if size&(1<<level) != 0 {
			indexes = append(indexes, tlog.StoredHashIndex(level, size>>(level+1)<<1))
		}
	}
	return indexes
}

// Append adds a leaf and returns the hashes that it completes. Store them consecutively from tlog.StoredHashIndex(0,
// size before) on.
func (t *Tree) Append(leaf []byte) []tlog.Hash {
	h := tlog.RecordHash(leaf)
	store := []tlog.Hash{h}
	// As many subtrees merge as a binary counter carries.
	for n := t.size; n&1 == 1; n >>= 1 {
		last := len(t.peaks) - 1
		h = tlog.NodeHash(t.peaks[last], h)
		t.peaks = t.peaks[:last]
		store = append(store, h)
	}
	t.peaks = append(t.peaks, h)
	t.size++
	return store
}

// Size returns the number of leaves.
func (t *Tree) Size() int64 { return t.size }

// Root returns the root hash (RFC 6962 §2.1).
func (t *Tree) Root() tlog.Hash {
	if t.size == 0 {
		root, _ := tlog.TreeHash(0, nil) // the empty tree: reads nothing, cannot fail
		return root
	}
	last := len(t.peaks) - 1
	root := t.peaks[last]
	for i := last - 1; i >= 0; i-- {
		root = tlog.NodeHash(t.peaks[i], root)
	}
	return root
}

// ErrMismatch means that the stored events do not match the hashes of the log.
var ErrMismatch = errors.New("the log is not what was written")
