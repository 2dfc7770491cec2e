package sqlstore

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

var blobKeyRows = rowType[store.BlobKey]{
	"blob_key", `id, organisation, generation, sealed, created_at`,
	func(k *store.BlobKey) []any {
		return []any{&k.ID, &k.Organisation, &k.Generation, scanBytes(&k.Sealed), scanTime(&k.CreatedAt)}
	},
}

// AddBlobKey implements [store.BlobKeys].
func (s *Store) AddBlobKey(ctx context.Context, k store.BlobKey) error {
	err := s.db.withTx(ctx, func(t tx) error {
		added := func(n int64) error {
			if n == 0 {
				return store.ErrExists
			}
			return nil
		}
		return execRequired(ctx, t, added, `INSERT INTO blob_key (`+blobKeyRows.columns+`) VALUES (`+placeholders(1, 5)+`) ON CONFLICT (organisation, generation) DO NOTHING`,
			k.ID, k.Organisation, k.Generation, k.Sealed, toMicros(k.CreatedAt))
	})
	return wrapf(err, "store key %d of the files of organisation %s", k.Generation, k.Organisation)
}

// BlobKey implements [store.BlobKeys].
func (s *Store) BlobKey(ctx context.Context, id string) (store.BlobKey, error) {
	k, err := blobKeyRows.readOne(ctx, s, `WHERE id = $1`, id)
	return k, wrapf(err, "read key %s of files", id)
}

// NewestBlobKey implements [store.BlobKeys].
func (s *Store) NewestBlobKey(ctx context.Context, o contract.OrganisationID) (store.BlobKey, error) {
	k, err := blobKeyRows.readOne(ctx, s, `WHERE organisation = $1 ORDER BY generation DESC LIMIT 1`, o)
	return k, wrapf(err, "read the newest key of the files of organisation %s", o)
}

// EachBlobKey implements [store.BlobKeys].
func (s *Store) EachBlobKey(ctx context.Context, yield func(store.BlobKey) bool) error {
	all, err := readAll(ctx, s, blobKeyRows.dest, blobKeyRows.selectWhere(`ORDER BY organisation, generation`))
	if err != nil {
		return wrapf(err, "read the keys of files")
	}
	for _, k := range all {
		if !yield(k) {
			break
		}
	}
	return nil
}
