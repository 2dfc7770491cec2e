package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// requireTimes requires that the store has these latest times.
func (b *fixture) requireTimes(event time.Time, token contract.TrustedTime) {
	b.t.Helper()
	r, err := b.Times(b.ctx)
	b.must(err)
	b.requireEqual("latest event", r.LastEvent, event)
	b.requireEqual("latest timestamp", r.Timestamp, token)
}

// addCredential adds a credential of the holder u1 and returns its identifier.
func (b *fixture) addCredential(id string, begins, ends, made time.Time) string {
	b.t.Helper()
	b.must(b.AddCredential(b.ctx, store.SealedCredential{ID: id, Holder: "u1", Key: []byte{1}, Chain: [][]byte{{1}}, NotBefore: begins, NotAfter: ends, CreatedAt: made}))
	return id
}

var clockTests = map[string]func(*testing.T, *fixture){
	"TheLatestRecordedTimesAreKnown": func(t *testing.T, b *fixture) {
		started := b.now.Truncate(time.Microsecond)
		b.requireTimes(started, contract.TrustedTime{})
		b.advance(6 * time.Hour)
		ahead := b.now.Truncate(time.Microsecond)
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		b.requireTimes(ahead, contract.TrustedTime{})

		// A later event with an earlier time changes nothing: that is what has to be noticed.
		b.advance(-6 * time.Hour)
		b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventViewed, At: b.now}))
		b.requireTimes(ahead, contract.TrustedTime{})
		b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventViewed, At: ahead.Add(time.Hour)}, contract.Event{Type: contract.EventViewed, At: b.now}))
		b.requireTimes(ahead.Add(time.Hour), contract.TrustedTime{})
		b.must(b.LogEvents(b.ctx))
		b.requireTimes(ahead.Add(time.Hour), contract.TrustedTime{})

		token := contract.TrustedTime{At: started.Add(time.Minute), Accuracy: 1500 * time.Microsecond}
		d = b.commitChange(contract.IntendSign(&d, contract.ShownPages{}, first, ahead))
		c, err := contract.Sign(&d, b.newTail(&d, contract.RevisionSignature), contract.ShownPages{}, d.AttestParticipant(*d.Participant(first.ID), "PT Contoh", first.Proved), first, ahead)
		c.Timestamp = token
		d = b.commitChange(c, err)
		b.requireTimes(ahead.Add(time.Hour), token)
		c, err = contract.IntendSign(&d, contract.ShownPages{}, second, ahead)
		c.Timestamp = contract.TrustedTime{At: started}
		b.commitChange(c, err)
		b.requireTimes(ahead.Add(time.Hour), token)

		// A commit that fails records no time.
		c.Timestamp = contract.TrustedTime{At: ahead.Add(time.Hour)}
		if _, err := b.Commit(b.ctx, c); err == nil {
			t.Fatal("committed on an old version")
		}
		b.requireTimes(ahead.Add(time.Hour), token)
	},
	"AConfirmedClockForgetsWhatWasRecordedBefore": func(t *testing.T, b *fixture) {
		ahead := b.now.AddDate(2, 0, 0)
		b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventViewed, At: ahead}))
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		c, err := contract.IntendSign(&d, contract.ShownPages{}, first, ahead)
		c.Timestamp = contract.TrustedTime{At: ahead, Accuracy: time.Second}
		b.commitChange(c, err)
		before := b.eventCount()
		e := contract.Event{Type: contract.EventClockConfirmed, At: b.now.Truncate(time.Microsecond), Person: contract.Person{Name: "segel clock confirm"},
			Details: map[string]string{"last_event": ahead.Format(time.RFC3339)}}
		b.must(b.ConfirmClock(b.ctx, e))
		b.requireTimes(e.At, contract.TrustedTime{})
		if n := b.eventCount(); n != before+1 {
			t.Fatalf("%d events, %d before the confirmation", n, before)
		}
		events, err := b.Events(b.ctx, 0)
		b.must(err)
		b.requireEqual("last event", events[len(events)-1], e)
		b.must(b.CheckLog(b.ctx))
		b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventViewed, At: b.now.Add(time.Hour)}))
		b.requireTimes(b.now.Add(time.Hour).Truncate(time.Microsecond), contract.TrustedTime{})
	},
	"TheDatabasesClockGoesOrThereIsNone": func(t *testing.T, b *fixture) {
		before := time.Now()
		r, err := b.Times(b.ctx)
		b.must(err)
		if !r.Local.IsZero() {
			t.Fatal("the store returned a local time")
		}
		if r.Database.IsZero() {
			again, err := b.Times(b.ctx)
			b.must(err)
			if !again.Database.IsZero() {
				t.Fatal("the database has a clock only sometimes")
			}
			return
		}
		// The test server runs on this machine.
		if r.Database.Before(before.Add(-time.Minute)) || r.Database.After(time.Now().Add(time.Minute)) {
			t.Fatalf("the database's clock says %s between %s and %s", r.Database, before, time.Now())
		}
		again, err := b.Times(b.ctx)
		b.must(err)
		if !again.Database.After(r.Database) {
			t.Fatalf("the database's clock stopped at %s", r.Database)
		}
	},
	"DocumentsWithATimeInTheFutureAreFound": func(t *testing.T, b *fixture) {
		past := b.uploadDraft(owner)
		limit := b.now.Add(time.Minute)
		b.advance(time.Hour)
		var want []contract.DocumentID
		for range 3 {
			d := b.uploadDraft(owner)
			b.finalizeDraft(d, owner) // a second event of the same document
			want = append(want, d.ID)
		}
		b.must(b.LogEvents(b.ctx, contract.Event{Type: contract.EventPasswordForgot, At: b.now}))
		ids, n, err := b.DatedAfter(b.ctx, limit, 2)
		b.must(err)
		b.requireEqual("the first two", ids, want[:2])
		b.requireEqual("how many", n, 3)
		ids, n, err = b.DatedAfter(b.ctx, b.now, 9)
		b.must(err)
		if len(ids) != 0 || n != 0 {
			t.Fatalf("%v, %d, of %v", ids, n, past.ID)
		}
	},
	"ACredentialIsFoundWithinItsValidityOnly": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		good := b.addCredential("1", at.Add(-time.Hour), at.AddDate(2, 0, 0), at.Add(-time.Hour))
		ahead := b.addCredential("2", at.Add(6*time.Hour), at.AddDate(2, 0, 0), at.Add(6*time.Hour))
		for now, want := range map[time.Duration]string{0: good, -time.Hour: good, 6 * time.Hour: ahead, 6*time.Hour - time.Second: good} {
			got, err := b.Credential(b.ctx, "u1", at.Add(now), at.Add(now).AddDate(0, 0, 1))
			if err != nil || got.ID != want {
				t.Errorf("after %s: %q, %v, want %q", now, got.ID, err, want)
			}
		}
		if got, err := b.Credential(b.ctx, "u1", at.Add(-time.Hour-time.Second), at); err == nil {
			t.Errorf("before any begins: %q", got.ID)
		}
		if got, err := b.Credential(b.ctx, "u1", at, at.AddDate(2, 0, 0)); err == nil {
			t.Errorf("when they have ended: %q", got.ID)
		}
	},
}
