package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var blobKeyTests = map[string]func(*testing.T, *fixture){
	"TheNewestKeyOfFilesIsThatOfTheHighestGeneration": func(t *testing.T, b *fixture) {
		b.teamOf("team", first) // which stores the organisation
		_, err := b.NewestBlobKey(b.ctx, "org")
		b.requireError("before the first", err, store.ErrNotFound)
		_, err = b.BlobKey(b.ctx, "a1")
		b.requireError("by its identifier", err, store.ErrNotFound)
		key := func(id string, generation int) store.BlobKey {
			return store.BlobKey{ID: id, Organisation: "org", Generation: generation, Sealed: []byte("sealed " + id), CreatedAt: b.now.Truncate(time.Microsecond)}
		}
		b.must(b.AddBlobKey(b.ctx, key("a1", 1)))
		b.must(b.AddBlobKey(b.ctx, key("a3", 3)))
		b.must(b.AddBlobKey(b.ctx, key("a2", 2)))
		b.requireError("a generation again", b.AddBlobKey(b.ctx, key("again", 2)), store.ErrExists)
		newest, err := b.NewestBlobKey(b.ctx, "org")
		b.must(err)
		b.requireEqual("newest", newest, key("a3", 3))
		first, err := b.BlobKey(b.ctx, "a1")
		b.must(err)
		b.requireEqual("first", first, key("a1", 1))
		_, err = b.NewestBlobKey(b.ctx, "other")
		b.requireError("of another organisation", err, store.ErrNotFound)
		var ids []string
		b.must(b.EachBlobKey(b.ctx, func(k store.BlobKey) bool { ids = append(ids, k.ID); return len(ids) < 2 }))
		b.requireEqual("each", ids, []string{"a1", "a2"})
	},
	"OfTwoFirstKeysOfFilesOneIsStored": func(t *testing.T, b *fixture) {
		b.teamOf("team", first)
		won := b.runCrowd(4, store.ErrExists, func(i int) error {
			return b.AddBlobKey(b.ctx, store.BlobKey{ID: string(rune('a' + i)), Organisation: contract.OrganisationID("org"), Generation: 1, Sealed: []byte{byte(i)}, CreatedAt: b.now})
		})
		b.requireEqual("stored", won, 1)
	},
}
