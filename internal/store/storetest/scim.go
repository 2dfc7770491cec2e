package storetest

import (
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

func (b *fixture) directoryEvent(of contract.OrganisationID) contract.Event {
	return contract.Event{Type: contract.EventDirectoryChanged, At: b.now, Person: owner.Person, Details: map[string]string{"organisation": string(of), "change": "secret_set"}}
}

var scimTests = map[string]func(*testing.T, *fixture){
	"ADirectoryHasOneSecretAtATime": func(_ *testing.T, b *fixture) {
		_, err := b.SCIMToken(b.ctx, "org")
		b.requireError("a secret that was not set", err, store.ErrNotFound)
		one, e := store.SCIMToken{Organisation: "org", Hash: [32]byte{1}, Hint: "sgl_sc_A", CreatedAt: b.storedNow()}, b.directoryEvent("org")
		b.must(b.SetSCIMToken(b.ctx, one, e))
		b.must(b.UseSCIMToken(b.ctx, [32]byte{1}, b.now))
		one.LastUsedAt = b.storedNow()
		requireRead(b, "used secret", one)(b.SCIMTokenByHash(b.ctx, [32]byte{1}))
		two := store.SCIMToken{Organisation: "org", Hash: [32]byte{2}, Hint: "sgl_sc_B", CreatedAt: b.storedNow()}
		b.must(b.SetSCIMToken(b.ctx, two, e))
		requireRead(b, "second secret", two)(b.SCIMToken(b.ctx, "org"))
		_, err = b.SCIMTokenByHash(b.ctx, [32]byte{1})
		b.requireError("the former secret", err, store.ErrNotFound)
		b.must(b.DeleteSCIMToken(b.ctx, "org", e))
		b.requireError("deleted again", b.DeleteSCIMToken(b.ctx, "org", e), store.ErrNotFound)
		_, err = b.SCIMTokenByHash(b.ctx, [32]byte{2})
		b.requireError("a deleted secret", err, store.ErrNotFound)
	},
	"ADirectorySeesTheAccountsOfItsOrganisation": func(_ *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("u1", "Siti", "Siti@Contoh.id", "org")))
		b.must(b.CreateUser(b.ctx, newUser("u2", "Budi", "budi@contoh.id", "org")))
		b.must(b.CreateUser(b.ctx, newUser("u3", "Siti", "siti@contoh.id", "other")))
		seen := func(q store.SCIMUserQuery) (ids []contract.PersonID) {
			b.t.Helper()
			q.Organisation = "org"
			all, err := b.SCIMUsers(b.ctx, q)
			b.must(err)
			for _, u := range all {
				if u.Email != "" && u.Name != "" {
					ids = append(ids, u.ID)
				}
			}
			return ids
		}
		b.requireEqual("by address", seen(store.SCIMUserQuery{Email: "siti@contoh.ID"}), []contract.PersonID{"u1"})
		b.requireEqual("of another organisation", len(seen(store.SCIMUserQuery{Person: "u3"})), 0)
		all, err := b.SCIMUsers(b.ctx, store.SCIMUserQuery{Organisation: "org", Person: "u1"})
		b.must(err)
		u := all[0]
		u.ExternalID, u.GivenName, u.FamilyName, u.ChangedAt = "e1", "Siti", "Rahma", b.storedNow()
		b.must(b.SetSCIMUser(b.ctx, u))
		requireRead(b, "what was stated", []store.SCIMUser{u})(b.SCIMUsers(b.ctx, store.SCIMUserQuery{Organisation: "org", ExternalID: "e1"}))
		b.must(b.SetSCIMGroup(b.ctx, store.SCIMGroup{ID: "g1", Organisation: "org", Name: "Legal", Members: []contract.PersonID{"u1"}, CreatedAt: b.storedNow(), ChangedAt: b.storedNow()}, b.directoryEvent("org")))
		u.Deleted = true
		b.must(b.SetSCIMUser(b.ctx, u))
		b.requireEqual("without the deleted", len(seen(store.SCIMUserQuery{ExternalID: "e1"})), 0)
		b.requireEqual("with the deleted", seen(store.SCIMUserQuery{ExternalID: "e1", Deleted: true}), []contract.PersonID{"u1"})
		groups, err := b.SCIMGroups(b.ctx, store.SCIMGroupQuery{Organisation: "org", IDs: []string{"g1"}, Members: true})
		b.must(err)
		b.requireEqual("members after a deletion", len(groups[0].Members), 0)
		g := groups[0]
		g.Members = []contract.PersonID{"u1"}
		b.requireError("a deleted member", b.SetSCIMGroup(b.ctx, g, b.directoryEvent("org")), store.ErrNotFound)
	},
	"GroupsHaveUniqueNamesAndMembersOfTheirOrganisation": func(_ *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("u1", "Siti", "siti@contoh.id", "org")))
		b.must(b.CreateUser(b.ctx, newUser("u2", "Budi", "budi@contoh.id", "org")))
		b.must(b.CreateUser(b.ctx, newUser("u3", "Siti", "siti@contoh.id", "other")))
		e := b.directoryEvent("org")
		g := store.SCIMGroup{ID: "g1", Organisation: "org", Name: "Legal", ExternalID: "e", Members: []contract.PersonID{"u1", "u2"}, CreatedAt: b.storedNow(), ChangedAt: b.storedNow()}
		b.must(b.SetSCIMGroup(b.ctx, g, e))
		g.Edits, g.MemberCount = 1, 2
		requireRead(b, "group", []store.SCIMGroup{g})(b.SCIMGroups(b.ctx, store.SCIMGroupQuery{Organisation: "org", Members: true}))
		counted := g
		counted.Members = nil
		requireRead(b, "group without its members", []store.SCIMGroup{counted})(b.SCIMGroups(b.ctx, store.SCIMGroupQuery{Organisation: "org"}))
		requireRead(b, "no group", []store.SCIMGroup(nil))(b.SCIMGroups(b.ctx, store.SCIMGroupQuery{Organisation: "org", IDs: []string{}}))
		same := g
		same.ID, same.Edits, same.Name = "g2", 0, "LEGAL"
		b.requireError("a name that another has", b.SetSCIMGroup(b.ctx, same, e), store.ErrExists)
		same.Organisation, same.Members = "other", []contract.PersonID{"u3"}
		b.must(b.SetSCIMGroup(b.ctx, same, b.directoryEvent("other")))
		foreign := g
		foreign.Members = []contract.PersonID{"u3"}
		b.requireError("a member of another organisation", b.SetSCIMGroup(b.ctx, foreign, e), store.ErrNotFound)
		g.Name, g.Members = "Hukum", []contract.PersonID{"u2"}
		b.must(b.SetSCIMGroup(b.ctx, g, e))
		b.requireError("a second writer", b.SetSCIMGroup(b.ctx, g, e), store.ErrConflict)
		g.Edits, g.MemberCount = 2, 1
		requireRead(b, "changed group", []store.SCIMGroup{g})(b.SCIMGroups(b.ctx, store.SCIMGroupQuery{Organisation: "org", IDs: []string{"g1"}, Members: true}))
		stolen := g
		stolen.Organisation, stolen.Members = "other", nil
		b.requireError("changed by another organisation", b.SetSCIMGroup(b.ctx, stolen, e), store.ErrConflict)
		b.requireError("deleted by another organisation", b.DeleteSCIMGroup(b.ctx, "other", "g1", e), store.ErrNotFound)
		requireRead(b, "afterwards", []store.SCIMGroup{g})(b.SCIMGroups(b.ctx, store.SCIMGroupQuery{Organisation: "org", IDs: []string{"g1"}, Members: true}))
		b.must(b.DeleteSCIMGroup(b.ctx, "org", "g1", e))
		b.requireError("deleted again", b.DeleteSCIMGroup(b.ctx, "org", "g1", e), store.ErrNotFound)
	},
}
