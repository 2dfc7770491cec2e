package storetest

import (
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

var documentRoleTests = map[string]func(*testing.T, *fixture){
	"CapacitiesAreStoredWithTheirDocumentAndCheckedByTheLog": func(t *testing.T, b *fixture) {
		approver := participantAs(contract.Signer, 1, first)
		approver.Capacity = contract.Approver
		witness := participantAs(contract.Signer, 3, viewer)
		witness.Capacity = contract.Witness
		d := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants, u.Parallel = []contract.Participant{approver, participantAs(contract.Signer, 2, second), witness}, true
		})
		b.requireStored(d)
		waits := func(who contract.Actor) bool {
			t.Helper()
			list, err := b.List(b.ctx, store.ListQuery{Person: who.ID, Box: store.Inbox, Waiting: true, Limit: 50})
			b.must(err)
			for _, listed := range list.Documents {
				if listed.ID == d.ID {
					b.requireEqual("in the list", listed.Participants, d.Participants)
					return true
				}
			}
			return false
		}
		d = b.finalizeDraft(d, owner)
		b.requireStored(d)
		for _, who := range []contract.Actor{first, second, viewer} {
			b.requireEqual("waits for "+string(who.ID), waits(who), d.InTurn(who.ID))
		}
		b.requireEqual("the witness waits in parallel too", waits(viewer), false)
		d = b.commitChange(contract.Approve(&d, contract.ShownPages{Digest: d.Current().Digest}, d.AttestParticipant(*d.Participant(first.ID), "PT", first.Proved), first, b.now))
		b.requireStored(d)
		b.requireEqual("after the approval", waits(first), false)
		plain := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{approver, participantAs(contract.Signer, 2, second)}
		})
		plain = b.commitChange(contract.SetParticipants(&plain, []contract.Participant{participantAs(contract.Signer, 1, first)}, nil, nil, owner, limits, b.now))
		b.requireStored(plain)
		plain = b.commitChange(contract.SetParticipants(&plain, []contract.Participant{approver}, nil, nil, owner, limits, b.now))
		b.requireStored(plain)
		b.must(b.CheckLog(b.ctx))
		b.commitChange(contract.Delete(&plain, owner, b.now))
		b.must(b.CheckLog(b.ctx))
	},
	"OfMembersWhoSignAtOnceOneDoesAndTheOthersKeepTheDocumentInTheirLists": func(t *testing.T, b *fixture) {
		b.must(b.createMailboxAccount("1"))
		_, a := b.mailboxAccount("1")
		d := b.uploadDraft(owner, func(u *contract.Upload) {
			withNamedGuest(mailbox, contract.Signer, 2)(u)
			guest := u.Participants[len(u.Participants)-1]
			u.Participants, u.Parallel = []contract.Participant{participantAs(contract.Signer, 1, second), participantAs(contract.Signer, 2, first), participantAs(contract.Signer, 2, viewer), guest}, true
			for i := 1; i < len(u.Participants); i++ {
				u.Participants[i].Group = 1
			}
		})
		b.requireStored(d)
		d = b.finalizeDraft(d, owner)
		guest := contract.Actor{Person: d.Participants[3].Person, Guest: d.ID}
		in := func(person contract.PersonID, mailbox string, waiting bool) bool {
			t.Helper()
			list := b.listPage(store.ListQuery{Person: person, Mailbox: mailbox, Box: store.Inbox, Waiting: waiting})
			return slices.Contains(b.documentIDs(list), d.ID)
		}
		b.requireEqual("all are asked", []bool{in(first.ID, "", true), in(viewer.ID, "", true), in(a.User.ID, mailbox, true)}, []bool{true, true, true})
		for _, who := range []contract.Actor{first, viewer, guest} {
			d = b.commitChange(contract.IntendSign(&d, contract.ShownPages{}, who, b.now))
		}
		var signatures []contract.Change
		for _, who := range []contract.Actor{first, viewer} {
			c, err := contract.Sign(&d, b.newTail(&d, contract.RevisionSignature), contract.ShownPages{}, d.AttestParticipant(*d.Participant(who.ID), "PT Contoh", who.Proved), who, b.now)
			b.must(err)
			signatures = append(signatures, c)
		}
		b.requireEqual("members who sign at once", b.commitCrowd(signatures, store.ErrConflict), 1)
		d, err := b.Document(b.ctx, d.ID)
		b.must(err)
		signed, other := first, viewer
		if d.Participant(viewer.ID).Role == contract.Signer {
			signed, other = viewer, first
		}
		b.requireEqual("the others", []string{d.Participant(other.ID).ActsAs(), d.Participant(guest.ID).ActsAs(), d.ActedFor(guest.ID).Name}, []string{"viewer", "viewer", signed.Name})
		// In a parallel document an earlier signer is still owed, and those who need not sign any more see it all the same.
		b.requireEqual("in the lists", []bool{in(other.ID, "", false), in(a.User.ID, mailbox, false)}, []bool{true, true})
		b.requireEqual("waiting", []bool{in(signed.ID, "", true), in(other.ID, "", true), in(a.User.ID, mailbox, true)}, []bool{false, false, false})
		_, err = contract.IntendSign(&d, contract.ShownPages{}, other, b.now)
		b.requireError("a repeat of the other", err, contract.ErrGroupSigned)
		b.must(b.CheckLog(b.ctx))
	},
	"ACopyIsInTheListOfItsRecipientFromTheCompletionOn": func(t *testing.T, b *fixture) {
		mailbox := "tembusan@example.test"
		d := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, first), participantAs(contract.Viewer, 1, viewer), {
				Person: contract.Person{ID: "guest " + contract.PersonID(mailbox), Name: "Tamu", Email: mailbox}, Role: contract.Viewer, Capacity: contract.Recipient, Number: 1, Guest: true,
			}}
			u.Participants[1].Capacity = contract.Recipient
		})
		d = b.finalizeDraft(d, owner)
		in := func(mailbox string) int {
			t.Helper()
			list, err := b.List(b.ctx, store.ListQuery{Person: viewer.ID, Mailbox: mailbox, Box: store.Inbox, Limit: 50})
			b.must(err)
			n := 0
			for _, listed := range list.Documents {
				if listed.ID == d.ID {
					n++
				}
			}
			return n
		}
		b.requireEqual("before", in(""), 0)
		d = b.signAs(d, first)
		b.requireEqual("signed", in(""), 0)
		d = b.completeDocument(d)
		b.requireEqual("completed", in(""), 1)
		b.requireStored(d)
		other := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, first), d.Participants[2]}
		})
		d = b.finalizeDraft(other, owner)
		b.requireEqual("by mailbox, before", in(mailbox), 0)
		d = b.completeDocument(b.signAs(d, first))
		b.requireEqual("by mailbox, completed", in(mailbox), 1)
	},
}
