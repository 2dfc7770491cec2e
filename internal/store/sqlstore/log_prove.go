package sqlstore

import (
	"context"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/store"
)

// Prove implements [store.Log]. It returns the stored hashes; the verifier of the proof detects hashes that do not match the
// events.
func (s *Store) Prove(ctx context.Context, id contract.DocumentID, leaves int64) ([]store.Proven, error) {
	var all []store.Proven
	err := s.db.withSnapshot(ctx, func(q querier) (err error) {
		if err := requireLeaves(ctx, q, leaves); err != nil {
			return err
		}
		all, err = readProvable(ctx, q, id, leaves)
		for i := range all {
			if err == nil {
				all[i].Path, err = leafPath(ctx, q, leaves, all[i].Leaf)
			}
		}
		return err
	})
	return all, wrapf(err, "prove events of document %d in the first %d", id, leaves)
}

// requireLeaves returns [store.ErrNotFound] if the log has fewer leaves.
func requireLeaves(ctx context.Context, q querier, leaves int64) error {
	var size int64
	if err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
		return err
	}
	if leaves < 0 || leaves > size {
		return store.ErrNotFound
	}
	return nil
}

// readProvable reads the events of a document among the first leaves.
func readProvable(ctx context.Context, q querier, id contract.DocumentID, leaves int64) ([]store.Proven, error) {
	all := []store.Proven{}
	err := queryEach(ctx, q, func(scan func(...any) error) error {
		leaf, e, _, err := scanEvent(scan)
		all = append(all, store.Proven{Logged: store.Logged{Event: e, Leaf: leaf}})
		return err
	}, `SELECT `+eventColumns+` FROM event WHERE document = $1 AND leaf >= 0 AND leaf < $2 ORDER BY leaf`, id, leaves)
	return all, err
}

// leafPath reads the hashes that prove a leaf.
func leafPath(ctx context.Context, q querier, leaves, leaf int64) ([][32]byte, error) {
	proof, err := audit.ProveLeaf(ctx, leaves, leaf, hashes{q})
	if err != nil {
		return nil, err
	}
	all := make([][32]byte, len(proof))
	for i, h := range proof {
		all[i] = h
	}
	return all, nil
}
