package storetest

import (
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

var testDocumentTests = map[string]func(*testing.T, *fixture){
	"ATestDocumentIsMarkedAndCostsNothing": func(t *testing.T, b *fixture) {
		by := owner
		by.Key = &contract.KeyGrant{ID: "k", Name: "ERP", Scopes: contract.KeyScopes, Test: true}
		before, err := b.Quota(b.ctx, owner.Organisation)
		b.must(err)
		d := b.uploadDraft(by)
		b.requireEqual("marks", d.Test && d.Specimen, true)
		b.requireStored(d)
		plain := b.uploadDraft(owner)
		b.requireEqual("another document", plain.Test || plain.Specimen, false)
		b.requireStored(plain)
		c, _, err := contract.Finalize(&d, contract.FinalizeOptions{}, by, b.now)
		d = b.commitChange(c, err)
		b.requireStored(d)
		after, err := b.Quota(b.ctx, owner.Organisation)
		b.must(err)
		b.requireEqual("quota", after, before)
		list, err := b.List(b.ctx, store.ListQuery{Person: owner.ID, Box: store.Outbox, Limit: 10})
		b.must(err)
		for _, listed := range list.Documents {
			b.requireEqual("mark in the list", listed.Test, listed.ID == d.ID)
		}
	},
}
