package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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
	"TheStateIsMovedToAFolderAsItWasReadOrNotAtAll": func(t *testing.T, b *fixture) {
		mark, folder := []byte("mark"), []byte("folder")
		fill := func(to store.StateFiles) {
			b.must(to.AddKeyFile(b.ctx, "authority.json", []byte{1}, b.now))
			b.must(to.AddOfficeEntry(b.ctx, "office", 1, []byte("{}"), b.now))
			b.must(to.StoreOfficeRecord(b.ctx, "S1", []byte("{}")))
		}
		requireNames := func(want string) {
			names, err := b.KeyFileNames(b.ctx)
			b.must(err)
			b.requireEqual("names", strings.Join(names, " "), want)
		}
		digest := func() [32]byte {
			d, err := b.StateDigest(b.ctx)
			b.must(err)
			return d
		}
		fill(b)
		b.requireError("the database is not used", b.MoveStateToFolder(b.ctx, digest(), folder, b.now), store.ErrConflict)
		b.must(b.UseStateInDatabase(b.ctx, mark, nil, b.now))
		b.requireError("it is used already", b.UseStateInDatabase(b.ctx, mark, nil, b.now), store.ErrConflict)
		requireRead(b, "used", store.StatePlace{Mark: mark})(b.StatePlace(b.ctx))
		for _, c := range []struct {
			name   string
			change func()
		}{
			{"a file", func() { b.must(b.AddKeyFile(b.ctx, "tsa-2.json", []byte{2}, b.now)) }},
			{"a sealed file", func() { b.must(b.ReplaceKeyFile(b.ctx, "authority.json", []byte{1}, []byte{3})) }},
			{"an entry", func() { b.must(b.AddOfficeEntry(b.ctx, "office", 2, []byte("{}"), b.now)) }},
			{"a record", func() { b.must(b.StoreOfficeRecord(b.ctx, "S2", []byte("{}"))) }},
			{"a record's end", func() { b.must(b.RetireOfficeRecord(b.ctx, "S1", b.now)) }},
			{"a record's picture", func() { b.must(b.StoreOfficeRecord(b.ctx, "S1", []byte("[]"))) }},
		} {
			before := digest()
			c.change()
			b.requireError(c.name+" was changed", b.MoveStateToFolder(b.ctx, before, folder, b.now), store.ErrConflict)
		}
		b.must(b.AddNode(b.ctx, store.Node{Name: "dead", Host: "h"}, endedLease))
		b.requireError("a node is not marked as ended", b.MoveStateToFolder(b.ctx, digest(), folder, b.now), store.ErrNodesRun)
		_, err := b.EndOverdueNode(b.ctx, "dead")
		b.must(err)
		records := map[string]time.Time{}
		b.must(b.RetireOfficeRecord(b.ctx, "S2", b.now))
		b.must(b.EachOfficeRecord(b.ctx, func(serial string, _ []byte, retiredAt time.Time) error {
			records[serial] = retiredAt
			return nil
		}))
		b.requireEqual("records", records, map[string]time.Time{"S1": {}, "S2": b.now.Truncate(time.Microsecond)})

		requireNames("authority.json tsa-2.json")
		b.must(b.MoveStateToFolder(b.ctx, digest(), folder, b.now))
		requireNames("")
		requireRead(b, "moved", store.StatePlace{Folder: folder})(b.StatePlace(b.ctx))
		_, err = b.KeyFile(b.ctx, "authority.json")
		b.requireError("a file is left", err, store.ErrNotFound)
		_, err = b.OfficeRecord(b.ctx, "S1")
		b.requireError("a record is left", err, store.ErrNotFound)
		b.requireError("a file is added", b.AddKeyFile(b.ctx, "authority.json", []byte{1}, b.now), store.ErrInFolder)
		b.requireError("an entry is added", b.AddOfficeEntry(b.ctx, "office", 3, []byte("{}"), b.now), store.ErrInFolder)
		b.requireError("a record is added", b.StoreOfficeRecord(b.ctx, "S1", []byte("{}")), store.ErrInFolder)
		b.requireError("it is moved again", b.MoveStateToFolder(b.ctx, digest(), folder, b.now), store.ErrConflict)

		fill(b.UnusedState()) // nothing of it was added before
		for name, of := range map[string][]byte{"no folder": nil, "another folder": []byte("other")} {
			b.requireError(name, b.UseStateInDatabase(b.ctx, mark, of, b.now), store.ErrConflict)
		}
		b.must(b.UseStateInDatabase(b.ctx, mark, folder, b.now))
		requireRead(b, "used again", store.StatePlace{Mark: mark})(b.StatePlace(b.ctx))
		b.must(b.AddOfficeEntry(b.ctx, "office", 2, []byte("{}"), b.now))
	},
	"WhatIsAddedWhileTheStateMovesToAFolderIsRefusedOrStopsTheMove": func(t *testing.T, b *fixture) {
		b.must(b.UseStateInDatabase(b.ctx, []byte("mark"), nil, b.now))
		before, err := b.StateDigest(b.ctx)
		b.must(err)
		var moved, added atomic.Int32
		b.runCrowd(8, nil, func(i int) error {
			if i == 0 {
				err := b.MoveStateToFolder(b.ctx, before, []byte("folder"), b.now)
				if err == nil {
					moved.Add(1)
				} else if !errors.Is(err, store.ErrConflict) {
					return err
				}
				return nil
			}
			err := b.AddOfficeEntry(b.ctx, "office", int64(i), []byte("{}"), b.now)
			if err == nil {
				added.Add(1)
			} else if !errors.Is(err, store.ErrInFolder) {
				return err
			}
			return nil
		})
		if moved.Load() == 1 && added.Load() > 0 || moved.Load() == 0 && added.Load() != 7 {
			t.Errorf("it was moved %d times, and %d entries were added", moved.Load(), added.Load())
		}
	},
	"TheAuthorityIsReplacedWithTheRecordOfTheInstallationOrNotAtAll": func(t *testing.T, b *fixture) {
		read, _, err := b.Installation(b.ctx)
		b.must(err)
		if read.ID == "" {
			b.must(b.ReplaceInstallation(b.ctx, store.Installation{}, store.Installation{ID: "i", Authority: [32]byte{1}, CreatedAt: b.now, CompletedAt: b.now}))
			read, _, err = b.Installation(b.ctx)
			b.must(err)
		}
		write := read
		write.Authority = [32]byte{2}
		b.must(b.AddKeyFile(b.ctx, "authority.json", []byte{1}, b.now))
		b.must(b.AddKeyFile(b.ctx, "tsa-2.json", []byte{1}, b.now))
		replace := func(read store.Installation) error {
			digest, err := b.StateDigest(b.ctx)
			b.must(err)
			return b.ReplaceAuthority(b.ctx, digest, map[string][]byte{"authority.json": {2}, "guests.json": {3}}, read, write, b.now)
		}
		b.requireError("the database is not used", replace(read), store.ErrConflict)
		b.must(b.UseStateInDatabase(b.ctx, []byte("mark"), nil, b.now))
		b.requireError("another record was read", replace(write), store.ErrConflict)
		requireRead(b, "the former authority", []byte{1})(b.KeyFile(b.ctx, "authority.json"))
		b.must(replace(read))
		for name, want := range map[string][]byte{"authority.json": {2}, "guests.json": {3}, store.KeyMarkFile: []byte("mark")} {
			requireRead(b, name, want)(b.KeyFile(b.ctx, name))
		}
		_, err = b.KeyFile(b.ctx, "tsa-2.json")
		b.requireError("a successor is left", err, store.ErrNotFound)
		now, _, err := b.Installation(b.ctx)
		b.must(err)
		b.requireEqual("recorded", now.Authority, write.Authority)
	},
}
