package sqlstore

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/audit"
	"segel/internal/contract"
)

// Size implements [store.Log].
func (s *Store) Size(ctx context.Context) (size int64, root [32]byte, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		if err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
			return err
		}
		tree, err := audit.ResumeTree(ctx, size, hashes{q})
		if err == nil {
			root = tree.Root()
		}
		return err
	})
	if err != nil {
		return 0, root, fmt.Errorf("read size and root of the log: %w", err)
	}
	return size, root, nil
}

// RootAt implements [store.Log].
func (s *Store) RootAt(ctx context.Context, leaves int64) (root [32]byte, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		if err := requireLeaves(ctx, q, leaves); err != nil {
			return err
		}
		tree, err := audit.ResumeTree(ctx, leaves, hashes{q})
		if err == nil {
			root = tree.Root()
		}
		return err
	})
	return root, wrapf(err, "read the log's root at %d leaves", leaves)
}

// checkBatch is the number of events that are checked at a time; each takes a few hundred bytes.
const checkBatch = 500

// CheckLog implements [store.Log]. It returns [audit.ErrMismatch] if an event or a hash differs from what was
// logged. Only a checkpoint signed earlier reveals a truncated log: see [Store.RootAt].
func (s *Store) CheckLog(ctx context.Context) error {
	size, _, err := s.Size(ctx)
	if err != nil {
		return err
	}
	tree := &audit.Tree{}
	for tree.Size() < size {
		until := min(tree.Size()+checkBatch, size)
		// Rows below the size never change, so each batch may use a separate snapshot.
		err := s.db.withSnapshot(ctx, func(q querier) error { return checkEvents(ctx, q, tree, until) })
		if err != nil {
			return fmt.Errorf("check log at leaf %d: %w", tree.Size(), err)
		}
	}
	if err := s.db.readWhole(ctx, func(q querier) error { return checkOutsideTree(ctx, q) }); err != nil {
		return fmt.Errorf("check rows outside of the log: %w", err)
	}
	return nil
}

// checkOutsideTree looks for rows that are not part of the tree. Readers would see such an event as one of its
// document's, or it would collide with the next event, and no root hash covers it.
func checkOutsideTree(ctx context.Context, q querier) error {
	// The size is read again, in the snapshot of the rows: other transactions may have appended since.
	var size, events, hashes int64
	if err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
		return err
	}
	if err := queryOne(ctx, q, []any{&events}, `SELECT COUNT(*) FROM event WHERE leaf < 0 OR leaf >= $1`, size); err != nil {
		return err
	}
	err := queryOne(ctx, q, []any{&hashes}, `SELECT COUNT(*) FROM log_hash WHERE position < 0 OR position >= $1`, tlog.StoredHashIndex(0, size))
	if err == nil && events+hashes > 0 {
		return fmt.Errorf("%d events and %d hashes: %w", events, hashes, audit.ErrMismatch)
	}
	return err
}

// checkEvents extends the tree by the stored events before leaf until, and compares the resulting hashes
// with the stored ones.
func checkEvents(ctx context.Context, q querier, tree *audit.Tree, until int64) error {
	from := tree.Size()
	stored := map[int64]tlog.Hash{}
	err := queryEach(ctx, q, func(scan func(...any) error) error {
		var position int64
		var hash [32]byte
		err := scan(&position, scanDigest(&hash))
		stored[position] = hash
		return err
	}, `SELECT position, hash FROM log_hash WHERE position >= $1 AND position < $2`, tlog.StoredHashIndex(0, from), tlog.StoredHashIndex(0, until))
	if err != nil {
		return err
	}
	err = queryEach(ctx, q, func(scan func(...any) error) error {
		leaf, e, _, err := scanEvent(scan)
		if err != nil {
			return err
		}
		return checkEvent(tree, stored, leaf, e)
	}, `SELECT `+eventColumns+` FROM event WHERE leaf >= $1 AND leaf < $2 ORDER BY leaf`, from, until)
	if err == nil && tree.Size() < until {
		return fmt.Errorf("event %d is missing: %w", tree.Size(), audit.ErrMismatch)
	}
	return err
}

func checkEvent(tree *audit.Tree, stored map[int64]tlog.Hash, leaf int64, e contract.Event) error {
	if leaf != tree.Size() {
		return fmt.Errorf("event %d is missing: %w", tree.Size(), audit.ErrMismatch)
	}
	for i, h := range tree.Append(audit.EncodeLeaf(e)) {
		position := tlog.StoredHashIndex(0, leaf) + int64(i)
		if stored[position] != h {
			return fmt.Errorf("event %d gives another hash %d: %w", leaf, position, audit.ErrMismatch)
		}
	}
	return nil
}
