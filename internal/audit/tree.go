package audit

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Hashes reads stored hashes of the tree by [tlog.StoredHashIndex], in the order asked for.
type Hashes interface {
	ReadHashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error)
}

// Tree is a log at one size: the roots of its complete subtrees, the largest first. That is all that
// appending and the root need, at most 63 hashes.
type Tree struct {
	size  int64
	peaks []tlog.Hash
}

// Resume returns the tree of that size from stored hashes.
func Resume(ctx context.Context, size int64, h Hashes) (*Tree, error) {
	if size == 0 {
		return &Tree{}, nil
	}
	peaks, err := h.ReadHashes(ctx, peakIndexes(size))
	if err != nil {
		return nil, fmt.Errorf("read the log's hashes at size %d: %w", size, err)
	}
	return &Tree{size: size, peaks: peaks}, nil
}

// peakIndexes returns where the roots of the complete subtrees of a tree are stored.
func peakIndexes(size int64) []int64 {
	var indexes []int64
	for level := bits.Len64(uint64(size)) - 1; level >= 0; level-- {
		if size&(1<<level) != 0 {
			indexes = append(indexes, tlog.StoredHashIndex(level, size>>(level+1)<<1))
		}
	}
	return indexes
}

// Append adds a leaf and returns the hashes that it completes: they are stored one after the other from
// tlog.StoredHashIndex(0, size before) on.
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
		root, _ := tlog.TreeHash(0, nil) // of nothing: reads nothing, cannot fail
		return root
	}
	last := len(t.peaks) - 1
	root := t.peaks[last]
	for i := last - 1; i >= 0; i-- {
		root = tlog.NodeHash(t.peaks[i], root)
	}
	return root
}

// Prove returns the proof that leaf number leaf, from 0, is in the log of that size (RFC 6962 §2.1.1).
func Prove(ctx context.Context, size, leaf int64, h Hashes) (tlog.RecordProof, error) {
	if leaf < 0 || leaf >= size {
		return nil, fmt.Errorf("leaf %d is not in a log of %d", leaf, size)
	}
	p, err := tlog.ProveRecord(size, leaf, reader(ctx, h))
	if err != nil {
		return nil, fmt.Errorf("prove leaf %d of %d: %w", leaf, size, err)
	}
	return p, nil
}

// ProveExtension returns the proof that the log of size after begins with that of size before (RFC 6962 §2.1.2).
func ProveExtension(ctx context.Context, after, before int64, h Hashes) (tlog.TreeProof, error) {
	if before < 1 || before > after {
		return nil, fmt.Errorf("a log of %d does not begin with one of %d", after, before)
	}
	p, err := tlog.ProveTree(after, before, reader(ctx, h))
	if err != nil {
		return nil, fmt.Errorf("prove that the log of %d extends that of %d: %w", after, before, err)
	}
	return p, nil
}

// Included checks the proof that an event is leaf number leaf of the log that a checkpoint signs.
func Included(c Checkpoint, leaf int64, event []byte, p tlog.RecordProof) error {
	return tlog.CheckRecord(p, c.Size, c.Root, leaf, tlog.RecordHash(event))
}

func reader(ctx context.Context, h Hashes) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) { return h.ReadHashes(ctx, indexes) })
}

// ErrMismatch says that stored events and the hashes of the log do not belong together.
var ErrMismatch = errors.New("the log is not what was written")
