package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// dayOf returns the day of a moment in Asia/Jakarta, in days since 1970.
func dayOf(t time.Time) int64 {
	y, m, d := t.In(contract.Jakarta).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

// boxList is a list of a person.
type boxList struct {
	person contract.PersonID
	box    store.Box
}

// listChange is what a commit changes in the lists of its document.
type listChange struct {
	// counted says how much each row that the document has in a list adds to the counts of that list, by state; the empty state
	// counts all. Empty: nothing.
	counted []stateCount
	added   []boxList // lists that get the document; one that has it already is not changed
	removed []boxList // lists that lose the document, when it gets another owner or team; its state does not change then
	edited  bool      // the title changed, or may have changed for lists that had the document before
}

type stateCount struct {
	state  contract.State
	amount int
}

// updateBoxes updates the lists that contain the document: its owner's, that of its team, and those of each participant from the moment
// that they may see it, permanently.
func (w *documentWriter) updateBoxes(ctx context.Context, remove bool) error {
	var change listChange
	var rows []statement
	if remove {
		change.counted = []stateCount{{w.before.State, -1}, {"", -1}}
		rows = []statement{{sql: `DELETE FROM box WHERE document = $1`, args: []any{w.after.ID}}, {sql: `DELETE FROM document WHERE id = $1`, args: []any{w.after.ID}}}
	} else {
		change = w.listChange()
		if w.before != nil && w.before.State != w.after.State {
			rows = append(rows, statement{sql: `UPDATE box SET state = $1 WHERE document = $2`, args: []any{w.after.State, w.after.ID}})
		}
		for _, l := range change.removed {
			rows = append(rows, statement{sql: `DELETE FROM box WHERE document = $1 AND person = $2 AND box = $3`, args: []any{w.after.ID, l.person, l.box}})
		}
		if len(change.added) > 0 {
			rows = append(rows, w.insertIntoBoxes(change.added))
		}
	}
	// The counts come first: they depend on the rows before the change.
	if len(change.counted)+len(change.added)+len(change.removed) > 0 {
		if err := w.addBlockCounts(ctx, change); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return w.addStatements(ctx, rows...)
}

// listChange returns what changes in the lists of a document that is not deleted.
func (w *documentWriter) listChange() (c listChange) {
	if w.before == nil {
		c.added = append(c.added, ownerList(w.after))
		if l, ok := teamListOf(w.after); ok {
			c.added = append(c.added, l)
		}
	} else {
		c.edited = w.before.Title != w.after.Title
		switch {
		case w.before.State != w.after.State:
			c.counted = []stateCount{{w.before.State, -1}, {w.after.State, 1}, {"", 0}}
		case c.edited:
			c.counted = []stateCount{{w.after.State, 0}, {"", 0}}
		}
	}
	if w.before != nil && w.before.Owner.ID != w.after.Owner.ID {
		w.moveOwner(&c)
	}
	if w.before != nil && w.before.Team.ID != w.after.Team.ID {
		w.moveTeam(&c)
	}
	for _, p := range w.after.Participants {
		if p.ID != w.after.Owner.ID && w.after.IsVisibleTo(p.ID) && (w.before == nil || !w.before.IsVisibleTo(p.ID)) {
			c.added = append(c.added, boxList{p.ID, store.Inbox})
		}
	}
	return c
}

// ownerList returns the list of the owner that has the document.
func ownerList(d *contract.Document) boxList {
	if d.Template {
		return boxList{d.Owner.ID, store.TemplateBox}
	}
	return boxList{d.Owner.ID, store.Outbox}
}

// moveOwner adds to a change of lists that the document has another owner: it leaves the sent ones of the former owner for those of the new one. A
// participant who owns it has it among the sent ones alone.
//
// The titles of a list are stored for its set of documents. If the document comes back after its title was changed elsewhere, the set is the
// same, so the counts say that titles were edited.
func (w *documentWriter) moveOwner(c *listChange) {
	former, owner := w.before.Owner.ID, w.after.Owner.ID
	c.removed = append(c.removed, ownerList(w.before), boxList{owner, store.Inbox})
	c.added = append(c.added, ownerList(w.after))
	if w.after.Participant(former) != nil && w.after.IsVisibleTo(former) {
		c.added = append(c.added, boxList{former, store.Inbox})
	}
	c.edited = true
}

// endOwnerPages ends the embedded pages of an owner who has the document no more. They read the token and the address with each request.
func (w *documentWriter) endOwnerPages(ctx context.Context) error {
	if w.before.Owner.ID == w.after.Owner.ID {
		return nil
	}
	person := []any{w.after.ID, w.before.Owner.ID}
	return w.addStatements(ctx,
		statement{sql: `DELETE FROM token WHERE kind = 'embedded' AND document = $1 AND person = $2`, args: person, what: "end the embedded pages of a former owner"},
		statement{sql: `DELETE FROM embed_address WHERE document = $1 AND person = $2`, args: person, what: "end the addresses of a former owner"})
}

// unfile takes a document out of the folder of an owner who has it in no list any more, and of a team that it leaves.
func (w *documentWriter) unfile(ctx context.Context) error {
	var spaces []contract.PersonID
	if former := w.before.Owner.ID; former != w.after.Owner.ID && !w.after.IsVisibleTo(former) {
		spaces = append(spaces, former)
	}
	if l, ok := teamList(w.before.Team); ok && w.teamChanged() {
		spaces = append(spaces, l.person)
	}
	for _, space := range spaces {
		err := w.addStatements(ctx, statement{sql: `DELETE FROM folder_document WHERE document = $1 AND space = $2`, args: []any{w.after.ID, space}, what: "take a document out of a folder"})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *documentWriter) insertIntoBoxes(lists []boxList) statement {
	var args []any
	for _, l := range lists {
		args = append(args, l.person, l.box, w.after.ID, w.after.State, dayOf(w.after.CreatedAt))
	}
	return statement{sql: `INSERT INTO box (person, box, document, state, day) VALUES ` + placeholderRows(len(lists), 5) + ` ON CONFLICT DO NOTHING`, args: args}
}
