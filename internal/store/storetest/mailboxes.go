package storetest

import (
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

const mailbox = "budi@example.test"

// mailboxAccount returns a new organisation with an account that a guest creates, told apart by a number.
func (b *fixture) mailboxAccount(n string) (store.Organisation, store.MailboxAccount) {
	o := store.Organisation{ID: contract.OrganisationID("org of " + n), Name: "mailbox " + n, CreatedAt: b.now}
	return o, store.MailboxAccount{
		User:    store.User{Person: contract.Person{ID: contract.PersonID("account " + n), Name: "Budi", Email: "Budi@example.test"}, Organisation: o.ID, Password: "hash", CreatedAt: b.storedNow()},
		Mailbox: mailbox, ProvedAt: b.storedNow(),
	}
}

func (b *fixture) createMailboxAccount(n string) error {
	o, a := b.mailboxAccount(n)
	return b.CreateMailboxAccount(b.ctx, o, a, contract.Event{Type: contract.EventAccountCreated, At: b.now, Person: a.User.Person, Details: map[string]string{"organisation": string(o.ID)}})
}

// withNamedGuest makes a document whose guest has an address.
func withNamedGuest(email string, role contract.Role, number int) func(*contract.Upload) {
	return func(u *contract.Upload) {
		g := participantAs(role, number, contract.Actor{Person: contract.Person{ID: contract.PersonID("guest " + email + string(role)), Name: "Budi", Email: email}})
		g.Guest = true
		u.Participants = append(u.Participants, g)
	}
}

var mailboxTests = map[string]func(*testing.T, *fixture){
	"AMailboxHasOneAccountWithItsOrganisation": func(t *testing.T, b *fixture) {
		requireRead(b, "before", false)(b.HasMailboxAccount(b.ctx, mailbox))
		before := b.eventCount()
		b.must(b.createMailboxAccount("1"))
		b.requireEqual("events", b.eventCount()-before, int64(1))
		requireRead(b, "after", true)(b.HasMailboxAccount(b.ctx, mailbox))
		o, a := b.mailboxAccount("1")
		want := a.User
		want.Mailbox = mailbox
		requireRead(b, "the user", want)(b.User(b.ctx, want.ID))
		requireRead(b, "the accounts of the address", []store.User{want})(b.UsersByEmail(b.ctx, mailbox))
		got, err := b.Organisation(b.ctx, o.ID)
		b.must(err)
		b.requireEqual("the organisation", got.Name, o.Name)

		b.requireError("a second account", b.createMailboxAccount("2"), store.ErrExists)
		_, err = b.Organisation(b.ctx, "org of 2")
		b.requireError("the organisation of the second", err, store.ErrNotFound)
		b.requireEqual("events", b.eventCount()-before, int64(1))
	},
	"OfManyAccountsForOneMailboxOneIsCreated": func(t *testing.T, b *fixture) {
		names := []string{"1", "2", "3", "4"}
		b.requireEqual("created", b.runCrowd(len(names), store.ErrExists, func(i int) error { return b.createMailboxAccount(names[i]) }), 1)
		requireRead(b, "the mailbox", true)(b.HasMailboxAccount(b.ctx, mailbox))
	},
	"TheInboxOfAnAccountHasTheDocumentsThatNameItsMailbox": func(t *testing.T, b *fixture) {
		b.must(b.createMailboxAccount("1"))
		_, a := b.mailboxAccount("1")
		delegated := func(d *contract.Document) { // the guest passed their part on, and is a viewer whose turn as one has not come
			d.Participant("guest " + mailbox + "viewer").Number = 3
			d.Delegations = []contract.Delegation{{From: "guest " + mailbox + "viewer", To: first.ID, At: b.storedNow()}}
		}
		phone := func(d *contract.Document) {
			d.Delivery.Channels = map[contract.PersonID]contract.Channel{"guest " + mailbox + "signer": contract.ChannelSMS}
			d.Participant("guest " + mailbox + "signer").Phone = "+628123456789"
		}
		var all []contract.Document
		for _, c := range []struct {
			guest     func(*contract.Upload)
			finalized bool
			change    func(*contract.Document)
		}{
			{withNamedGuest(mailbox, contract.Signer, 1), true, nil},
			{withNamedGuest("BUDI@Example.Test", contract.Signer, 3), true, nil}, // not in turn, and visible
			{withNamedGuest(mailbox, contract.Viewer, 1), true, nil},
			{withNamedGuest(mailbox, contract.Viewer, 2), true, nil}, // after a signer
			{withNamedGuest(mailbox, contract.Signer, 1), false, nil},
			{withNamedGuest("other"+mailbox, contract.Signer, 1), true, nil},
			{withNamedGuest(mailbox, contract.Signer, 1), true, phone},
			{withNamedGuest(mailbox, contract.Viewer, 2), true, delegated},
		} {
			d := b.uploadDraft(owner, c.guest)
			if c.finalized {
				d = b.finalizeDraft(d, owner)
			}
			if c.change != nil {
				before := d
				d.Participants = slices.Clone(d.Participants)
				c.change(&d)
				events := []contract.Event{{Type: contract.EventGuestCorrected, At: b.now, Person: owner.Person}}
				for _, g := range d.Delegations {
					events = append(events, contract.Event{Type: contract.EventDelegated, At: g.At, Person: contract.Person{ID: g.From}, Details: map[string]string{"to": string(g.To)}})
				}
				d = b.commitChange(contract.Change{Before: &before, After: d, At: b.now, Events: events}, nil)
			}
			all = append(all, d)
		}
		require := func(when string, q store.ListQuery, is func(*contract.Document) bool) {
			t.Helper()
			q.Person, q.Mailbox, q.Box = a.User.ID, mailbox, store.Inbox
			want := []contract.DocumentID{}
			for i := len(all) - 1; i >= 0; i-- {
				if all[i].GuestReading(mailbox) != nil && (is == nil || is(&all[i])) {
					want = append(want, all[i].ID)
				}
			}
			l := b.listPage(q)
			b.requireEqual(when, b.documentIDs(l), want)
			b.requireEqual(when+": total", l.Total, len(want))
		}
		check := func(when string) {
			t.Helper()
			require(when, store.ListQuery{}, nil)
			inTurn := func(d *contract.Document) bool { return d.InTurn(d.GuestReading(mailbox).ID) }
			require(when+", waiting", store.ListQuery{Waiting: true}, inTurn)
			require(when+", processing", store.ListQuery{State: contract.Processing, Period: store.PeriodToday}, func(d *contract.Document) bool { return d.State == contract.Processing })
			require(when+", searched", store.ListQuery{Search: "PERJANJIAN", With: owner.Email, Order: store.OrderTitle}, nil)
			require(when+", other title", store.ListQuery{Search: "sewa"}, func(*contract.Document) bool { return false })
			n, err := b.CountList(b.ctx, store.ListQuery{Person: a.User.ID, Mailbox: mailbox, Box: store.Inbox, Now: b.now})
			b.must(err)
			want := store.ListCounts{States: map[contract.State]int{}}
			for i := range all {
				if all[i].GuestReading(mailbox) != nil {
					want.Total++
					want.States[all[i].State]++
					if inTurn(&all[i]) {
						want.Waiting++
					}
				}
			}
			b.requireEqual(when+": counts", n, want)
		}
		check("at first")
		for i, d := range all {
			_, err := b.DocumentNaming(b.ctx, d.ID, mailbox)
			if named := i != 4 && i != 5; named {
				b.must(err)
			} else {
				b.requireError("a document that does not name the mailbox, or a draft", err, store.ErrNotFound)
			}
		}
		_, err := b.DocumentNaming(b.ctx, 9999, mailbox)
		b.requireError("no document", err, store.ErrNotFound)
		all[3] = b.signAs(all[3], first)
		check("after a signature")

		// The rows are not stored: others see the same as before.
		b.requireEqual("without the mailbox", b.documentIDs(b.listPage(store.ListQuery{Person: a.User.ID, Box: store.Inbox})), []contract.DocumentID{})
		b.requireEqual("the outbox", b.documentIDs(b.listPage(store.ListQuery{Person: a.User.ID, Mailbox: mailbox, Box: store.Outbox})), []contract.DocumentID{})
	},
	"TokensThatAnAccountOpenedEndWithItsSessionAndItsPassword": func(t *testing.T, b *fixture) {
		b.must(b.createMailboxAccount("1"))
		_, a := b.mailboxAccount("1")
		d := b.finalizeDraft(b.uploadDraft(owner, withNamedGuest(mailbox, contract.Signer, 1)), owner)
		guest := d.GuestReading(mailbox).ID
		link := store.GuestLink{Hash: [32]byte{9}, Document: d.ID, Person: guest, CreatedAt: b.storedNow(), Mailed: true}
		b.must(b.AddMailedLink(b.ctx, link))
		open := func(n byte) {
			family := string([]byte{'f', 'a' + n})
			b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(2*n, store.AccessToken, string(a.User.ID), family)))
			k := newToken(2*n+1, store.GuestToken, string(guest), store.OpenedFamily+family)
			k.Document = d.ID
			b.must(b.AddGuestToken(b.ctx, link, k))
		}
		requireToken := func(when string, n byte, want error) {
			t.Helper()
			_, err := b.Token(b.ctx, newToken(n, store.GuestToken, string(guest), "").Hash)
			b.requireError(when, err, want)
		}
		open(1)
		open(2)
		b.must(b.RevokeFamily(b.ctx, "fb"))
		requireToken("of the ended session", 3, store.ErrNotFound)
		requireToken("of the other session", 5, nil)
		b.must(b.SetPassword(b.ctx, a.User.ID, "", "another hash", contract.Event{Type: contract.EventPasswordChange, At: b.now, Person: a.User.Person}))
		requireToken("after a new password", 5, store.ErrNotFound)
	},
}
