package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// newInvitation returns an invitation of an address to "org" by the admin "inviter", with a secret that no other invitation has.
func (b *fixture) newInvitation(id, email string) contract.Invitation {
	return contract.Invitation{
		ID: contract.InvitationID(id), Organisation: "org", Email: email, Name: "Budi", Role: contract.RoleAuditor, Language: "en",
		Inviter: contract.Person{ID: "inviter", Name: "Inviter"}, Hash: [32]byte{id[0], id[len(id)-1]}, CreatedAt: b.storedNow(), ExpiresAt: b.storedNow().Add(time.Hour),
	}
}

// addInviter adds the admin of newInvitation, and another one.
func (b *fixture) addInviter() {
	b.t.Helper()
	for _, id := range []string{"inviter", "second"} {
		u := newUser(id, id, id+"@example.test", "org")
		u.Admin = true
		b.must(b.CreateUser(b.ctx, u))
	}
}

func (b *fixture) invite(i contract.Invitation) error { return b.inviteAgain("", i) }

// inviteAgain stores an invitation that has to replace another one, unless former is empty.
func (b *fixture) inviteAgain(former contract.InvitationID, i contract.Invitation) error {
	n := contract.Notice{Organisation: i.Organisation, Kind: contract.NoticeInvitation, State: contract.NoticeOrdered, OrderedAt: b.storedNow(), DueAt: b.storedNow(), Account: contract.AccountFacts{Email: i.Email, Reference: string(i.ID)}}
	return b.AddInvitation(b.ctx, i, former, n, contract.Event{Type: contract.EventInvitationSent, At: b.now})
}

func (b *fixture) accept(i contract.Invitation, person string) error {
	u := newUser(person, person, i.Email, string(i.Organisation))
	u.Limited, u.CreatedAt = i.Role, b.storedNow()
	return b.AcceptInvitation(b.ctx, i, u, contract.Event{Type: contract.EventInvitationAccepted, At: b.now, Person: u.Person})
}

var invitationTests = map[string]func(*testing.T, *fixture){
	"AnAddressHasOneOpenInvitationOfAnOrganisation": func(_ *testing.T, b *fixture) {
		b.addInviter()
		before := b.eventCount()
		one, two := b.newInvitation("one", "Budi@example.test"), b.newInvitation("two", "budi@EXAMPLE.test")
		two.CreatedAt, two.ExpiresAt = two.CreatedAt.Add(time.Second), two.ExpiresAt.Add(time.Second)
		elsewhere := b.newInvitation("elsewhere", "budi@example.test")
		elsewhere.Organisation = "other"
		b.must(b.invite(one))
		requireRead(b, "by its identifier", one)(b.Invitation(b.ctx, "one"))
		requireRead(b, "by its secret", one)(b.InvitationByHash(b.ctx, one.Hash))
		b.must(b.invite(elsewhere))
		b.must(b.invite(two))
		one.Ending, one.EndedAt = contract.InvitationReplaced, two.CreatedAt
		requireRead(b, "the replaced one", one)(b.InvitationByHash(b.ctx, one.Hash))
		requireRead(b, "open ones", store.InvitationPage{Invitations: []contract.Invitation{two}, Total: 1})(b.ListInvitations(b.ctx, store.InvitationQuery{Organisation: "org", Limit: 5}))
		requireRead(b, "of the address", store.InvitationPage{Invitations: []contract.Invitation{two}, Total: 1})(b.ListInvitations(b.ctx, store.InvitationQuery{Organisation: "org", Email: "BUDI@example.test", Limit: 5}))
		page, err := b.ListInvitations(b.ctx, store.InvitationQuery{Limit: 1})
		b.must(err)
		b.requireEqual("of all organisations", []int{len(page.Invitations), page.Total}, []int{1, 2})
		b.requireEqual("events", b.eventCount(), before+3)
		ordered, err := b.OrderedNotices(b.ctx, 0)
		b.must(err)
		b.requireEqual("messages", len(ordered), 3)
		b.requireError("a member", b.invite(b.newInvitation("member", "INVITER@example.test")), store.ErrExists)
		_, err = b.Invitation(b.ctx, "none")
		b.requireError("an unknown one", err, store.ErrNotFound)
		b.must(b.PurgeInvitations(b.ctx, one.ExpiresAt.Add(time.Millisecond)))
		_, err = b.Invitation(b.ctx, "one")
		b.requireError("a purged one", err, store.ErrNotFound)
		requireRead(b, "one that expires later", two)(b.Invitation(b.ctx, "two"))
		b.must(b.CheckLog(b.ctx))
	},
	"AnInvitationThatHasEndedIsNotSentAgain": func(_ *testing.T, b *fixture) {
		b.addInviter()
		b.must(b.invite(b.newInvitation("one", "budi@example.test")))
		b.must(b.inviteAgain("one", b.newInvitation("two", "budi@example.test")))
		b.requireError("a replaced one", b.inviteAgain("one", b.newInvitation("x", "budi@example.test")), store.ErrConflict)
		b.must(b.RevokeInvitation(b.ctx, "two", contract.Event{Type: contract.EventInvitationRevoked, At: b.now}))
		before := b.eventCount()
		b.requireError("a revoked one", b.inviteAgain("two", b.newInvitation("y", "budi@example.test")), store.ErrConflict)
		b.requireEqual("events", b.eventCount(), before)
		_, err := b.Invitation(b.ctx, "y")
		b.requireError("what replaces none", err, store.ErrNotFound)
		// Of sending again and revoking at the same moment, one finds the invitation open.
		b.must(b.invite(b.newInvitation("three", "budi@example.test")))
		done := b.runCrowd(2, store.ErrConflict, func(i int) error {
			if i == 0 {
				return b.inviteAgain("three", b.newInvitation("four", "budi@example.test"))
			}
			return b.RevokeInvitation(b.ctx, "three", contract.Event{Type: contract.EventInvitationRevoked, At: b.now})
		})
		b.requireEqual("what happened", done, 1)
		b.must(b.CheckLog(b.ctx))
	},
	"AnInvitationIsAcceptedOnce": func(_ *testing.T, b *fixture) {
		b.addInviter()
		i := b.newInvitation("one", "budi@example.test")
		b.must(b.invite(i))
		changed := i
		changed.Role = contract.RoleAdmin
		b.requireError("as another role", b.accept(changed, "budi"), store.ErrConflict)
		late := newUser("late", "Late", i.Email, "org")
		late.CreatedAt = i.ExpiresAt
		b.requireError("late", b.AcceptInvitation(b.ctx, i, late), store.ErrConflict)
		b.must(b.accept(i, "budi"))
		u, err := b.User(b.ctx, "budi")
		b.must(err)
		b.requireEqual("role", u.Role(), contract.RoleAuditor)
		b.requireError("again", b.accept(i, "second-budi"), store.ErrConflict)
		i.Ending, i.EndedAt = contract.InvitationAccepted, b.storedNow()
		requireRead(b, "accepted", i)(b.Invitation(b.ctx, "one"))
		b.requireError("revoked afterwards", b.RevokeInvitation(b.ctx, "one", contract.Event{Type: contract.EventInvitationRevoked, At: b.now}), store.ErrConflict)
		b.must(b.CheckLog(b.ctx))
	},
	"AnAccountOfAnInvitedAddressEndsTheInvitation": func(_ *testing.T, b *fixture) {
		b.addInviter()
		i := b.newInvitation("one", "budi@example.test")
		b.must(b.invite(i))
		b.must(b.CreateUser(b.ctx, newUser("elsewhere", "Budi", "budi@example.test", "other")))
		requireRead(b, "after an account elsewhere", i)(b.Invitation(b.ctx, "one"))
		b.must(b.CreateUser(b.ctx, newUser("budi", "Budi", "BUDI@example.test", "org")))
		b.requireError("accepted", b.accept(i, "again"), store.ErrConflict)
	},
	"ARevokedInvitationAndOneOfADismissedAdminAreNotAccepted": func(_ *testing.T, b *fixture) {
		b.addInviter()
		revoked := b.newInvitation("revoked", "satu@example.test")
		b.must(b.invite(revoked))
		b.must(b.RevokeInvitation(b.ctx, "revoked", contract.Event{Type: contract.EventInvitationRevoked, At: b.now}))
		b.requireError("a revoked one", b.accept(revoked, "satu"), store.ErrConflict)
		i := b.newInvitation("one", "budi@example.test")
		b.must(b.invite(i))
		role := contract.Event{Type: contract.EventRoleChanged, At: b.storedNow()}
		b.must(b.SetRole(b.ctx, "inviter", contract.RoleSender, role))
		b.requireError("of a sender", b.accept(i, "budi"), contract.ErrInvitationLapsed)
		b.must(b.SetRole(b.ctx, "inviter", contract.RoleAdmin, role))
		b.must(b.DisableUser(b.ctx, "inviter", contract.Event{Type: contract.EventPersonDisabled, At: b.storedNow()}))
		b.requireError("of a disabled admin", b.accept(i, "budi"), contract.ErrInvitationLapsed)
		b.must(b.EnableUser(b.ctx, "inviter", contract.Event{Type: contract.EventPersonEnabled, At: b.storedNow()}))
		state := func(to contract.OrganisationState) {
			b.must(b.SetOrganisationState(b.ctx, "org", to, "", contract.Event{Type: contract.EventOrganisationSuspended, At: b.storedNow()}))
		}
		state(contract.OrganisationSuspended)
		b.requireError("of a suspended organisation", b.accept(i, "budi"), contract.ErrOrganisationSuspended)
		state(contract.OrganisationActive)
		ofAnother := b.newInvitation("foreign", "tiga@example.test")
		ofAnother.Inviter.ID = "foreigner"
		foreigner := newUser("foreigner", "Foreigner", "foreigner@example.test", "other")
		foreigner.Admin = true
		b.must(b.CreateUser(b.ctx, foreigner))
		b.must(b.invite(ofAnother))
		b.requireError("of the admin of another organisation", b.accept(ofAnother, "tiga"), contract.ErrInvitationLapsed)
		fromTheCommandLine := b.newInvitation("operator", "empat@example.test")
		fromTheCommandLine.Inviter = contract.Person{}
		b.must(b.invite(fromTheCommandLine))
		b.must(b.accept(fromTheCommandLine, "empat"))
		b.must(b.accept(i, "budi"))
	},
	"OfManyWhoAcceptAnInvitationAtOnceOneDoes": func(t *testing.T, b *fixture) {
		b.addInviter()
		i := b.newInvitation("one", "budi@example.test")
		b.must(b.invite(i))
		var all sync.WaitGroup
		results := make([]error, 4)
		for n := range results {
			all.Go(func() { results[n] = b.accept(i, string(rune('a'+n))) })
		}
		all.Wait()
		accepted := 0
		for _, err := range results {
			if err == nil {
				accepted++
			} else if !errors.Is(err, store.ErrConflict) {
				t.Error(err)
			}
		}
		b.requireEqual("accepted", accepted, 1)
	},
}
