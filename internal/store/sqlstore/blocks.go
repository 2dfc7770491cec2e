package sqlstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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
	end      int64 // start and the width, where a query has selected it; 0: not known
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
	spans := []block{}
	err := r.runBatch(ctx, selectAll(&spans, func(b *block) []any { return append(b.dest(), &b.split) },
		`SELECT start, amount, first_day, last_day, checksum, edits, split FROM box_span`+blockWhere, person, box, 0, int64(maxDocument), state))
	if err != nil {
		return nil, err
	}
	if state == "" {
		for i := range spans {
			spans[i].all = spans[i].contents()
		}
		return spans, nil
	}
	all, err := readSpans(ctx, r, person, box, "")
	if err != nil {
		return nil, err
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

// addBlockCounts adds to the counts of the document's span, and of its leaf in spans that are split. The row of all states is
// locked first and until the commit, so one transaction at a time changes a list in a span, or splits the span. Spans that have
// become large are split by splitSpans.
func (w *documentWriter) addBlockCounts(ctx context.Context, change listChange) error {
	id := int64(w.after.ID)
	span, split := id-id%w.blocks.span, false
	counts := w.changeBlocks("box_span", span, change, "")
	counts.sql += ` RETURNING person, box, state, amount, split`
	counts.each = func(scan scanFunc) error {
		var l boxList
		var state contract.State
		var amount int
		var isSplit bool
		err := scan(&l.person, &l.box, &state, &amount, &isSplit)
		switch {
		case state != "": // says nothing about leaves
		case isSplit:
			split = true
		case amount >= w.blocks.split:
			w.large = append(w.large, l)
		}
		return err
	}
	if err := w.addStatements(ctx, counts); err != nil {
		return err
	}
	if !split && !w.collects() {
		return nil
	}
	// Where the statement above has not run yet, this one finds out by itself whether there are leaves.
	return w.addStatements(ctx, w.changeBlocks("box_leaf", id-id%w.blocks.leaf, change,
		` WHERE EXISTS (SELECT 1 FROM box_span s WHERE s.person = l.person AND s.box = l.box AND s.start = `+strconv.FormatInt(span, 10)+` AND s.state = '' AND s.split)`))
}

// changeBlocks returns the statement that adds a change to the counts in a table of blocks, for the rows of the document's lists
// before the change that meet a condition. It is one statement for all lists, in the order of their keys, so that two transactions do
// not deadlock.
func (w *documentWriter) changeBlocks(table string, start int64, change listChange, condition string) statement {
	s := statement{what: "count documents in " + table}
	arg := func(v any, as string) string {
		s.args = append(s.args, v)
		return `CAST($` + strconv.Itoa(len(s.args)) + ` AS ` + as + `)`
	}
	document := arg(w.after.ID, "BIGINT")
	var lists []string
	if len(change.counted) > 0 {
		counted := make([]string, len(change.counted))
		for i, c := range change.counted {
			counted[i] = `SELECT ` + arg(c.state, "TEXT") + ` AS state, ` + strconv.Itoa(c.amount) + ` AS amount`
		}
		lists = append(lists, `SELECT x.person, x.box, x.day, c.state, c.amount FROM box x CROSS JOIN (`+strings.Join(counted, ` UNION ALL `)+`) c WHERE x.document = `+document)
	}
	if len(change.added) > 0 {
		added := make([]string, len(change.added))
		for i, l := range change.added {
			added[i] = `(` + arg(l.person, "TEXT") + `, ` + arg(l.box, "TEXT") + `)`
		}
		// Both databases call the columns of VALUES so.
		lists = append(lists, `SELECT n.column1 AS person, n.column2 AS box, `+arg(dayOf(w.after.CreatedAt), "BIGINT")+` AS day, c.state, 1 AS amount
			FROM (VALUES `+strings.Join(added, `, `)+`) n CROSS JOIN (SELECT `+arg(w.after.State, "TEXT")+` AS state UNION ALL SELECT '') c
			WHERE NOT EXISTS (SELECT 1 FROM box x WHERE x.document = `+document+` AND x.person = n.column1 AND x.box = n.column2)`)
	}
	if len(change.removed) > 0 {
		removed := make([]string, len(change.removed))
		for i, l := range change.removed {
			removed[i] = `(x.person = ` + arg(l.person, "TEXT") + ` AND x.box = ` + arg(l.box, "TEXT") + `)`
		}
		lists = append(lists, `SELECT x.person, x.box, x.day, c.state, -1 AS amount FROM box x CROSS JOIN (SELECT `+arg(w.after.State, "TEXT")+` AS state UNION ALL SELECT '') c
			WHERE x.document = `+document+` AND (`+strings.Join(removed, ` OR `)+`)`)
	}
	edits := 0
	if change.edited {
		edits = 1
	}
	s.sql = `INSERT INTO ` + table + ` AS b (person, box, start, state, amount, first_day, last_day, checksum, edits)
		SELECT l.person, l.box, ` + arg(start, "BIGINT") + `, l.state, l.amount, l.day, l.day, l.amount * ` + arg(checksumOf(w.after.ID), "BIGINT") + `, ` + arg(edits, "BIGINT") + `
		FROM (` + strings.Join(lists, ` UNION ALL `) + `) l` + condition + ` ORDER BY l.person, l.box, l.state
		ON CONFLICT (person, box, start, state) DO UPDATE SET amount = b.amount + excluded.amount,
			first_day = CASE WHEN excluded.first_day < b.first_day THEN excluded.first_day ELSE b.first_day END,
			last_day = CASE WHEN excluded.last_day > b.last_day THEN excluded.last_day ELSE b.last_day END,
			checksum = b.checksum + excluded.checksum, edits = b.edits + excluded.edits`
	return s
}

// splitSpans counts the rows of the lists that have become large by leaves too. It follows the statement of addBlockCounts, which
// found them, and that of the rows: on PostgreSQL both have run once the log is locked. Few commits find any.
func (w *documentWriter) splitSpans(ctx context.Context) error {
	id := int64(w.after.ID)
	span := id - id%w.blocks.span
	for _, l := range w.large {
		var all []statement
		for _, state := range []string{"state", "''"} {
			all = append(all, statement{
				sql:  countRows("box_leaf", state),
				args: []any{l.person, l.box, span, span + w.blocks.span, w.blocks.leaf},
				what: fmt.Sprintf("count documents of %s of %s by leaf", l.box, l.person),
			})
		}
		all = append(all, statement{
			sql:  `UPDATE box_span SET split = TRUE WHERE person = $1 AND box = $2 AND start = $3 AND state = ''`,
			args: []any{l.person, l.box, span},
			what: fmt.Sprintf("split the span of %s of %s", l.box, l.person),
		})
		if err := w.addStatements(ctx, all...); err != nil {
			return err
		}
	}
	return nil
}
