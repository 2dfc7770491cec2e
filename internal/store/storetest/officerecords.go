package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/store"
)

var officeRecordTests = map[string]func(*testing.T, *fixture){
	"EntriesOfAJournalHaveOneWriterEach": func(t *testing.T, b *fixture) {
		read := func(office string, after int64) (all []string) {
			b.must(b.OfficeEntries(b.ctx, office, after, func(number int64, content []byte) error {
				all = append(all, fmt.Sprint(number, " ", string(content)))
				return nil
			}))
			return all
		}
		b.requireEqual("at first", len(read("office", 0)), 0)
		b.must(b.AddOfficeEntry(b.ctx, "office", 1, []byte(`{"is":"taken"}`), b.now))
		b.requireError("the same number", b.AddOfficeEntry(b.ctx, "office", 1, []byte("{}"), b.now), store.ErrExists)
		added := b.runCrowd(8, store.ErrExists, func(i int) error { return b.AddOfficeEntry(b.ctx, "office", 2, []byte("{}"), b.now) })
		b.requireEqual("added", added, 1)
		b.must(b.AddOfficeEntry(b.ctx, "other", 1, []byte("[]"), b.now))
		b.requireEqual("all", read("office", 0), []string{`1 {"is":"taken"}`, "2 {}"})
		b.requireEqual("the last", read("office", 1), []string{"2 {}"})
		b.requireEqual("none", len(read("office", 2)), 0)
		b.requireEqual("of another office", read("other", 0), []string{"1 []"})
		ended := errors.New("ended")
		b.requireError("ended", b.OfficeEntries(b.ctx, "office", 0, func(int64, []byte) error { return ended }), ended)
	},
	"ARecordOfTheOfficeIsRemovedAfterItWasRetired": func(t *testing.T, b *fixture) {
		_, err := b.OfficeRecord(b.ctx, "S1")
		b.requireError("at first", err, store.ErrNotFound)
		b.must(b.StoreOfficeRecord(b.ctx, "S1", []byte("{}")))
		b.must(b.StoreOfficeRecord(b.ctx, "S1", []byte("[]")))
		b.must(b.StoreOfficeRecord(b.ctx, "S2", []byte("{}")))
		requireRead(b, "replaced", []byte("[]"))(b.OfficeRecord(b.ctx, "S1"))
		b.must(b.RetireOfficeRecord(b.ctx, "S1", b.now))
		b.must(b.RetireOfficeRecord(b.ctx, "S3", b.now))
		b.must(b.RemoveOfficeRecords(b.ctx, b.now.Add(-time.Hour)))
		requireRead(b, "retired", []byte("[]"))(b.OfficeRecord(b.ctx, "S1"))
		b.must(b.StoreOfficeRecord(b.ctx, "S1", []byte("[]"))) // it is stamped again
		b.must(b.RemoveOfficeRecords(b.ctx, b.now.Add(time.Hour)))
		requireRead(b, "taken back", []byte("[]"))(b.OfficeRecord(b.ctx, "S1"))
		b.must(b.RetireOfficeRecord(b.ctx, "S1", b.now))
		b.must(b.RemoveOfficeRecords(b.ctx, b.now.Add(time.Hour)))
		_, err = b.OfficeRecord(b.ctx, "S1")
		b.requireError("removed", err, store.ErrNotFound)
		requireRead(b, "another", []byte("{}"))(b.OfficeRecord(b.ctx, "S2"))
	},
}
