package sqlstore

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// List implements [store.Documents].
//
// The total is known first, from the counts, so a page beyond the end is not searched for, and reading stops at the last match
// instead of going on to the oldest document. A page by number is found by skipping blocks of document numbers by their counts.
func (s *Store) List(ctx context.Context, q store.ListQuery) (store.List, error) {
	l := store.List{Documents: []contract.Document{}}
	var found boxSearch
	err := s.db.withSnapshot(ctx, func(r querier) error {
		b := newBoxQuery(q, s.blocks)
		var ids []contract.DocumentID
		if b.isCounted() && b.isByNumber() {
			counts, err := b.readCounts(ctx, r)
			if err != nil {
				return err
			}
			l.Total = counts.rows
			if ids, err = b.readPage(ctx, r, counts.selected, q.Offset, min(q.Limit, counts.rows-q.Offset)); err != nil {
				return err
			}
		} else {
			var err error
			if found, err = b.find(ctx, r); err != nil {
				return err
			}
			if err := b.sortMatches(ctx, r, found.ids); err != nil {
				return err
			}
			l.Total, l.Limited = len(found.ids), found.limited
			ids = found.ids[min(q.Offset, l.Total):min(q.Offset+q.Limit, l.Total)]
		}
		read := readDocuments
		if q.Summary {
			read = s.readSummaries
		}
		var err error
		if l.Documents, err = read(ctx, r, ids); err != nil || q.View == (store.FilingView{}) || len(ids) == 0 {
			return err
		}
		l.Filed = map[contract.DocumentID]store.Filed{}
		return r.runBatch(ctx, selectFiling(l.Filed, q.View, ids))
	})
	s.outdated.noteBlocks(found)
	return l, wrapf(err, "list %s of %s", q.Box, q.Person)
}

// boxQuery selects rows of a person's box.
type boxQuery struct {
	store.ListQuery                   // its Person and Box are those of the list
	reader          contract.PersonID // whose list it is, or who is a member of the team whose list it is
	blocks          blockSizes
	firstDay        int64 // of the period
	bounded         bool  // there is a period
}

func newBoxQuery(q store.ListQuery, blocks blockSizes) boxQuery {
	if q.State != "" && q.State != q.Without {
		q.Without = "" // leaves nothing out
	}
	b := boxQuery{ListQuery: q, reader: q.Person, blocks: blocks}
	if l, ok := teamList(contract.Team{ID: q.Team}); ok {
		b.Person, b.Box = l.person, l.box
	}
	b.firstDay, b.bounded = firstDay(q.Period, q.Now)
	return b
}

// whereInTurn selects the rows whose document a person can sign now, as [contract.Document.InTurn] says. It is read from the participants
// at each request: programs of earlier releases change them too, while an installation is updated.
var whereInTurn = `b.state = 'processing' AND b.document IN (SELECT p.document FROM participant p JOIN document d ON d.id = p.document
	WHERE %s AND p.role = 'signer' AND p.signed_at = 0 AND d.mode = 'signing' AND (d.parallel AND NOT ` + hasCapacity(contract.Witness) + ` OR NOT EXISTS (
		SELECT 1 FROM participant e WHERE e.document = p.document AND e.role = 'signer' AND e.signed_at = 0 AND e.number < p.number)))`

// condition returns the terms that select the rows.
func (b boxQuery) condition() condition {
	var c condition
	c.addTerm("b.person = %s", b.Person)
	c.addTerm("b.box = %s", b.Box)
	mailbox := ""
	if b.isMixed() {
		mailbox = c.addArg(b.Mailbox) // the third, see source
	}
	if b.State != "" {
		c.addTerm("b.state = %s", b.State)
	}
	if b.Without != "" {
		c.addTerm("b.state <> %s", b.Without)
	}
	if b.Waiting {
		self := `p.person = ` + c.addArg(b.reader)
		if mailbox != "" {
			self = `(` + self + ` OR p.guest AND lower(p.email) = ` + mailbox + `)`
		}
		c.terms = append(c.terms, fmt.Sprintf(whereInTurn, self))
	}
	if b.bounded {
		c.addTerm("b.day >= %s", b.firstDay)
	}
	return c
}

// rowsIn returns the terms that select the rows with document numbers in [from, to).
func (b boxQuery) rowsIn(from, to int64) condition {
	c := b.condition()
	c.addTerm("b.document >= %s", from)
	c.addTerm("b.document < %s", to)
	return c
}

// firstDay returns the first day of a period.
func firstDay(p store.Period, now time.Time) (day int64, bounded bool) {
	today := dayOf(now)
	switch p {
	case store.PeriodToday:
		return today, true
	case store.PeriodWeek:
		return today - 7, true
	case store.PeriodMonth:
		return today - 30, true
	case store.PeriodYear:
		return dayOf(now.In(contract.Jakarta).AddDate(-1, 0, 0)), true
	}
	return 0, false
}

// isMixed reports whether the list has rows that are not stored; see boxWithMailbox.
func (b boxQuery) isMixed() bool { return b.Mailbox != "" && b.Box == store.Inbox }

// source returns where the rows of the list come from, for a condition whose first arguments are those of condition.
func (b boxQuery) source() string {
	if b.isMixed() {
		return fmt.Sprintf(boxWithMailbox, "$1", "$3")
	}
	return `box b`
}

// isCounted reports whether the counts of blocks say how many rows there are; isByNumber, whether the rows are listed in the order of
// their document numbers.
func (b boxQuery) isCounted() bool {
	return b.Search == "" && !b.Waiting && b.With == "" && !b.isFiled() && !b.isMixed()
}
func (b boxQuery) isByNumber() bool { return b.Order == "" || b.Order == store.OrderCreated }

// boxCounts are the counts of a list that a query needs, the newest first.
type boxCounts struct {
	spans []block
	// selected are the blocks with rows that the query selects, whatever their titles, and the numbers of these rows: the spans, and the leaves of a span
	// in which the period begins.
	selected []block
	rows     int // in selected
}

// readCounts reads how many rows the query selects, whatever their titles.
func (b boxQuery) readCounts(ctx context.Context, r querier) (boxCounts, error) {
	spans, err := readSpans(ctx, r, b.Person, b.Box, b.State)
	if err != nil {
		return boxCounts{}, err
	}
	if b.Without != "" {
		without, err := readSpans(ctx, r, b.Person, b.Box, b.Without)
		if err != nil {
			return boxCounts{}, err
		}
		subtractBlocks(spans, without)
	}
	counts := boxCounts{spans: spans}
	for _, span := range spans {
		if counts.selected, err = b.appendSelected(ctx, r, counts.selected, span, b.blocks.span); err != nil {
			return boxCounts{}, err
		}
	}
	for _, k := range counts.selected {
		counts.rows += k.amount
	}
	return counts, nil
}

// appendSelected appends a block of a width with the number of its rows in the period, or the leaves of a span in which the period begins.
func (b boxQuery) appendSelected(ctx context.Context, r querier, selected []block, k block, width int64) ([]block, error) {
	k.end = k.start + width
	switch {
	case !b.bounded || k.isFrom(b.firstDay):
		return append(selected, k), nil
	case k.isBefore(b.firstDay):
		return selected, nil
	case k.split:
		leaves, err := b.readSelectedLeaves(ctx, r, k.start, k.end)
		for _, leaf := range leaves {
			if err == nil {
				selected, err = b.appendSelected(ctx, r, selected, leaf, b.blocks.leaf)
			}
		}
		return selected, err
	}
	var err error
	c := b.rowsIn(k.start, k.end)
	k.amount, err = c.countRows(ctx, r, "box b")
	return append(selected, k), err
}

// readSelectedLeaves reads the leaves in [from, to) with the amounts of rows that the query selects, of any day.
func (b boxQuery) readSelectedLeaves(ctx context.Context, r querier, from, to int64) ([]block, error) {
	leaves, err := readLeaves(ctx, r, b.Person, b.Box, b.State, from, to)
	if err != nil || b.Without == "" {
		return leaves, err
	}
	without, err := readLeaves(ctx, r, b.Person, b.Box, b.Without, from, to)
	subtractBlocks(leaves, without)
	return leaves, err
}

// subtractBlocks subtracts the amounts of some rows of a list from those of more of its rows. The days of blocks remain bounds.
func subtractBlocks(all, some []block) {
	amounts := map[int64]int{}
	for _, k := range some {
		amounts[k.start] = k.amount
	}
	for i := range all {
		all[i].amount -= amounts[all[i].start]
	}
}

// readPage reads the page with up to limit rows after the newest offset rows.
func (b boxQuery) readPage(ctx context.Context, r querier, selected []block, offset, limit int) ([]contract.DocumentID, error) {
	if limit <= 0 {
		return nil, nil
	}
	before := int64(maxDocument)
	if int64(offset) >= b.blocks.leaf/16 {
		p, err := b.skipRows(ctx, r, selected, offset)
		if err != nil {
			return nil, err
		}
		// The counts say that the row exists. If it is not found they are wrong (fsck reports it), and the rows are counted.
		if p.found {
			before, offset = p.before, p.offset
		}
	}
	c := b.rowsIn(0, before)
	ids := make([]contract.DocumentID, 0, limit)
	read := selectAll(&ids, func(id *contract.DocumentID) []any { return []any{(*int64)(id)} }, `SELECT b.document FROM box b`+c.pageClause("b.document DESC", offset, limit), c.args...)
	read.long = b.Without != "" || b.bounded // else the index has the rows together
	// The batch appends to ids, so they are returned only afterwards.
	err := r.runBatch(ctx, read)
	return ids, err
}

// position is a place in a list: after offset of the rows whose document numbers are in the block, which ends before another number.
type position struct {
	start, before int64
	offset        int
	found         bool // else only offset is valid: how many rows there are still to skip
}

// skipRows finds the place after the newest offset rows of those in selected blocks.
func (b boxQuery) skipRows(ctx context.Context, r querier, selected []block, offset int) (position, error) {
	for _, k := range selected {
		switch {
		case offset >= k.amount:
			offset -= k.amount
		case !k.split:
			return position{start: k.start, before: k.end, offset: offset, found: true}, nil
		default:
			leaves, err := b.readSelectedLeaves(ctx, r, k.start, k.end)
			if err != nil {
				return position{}, err
			}
			for i := range leaves {
				leaves[i].end = leaves[i].start + b.blocks.leaf
			}
			p, err := b.skipRows(ctx, r, leaves, offset)
			if err != nil || p.found {
				return p, err
			}
			offset = p.offset
		}
	}
	return position{offset: offset}, nil
}
