package sqlstore

import (
	"context"
	"maps"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// dayOf returns the day of a moment in Asia/Jakarta, in days since 1970.
func dayOf(t time.Time) int64 {
	y, m, d := t.In(contract.Jakarta).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

// boxCount identifies the rows of a list that are of one state and one day.
type boxCount struct {
	person contract.PersonID
	box    store.Box
	state  contract.State
	day    int64
}

// updateBoxes updates the lists that contain the document: its owner's, and those of each participant from the moment
// that they may see it, permanently. Counts change only with rows that change.
func (w *documentWriter) updateBoxes(ctx context.Context, remove bool) error {
	moved := map[boxCount]int{}
	var changes []statement
	switch {
	case remove:
		changes = []statement{w.removeFromBoxes(moved), {sql: `DELETE FROM document WHERE id = $1`, args: []any{w.after.ID}}}
	case w.before != nil && (w.before.State != w.after.State || w.before.Title != w.after.Title):
		changes = append([]statement{w.updateBoxStates(moved)}, w.addToBoxes(moved)...)
	default:
		changes = w.addToBoxes(moved)
	}
	if len(changes) == 0 {
		return nil
	}
	if err := w.runBatch(ctx, changes...); err != nil {
		return err
	}
	return w.addCounts(ctx, moved)
}

func (w *documentWriter) removeFromBoxes(moved map[boxCount]int) statement {
	return statement{
		sql:  `DELETE FROM box WHERE document = $1 RETURNING person, box, state, day`,
		args: []any{w.after.ID},
		each: func(scan scanFunc) error {
			var c boxCount
			err := scan(&c.person, &c.box, &c.state, &c.day)
			moved[c]--
			return err
		},
	}
}

// updateBoxStates updates the rows for another state or another title.
func (w *documentWriter) updateBoxStates(moved map[boxCount]int) statement {
	return statement{
		sql:  `UPDATE box SET state = $1 WHERE document = $2 RETURNING person, box, day`,
		args: []any{w.after.State, w.after.ID},
		each: func(scan scanFunc) error {
			var c boxCount
			err := scan(&c.person, &c.box, &c.day)
			c.state = w.before.State
			moved[c]--
			c.state = w.after.State
			moved[c]++
			return err
		},
	}
}

// addToBoxes adds the document to the lists of people who see it now and did not before.
func (w *documentWriter) addToBoxes(moved map[boxCount]int) (inserts []statement) {
	day := dayOf(w.after.CreatedAt)
	put := func(id contract.PersonID, b store.Box) {
		inserts = append(inserts, statement{
			sql:  `INSERT INTO box (person, box, document, state, day) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			args: []any{id, b, w.after.ID, w.after.State, day},
			done: func(n int64) error {
				moved[boxCount{id, b, w.after.State, day}] += int(n)
				return nil
			},
		})
	}
	if w.before == nil {
		put(w.after.Owner.ID, store.Outbox)
	}
	for _, p := range w.after.Participants {
		if p.ID != w.after.Owner.ID && w.after.IsVisibleTo(p.ID) && (w.before == nil || !w.before.IsVisibleTo(p.ID)) {
			put(p.ID, store.Inbox)
		}
	}
	return inserts
}

// countsPerStatement bounds the counts that one statement changes, and with it the number of different statements.
const countsPerStatement = 16

// addCounts adds to the counts of the lists. A title that changes counts too, even if no row moves.
func (w *documentWriter) addCounts(ctx context.Context, moved map[boxCount]int) error {
	edited := w.before != nil && w.before.Title != w.after.Title
	changes := blockChanges(moved, edited)
	maps.DeleteFunc(moved, func(_ boxCount, n int) bool { return n == 0 })
	if len(moved) == 0 && !edited {
		return nil
	}
	return w.addBlockCounts(ctx, changes, edited)
}
