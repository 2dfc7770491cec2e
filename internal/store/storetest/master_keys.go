package storetest

import (
	"testing"
	"time"

	"segel/internal/store"
)

var masterKeyTests = map[string]func(*testing.T, *fixture){
	"AMasterKeyIsAnnouncedUsedAndRetired": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		require := func(what string, want ...store.MasterKey) {
			t.Helper()
			all, err := b.MasterKeys(b.ctx)
			b.must(err)
			b.requireEqual(what, all, append([]store.MasterKey{}, want...))
		}
		require("before the first exchange")
		derived := []store.DerivedKey{{Purpose: "links", Sealed: []byte("sealed")}}
		b.must(b.AnnounceMasterKey(b.ctx, "k2", "k1", derived, at))
		b.must(b.AnnounceMasterKey(b.ctx, "k2", "other", []store.DerivedKey{{Purpose: "links", Sealed: []byte("other")}, {Purpose: "more", Sealed: []byte("m")}}, at.Add(time.Hour)))
		first := store.MasterKey{ID: "k1", AnnouncedAt: at, UsedAt: at}
		require("announced", first, store.MasterKey{ID: "k2", AnnouncedAt: at})
		b.must(b.WithdrawMasterKey(b.ctx, "k1", at))
		b.must(b.WithdrawMasterKey(b.ctx, "k2", at))
		require("withdrawn", first)
		b.requireError("a key that was withdrawn", b.UseMasterKey(b.ctx, "k2", at), store.ErrNotFound)
		b.must(b.AnnounceMasterKey(b.ctx, "k2", "k1", nil, at))
		b.must(b.UseMasterKey(b.ctx, "k2", at.Add(-time.Hour))) // by a clock that is behind
		second := store.MasterKey{ID: "k2", AnnouncedAt: at, UsedAt: at.Add(time.Microsecond)}
		require("used after the first one", first, second)
		b.requireError("used again", b.UseMasterKey(b.ctx, "k2", at), store.ErrNotFound)
		b.must(b.WithdrawMasterKey(b.ctx, "k2", at))
		for i, want := range []int{1, 0} {
			n, err := b.RetireMasterKeys(b.ctx, "k2", at.Add(time.Hour))
			b.must(err)
			b.requireEqual("retired", n, want)
			if i == 0 {
				first.RetiredAt = at.Add(time.Hour)
			}
		}
		require("retired", first, second)
		b.must(b.AddDerivedKey(b.ctx, store.DerivedKey{Purpose: "new", Sealed: []byte("n")}, at))
		b.requireError("added again", b.AddDerivedKey(b.ctx, store.DerivedKey{Purpose: "new", Sealed: []byte("o")}, at), store.ErrExists)
		all, err := b.DerivedKeys(b.ctx)
		b.must(err)
		b.requireEqual("derived keys", all, []store.DerivedKey{derived[0], {Purpose: "more", Sealed: []byte("m")}, {Purpose: "new", Sealed: []byte("n")}})
		b.must(b.CheckLog(b.ctx))
	},
	"ASealedValueIsReplacedIfItIsTheOneThatWasRead": func(t *testing.T, b *fixture) {
		c := store.SealedColumn{Table: "credential", Column: "sealed_key"}
		at := b.now.Truncate(time.Microsecond)
		for _, id := range []string{"1", "2", "3"} {
			b.must(b.AddCredential(b.ctx, store.SealedCredential{ID: id, Holder: "u" + id, Key: []byte("old " + id), Chain: [][]byte{{4}}, NotBefore: at, NotAfter: at.Add(time.Hour), CreatedAt: at}))
		}
		page, err := b.SealedValues(b.ctx, c, "", 2)
		b.must(err)
		b.requireEqual("the first two", page, []store.SealedValue{{Key: "1", About: []string{}, Sealed: []byte("old 1")}, {Key: "2", About: []string{}, Sealed: []byte("old 2")}})
		n, err := b.ReplaceSealed(b.ctx, c, []store.Resealed{
			{Key: "1", Old: []byte("old 1"), New: []byte("new 1")}, {Key: "2", Old: []byte("changed"), New: []byte("new 2")}, {Key: "4", Old: []byte("old 4"), New: []byte("new 4")},
		}, at)
		b.must(err)
		b.requireEqual("replaced", n, 1)
		rest, err := b.SealedValues(b.ctx, c, "", 9)
		b.must(err)
		b.requireEqual("keys", []string{string(rest[0].Sealed), string(rest[1].Sealed), string(rest[2].Sealed)}, []string{"new 1", "old 2", "old 3"})
		got, err := b.Credential(b.ctx, "u1", at, at)
		b.must(err)
		b.requireEqual("the credential", string(got.Key), "new 1")
		if _, err := b.SealedValues(b.ctx, store.SealedColumn{Table: "users", Column: "password"}, "", 1); err == nil {
			t.Error("a column that is not sealed was read")
		}
		b.must(b.CheckLog(b.ctx))
	},
}
