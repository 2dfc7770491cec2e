package storetest

import (
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// orderNotices commits a reminder, which orders one notice to each of the two signers in turn.
func (b *fixture) orderNotices() (contract.Document, []contract.Notice) {
	b.t.Helper()
	d := b.finalizeDraft(b.uploadDraft(owner, func(u *contract.Upload) { u.Parallel = true }), owner)
	d = b.commitChange(contract.Remind(&d, owner, b.advance(time.Minute).now))
	all, err := b.OrderedNotices(b.ctx, d.ID)
	b.must(err)
	return d, all
}

var noticeTests = map[string]func(*testing.T, *fixture){
	"ACommitOrdersItsNoticesInTheirOrder": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner, func(u *contract.Upload) { u.Parallel = true }), owner)
		c, err := contract.Remind(&d, owner, b.advance(time.Minute).now)
		b.must(err)
		if len(c.Notices) < 2 {
			t.Fatalf("the change orders %d notices", len(c.Notices))
		}
		invited, err := b.OrderedNotices(b.ctx, d.ID)
		b.must(err)
		d = b.commitChange(c, nil)
		got, err := b.OrderedNotices(b.ctx, d.ID)
		b.must(err)
		b.requireEqual("number of ordered notices", len(got), len(invited)+len(c.Notices))
		for i, n := range got[len(invited):] {
			want := c.Notices[i]
			if n.ID == "" {
				t.Fatal("a notice has no identifier")
			}
			want.ID, want.Document, want.OrderedAt, want.DueAt = n.ID, d.ID, b.storedNow(), b.storedNow()
			b.requireEqual("notice", n, want)
			requireRead(b, "notice by its identifier", want)(b.Notice(b.ctx, n.ID))
		}
		newest, err := b.NoticesOf(b.ctx, d.ID)
		b.must(err)
		b.requireEqual("newest notices", len(newest), len(got))
		_, err = b.Notice(b.ctx, "01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61")
		b.requireError("an unknown notice", err, store.ErrNotFound)
	},
	"OnlyASentNoticeIsReturnedAndOnce": func(t *testing.T, b *fixture) {
		d, all := b.orderNotices()
		n := all[0]
		refuse := func(n contract.Notice) error {
			n.State, n.Problem, n.DoneAt = contract.NoticeFailed, "550 unknown", b.storedNow()
			return b.RefuseNotice(b.ctx, n, contract.Event{Type: contract.EventNoticeRefused, Document: d.ID, At: b.now})
		}
		b.requireError("before it is sent", refuse(n), store.ErrConflict)
		n, err := b.BeginTry(b.ctx, n, "first@example.test", b.now, time.Minute)
		b.must(err)
		n.State, n.DoneAt = contract.NoticeSent, b.storedNow()
		b.must(b.EndTry(b.ctx, n))
		other := n
		other.Address = "former@example.test"
		b.requireError("for another address", refuse(other), store.ErrConflict)
		events := len(b.eventTypes(d.ID))
		b.requireEqual("returns", b.runCrowd(4, store.ErrConflict, func(int) error { return refuse(n) }), 1)
		b.requireEqual("events", len(b.eventTypes(d.ID))-events, 1)
		n.State, n.Problem = contract.NoticeFailed, "550 unknown"
		requireRead(b, "notice", n)(b.Notice(b.ctx, n.ID))
	},
	"AFailedCommitOrdersNothing": func(t *testing.T, b *fixture) {
		d, before := b.orderNotices()
		c, err := contract.Remind(&d, owner, b.advance(2*time.Hour).now)
		b.must(err)
		b.commitChange(c, nil)
		_, err = b.Commit(b.ctx, c)
		b.requireError("the same change again", err, store.ErrConflict)
		after, err := b.OrderedNotices(b.ctx, d.ID)
		b.must(err)
		b.requireEqual("notices", len(after), len(before)+len(c.Notices))
	},
	"OneOfSeveralProcessesBeginsATry": func(t *testing.T, b *fixture) {
		_, all := b.orderNotices()
		won := b.runCrowd(8, store.ErrConflict, func(int) error {
			_, err := b.BeginTry(b.ctx, all[0], "siti@contoh.id", b.now, time.Minute)
			return err
		})
		b.requireEqual("processes that began the try", won, 1)
		n, err := b.Notice(b.ctx, all[0].ID)
		b.must(err)
		b.requireEqual("tries", n.Tries, 1)
		b.requireEqual("address", n.Address, "siti@contoh.id")
	},
	"TheResultOfATryIsStoredOnceWithItsEvent": func(t *testing.T, b *fixture) {
		d, all := b.orderNotices()
		all[0].Channel = contract.ChannelSMS
		n, err := b.BeginTry(b.ctx, all[0], "siti@contoh.id", b.now, time.Minute)
		b.must(err)
		stale := n
		n.State, n.DoneAt = contract.NoticeSent, b.storedNow()
		sent := contract.Event{Type: contract.EventNoticeSent, Document: d.ID, At: b.now, Details: map[string]string{"recipient": string(n.Person)}}
		b.must(b.EndTry(b.ctx, n, sent))
		requireRead(b, "notice", n)(b.Notice(b.ctx, n.ID))
		b.requireError("a second result", b.EndTry(b.ctx, stale, sent), store.ErrConflict)
		events := 0
		for _, e := range b.eventTypes(d.ID) {
			if e == contract.EventNoticeSent {
				events++
			}
		}
		b.requireEqual("events", events, 1)
		_, err = b.BeginTry(b.ctx, n, "siti@contoh.id", b.now, time.Minute)
		b.requireError("another try of a sent notice", err, store.ErrConflict)
		retried := contract.Event{Type: contract.EventNoticeRetried, At: b.now, Details: map[string]string{"organisation": "org"}}
		_, err = b.RetryNotice(b.ctx, n.ID, b.now, retried)
		b.requireError("a retry of a sent notice", err, store.ErrNotFound)
	},
	"AFailedNoticeCanBeOrderedAgain": func(t *testing.T, b *fixture) {
		_, all := b.orderNotices()
		all[0].Channel = contract.ChannelSMS
		n, err := b.BeginTry(b.ctx, all[0], "siti@contoh.id", b.now, time.Minute)
		b.must(err)
		n.State, n.DoneAt, n.Problem = contract.NoticeFailed, b.storedNow(), "550 unknown"
		b.must(b.EndTry(b.ctx, n))
		b.advance(time.Hour)
		again, err := b.RetryNotice(b.ctx, n.ID, b.now, contract.Event{Type: contract.EventNoticeRetried, At: b.now, Details: map[string]string{"organisation": "org"}})
		b.must(err)
		b.requireEqual("log", b.eventTypes(0), []contract.EventType{contract.EventNoticeRetried})
		n.State, n.Tries, n.DoneAt, n.Problem, n.OrderedAt, n.DueAt = contract.NoticeOrdered, 0, time.Time{}, "", b.storedNow(), b.storedNow()
		b.requireEqual("notice", again, n)
	},
	"DueNoticesNameTheirDocuments": func(t *testing.T, b *fixture) {
		d, all := b.orderNotices()
		none, err := b.DocumentsWithDueNotices(b.ctx, all[0].DueAt.Add(-time.Hour), 10)
		b.must(err)
		b.requireEqual("documents an hour before", len(none), 0)
		due, err := b.DocumentsWithDueNotices(b.ctx, b.now.Add(time.Hour), 10)
		b.must(err)
		b.requireEqual("documents", due, []contract.DocumentID{d.ID})
	},
	"NoticesAreListedByStateOrganisationAndDocument": func(t *testing.T, b *fixture) {
		d, all := b.orderNotices()
		all[0].Channel = contract.ChannelSMS
		n, err := b.BeginTry(b.ctx, all[0], "siti@contoh.id", b.now, time.Minute)
		b.must(err)
		n.State = contract.NoticeFailed
		b.must(b.EndTry(b.ctx, n))
		for what, q := range map[string]struct {
			store.NoticeQuery
			want int
		}{
			"all":                  {store.NoticeQuery{}, len(all)},
			"of the document":      {store.NoticeQuery{Document: d.ID}, len(all)},
			"of another document":  {store.NoticeQuery{Document: d.ID + 1}, 0},
			"of the organisation":  {store.NoticeQuery{Organisation: d.Organisation}, len(all)},
			"of another":           {store.NoticeQuery{Organisation: "other"}, 0},
			"failed":               {store.NoticeQuery{State: contract.NoticeFailed}, 1},
			"ordered":              {store.NoticeQuery{State: contract.NoticeOrdered}, len(all) - 1},
			"kept: there are none": {store.NoticeQuery{State: contract.NoticeKept}, 0},
		} {
			q.Limit = 10
			p, err := b.ListNotices(b.ctx, q.NoticeQuery)
			b.must(err)
			b.requireEqual(what, fmt.Sprint(p.Total, len(p.Notices)), fmt.Sprint(q.want, q.want))
		}
	},
	"AMailedLinkStaysUntilItIsRevoked": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		guest := contract.PersonID("g1")
		_, err := b.MailedLinkOf(b.ctx, d.ID, guest)
		b.requireError("before it is made", err, store.ErrNotFound)
		first := store.GuestLink{Hash: [32]byte{1}, Document: d.ID, Person: guest, CreatedAt: b.storedNow(), Mailed: true}
		b.must(b.AddMailedLink(b.ctx, first))
		second := first
		second.Hash = [32]byte{2}
		b.must(b.AddMailedLink(b.ctx, second))
		requireRead(b, "mailed link", first)(b.MailedLinkOf(b.ctx, d.ID, guest))
		before := d
		d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: guest, Hash: [32]byte{9}}}, nil)
		requireRead(b, "mailed link after another was handed out", first)(b.MailedLinkOf(b.ctx, d.ID, guest))
		before = d
		d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: guest}}, nil)
		_, _, err = b.MailedLink(b.ctx, first.Hash)
		b.requireError("the revoked link", err, store.ErrNotFound)
		former, err := b.FormerGuestLink(b.ctx, first.Hash)
		b.must(err)
		b.requireEqual("revoked", former.Revoked, true)
		b.must(b.AddMailedLink(b.ctx, second))
		none, err := b.MailedLinkOf(b.ctx, d.ID, guest)
		b.must(err)
		b.requireEqual("time of the link after it was revoked", none.CreatedAt.IsZero(), true)
		before = b.requireStored(d)
		b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: guest, Hash: [32]byte{8}}}, nil)
		_, err = b.MailedLinkOf(b.ctx, d.ID, guest)
		b.requireError("after the owner handed out a link again", err, store.ErrNotFound)
	},
}
