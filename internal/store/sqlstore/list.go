package sqlstore

import (
	"context"
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
	err := s.db.withSnapshot(ctx, func(r querier) (err error) {
		b := newBoxQuery(q, s.blocks)
		spans, err := readSpans(ctx, r, q.Person, q.Box, q.State)
		if err != nil {
			return err
		}
		rows, err := b.countRows(ctx, r, spans, s.blocks.span)
		if err != nil {
			return err
		}
		var ids []contract.DocumentID
		if q.Search == "" {
			l.Total = rows
			ids, err = b.readPage(ctx, r, spans, q.Offset, min(q.Limit, rows-q.Offset))
		} else {
			found, err = b.search(ctx, r, spans, rows)
			l.Total, l.Limited = len(found.ids), found.limited
			ids = found.ids[min(q.Offset, l.Total):min(q.Offset+q.Limit, l.Total)]
		}
		if err != nil {
			return err
		}
		l.Documents, err = readDocuments(ctx, r, ids)
		return err
	})
	s.outdated.noteBlocks(found)
	return l, wrapf(err, "list %s of %s", q.Box, q.Person)
}

// boxQuery selects rows of a person's box.
type boxQuery struct {
	store.ListQuery
	blocks   blockSizes
	firstDay int64 // of the period
	bounded  bool  // there is a period
}

func newBoxQuery(q store.ListQuery, blocks blockSizes) boxQuery {
	b := boxQuery{ListQuery: q, blocks: blocks}
	b.firstDay, b.bounded = firstDay(q.Period, q.Now)
	return b
}

// condition returns the terms that select the rows.
func (b boxQuery) condition() condition {
	var c condition
	c.addTerm("b.person = %s", b.Person)
	c.addTerm("b.box = %s", b.Box)
	if b.State != "" {
		c.addTerm("b.state = %s", b.State)
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

// countRows returns the number of rows in blocks of a width, whatever their titles.
func (b boxQuery) countRows(ctx context.Context, r querier, blocks []block, width int64) (n int, err error) {
	for _, k := range blocks {
		some := k.amount
		switch {
		case !b.bounded || k.isFrom(b.firstDay):
		case k.isBefore(b.firstDay):
			some = 0
		case k.split:
			leaves, err := readLeaves(ctx, r, b.Person, b.Box, b.State, k.start, k.start+width)
			if err != nil {
				return 0, err
			}
			if some, err = b.countRows(ctx, r, leaves, b.blocks.leaf); err != nil {
				return 0, err
			}
		default:
			c := b.rowsIn(k.start, k.start+width)
			if some, err = c.countRows(ctx, r, "box b"); err != nil {
				return 0, err
			}
		}
		n += some
	}
	return n, nil
}

// readPage reads the page with up to limit rows after the newest offset rows.
func (b boxQuery) readPage(ctx context.Context, r querier, spans []block, offset, limit int) ([]contract.DocumentID, error) {
	if limit <= 0 {
		return nil, nil
	}
	before := int64(maxDocument)
	if int64(offset) >= b.blocks.leaf/16 {
		p, err := b.skipRows(ctx, r, spans, b.blocks.span, offset)
		if err != nil {
			return nil, err
		}
		// The counts say that the row exists. If it is not found they are wrong (fsck reports it), and the rows are counted.
		if p.found {
			before, offset = p.before, p.offset
		}
	}
	c := b.rowsIn(0, before)
	return queryAll(ctx, r, column[contract.DocumentID], `SELECT b.document FROM box b`+c.pageClause("b.document DESC", offset, limit), c.args...)
}

// position is a place in a list: after offset of the rows whose document numbers are in the block, which ends before another number.
type position struct {
	start, before int64
	offset        int
	found         bool // else only offset is valid: how many rows there are still to skip
}

// skipRows finds the place after the newest offset rows of those in blocks of a width, which come newest first.
func (b boxQuery) skipRows(ctx context.Context, r querier, blocks []block, width int64, offset int) (position, error) {
	for _, k := range blocks {
		if b.bounded && k.isBefore(b.firstDay) {
			continue
		}
		mixed := b.bounded && !k.isFrom(b.firstDay) // some of its rows may be older than the period
		switch {
		case !mixed && offset >= k.amount:
			offset -= k.amount
			continue
		case k.split:
			leaves, err := readLeaves(ctx, r, b.Person, b.Box, b.State, k.start, k.start+width)
			if err != nil {
				return position{}, err
			}
			p, err := b.skipRows(ctx, r, leaves, b.blocks.leaf, offset)
			if err != nil || p.found {
				return p, err
			}
			offset = p.offset
			continue
		case mixed:
			c := b.rowsIn(k.start, k.start+width)
			n, err := c.countRows(ctx, r, "box b")
			if err != nil {
				return position{}, err
			}
			if offset >= n {
				offset -= n
				continue
			}
		}
		return position{start: k.start, before: k.start + width, offset: offset, found: true}, nil
	}
	return position{offset: offset}, nil
}
