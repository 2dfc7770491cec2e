package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"segel/internal/contract"
	"segel/internal/store"
)

// blockSizes are the ranges of document numbers by which the rows of a list are counted, and what follows from them. A migration
// counted earlier documents by the default, so a database never gets another.
type blockSizes struct {
	span, leaf int64 // widths; a span is a multiple of a leaf
	split      int   // a span is counted by leaves too once it has so many rows of a list
	titles     int   // the titles of a leaf are stored if it has at least so many rows of a list
	scan       int   // lists of at most so many rows are searched without stored titles
}

// defaultBlocks make a page of a list of ten million documents read at most some hundred counts, and skip at most a leaf of rows.
// Splitting late saves counts: most lists are short and have few documents in a leaf.
var defaultBlocks = blockSizes{span: 524288, leaf: 4096, split: 64, titles: 16, scan: 500}

// checksumOf returns the summand of a document in the checksum of a set of documents. Sets of equal size that differ have different
// checksums, except by a chance of about 1 in 2^39. Migration 0020 computes the same.
func checksumOf(id contract.DocumentID) int64 {
	n := int64(id)%524288 + 1
	return n * n * 15485863 % 1099511627689
}

// block counts the rows of a list whose document numbers are in a range that begins at start.
type block struct {
	start    int64
	amount   int
	firstDay int64    // no row is of an earlier day,
	lastDay  int64    // or of a later one
	checksum int64    // see checksumOf
	edits    int64    // how often a title was changed
	split    bool     // of a span: there are leaves
	all      contents // of a span, in all states
}

func (b *block) dest() []any {
	return []any{&b.start, &b.amount, &b.firstDay, &b.lastDay, &b.checksum, &b.edits}
}

// isBefore reports whether no row is of that day or a later one; isFrom reports whether all rows are.
func (b block) isBefore(day int64) bool { return b.lastDay < day }
func (b block) isFrom(day int64) bool   { return b.firstDay >= day }

// contents identifies a set of documents with their titles.
type contents struct {
	amount          int
	checksum, edits int64
}

func (b block) contents() contents { return contents{b.amount, b.checksum, b.edits} }

const blockWhere = ` WHERE person = $1 AND box = $2 AND start >= $3 AND start < $4 AND state = $5 AND amount > 0 ORDER BY start DESC`

// readSpans reads the spans of a list in one state, or in all if it is empty, the newest first.
func readSpans(ctx context.Context, r querier, person contract.PersonID, box store.Box, state contract.State) ([]block, error) {
	spans, err := queryAll(ctx, r, func(b *block) []any { return append(b.dest(), &b.split) },
		`SELECT start, amount, first_day, last_day, checksum, edits, split FROM box_span`+blockWhere, person, box, 0, int64(maxDocument), state)
	if err != nil {
		return nil, err
	}
	all := spans
	if state != "" {
		if all, err = readSpans(ctx, r, person, box, ""); err != nil {
			return nil, err
		}
	}
	// Only the rows of all states say whether there are leaves.
	byStart := map[int64]block{}
	for _, s := range all {
		byStart[s.start] = s
	}
	for i := range spans {
		s := byStart[spans[i].start]
		spans[i].split, spans[i].all = s.split, s.contents()
	}
	return spans, nil
}

// readLeaves reads the leaves of a list in [from, to), in one state, or in all if it is empty, the newest first.
func readLeaves(ctx context.Context, r querier, person contract.PersonID, box store.Box, state contract.State, from, to int64) ([]block, error) {
	return queryAll(ctx, r, (*block).dest, `SELECT start, amount, first_day, last_day, checksum, edits FROM box_leaf`+blockWhere, person, box, from, to, state)
}

// maxDocument is above all document numbers.
const maxDocument = 1 << 62

// blockChange is what a commit changes in the counts of a list, in one state or, if it is empty, in all.
type blockChange struct {
	person contract.PersonID
	box    store.Box
	state  contract.State
	day    int64
	amount int
}

// blockChanges returns the changes by state and of all states, always in the same order, so that two transactions do not deadlock.
func blockChanges(moved map[boxCount]int, edited bool) []blockChange {
	byState := map[blockChange]int{} // without amounts
	for c, n := range moved {
		byState[blockChange{person: c.person, box: c.box, state: c.state, day: c.day}] += n
		byState[blockChange{person: c.person, box: c.box, day: c.day}] += n
	}
	var all []blockChange
	for c, n := range byState {
		if c.amount = n; n != 0 || edited || c.state == "" {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b blockChange) int {
		return cmp.Or(cmp.Compare(a.person, b.person), cmp.Compare(a.box, b.box), cmp.Compare(a.state, b.state), cmp.Compare(a.day, b.day))
	})
	return all
}

// boxList is a list of a person.
type boxList struct {
	person contract.PersonID
	box    store.Box
}

// addBlockCounts adds to the counts of the document's span, and of its leaf in spans that are split. The row of all states is
// locked first and until the commit, so one transaction at a time changes a list in a span, or splits the span.
func (w *documentWriter) addBlockCounts(ctx context.Context, changes []blockChange, edited bool) error {
	id := int64(w.after.ID)
	span := id - id%w.blocks.span
	splits := map[boxList]bool{} // spans that were split before, or have to be split now
	err := w.changeBlocks(ctx, "box_span", span, changes, edited, `RETURNING person, box, state, amount, split`, func(scan scanFunc) error {
		var l boxList
		var state contract.State
		var amount int
		var split bool
		err := scan(&l.person, &l.box, &state, &amount, &split)
		if state == "" && (split || amount >= w.blocks.split) {
			splits[l] = split
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("count documents by span: %w", err)
	}
	var inLeaf []blockChange
	for _, c := range changes {
		l := boxList{c.person, c.box}
		split, large := splits[l]
		switch {
		case split:
			inLeaf = append(inLeaf, c)
		case large && c.state == "":
			if err := w.splitSpan(ctx, l, span); err != nil {
				return fmt.Errorf("count documents of %s of %s by leaf: %w", l.box, l.person, err)
			}
		}
	}
	err = w.changeBlocks(ctx, "box_leaf", id-id%w.blocks.leaf, inLeaf, edited, "", nil)
	return wrapf(err, "count documents by leaf")
}

// changeBlocks adds changes to the counts in a table of blocks, and calls fn for each row that the statements return. Without fn they
// are only added to the transaction.
func (w *documentWriter) changeBlocks(ctx context.Context, table string, start int64, changes []blockChange, edited bool, returning string, fn func(scanFunc) error) error {
	edits := 0
	if edited {
		edits = 1
	}
	for some := range slices.Chunk(changes, countsPerStatement) {
		var args []any
		for _, c := range some {
			args = append(args, c.person, c.box, start, c.state, c.amount, c.day, c.day, int64(c.amount)*checksumOf(w.after.ID), edits)
		}
		upsert := statement{what: "count documents in " + table, args: args, each: fn}
		upsert.sql = `INSERT INTO ` + table + ` AS b (person, box, start, state, amount, first_day, last_day, checksum, edits) VALUES ` + placeholderRows(len(some), 9) + `
			ON CONFLICT (person, box, start, state) DO UPDATE SET amount = b.amount + excluded.amount,
				first_day = CASE WHEN excluded.first_day < b.first_day THEN excluded.first_day ELSE b.first_day END,
				last_day = CASE WHEN excluded.last_day > b.last_day THEN excluded.last_day ELSE b.last_day END,
				checksum = b.checksum + excluded.checksum, edits = b.edits + excluded.edits ` + returning
		run := w.runBatch
		if fn == nil {
			run = w.addStatements
		}
		if err := run(ctx, upsert); err != nil {
			return err
		}
	}
	return nil
}

// splitSpan counts the rows of a span by leaves, from the rows of the list.
func (w *documentWriter) splitSpan(ctx context.Context, l boxList, span int64) error {
	for _, state := range []string{"state", "''"} {
		_, err := w.exec(ctx, `INSERT INTO box_leaf (person, box, start, state, amount, first_day, last_day, checksum, edits)
			SELECT person, box, document - document % $5, `+state+`, COUNT(*), MIN(day), MAX(day),
				CAST(SUM(((document % 524288 + 1) * (document % 524288 + 1) * 15485863) % 1099511627689) AS BIGINT), 0
			FROM box WHERE person = $1 AND box = $2 AND document >= $3 AND document < $4 GROUP BY 1, 2, 3, 4`,
			l.person, l.box, span, span+w.blocks.span, w.blocks.leaf)
		if err != nil {
			return err
		}
	}
	_, err := w.exec(ctx, `UPDATE box_span SET split = TRUE WHERE person = $1 AND box = $2 AND start = $3 AND state = ''`, l.person, l.box, span)
	return err
}
