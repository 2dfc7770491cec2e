package storetest

import (
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// teamOf stores accounts for the people and a team of them, and returns the team.
func (b *fixture) teamOf(id contract.TeamID, people ...contract.Actor) contract.Team {
	b.t.Helper()
	team := contract.Team{ID: id, Name: "Team " + string(id)}
	b.must(b.AddTeam(b.ctx, store.Team{Team: team, Organisation: "org", CreatedAt: b.now}, contract.Event{Type: contract.EventTeamAdded, At: b.now}))
	for _, p := range people {
		if _, err := b.User(b.ctx, p.ID); err != nil {
			b.must(b.CreateUser(b.ctx, newUser(string(p.ID), p.Name, p.Email, string(p.Organisation))))
		}
		b.must(b.AddTeamMember(b.ctx, id, p.ID, contract.Event{Type: contract.EventTeamJoined, At: b.now}))
	}
	return team
}

// share gives a document of the owner to a team.
func (b *fixture) share(d contract.Document, team contract.Team) contract.Document {
	b.t.Helper()
	c, _, err := contract.ShareWithTeam(&d, team.ID, contract.Actor{Person: d.Owner, Organisation: d.Organisation, Teams: []contract.Team{team}}, b.now)
	return b.commitChange(c, err)
}

var teamTests = map[string]func(*testing.T, *fixture){
	"TeamsAndTheirMembersAreStoredOnceAndCheckedByTheLog": func(t *testing.T, b *fixture) {
		e := contract.Event{Type: contract.EventTeamJoined, At: b.now}
		legal := b.teamOf("legal", first, second)
		b.requireError("the same name", b.AddTeam(b.ctx, store.Team{Team: contract.Team{ID: "again", Name: "TEAM Legal"}, Organisation: "org", CreatedAt: b.now}, e), store.ErrExists)
		b.must(b.AddTeam(b.ctx, store.Team{Team: contract.Team{ID: "theirs", Name: legal.Name}, Organisation: "other", CreatedAt: b.now}, e))
		sales := b.teamOf("sales", first)
		b.requireError("the name of another", b.RenameTeam(b.ctx, sales.ID, legal.Name, e), store.ErrExists)
		b.must(b.RenameTeam(b.ctx, sales.ID, "A\u0301 Sales", e))
		b.requireError("a member again", b.AddTeamMember(b.ctx, legal.ID, first.ID, e), store.ErrExists)
		b.must(b.CreateUser(b.ctx, newUser(string(otherOwner.ID), "Other", otherOwner.Email, string(otherOwner.Organisation))))
		for _, who := range []contract.PersonID{otherOwner.ID, "nobody"} {
			b.requireError("an account of another organisation", b.AddTeamMember(b.ctx, legal.ID, who, e), contract.ErrNoPerson)
		}
		b.requireError("no member", b.RemoveTeamMember(b.ctx, sales.ID, second.ID, e), store.ErrNotFound)
		for what, err := range map[string]error{"rename": b.RenameTeam(b.ctx, "none", "X", e), "delete": b.DeleteTeam(b.ctx, "none", e), "add": b.AddTeamMember(b.ctx, "none", first.ID, e), "remove": b.RemoveTeamMember(b.ctx, "none", first.ID, e)} {
			b.requireError(what+" no team", err, store.ErrNotFound)
		}
		u, err := b.User(b.ctx, first.ID)
		b.must(err)
		b.requireEqual("teams of the account", u.Teams, []contract.Team{{ID: "sales", Name: "A\u0301 Sales"}, legal})
		all, err := b.ListTeams(b.ctx, "org")
		b.must(err)
		b.requireEqual("teams", len(all), 2)
		b.must(b.CheckLog(b.ctx))
		b.must(b.DeleteTeam(b.ctx, legal.ID, e))
		b.requireError("deleted twice", b.DeleteTeam(b.ctx, legal.ID, e), store.ErrNotFound)
		_, err = b.Team(b.ctx, legal.ID)
		b.requireError("deleted", err, store.ErrNotFound)
		b.teamOf("new", second) // with another name
		b.must(b.AddTeam(b.ctx, store.Team{Team: contract.Team{ID: "legal 2", Name: legal.Name}, Organisation: "org", CreatedAt: b.now}, e))
		b.must(b.CheckLog(b.ctx))
	},
	"OfTeamsThatGetOneNameAtOnceOneGetsIt": func(t *testing.T, b *fixture) {
		won := b.runCrowd(4, store.ErrExists, func(i int) error {
			return b.AddTeam(b.ctx, store.Team{Team: contract.Team{ID: contract.TeamID([]string{"a", "b", "c", "d"}[i]), Name: "Legal"}, Organisation: "org", CreatedAt: b.now}, contract.Event{Type: contract.EventTeamAdded, At: b.now})
		})
		b.requireEqual("created", won, 1)
	},
	"ATeamHasAListOfItsDocumentsInEveryState": func(t *testing.T, b *fixture) {
		legal, sales := b.teamOf("legal", first, second), b.teamOf("sales", second)
		list := func(team contract.Team, q store.ListQuery) []contract.DocumentID {
			t.Helper()
			q.Person, q.Team = second.ID, team.ID
			l := b.listPage(q)
			n, err := b.CountList(b.ctx, store.ListQuery{Person: second.ID, Team: team.ID, Search: q.Search, With: q.With, Without: q.Without, Now: b.now})
			b.must(err)
			if q.State == "" && !q.Waiting {
				b.requireEqual("counted", n.Total, l.Total)
			}
			b.requireEqual("total", l.Total, len(l.Documents))
			return b.documentIDs(l)
		}
		alone := b.uploadDraft(owner, withTitle("Sewa sendiri"))
		shared, sent := b.share(b.uploadDraft(owner, withTitle("Sewa")), legal), b.share(b.finalizeDraft(b.uploadDraft(owner, withTitle("Jual")), owner), legal)
		b.requireStored(shared)
		sent = b.signAs(b.requireStored(sent), first)
		for what, c := range map[string]struct {
			q    store.ListQuery
			want []contract.DocumentID
		}{
			"all": {store.ListQuery{}, []contract.DocumentID{sent.ID, shared.ID}}, "drafts": {store.ListQuery{State: contract.Draft}, []contract.DocumentID{shared.ID}},
			"without drafts": {store.ListQuery{Without: contract.Draft}, []contract.DocumentID{sent.ID}}, "title": {store.ListQuery{Search: "sewa"}, []contract.DocumentID{shared.ID}},
			"waiting for the reader": {store.ListQuery{Waiting: true}, []contract.DocumentID{sent.ID}}, "with a person": {store.ListQuery{With: owner.Email}, []contract.DocumentID{sent.ID, shared.ID}},
		} {
			b.requireEqual(what, list(legal, c.q), c.want)
		}
		// It waits for the second signer. For other readers it is in progress.
		waits := store.ListQuery{Person: first.ID, Team: legal.ID, Waiting: true}
		b.requireEqual("waiting for another person", b.documentIDs(b.listPage(waits)), []contract.DocumentID{})
		counted, err := b.CountList(b.ctx, store.ListQuery{Person: first.ID, Team: legal.ID, Now: b.now})
		b.must(err)
		b.requireEqual("counted", []int{counted.Waiting, counted.States[contract.Processing]}, []int{0, 1})
		moved := b.share(shared, sales)
		b.requireEqual("left", list(legal, store.ListQuery{}), []contract.DocumentID{sent.ID})
		title := "Pinjam"
		moved = b.commitChange(contract.Describe(&moved, contract.Description{Title: &title}, owner, limits, b.now))
		moved = b.share(moved, legal)
		b.must(b.IndexTitles(b.ctx))
		b.requireEqual("by its new title", list(legal, store.ListQuery{Search: "pinjam"}), []contract.DocumentID{moved.ID})
		b.requireEqual("the owner has all", len(b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox}).Documents), 3)
		c, _, err := contract.Transfer(&sent, owner.ID, second.Person, nil, contract.Actor{}, b.now)
		b.requireStored(b.commitChange(c, err))
		b.requireEqual("transferred to no member", list(legal, store.ListQuery{}), []contract.DocumentID{moved.ID})
		b.must(b.CheckLog(b.ctx))
		b.commitChange(contract.Delete(&moved, owner, b.now))
		b.requireEqual("deleted", list(legal, store.ListQuery{}), []contract.DocumentID{})
		b.requireStored(alone)
		b.must(b.CheckLog(b.ctx))
	},
	"OnlyMembersReadTheDocumentsOfATeam": func(t *testing.T, b *fixture) {
		legal := b.teamOf("legal", first)
		d := b.share(b.uploadDraft(owner, func(u *contract.Upload) { u.Participants = nil }), legal)
		e := contract.Event{Type: contract.EventTeamLeft, At: b.now}
		reads := func(who contract.PersonID, want error) {
			t.Helper()
			_, err := b.DocumentFor(b.ctx, d.ID, who)
			_, e1 := b.DocumentForAuditor(b.ctx, d.ID, who, "other")
			_, e2 := b.ReadSigning(b.ctx, store.SigningQuery{Document: d.ID, Person: who})
			for _, err := range []error{err, e1, e2} {
				if want == nil {
					b.must(err)
				} else {
					b.requireError("read by "+string(who), err, want)
				}
			}
		}
		reads(owner.ID, nil)
		reads(first.ID, nil)
		reads(second.ID, store.ErrNotFound)
		titles, err := b.Titles(b.ctx, first.ID, []contract.DocumentID{d.ID})
		b.must(err)
		b.requireEqual("listed", titles[d.ID].Listed, true)
		b.must(b.RemoveTeamMember(b.ctx, legal.ID, first.ID, e))
		reads(first.ID, store.ErrNotFound)
		b.must(b.AddTeamMember(b.ctx, legal.ID, first.ID, e))
		reads(first.ID, nil)
		b.must(b.DeleteTeam(b.ctx, legal.ID, e))
		reads(first.ID, store.ErrNotFound)
		reads(owner.ID, nil)
		d.Team.Name = "" // it was deleted
		d = b.requireStored(d)
		sales := b.teamOf("sales", first)
		d = b.share(d, sales)
		b.requireStored(d)
		b.requireEqual("in the new team", b.documentIDs(b.listPage(store.ListQuery{Person: first.ID, Team: sales.ID})), []contract.DocumentID{d.ID})
		reads(first.ID, nil)
		b.must(b.CheckLog(b.ctx))
	},
}
