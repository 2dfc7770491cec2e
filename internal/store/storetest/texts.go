package storetest

import (
	"errors"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// texts are what databases differ about: NUL, which PostgreSQL does not store, and what is not UTF-8.
var texts = map[string]func(*testing.T, *bench){
	"WhatCannotBeStoredIsNotFound": func(t *testing.T, b *bench) {
		b.must(b.CreateUser(b.ctx, account("u1", "One", "one@example.test", "org")))
		for _, bad := range []string{"u1\x00", "\xffu1", "\x00"} {
			_, err1 := b.User(b.ctx, contract.PersonID(bad))
			users, err2 := b.UsersByEmail(b.ctx, "one@example.test"+bad)
			_, err3 := b.OrganisationByName(b.ctx, bad)
			if !errors.Is(err1, store.ErrNotFound) || err2 != nil || len(users) > 0 || !errors.Is(err3, store.ErrNotFound) {
				t.Errorf("%q: %v, %v, %v, %v", bad, err1, users, err2, err3)
			}
		}
	},
	"WhatCannotBeStoredIsReplacedByOneSign": func(t *testing.T, b *bench) {
		d := b.sign(b.sign(b.finalize(b.place(b.upload(owner), owner, 1), owner), first), second)
		d = b.reads(b.commit(contract.StampProblem(&d, 0, contract.Failure{Text: "the office\x00says \xff no"}, b.now)))
		if got := d.Stamps[0].Problem; got != "the office\uFFFDsays \uFFFD no" {
			t.Fatalf("%q", got)
		}
		b.must(b.CheckLog(b.ctx))
	},
}
