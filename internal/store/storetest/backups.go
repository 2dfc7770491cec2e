package storetest

import (
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var backupTests = map[string]func(*testing.T, *fixture){
	"ABackupHoldsDeletionsUntilItEnds": func(t *testing.T, b *fixture) {
		held := func(want bool) {
			t.Helper()
			got, err := b.HoldsDeletions(b.ctx)
			b.must(err)
			b.requireEqual("held", got, want)
		}
		held(false)
		b.must(b.BeginBackup(b.ctx, "1", "/backup", time.Minute))
		held(true)
		if err := b.BeginBackup(b.ctx, "2", "/backup", time.Minute); !errors.Is(err, store.ErrExists) {
			t.Errorf("a second one at the same time: %v", err)
		}
		b.must(b.RenewBackup(b.ctx, "1", time.Minute))
		b.must(b.EndBackup(b.ctx, "1", true))
		held(false)
		if err := b.RenewBackup(b.ctx, "1", time.Minute); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("renewed after its end: %v", err)
		}
		last, err := b.LastBackup(b.ctx)
		b.must(err)
		if last.ID != "1" || last.Destination != "/backup" || last.CompletedAt.Before(last.BeganAt) {
			t.Errorf("the last one: %+v", last)
		}
	},
	"ABackupWhoseHoldHasPassedCannotGoOn": func(t *testing.T, b *fixture) {
		b.must(b.BeginBackup(b.ctx, "1", "/backup", -time.Second))
		if held, err := b.HoldsDeletions(b.ctx); held || err != nil {
			t.Errorf("%t, %v", held, err)
		}
		if err := b.RenewBackup(b.ctx, "1", time.Minute); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("renewed: %v", err)
		}
		b.must(b.BeginBackup(b.ctx, "2", "/backup", time.Minute))
		b.must(b.EndBackup(b.ctx, "2", false))
		if _, err := b.LastBackup(b.ctx); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("one that ended early counts: %v", err)
		}
		if all, err := b.Restorations(b.ctx); len(all) != 0 || err != nil {
			t.Errorf("restorations of a database that was never restored: %v, %v", all, err)
		}
		if all, err := b.LogRestorations(b.ctx, func(store.Restoration) contract.Event { return contract.Event{Type: contract.EventRestored} }); len(all) != 0 || err != nil {
			t.Errorf("logged restorations of a database that was never restored: %v, %v", all, err)
		}
	},
}
