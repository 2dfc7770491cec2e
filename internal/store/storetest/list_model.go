package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"segel/internal/contract"
	"segel/internal/store"
)

var countTests = map[string]func(*testing.T, *fixture){
	// Random people take random actions that the rules permit. The expected contents of each list follow from the
	// documents by the rules of contract, and are compared with pages and counts.
	"CountsAreAlwaysWhatARecountGives": func(t *testing.T, b *fixture) {
		round := 0
		rapid.Check(t, func(r *rapid.T) {
			round++ // separate people: the store is shared by all rounds
			c := newListModel(r, b, round)
			defer c.deleteTeam()
			for range rapid.IntRange(1, 8).Draw(r, "steps") {
				c.takeStep(r)
			}
			c.checkLists(r)
		})
		b.must(b.CheckLog(b.ctx))
	},
	// Long lists: pages at any offset and searches, with any filters, while documents are created, change, are renamed and deleted,
	// clocks are set back, and titles are stored in between.
	"PagesAndSearchesOfLongListsAreThoseOfTheModel": func(t *testing.T, b *fixture) {
		round := 1 << 16
		rapid.Check(t, func(r *rapid.T) {
			round++
			c := newListModel(r, b, round)
			defer c.deleteTeam()
			c.people = c.people[:2]
			c.titles = []string{"Sewa", "sewa mobil", "Mobil 100%", "A_b", "Émobil"}
			for range rapid.IntRange(1, 3).Draw(r, "parts") {
				for range rapid.IntRange(1, 25).Draw(r, "documents") {
					c.storeDocument(c.b.uploadDraft(rapid.SampledFrom(c.people).Draw(r, "owner"), withTitle(rapid.SampledFrom(c.titles).Draw(r, "title")),
						func(u *contract.Upload) { u.Participants = c.drawParticipants(r) }))
					c.b.advance(time.Duration(rapid.IntRange(-30, 40).Draw(r, "hours")) * time.Hour)
				}
				if rapid.Bool().Draw(r, "store titles") {
					b.must(b.IndexTitles(b.ctx))
				}
				for range rapid.IntRange(0, 6).Draw(r, "steps") {
					c.takeStep(r)
				}
				c.checkPages(r)
				if rapid.Bool().Draw(r, "store what searches did without") {
					b.must(b.IndexTitles(b.ctx))
					c.checkPages(r)
				}
			}
			for _, id := range c.documentIDs() { // an organisation has a limited number of drafts
				if d := c.documents[id]; d.State == contract.Draft {
					ch, err := contract.Delete(&d, ownerOf(d), c.b.now)
					b.must(err)
					c.b.commitChange(ch, nil)
					delete(c.documents, id)
				}
			}
			c.checkPages(r)
		})
	},
}

// listModel is the model: documents as they were committed, and the people who have been able to see them.
type listModel struct {
	b         *fixture
	people    []contract.Actor
	team      contract.Team // with which owners share documents
	documents map[contract.DocumentID]contract.Document
	seen      map[contract.DocumentID]map[contract.PersonID]bool
	titles    []string // of renamed documents; empty: none is renamed
}

func newListModel(r *rapid.T, b *fixture, round int) *listModel {
	own := *b
	own.t, own.now, own.n = r, start, uint64(round)<<32
	c := &listModel{b: &own, documents: map[contract.DocumentID]contract.Document{}, seen: map[contract.DocumentID]map[contract.PersonID]bool{}}
	for i := range 4 {
		c.people = append(c.people, newActor(fmt.Sprintf("r%dp%d", round, i), "org"))
	}
	c.team = own.teamOf(contract.TeamID(fmt.Sprint("team", round)))
	return c
}

// deleteTeam deletes the team of the model: an organisation has a limited number of them.
func (c *listModel) deleteTeam() {
	c.b.must(c.b.DeleteTeam(c.b.ctx, c.team.ID, contract.Event{Type: contract.EventTeamDeleted, At: c.b.now}))
}

func (c *listModel) storeDocument(d contract.Document) {
	c.documents[d.ID] = d
	if c.seen[d.ID] == nil {
		c.seen[d.ID] = map[contract.PersonID]bool{}
	}
	for _, p := range c.people {
		if p.ID != d.Owner.ID && d.IsVisibleTo(p.ID) {
			c.seen[d.ID][p.ID] = true
		}
	}
}

// takeStep makes a random person act; actions that the rules refuse have no effect.
func (c *listModel) takeStep(r *rapid.T) {
	b := c.b.advance(time.Duration(rapid.IntRange(0, 40*24).Draw(r, "hours")) * time.Hour)
	by := rapid.SampledFrom(c.people).Draw(r, "who")
	ids := c.documentIDs()
	if len(ids) == 0 || rapid.IntRange(0, 2).Draw(r, "new") == 0 {
		c.storeDocument(b.uploadDraft(by, func(u *contract.Upload) { u.Participants = c.drawParticipants(r) }))
		return
	}
	d := c.documents[rapid.SampledFrom(ids).Draw(r, "document")]
	switch what := rapid.SampledFrom([]string{"people", "finalize", "sign", "reject", "cancel", "delete", "complete", "view", "expire", "rename", "transfer", "share"}).Draw(r, "what"); what {
	case "people":
		c.tryChange(contract.SetParticipants(&d, c.drawParticipants(r), nil, nil, by, limits, b.now))
	case "finalize":
		if ch, changed, err := contract.Finalize(&d, contract.FinalizeOptions{}, ownerOf(d), b.now); changed {
			c.tryChange(ch, err)
		}
	case "sign":
		for _, p := range c.people {
			if d.MaySign(p.ID) {
				c.storeDocument(b.signAs(d, p))
				return
			}
		}
	case "reject":
		c.tryChange(contract.Reject(&d, "no", by, limits, b.now))
	case "cancel":
		c.tryChange(contract.Cancel(&d, "", ownerOf(d), limits, b.now))
	case "delete":
		ch, err := contract.Delete(&d, by, b.now)
		if err == nil {
			b.commitChange(ch, nil)
			delete(c.documents, d.ID)
		}
	case "complete":
		c.tryChange(contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now))
	case "rename":
		if len(c.titles) > 0 {
			title := rapid.SampledFrom(c.titles).Draw(r, "title")
			c.tryChange(contract.Describe(&d, contract.Description{Title: &title}, ownerOf(d), limits, b.now))
		}
	case "transfer":
		to := rapid.SampledFrom(c.people).Draw(r, "next owner")
		teams := rapid.SampledFrom([][]contract.Team{nil, {c.team}}).Draw(r, "their teams")
		if ch, changed, err := contract.Transfer(&d, d.Owner.ID, to.Person, teams, contract.Actor{}, b.now); changed {
			delete(c.seen[d.ID], to.ID) // an owner has it among the sent ones alone
			c.tryChange(ch, err)
		}
	case "share":
		owner := ownerOf(d)
		owner.Teams = []contract.Team{c.team}
		if ch, changed, err := contract.ShareWithTeam(&d, rapid.SampledFrom([]contract.TeamID{"", c.team.ID}).Draw(r, "team"), owner, b.now); changed {
			c.tryChange(ch, err)
		}
	case "view":
		if ch, changed, err := contract.View(&d, by, b.now); changed {
			c.tryChange(ch, err)
		}
	case "expire":
		d.ExpiresAt = b.now
		if ch, changed := contract.Expire(&d, b.now); changed {
			c.tryChange(ch, nil)
		}
	}
}

func (c *listModel) tryChange(ch contract.Change, err error) {
	if err == nil {
		c.storeDocument(c.b.commitChange(ch, nil))
	}
}

// ownerOf returns the owner of a document as an actor.
func ownerOf(d contract.Document) contract.Actor {
	return contract.Actor{Person: d.Owner, Organisation: d.Organisation}
}

func (c *listModel) drawParticipants(r *rapid.T) []contract.Participant {
	var all []contract.Participant
	var group *contract.Participant // the first member of the group
	for _, p := range rapid.Permutation(c.people).Draw(r, "order")[:rapid.IntRange(0, len(c.people)).Draw(r, "number of people")] {
		role := rapid.SampledFrom([]contract.Role{contract.Signer, contract.Viewer}).Draw(r, "role")
		of := participantAs(role, rapid.IntRange(1, 3).Draw(r, "number"), p)
		if c := rapid.SampledFrom(append([]contract.Capacity{"", ""}, contract.Capacities...)).Draw(r, "capacity"); c.Role() == role {
			of.Capacity = c
		}
		if role == contract.Signer && rapid.IntRange(0, 2).Draw(r, "group") == 0 {
			if of.Group = 1; group == nil {
				group = &of
			}
			of.Number, of.Capacity = group.Number, group.Capacity
		}
		all = append(all, of)
	}
	return all
}

func (c *listModel) documentIDs() []contract.DocumentID {
	ids := []contract.DocumentID{}
	for id := range c.documents {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// checkLists compares each list of each person with the expected contents.
func (c *listModel) checkLists(r *rapid.T) {
	ids := c.documentIDs()
	for _, id := range ids {
		c.b.requireStored(c.documents[id])
	}
	slices.Reverse(ids)
	days := map[store.Period]time.Time{}
	y, m, d := c.b.now.In(time.FixedZone("WIB", 7*3600)).Date()
	midnight := time.Date(y, m, d, -7, 0, 0, 0, time.UTC)
	days[store.PeriodAll], days[store.PeriodToday], days[store.PeriodWeek] = time.Time{}, midnight, midnight.AddDate(0, 0, -7)
	days[store.PeriodMonth], days[store.PeriodYear] = midnight.AddDate(0, 0, -30), midnight.AddDate(-1, 0, 0)
	for _, state := range append([]contract.State{""}, contract.States...) {
		for period, since := range days {
			for _, who := range c.people {
				for _, box := range []store.Box{store.Inbox, store.Outbox} {
					c.checkList(r, ids, store.ListQuery{Person: who.ID, Box: box, State: state, Period: period}, since)
				}
			}
			c.checkList(r, ids, store.ListQuery{Person: c.people[0].ID, Team: c.team.ID, State: state, Period: period}, since)
		}
	}
}

// checkPages compares random pages with the model.
func (c *listModel) checkPages(r *rapid.T) {
	ids := c.documentIDs()
	slices.Reverse(ids)
	y, m, d := c.b.now.In(time.FixedZone("WIB", 7*3600)).Date()
	midnight := time.Date(y, m, d, -7, 0, 0, 0, time.UTC)
	periods := map[store.Period]time.Time{
		"": {}, store.PeriodToday: midnight, store.PeriodWeek: midnight.AddDate(0, 0, -7), store.PeriodMonth: midnight.AddDate(0, 0, -30),
	}
	for range 20 {
		period := rapid.SampledFrom([]store.Period{"", store.PeriodToday, store.PeriodWeek, store.PeriodMonth}).Draw(r, "period")
		q := store.ListQuery{
			Person: rapid.SampledFrom(c.people).Draw(r, "person").ID,
			Box:    rapid.SampledFrom([]store.Box{store.Inbox, store.Outbox}).Draw(r, "box"),
			Team:   rapid.SampledFrom([]contract.TeamID{"", "", c.team.ID}).Draw(r, "list of a team"),
			State:  rapid.SampledFrom([]contract.State{"", "", contract.Draft, contract.Processing}).Draw(r, "state"),
			Period: period,
			Search: rapid.SampledFrom([]string{"", "", "sewa", "M", "bil", "%", "a_", "é", "a mobil", "nowhere"}).Draw(r, "search"),
			Offset: rapid.IntRange(0, 40).Draw(r, "offset"),
			Limit:  rapid.IntRange(1, 20).Draw(r, "limit"),

			Without: rapid.SampledFrom([]contract.State{"", "", contract.Draft}).Draw(r, "without"),
			Waiting: rapid.IntRange(0, 3).Draw(r, "waiting") == 0,
			Order:   rapid.SampledFrom([]store.Order{"", "", store.OrderTitle}).Draw(r, "order"),
		}
		if rapid.IntRange(0, 3).Draw(r, "with") == 0 {
			q.With = strings.ToUpper(rapid.SampledFrom(c.people).Draw(r, "other").Email)
		}
		want := c.selectDocuments(ids, q, periods[period])
		l := c.b.listPage(q)
		page := want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))]
		if got := c.b.documentIDs(l); !slices.Equal(got, page) || l.Total != len(want) || l.Limited {
			r.Fatalf("%+v: %v of %d, want %v of %d", q, got, l.Total, page, len(want))
		}
		c.checkCounts(r, ids, q, periods[period])
	}
}

// checkCounts compares the counts of a list with the model.
func (c *listModel) checkCounts(r *rapid.T, ids []contract.DocumentID, q store.ListQuery, since time.Time) {
	q.State, q.Waiting = "", false
	want := store.ListCounts{States: map[contract.State]int{}}
	for _, id := range c.selectDocuments(ids, q, since) {
		d := c.documents[id]
		want.Total++
		want.States[d.State]++
		if d.InTurn(q.Person) {
			want.Waiting++
		}
	}
	q.Now = c.b.now
	got, err := c.b.CountList(c.b.ctx, q)
	c.b.must(err)
	if !reflect.DeepEqual(got, want) {
		r.Fatalf("%+v: counted %+v, want %+v", q, got, want)
	}
}

// selectDocuments returns the documents of a list, without regard to pages.
func (c *listModel) selectDocuments(ids []contract.DocumentID, q store.ListQuery, since time.Time) []contract.DocumentID {
	want := []contract.DocumentID{}
	for _, id := range ids {
		d := c.documents[id]
		mine := d.Owner.ID == q.Person
		if q.Box == store.Inbox {
			mine = c.seen[id][q.Person]
		}
		if q.Team != "" {
			mine = d.Team.ID == q.Team
		}
		if mine && (q.State == "" || q.State == d.State) && !d.CreatedAt.Before(since) && strings.Contains(strings.ToLower(d.Title), strings.ToLower(q.Search)) &&
			(q.Without == "" || q.Without != d.State) && (!q.Waiting || d.InTurn(q.Person)) && (q.With == "" || involves(d, q.With)) {
			want = append(want, id)
		}
	}
	if q.Order == store.OrderTitle {
		slices.SortStableFunc(want, func(a, b contract.DocumentID) int {
			return strings.Compare(strings.ToLower(c.documents[a].Title), strings.ToLower(c.documents[b].Title))
		})
	}
	return want
}

// involves reports whether a person with that address owns the document or takes part in it.
func involves(d contract.Document, email string) bool {
	return strings.EqualFold(d.Owner.Email, email) || slices.ContainsFunc(d.Participants, func(p contract.Participant) bool { return strings.EqualFold(p.Email, email) })
}

func (c *listModel) checkList(r *rapid.T, ids []contract.DocumentID, q store.ListQuery, since time.Time) {
	want := c.selectDocuments(ids, q, since)
	l := c.b.listPage(q)
	if got := c.b.documentIDs(l); !slices.Equal(got, want) || l.Total != len(want) {
		r.Fatalf("%+v: %v, counted as %d, want %v", q, got, l.Total, want)
	}
}
