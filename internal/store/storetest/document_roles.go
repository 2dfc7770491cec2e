package storetest

import (
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
