package storetest

import (
	"errors"
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

		b.must(b.EraseGuest(b.ctx, "org", "tamu@EXAMPLE.test", b.now, func(count int) contract.Event {
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
}
