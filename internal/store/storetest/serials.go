package storetest

import (
	"errors"
	"testing"

	"segel/internal/store"
)

var serials = map[string]func(*testing.T, *bench){
	"ASerialLeadsToItsDocument": func(t *testing.T, b *bench) {
		b.bind(b.sign(b.sign(b.finalize(b.place(b.upload(owner), owner, 1), owner), first), second), "SERIAL-1")
		d := b.bind(b.sign(b.sign(b.finalize(b.place(b.upload(owner), owner, 1), owner), first), second), "SERIAL-2")
		got, err := b.DocumentWithSerial(b.ctx, "SERIAL-2")
		b.must(err)
		b.same("document", got, d.ID)
		d = b.affix(d)
		got, err = b.DocumentWithSerial(b.ctx, "SERIAL-2")
		b.must(err)
		b.same("document", got, d.ID)
		for _, none := range []string{"", "SERIAL-3", "serial-1", "SERIAL-"} {
			if _, err := b.DocumentWithSerial(b.ctx, none); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("serial %q: %v", none, err)
			}
		}
	},
}
