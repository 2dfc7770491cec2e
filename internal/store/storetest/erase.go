package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var erasureTests = map[string]func(*testing.T, *fixture){
	"AnErasureIsBegunOnceAndEndsTheAccount": func(t *testing.T, b *fixture) {
		begun := contract.Event{Type: contract.EventErasureBegun, At: b.now}
		for _, a := range []contract.Actor{first, second} {
			b.must(b.CreateUser(b.ctx, store.User{Person: a.Person, Organisation: "org", Password: "p", Admin: true, CreatedAt: b.now}))
		}
		x := contract.Erasure{Person: first.ID, Organisation: "org", By: second.ID, At: b.now.Truncate(time.Microsecond)}
		b.requireError("an unknown person", b.BeginErasure(b.ctx, contract.Erasure{Person: "unknown", Organisation: "org", At: b.now}, begun), store.ErrNotFound)
		sent := b.finalizeDraft(b.uploadDraft(first), first)
		b.requireError("an owner", b.BeginErasure(b.ctx, x, begun), contract.ErrOwnsDocuments)
		_, err := b.Erasure(b.ctx, first.ID)
		b.requireError("what was refused", err, store.ErrNotFound)
		c, _, err := contract.Transfer(&sent, first.ID, second.Person, nil, contract.Actor{}, b.now)
		b.commitChange(c, err)

		b.must(b.AddTokens(b.ctx, newSession("family", string(first.ID)), newToken('a', store.AccessToken, string(first.ID), "family")))
		b.must(b.BeginErasure(b.ctx, x, begun))
		b.requireError("begun twice", b.BeginErasure(b.ctx, x, begun), store.ErrConflict)
		requireRead(b, "the erasure", x)(b.Erasure(b.ctx, first.ID))
		requireRead(b, "what is open", []contract.Erasure{x})(b.OpenErasures(b.ctx, b.now.Add(time.Hour), 10))
		u, err := b.User(b.ctx, first.ID)
		b.must(err)
		b.requireEqual("disabled and erased at", [2]time.Time{u.DisabledAt, u.ErasedAt}, [2]time.Time{x.At, x.At})
		b.requireError("to enable it", b.EnableUser(b.ctx, first.ID, contract.Event{Type: contract.EventPersonEnabled, At: b.now}), store.ErrConflict)
		b.requireError("the last admin", b.BeginErasure(b.ctx, contract.Erasure{Person: second.ID, Organisation: "org", At: b.now}, begun), contract.ErrLastAdmin)

		draft := b.uploadDraft(first) // by a request that was in progress
		done := contract.Event{Type: contract.EventPersonErased, At: b.advance(time.Hour).now}
		b.requireError("while there is a draft", b.EraseRows(b.ctx, first.ID, done), contract.ErrOwnsDocuments)
		change, _ := contract.EraseDraft(&draft, first.ID, b.now)
		b.commitChange(change, nil)
		for range 2 {
			b.must(b.EraseRows(b.ctx, first.ID, done))
		}
		x.DoneAt = done.At.Truncate(time.Microsecond)
		requireRead(b, "the erasure", x)(b.Erasure(b.ctx, first.ID))
		requireRead(b, "what is open", []contract.Erasure{})(b.OpenErasures(b.ctx, b.now.Add(time.Hour), 10))
		requireRead(b, "what was done lately", []contract.Erasure{x})(b.OpenErasures(b.ctx, b.now.Add(-time.Hour), 10))
		u, err = b.User(b.ctx, first.ID)
		b.must(err)
		b.requireEqual("the account", u, store.User{Person: contract.Person{ID: first.ID, Name: contract.ErasedName, Email: contract.ErasedEmail(first.ID)},
			Organisation: "org", CreatedAt: u.CreatedAt, DisabledAt: x.At, ErasedAt: x.At, OrganisationState: u.OrganisationState})
		for status, want := range map[store.AccountStatus]int{"": 1, store.AccountDisabled: 0, store.AccountErased: 1} {
			p, err := b.Users(b.ctx, store.UserQuery{Organisation: "org", Status: status, Limit: 10})
			b.must(err)
			b.requireEqual("accounts "+string(status), p.Total, want)
		}
		requireRead(b, "accounts of the address", []store.User{})(b.UsersByEmail(b.ctx, first.Email))
		b.must(b.CreateUser(b.ctx, store.User{Person: contract.Person{ID: "again", Name: first.Name, Email: first.Email}, Organisation: "org", Password: "p", CreatedAt: b.now}))
		logged, err := b.AuditLog(b.ctx, store.LogQuery{Type: contract.EventPersonErased, Limit: 10})
		b.must(err)
		b.requireEqual("events", logged.Total, 1)
	},
	"PeopleAreErasedFromDocumentsThatProveNothing": func(t *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, store.User{Person: first.Person, Organisation: "org", Password: "p", CreatedAt: b.now}))
		b.must(b.CreateUser(b.ctx, store.User{Person: owner.Person, Organisation: "org", Password: "p", CreatedAt: b.now}))
		guest := contract.Participant{Person: contract.Person{ID: "guest", Name: "Tamu", Email: "Tamu@example.test"}, Role: contract.Signer, Number: 1, Guest: true}
		withGuest := func(u *contract.Upload) { u.Participants = append(u.Participants, guest) }
		draft, running, canceled := b.uploadDraft(owner, withGuest), b.finalizeDraft(b.uploadDraft(owner, withGuest), owner), b.finalizeDraft(b.uploadDraft(owner, withGuest), owner)
		c, err := contract.Cancel(&canceled, "", owner, limits, b.now)
		canceled = b.commitChange(c, err)
		other := b.uploadDraft(otherOwner, withGuest)
		erasable := func(what string, want ...store.ErasableParticipant) {
			b.t.Helper()
			requireRead(b, what, append([]store.ErasableParticipant{}, want...))(b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10))
		}
		erase := func(id contract.PersonID, all ...*contract.Document) {
			for _, d := range all {
				b.must(b.ForgetParticipant(b.ctx, store.ErasableParticipant{Document: d.ID, Person: id}))
				change, changed := contract.EraseParticipant(d, id, b.now)
				b.requireEqual("changed", changed, true)
				*d = b.commitChange(change, nil)
			}
		}
		erasable("before any erasure")

		b.must(b.EraseGuest(b.ctx, "org", contract.GuestContact{Email: "tamu@EXAMPLE.test"}, b.now, func(count int) contract.Event {
			b.requireEqual("guests", count, 3)
			return contract.Event{Type: contract.EventGuestErased, At: b.now}
		}))
		erasable("guests of the organisation", store.ErasableParticipant{Document: draft.ID, Person: "guest"}, store.ErasableParticipant{Document: canceled.ID, Person: "guest"})
		erase("guest", &draft, &canceled)
		erasable("after it")
		suggested, err := b.EnteredGuests(b.ctx, owner.ID)
		b.must(err)
		for _, g := range suggested {
			if g.Email != "" {
				t.Errorf("%s is suggested to the owner", g.Email)
			}
		}
		suggested, err = b.EnteredGuests(b.ctx, otherOwner.ID)
		b.must(err)
		b.requireEqual("guests suggested to another organisation", len(suggested), 1)

		b.must(b.BeginErasure(b.ctx, contract.Erasure{Person: first.ID, Organisation: "org", At: b.now}, contract.Event{Type: contract.EventErasureBegun, At: b.now}))
		erasable("an account, in other organisations too", store.ErasableParticipant{Document: draft.ID, Person: first.ID}, store.ErasableParticipant{Document: canceled.ID, Person: first.ID}, store.ErasableParticipant{Document: other.ID, Person: first.ID})
		erase(first.ID, &draft, &canceled, &other)
		b.must(b.EraseRows(b.ctx, first.ID, contract.Event{Type: contract.EventPersonErased, At: b.now}))
		contacts, err := b.ListContacts(b.ctx, owner.ID)
		b.must(err)
		for _, c := range contacts {
			if c.Email == first.Email || c.Email == "tamu@example.test" {
				t.Errorf("%s is a contact", c.Email)
			}
		}
		erasable("after it")
		// A document that waited for both ends later.
		c, err = contract.Cancel(&running, "", owner, limits, b.now)
		running = b.commitChange(c, err)
		erasable("after the document has ended", store.ErasableParticipant{Document: running.ID, Person: first.ID}, store.ErasableParticipant{Document: running.ID, Person: "guest"})
		erase(first.ID, &running)
		erase("guest", &running)
		erasable("at the end")
		if _, err := b.Erasure(b.ctx, owner.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the owner: %v", err)
		}
	},
	"GuestsAreErasedByTheirPhoneNumberHoweverItIsWritten": func(t *testing.T, b *fixture) {
		var people []contract.Participant
		for i, phone := range []string{"+628123456789", "0812-345-6789", "62 (0)812 3456789", "+628123456780", "tel. 08123456789", ""} {
			people = append(people, contract.Participant{Person: contract.Person{ID: contract.PersonID(fmt.Sprint("guest ", i)), Name: "Tamu"}, Phone: phone, Role: contract.Signer, Number: 1, Guest: true})
		}
		withGuests := func(u *contract.Upload) {
			u.Participants = append(append(u.Participants, people...), contract.Participant{Person: contract.Person{ID: "colleague", Name: "Kolega", Email: "k@example.test"}, Phone: people[0].Phone, Role: contract.Signer, Number: 1})
		}
		draft := b.uploadDraft(owner, withGuests)
		b.uploadDraft(otherOwner, withGuests)
		for _, c := range []struct {
			phone string
			count int
		}{{"+628123456788", 0}, {"+628123456789", 3}, {"+628123456789", 3}} {
			b.must(b.EraseGuest(b.ctx, "org", contract.GuestContact{Phone: c.phone}, b.now, func(count int) contract.Event {
				b.requireEqual("guests with "+c.phone, count, c.count)
				return contract.Event{Type: contract.EventGuestErased, At: b.now}
			}))
		}
		requireRead(b, "people to erase", []store.ErasableParticipant{{Document: draft.ID, Person: "guest 0"}, {Document: draft.ID, Person: "guest 1"}, {Document: draft.ID, Person: "guest 2"}})(
			b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10))
	},
	"ReadersAreErasedFromDocumentsThatEndLater": func(t *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, store.User{Person: viewer.Person, Organisation: "org", Password: "p", CreatedAt: b.now}))
		running, signed := b.finalizeDraft(b.uploadDraft(owner), owner), b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first)
		b.must(b.BeginErasure(b.ctx, contract.Erasure{Person: viewer.ID, Organisation: "org", At: b.now}, contract.Event{Type: contract.EventErasureBegun, At: b.now}))
		for range 2 {
			b.must(b.EraseRows(b.ctx, viewer.ID, contract.Event{Type: contract.EventPersonErased, At: b.now}))
		}
		requireRead(b, "while they are in progress", []store.ErasableParticipant{})(b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10))
		for _, d := range []*contract.Document{&running, &signed} {
			c, err := contract.Cancel(d, "", owner, limits, b.now)
			*d = b.commitChange(c, err)
		}
		requireRead(b, "after they have ended", []store.ErasableParticipant{{Document: running.ID, Person: viewer.ID}})(b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10))
		requireRead(b, "who is left out of a copy", []contract.PersonID{viewer.ID})(b.ErasedGuests(b.ctx, running.ID))
		change, _ := contract.EraseParticipant(&running, viewer.ID, b.now)
		b.commitChange(change, nil)
		requireRead(b, "at the end", []store.ErasableParticipant{})(b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10))
	},
	"AnAddressIsErasedThatWasEnteredWithTheNameOfErasedPeople": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = append(u.Participants, contract.Participant{Person: contract.Person{ID: "guest", Name: contract.ErasedName, Email: "tamu@example.test"}, Role: contract.Signer, Number: 1, Guest: true})
		})
		b.must(b.EraseGuest(b.ctx, "org", contract.GuestContact{Email: "tamu@example.test"}, b.now, func(int) contract.Event { return contract.Event{Type: contract.EventGuestErased, At: b.now} }))
		requireRead(b, "people to erase", []store.ErasableParticipant{{Document: d.ID, Person: "guest"}})(b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10))
	},
	"MessagesToAnAddressThatEndsWithAnotherOneStay": func(t *testing.T, b *fixture) {
		account := func(id contract.PersonID, email string) contract.Person {
			p := contract.Person{ID: id, Name: "Nama", Email: email}
			b.must(b.CreateUser(b.ctx, store.User{Person: p, Organisation: "org", Password: "p", CreatedAt: b.now}))
			return p
		}
		account("admin", "admin@example.test")
		short, escaped := account("short", "Ani@example.test"), account("escaped", "r&d@example.test")
		invited := func(email string) contract.Notice {
			return contract.Notice{Organisation: "org", Kind: contract.NoticeInvitation, State: contract.NoticeOrdered, OrderedAt: b.now, DueAt: b.now, Account: contract.AccountFacts{Email: email, Reference: "invitation of " + email[:2]}}
		}
		left := func(what string, want ...string) {
			b.t.Helper()
			p, err := b.ListNotices(b.ctx, store.NoticeQuery{Organisation: "org", Limit: 10})
			b.must(err)
			got := []string{}
			for _, n := range p.Notices {
				got = append(got, n.Account.Email)
			}
			slices.Sort(got)
			b.requireEqual(what, got, want)
		}
		b.must(b.SetPassword(b.ctx, "admin", "p", "q", contract.Event{Type: contract.EventPasswordReset, At: b.now, Person: contract.Person{ID: "admin"}},
			invited("Ani@example.test"), invited("r&d@example.test"), invited("hani@example.test"), invited("tom&jerry@example.test"), invited("jerry@example.test")))
		for _, p := range []contract.Person{short, escaped} {
			b.must(b.BeginErasure(b.ctx, contract.Erasure{Person: p.ID, Organisation: "org", At: b.now}, contract.Event{Type: contract.EventErasureBegun, At: b.now}))
			b.must(b.EraseRows(b.ctx, p.ID, contract.Event{Type: contract.EventPersonErased, At: b.now}))
		}
		left("after two accounts were erased", "hani@example.test", "jerry@example.test", "tom&jerry@example.test")
		eraseGuest := func(email string) {
			b.must(b.EraseGuest(b.ctx, "org", contract.GuestContact{Email: email}, b.now, func(int) contract.Event { return contract.Event{Type: contract.EventGuestErased, At: b.now} }))
		}
		eraseGuest("jerry@example.test")
		left("after a guest was erased", "hani@example.test", "tom&jerry@example.test")
		eraseGuest("Tom&jerry@example.test")
		left("after another one", "hani@example.test")
	},
	"NothingIsWrittenIntoAnErasedAccount": func(t *testing.T, b *fixture) {
		for _, a := range []contract.Actor{first, second} {
			b.must(b.CreateUser(b.ctx, store.User{Person: a.Person, Organisation: "org", Password: "p", Admin: true, CreatedAt: b.now}))
		}
		e := contract.Event{Type: contract.EventPersonRenamed, At: b.now}
		changes := map[string]func() error{ // by requests that had read the account before
			"rename":           func() error { return b.RenameUser(b.ctx, first.ID, first.Name, e) },
			"give a role":      func() error { return b.SetRole(b.ctx, first.ID, contract.RoleMember, e) },
			"give a password":  func() error { return b.GivePassword(b.ctx, first.ID, "encoded", e) },
			"set the password": func() error { return b.SetPassword(b.ctx, first.ID, "", "encoded", e) },
		}
		b.must(b.BeginErasure(b.ctx, contract.Erasure{Person: first.ID, Organisation: "org", At: b.now}, contract.Event{Type: contract.EventErasureBegun, At: b.now}))
		for what, change := range changes {
			b.requireError(what+" while it is erased", change(), contract.ErrErased)
		}
		b.must(b.EraseRows(b.ctx, first.ID, contract.Event{Type: contract.EventPersonErased, At: b.now}))
		for what, change := range changes {
			b.requireError(what+" after it was erased", change(), contract.ErrErased)
		}
	},
}
