package storetest

import (
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// makeTemplate stores a template of a draft. Its second participant is a placeholder.
func (b *fixture) makeTemplate(d contract.Document, title string, by contract.Actor) contract.Document {
	b.t.Helper()
	f := contract.CopiedFile{Participants: d.Participants, Original: b.newBase(), PDF: &contract.ExaminedPDF{Pages: d.Pages}}
	f.Participants = append([]contract.Participant{}, f.Participants...)
	f.Participants[1].Person, f.Participants[1].Guest, f.Participants[1].Placeholder = contract.Person{ID: contract.PersonID("tenant " + title), Name: "Penyewa"}, true, true
	f.Entropy[0], f.Entropy[1] = byte(b.n), byte(b.n>>8)
	return b.commitChange(contract.MakeTemplate(&d, f, title, by, limits, b.now))
}

var templateTests = map[string]func(*testing.T, *fixture){
	"TemplatesAreInTheirOwnListsAloneAndCheckedByTheLog": func(t *testing.T, b *fixture) {
		legal := b.teamOf("legal", first, second)
		draft := b.uploadDraft(owner, withTitle("Draf"))
		rent, sale := b.makeTemplate(draft, "Sewa", owner), b.share(b.makeTemplate(draft, "Jual beli", owner), legal)
		mine := b.makeTemplate(b.uploadDraft(second, withTitle("Sendiri")), "Sewa kios", second)
		b.must(b.CheckLog(b.ctx))
		for _, d := range []contract.Document{rent, sale, mine} {
			b.requireStored(d)
			b.requireEqual("is a template", d.Template && d.Participants[1].Placeholder, true)
		}
		list := func(q store.TemplateQuery) []contract.DocumentID {
			t.Helper()
			if q.Limit == 0 {
				q.Limit = 10
			}
			l, err := b.ListTemplates(b.ctx, q)
			b.must(err)
			return b.documentIDs(l)
		}
		teams := []contract.TeamID{legal.ID}
		for what, c := range map[string]struct {
			q    store.TemplateQuery
			want []contract.DocumentID
		}{
			"of the owner, shared ones once": {store.TemplateQuery{Person: owner.ID, Teams: teams}, []contract.DocumentID{sale.ID, rent.ID}},
			"of a member":                    {store.TemplateQuery{Person: second.ID, Teams: teams}, []contract.DocumentID{mine.ID, sale.ID}},
			"of the team":                    {store.TemplateQuery{Teams: teams}, []contract.DocumentID{sale.ID}},
			"of a person without any":        {store.TemplateQuery{Person: viewer.ID}, []contract.DocumentID{}},
			"by title":                       {store.TemplateQuery{Person: owner.ID, Search: "SEW"}, []contract.DocumentID{rent.ID}},
			"by a pattern":                   {store.TemplateQuery{Person: owner.ID, Search: "%"}, []contract.DocumentID{}},
			"sorted by title":                {store.TemplateQuery{Person: owner.ID, Order: store.OrderTitle}, []contract.DocumentID{sale.ID, rent.ID}},
			"second page":                    {store.TemplateQuery{Person: owner.ID, Offset: 1, Limit: 1}, []contract.DocumentID{rent.ID}},
			"beyond the end":                 {store.TemplateQuery{Person: owner.ID, Offset: 5, Limit: 1}, []contract.DocumentID{}},
		} {
			b.requireEqual(what, list(c.q), c.want)
		}
		b.requireEqual("sent documents", b.documentIDs(b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox})), []contract.DocumentID{draft.ID})
		b.requireEqual("of the team", b.documentIDs(b.listPage(store.ListQuery{Person: second.ID, Team: legal.ID})), []contract.DocumentID{})
		n, err := b.CountList(b.ctx, store.ListQuery{Person: owner.ID, Box: store.Outbox, Now: b.now})
		b.must(err)
		b.requireEqual("counted", n.Total, 1)

		c, _, err := contract.Transfer(&sale, owner.ID, second.Person, []contract.Team{legal}, contract.Actor{}, b.now)
		sale = b.commitChange(c, err)
		b.requireEqual("after a transfer", list(store.TemplateQuery{Person: owner.ID}), []contract.DocumentID{rent.ID})
		b.requireEqual("of the next owner", list(store.TemplateQuery{Person: second.ID}), []contract.DocumentID{mine.ID, sale.ID})
		b.requireEqual("of the team still", list(store.TemplateQuery{Teams: teams}), []contract.DocumentID{sale.ID})
		b.must(b.CheckLog(b.ctx))
		b.commitChange(contract.Delete(&rent, owner, b.now))
		b.requireEqual("deleted", list(store.TemplateQuery{Person: owner.ID}), []contract.DocumentID{})
		b.must(b.CheckLog(b.ctx))
	},
	"PlaceholdersOfADraftAreStoredUntilTheyAreFilled": func(t *testing.T, b *fixture) {
		role := contract.Participant{Person: contract.Person{ID: "role", Name: "Penyewa"}, Role: contract.Signer, Number: 2, Guest: true, Placeholder: true}
		d := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, first), role}
		})
		b.requireStored(d)
		people := []contract.Participant{participantAs(contract.Signer, 1, first), participantAs(contract.Signer, 2, second)}
		fill := []contract.FilledPlaceholder{{Placeholder: role.ID, Person: second.ID}}
		d = b.commitChange(contract.FillParticipants(&d, people, nil, fill, nil, owner, limits, b.now))
		b.requireStored(d)
		b.requireEqual("left", d.Participants[1].Placeholder, false)
		b.must(b.CheckLog(b.ctx))
		d = b.finalizeDraft(d, owner)
		b.requireStored(d)
	},
}
