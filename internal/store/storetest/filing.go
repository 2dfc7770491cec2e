package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// addLabel adds a label to an organisation.
func (b *fixture) addLabel(o contract.OrganisationID, name string) contract.Label {
	b.t.Helper()
	l := contract.Label{ID: contract.LabelID("label " + name + " of " + string(o)), Organisation: o, Name: name, Colour: "teal", CreatedAt: b.now}
	stored, err := b.AddLabel(b.ctx, l, labelEvent(b, o))
	b.must(err)
	return stored
}

func labelEvent(b *fixture, o contract.OrganisationID) contract.Event {
	return contract.Event{Type: contract.EventLabelAdded, At: b.now, Person: owner.Person, Details: map[string]string{"organisation": string(o)}}
}

// setLabels replaces the labels of documents of an organisation.
func (b *fixture) setLabels(o contract.OrganisationID, ids []contract.DocumentID, labels ...contract.LabelID) {
	b.t.Helper()
	_, err := b.LabelDocuments(b.ctx, o, ids, func(contract.DocumentID, []contract.LabelID) []contract.LabelID { return labels })
	b.must(err)
}

// file puts documents into a folder of a space.
func (b *fixture) file(space contract.PersonID, folder contract.FolderID, ids ...contract.DocumentID) {
	b.t.Helper()
	_, err := b.FileDocuments(b.ctx, space, folder, ids)
	b.must(err)
}

// addFolder adds a folder to a space.
func (b *fixture) addFolder(space contract.PersonID, name string) contract.Folder {
	b.t.Helper()
	f, err := b.AddFolder(b.ctx, contract.Folder{ID: contract.FolderID(fmt.Sprint("folder ", name, " of ", space)), Space: space, Name: name, CreatedAt: b.now})
	b.must(err)
	return f
}

// filedNames returns the names of the labels and the folder of a document, as an actor sees them.
func (b *fixture) filedNames(a contract.Actor, id contract.DocumentID) []string {
	b.t.Helper()
	all, err := b.Filing(b.ctx, store.FilingView{Organisation: a.Organisation, Space: a.ID}, []contract.DocumentID{id})
	b.must(err)
	names := []string{}
	for _, l := range all[id].Labels {
		names = append(names, l.Name)
	}
	if f := all[id].Folder; f.ID != "" {
		names = append(names, "in "+f.Name)
	}
	return names
}

var filingTests = map[string]func(*testing.T, *fixture){
	"LabelsHaveNamesOfTheirOwnInTheirOrganisation": func(t *testing.T, b *fixture) {
		before := b.eventCount()
		rent, sale := b.addLabel("org", "Sewa"), b.addLabel("org", "Jual")
		elsewhere := b.addLabel("other", "Sewa")
		if _, err := b.AddLabel(b.ctx, contract.Label{ID: "x", Organisation: "org", Name: "SEWA", Colour: "red"}, labelEvent(b, "org")); !errors.Is(err, store.ErrExists) {
			t.Errorf("a second label with the name: %v", err)
		}
		taken, free, notTheirs := rent, rent, rent
		taken.Name, free.Name, free.Colour, notTheirs.Organisation = "jual", "sewa", "red", "other"
		if err := b.SetLabel(b.ctx, taken, labelEvent(b, "org")); !errors.Is(err, store.ErrExists) {
			t.Errorf("renamed to a name that is taken: %v", err)
		}
		b.must(b.SetLabel(b.ctx, free, labelEvent(b, "org")))
		notTheirs.Name = "Lain"
		if err := b.SetLabel(b.ctx, notTheirs, labelEvent(b, "other")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("renamed by another organisation: %v", err)
		}
		if err := b.DeleteLabel(b.ctx, "other", rent.ID, labelEvent(b, "other")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("deleted by another organisation: %v", err)
		}
		got, err := b.Label(b.ctx, rent.ID)
		b.must(err)
		free.CreatedAt = got.CreatedAt
		b.requireEqual("one label", got, free)
		b.must(b.DeleteLabel(b.ctx, "org", sale.ID, labelEvent(b, "org")))
		for o, want := range map[contract.OrganisationID]contract.LabelID{"org": rent.ID, "other": elsewhere.ID} {
			all, err := b.Labels(b.ctx, o)
			b.must(err)
			if len(all) != 1 || all[0].ID != want {
				t.Errorf("labels of %s: %+v", o, all)
			}
		}
		b.requireEqual("events", b.eventCount()-before, int64(5))
		if _, err := b.Label(b.ctx, sale.ID); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	},
	"AnOrganisationHasNoMoreLabelsThanTheLimit": func(t *testing.T, b *fixture) {
		for i := range contract.MaxLabels {
			b.addLabel("org", fmt.Sprint("Label ", i))
		}
		if _, err := b.AddLabel(b.ctx, contract.Label{ID: "more", Organisation: "org", Name: "Lagi", Colour: "red"}, labelEvent(b, "org")); !errors.Is(err, contract.ErrLabelLimit) {
			t.Error(err)
		}
		b.addLabel("other", "Lagi")
	},
	"OnlyTheOrganisationOfADocumentLabelsItAndSeesItsLabels": func(t *testing.T, b *fixture) {
		rent, sale, foreign := b.addLabel("org", "Sewa"), b.addLabel("org", "Jual"), b.addLabel("other", "Sewa")
		d := b.finalizeDraft(b.uploadDraft(owner, func(u *contract.Upload) {
			u.Participants = []contract.Participant{participantAs(contract.Signer, 1, first), participantAs(contract.Signer, 2, otherOwner)}
		}), owner)
		draft := b.uploadDraft(owner)
		b.setLabels("org", []contract.DocumentID{d.ID, draft.ID, 999_999}, rent.ID, sale.ID, foreign.ID, "unknown")
		b.setLabels("other", []contract.DocumentID{d.ID}, foreign.ID)
		b.requireEqual("of a colleague", b.filedNames(first, d.ID), []string{"Jual", "Sewa"})
		b.requireEqual("of a signer of another organisation", b.filedNames(otherOwner, d.ID), []string{})
		for _, c := range []struct {
			who  contract.Actor
			box  store.Box
			as   contract.LabelID
			want int
		}{
			{owner, store.Outbox, rent.ID, 2}, {first, store.Inbox, rent.ID, 1}, {otherOwner, store.Inbox, rent.ID, 0}, {otherOwner, store.Inbox, foreign.ID, 0}, {owner, store.Outbox, foreign.ID, 0},
		} {
			l := b.listPage(store.ListQuery{Person: c.who.ID, Box: c.box, Label: c.as, View: store.FilingView{Organisation: c.who.Organisation, Space: c.who.ID}})
			if l.Total != c.want || len(l.Documents) != c.want || c.want > 0 && len(l.Filed[d.ID].Labels) != 2 {
				t.Errorf("%s finds %d documents with %q, %+v", c.who.ID, l.Total, c.as, l.Filed)
			}
		}
		b.setLabels("org", []contract.DocumentID{d.ID}, sale.ID)
		b.requireEqual("after one was removed", b.filedNames(owner, d.ID), []string{"Jual"})
		b.must(b.DeleteLabel(b.ctx, "org", sale.ID, labelEvent(b, "org")))
		b.requireEqual("after the other was deleted", b.filedNames(owner, d.ID), []string{})
		b.commitChange(contract.Delete(&draft, owner, b.now))
		b.requireEqual("of a deleted draft", b.filedNames(owner, draft.ID), []string{})
	},
	"ADocumentIsInOneFolderOfEachPerson": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		draft := b.uploadDraft(owner)
		bandung, medan, foreign := b.addFolder(owner.ID, "Bandung"), b.addFolder(owner.ID, "Medan"), b.addFolder(first.ID, "Bandung")
		b.requireEqual("the same name again", b.addFolder(owner.ID, "BANDUNG").ID, bandung.ID)
		file := func(who contract.Actor, folder contract.FolderID, want error, ids ...contract.DocumentID) {
			t.Helper()
			if _, err := b.FileDocuments(b.ctx, who.ID, folder, ids); !errors.Is(err, want) {
				t.Errorf("%s files into %q: %v, want %v", who.ID, folder, err, want)
			}
		}
		file(owner, bandung.ID, nil, d.ID, draft.ID)
		file(owner, foreign.ID, store.ErrNotFound, d.ID)
		file(first, foreign.ID, nil, d.ID, draft.ID) // the draft is in none of their lists
		file(otherOwner, foreign.ID, store.ErrNotFound, d.ID)
		b.requireEqual("the owner's", b.filedNames(owner, d.ID), []string{"in Bandung"})
		b.requireEqual("the signer's", b.filedNames(first, draft.ID), []string{})
		b.requireEqual("another signer's", b.filedNames(second, d.ID), []string{})
		file(owner, medan.ID, nil, d.ID)
		b.requireEqual("after it was moved", b.filedNames(owner, d.ID), []string{"in Medan"})
		b.requireEqual("the signer's stays", b.filedNames(first, d.ID), []string{"in Bandung"})
		for _, c := range []struct {
			who    contract.Actor
			box    store.Box
			folder contract.FolderID
			want   []contract.DocumentID
		}{
			{owner, store.Outbox, medan.ID, []contract.DocumentID{d.ID}}, {owner, store.Outbox, bandung.ID, []contract.DocumentID{draft.ID}}, {first, store.Inbox, foreign.ID, []contract.DocumentID{d.ID}},
			{owner, store.Outbox, foreign.ID, []contract.DocumentID{}}, {second, store.Inbox, medan.ID, []contract.DocumentID{}},
		} {
			q := store.ListQuery{Person: c.who.ID, Box: c.box, Folder: c.folder, View: store.FilingView{Space: c.who.ID}, Now: b.now}
			n, err := b.CountList(b.ctx, q)
			b.must(err)
			if l := b.listPage(q); !slices.Equal(b.documentIDs(l), c.want) || l.Total != len(c.want) || n.Total != len(c.want) {
				t.Errorf("%s has %v in %q, counted as %d and %d", c.who.ID, b.documentIDs(l), c.folder, l.Total, n.Total)
			}
		}
		if err := b.RenameFolder(b.ctx, contract.Folder{ID: medan.ID, Space: owner.ID, Name: "bandung"}); !errors.Is(err, store.ErrExists) {
			t.Error(err)
		}
		if err := b.RenameFolder(b.ctx, contract.Folder{ID: medan.ID, Space: first.ID, Name: "Surabaya"}); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		b.must(b.RenameFolder(b.ctx, contract.Folder{ID: medan.ID, Space: owner.ID, Name: "Surabaya"}))
		b.requireEqual("after the folder was renamed", b.filedNames(owner, d.ID), []string{"in Surabaya"})
		if err := b.DeleteFolder(b.ctx, first.ID, medan.ID); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		b.must(b.DeleteFolder(b.ctx, owner.ID, medan.ID))
		file(owner, "", nil, draft.ID)
		for _, id := range []contract.DocumentID{d.ID, draft.ID} {
			b.requireEqual("in no folder", b.filedNames(owner, id), []string{})
		}
		all, err := b.Folders(b.ctx, owner.ID)
		b.must(err)
		if len(all) != 1 || all[0].ID != bandung.ID {
			t.Errorf("folders: %+v", all)
		}
	},
	"APersonHasNoMoreFoldersThanTheLimit": func(t *testing.T, b *fixture) {
		for i := range contract.MaxFolders {
			b.addFolder(owner.ID, fmt.Sprint("Folder ", i))
		}
		if _, err := b.AddFolder(b.ctx, contract.Folder{ID: "more", Space: owner.ID, Name: "Lagi", CreatedAt: b.now}); !errors.Is(err, contract.ErrFolderLimit) {
			t.Error(err)
		}
		b.requireEqual("one that exists", b.addFolder(owner.ID, "folder 7").Name, "Folder 7")
	},
	"LabelsAndFoldersNarrowListsOfAnyLengthTogetherWithOtherFilters": func(t *testing.T, b *fixture) {
		rent, folder := b.addLabel("org", "Sewa"), b.addFolder(owner.ID, "Bandung")
		var labelled, filed, both, processing []contract.DocumentID
		const all = 40 // more than a short list has
		for i := range all {
			d := b.uploadDraft(owner, withTitle(fmt.Sprint("Kontrak ", i)))
			if i%3 == 0 {
				labelled = append(labelled, d.ID)
			}
			if i%4 == 0 {
				filed = append(filed, d.ID)
			}
			if i%12 == 0 {
				both = append(both, d.ID)
			}
			if i == 12 {
				b.finalizeDraft(d, owner)
				processing = append(processing, d.ID)
			}
		}
		b.setLabels("org", labelled, rent.ID)
		b.file(owner.ID, folder.ID, filed...)
		view := store.FilingView{Organisation: "org", Space: owner.ID}
		for name, c := range map[string]struct {
			q    store.ListQuery
			want []contract.DocumentID
		}{
			"label":      {store.ListQuery{Label: rent.ID}, labelled},
			"folder":     {store.ListQuery{Folder: folder.ID}, filed},
			"both":       {store.ListQuery{Label: rent.ID, Folder: folder.ID}, both},
			"state":      {store.ListQuery{Label: rent.ID, State: contract.Processing}, processing},
			"title":      {store.ListQuery{Label: rent.ID, Search: "KONTRAK 12"}, processing},
			"person":     {store.ListQuery{Folder: folder.ID, With: first.Email}, filed},
			"period":     {store.ListQuery{Label: rent.ID, Period: store.PeriodToday}, labelled},
			"unknown":    {store.ListQuery{Label: "unknown"}, nil},
			"no such":    {store.ListQuery{Folder: "unknown", Label: rent.ID}, nil},
			"turn":       {store.ListQuery{Label: rent.ID, Waiting: true}, nil},
			"by title":   {store.ListQuery{Folder: folder.ID, Order: store.OrderTitle}, filed},
			"by mailbox": {store.ListQuery{Label: rent.ID, Mailbox: "kotak@example.test"}, labelled},
		} {
			q := c.q
			q.Person, q.Box, q.View, q.Limit, q.Now = owner.ID, store.Outbox, view, 100, b.now
			l := b.listPage(q)
			got := b.documentIDs(l)
			slices.Sort(got)
			if !slices.Equal(got, c.want) || l.Total != len(c.want) || l.Limited {
				t.Errorf("%s: %v of %d, want %v", name, got, l.Total, c.want)
			}
			n, err := b.CountList(b.ctx, q)
			b.must(err)
			if total := n.States[contract.Draft] + n.States[contract.Processing]; q.State == "" && !q.Waiting && (n.Total != len(c.want) || total != len(c.want)) {
				t.Errorf("%s: counted as %+v", name, n)
			}
		}
		l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox, Label: rent.ID, View: view, Offset: 10, Limit: 3})
		if len(l.Documents) != 3 || l.Total != len(labelled) {
			t.Errorf("a page: %v of %d", b.documentIDs(l), l.Total)
		}
	},
	"ADraftThatIsDeletedWhileItIsLabelledAndFiledIsNotFound": func(t *testing.T, b *fixture) {
		rent, folder := b.addLabel("org", "Sewa"), b.addFolder(owner.ID, "Bandung")
		stays := b.uploadDraft(owner)
		for range 12 {
			d := b.uploadDraft(owner)
			ids := []contract.DocumentID{stays.ID, d.ID}
			c, err := contract.Delete(&d, owner, b.now)
			b.must(err)
			b.requireEqual("done", b.runCrowd(3, nil, func(i int) (err error) {
				found := ids
				switch i {
				case 0:
					_, err = b.Commit(b.ctx, c)
				case 1:
					found, err = b.LabelDocuments(b.ctx, "org", ids, func(contract.DocumentID, []contract.LabelID) []contract.LabelID { return []contract.LabelID{rent.ID} })
				case 2:
					found, err = b.FileDocuments(b.ctx, owner.ID, folder.ID, ids)
				}
				if err == nil && !slices.Contains(found, stays.ID) {
					err = fmt.Errorf("found %v of %v", found, ids)
				}
				return err
			}), 3)
			found, err := b.FileDocuments(b.ctx, owner.ID, folder.ID, ids)
			b.must(err)
			b.requireEqual("filed afterwards", found, []contract.DocumentID{stays.ID})
			found, err = b.LabelDocuments(b.ctx, "org", ids, func(contract.DocumentID, []contract.LabelID) []contract.LabelID { return []contract.LabelID{rent.ID} })
			b.must(err)
			b.requireEqual("labelled afterwards", found, []contract.DocumentID{stays.ID})
			b.requireEqual("the other one", b.filedNames(owner, stays.ID), []string{"Sewa", "in Bandung"})
		}
	},
	"ADocumentThatLeavesAListWhileItIsFiledThereIsInNoFolderOfIt": func(t *testing.T, b *fixture) {
		legal := b.teamOf("legal", first)
		space := contract.PersonID(legal.ID)
		ofTeam, own := b.addFolder(space, "Sewa"), b.addFolder(owner.ID, "Bandung")
		member := newActor("legal", "org")
		for range 20 {
			d := b.share(b.uploadDraft(owner), legal)
			left, _, err := contract.ShareWithTeam(&d, "", owner, b.now)
			b.must(err)
			b.requireEqual("done", b.runCrowd(2, nil, func(i int) (err error) {
				if i == 0 {
					d, err = b.Commit(b.ctx, left)
				} else {
					_, err = b.FileDocuments(b.ctx, space, ofTeam.ID, []contract.DocumentID{d.ID})
				}
				return err
			}), 2)
			b.requireEqual("in the team that it left", b.filedNames(member, d.ID), []string{})
			given, _, err := contract.Transfer(&d, owner.ID, second.Person, nil, contract.Actor{}, b.now)
			b.must(err)
			b.requireEqual("done", b.runCrowd(2, nil, func(i int) (err error) {
				if i == 0 {
					_, err = b.Commit(b.ctx, given)
				} else {
					_, err = b.FileDocuments(b.ctx, owner.ID, own.ID, []contract.DocumentID{d.ID})
				}
				return err
			}), 2)
			b.requireEqual("in the lists of the former owner", b.filedNames(owner, d.ID), []string{})
		}
	},
	"FoldersOfATeamSortItsListAndNotThoseOfItsMembers": func(t *testing.T, b *fixture) {
		legal, sales := b.teamOf("legal", first), b.teamOf("sales", first)
		d, alone := b.share(b.uploadDraft(owner), legal), b.uploadDraft(owner)
		space := contract.PersonID(legal.ID)
		ofTeam, own := b.addFolder(space, "Sewa"), b.addFolder(owner.ID, "Bandung")
		b.requireEqual("the same name again", b.addFolder(space, "SEWA").ID, ofTeam.ID)
		b.requireEqual("the same name of another team", b.addFolder("sales", "Sewa").Space, contract.PersonID(sales.ID))
		stored, err := b.Folder(b.ctx, ofTeam.ID)
		b.must(err)
		b.requireEqual("one folder", stored, ofTeam)
		b.file(space, ofTeam.ID, d.ID, alone.ID) // the other one is not in the list of the team
		b.file(owner.ID, own.ID, d.ID, alone.ID)
		member := newActor("legal", "org")
		b.requireEqual("in the list of the team", b.filedNames(member, d.ID), []string{"in Sewa"})
		b.requireEqual("one that is not in it", b.filedNames(member, alone.ID), []string{})
		b.requireEqual("in the owner's", b.filedNames(owner, d.ID), []string{"in Bandung"})
		for what, c := range map[string]struct {
			q    store.ListQuery
			want []contract.DocumentID
		}{
			"the team":               {store.ListQuery{Person: first.ID, Team: legal.ID, Folder: ofTeam.ID, View: store.FilingView{Space: space}}, []contract.DocumentID{d.ID}},
			"the team, by the owner": {store.ListQuery{Person: first.ID, Team: legal.ID, Folder: own.ID, View: store.FilingView{Space: space}}, []contract.DocumentID{}},
			"the owner":              {store.ListQuery{Person: owner.ID, Box: store.Outbox, Folder: own.ID, View: store.FilingView{Space: owner.ID}}, []contract.DocumentID{alone.ID, d.ID}},
			"the owner, by the team": {store.ListQuery{Person: owner.ID, Box: store.Outbox, Folder: ofTeam.ID, View: store.FilingView{Space: owner.ID}}, []contract.DocumentID{}},
			"another team":           {store.ListQuery{Person: first.ID, Team: sales.ID, Folder: ofTeam.ID, View: store.FilingView{Space: space}}, []contract.DocumentID{}},
		} {
			c.q.Now = b.now
			l := b.listPage(c.q)
			n, err := b.CountList(b.ctx, c.q)
			b.must(err)
			b.requireEqual(what, b.documentIDs(l), c.want)
			b.requireEqual(what+", counted", n.Total, len(c.want))
		}
		b.requireError("deleted by its member", b.DeleteFolder(b.ctx, first.ID, ofTeam.ID), store.ErrNotFound)
		d = b.share(d, sales)
		b.requireEqual("it left the team", b.filedNames(member, d.ID), []string{})
		d = b.share(d, legal)
		b.requireEqual("it came back", b.filedNames(member, d.ID), []string{})
		b.requireEqual("the owner's stays", b.filedNames(owner, d.ID), []string{"in Bandung"})
		b.file(space, ofTeam.ID, d.ID)
		b.must(b.DeleteTeam(b.ctx, legal.ID, contract.Event{Type: contract.EventTeamDeleted, At: b.now}))
		b.requireEqual("the team was deleted", b.filedNames(member, d.ID), []string{})
		_, err = b.Folder(b.ctx, ofTeam.ID)
		b.requireError("its folder", err, store.ErrNotFound)
		_, err = b.AddFolder(b.ctx, contract.Folder{ID: "late", Space: space, Name: "Lagi", CreatedAt: b.now})
		b.requireError("a folder of a deleted team", err, store.ErrNotFound)
	},
	"AFormerOwnerHasTheDocumentInNoFolder": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		ofOwner, ofFirst := b.addFolder(owner.ID, "Bandung"), b.addFolder(first.ID, "Medan")
		rent := b.addLabel("org", "Sewa")
		d = b.finalizeDraft(d, owner)
		b.file(owner.ID, ofOwner.ID, d.ID)
		b.file(first.ID, ofFirst.ID, d.ID)
		b.setLabels("org", []contract.DocumentID{d.ID}, rent.ID)
		admin := newActor("admin", "org")
		admin.Admin, admin.OrganisationState = true, contract.OrganisationActive
		transfer := func(from, to contract.Actor) {
			c, _, err := contract.Transfer(&d, from.ID, to.Person, nil, admin, b.now)
			d = b.commitChange(c, err)
		}
		transfer(owner, first)
		b.requireEqual("the former owner's", b.filedNames(owner, d.ID), []string{"Sewa"})
		b.requireEqual("the new owner's", b.filedNames(first, d.ID), []string{"Sewa", "in Medan"})
		transfer(first, owner)
		b.requireEqual("of a former owner who signs", b.filedNames(first, d.ID), []string{"Sewa", "in Medan"})
		b.requireEqual("of one who owns it again", b.filedNames(owner, d.ID), []string{"Sewa"})
	},
}
