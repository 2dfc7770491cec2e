package storetest

import (
	"errors"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// textTests cover text that databases treat differently: NUL, which PostgreSQL does not store, and invalid UTF-8.
var textTests = map[string]func(*testing.T, *fixture){
	"WhatCannotBeStoredIsNotFound": func(t *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("u1", "One", "one@example.test", "org")))
		for _, bad := range []string{"u1\x00", "\xffu1", "\x00"} {
			_, err1 := b.User(b.ctx, contract.PersonID(bad))
			users, err2 := b.UsersByEmail(b.ctx, "one@example.test"+bad)
			_, err3 := b.OrganisationByName(b.ctx, bad)
			if !errors.Is(err1, store.ErrNotFound) || err2 != nil || len(users) > 0 || !errors.Is(err3, store.ErrNotFound) {
				t.Errorf("%q: %v, %v, %v, %v", bad, err1, users, err2, err3)
			}
		}
	},
	"WhatCannotBeStoredIsReplacedByOneSign": func(t *testing.T, b *fixture) {
		d := b.signAs(b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 1), owner), first), second)
		d = b.requireStored(b.commitChange(contract.RecordStampFailure(&d, 0, contract.Failure{Text: "the office\x00says \xff no"}, b.now)))
		if got := d.Stamps[0].Problem; got != "the office\uFFFDsays \uFFFD no" {
			t.Fatalf("%q", got)
		}
		b.must(b.CheckLog(b.ctx))
	},
}
