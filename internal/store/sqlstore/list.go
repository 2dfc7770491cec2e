package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// List implements [store.Documents].
//
// A page reads the index of the person's box from its newest end. The total is known first, from the counts, so a page
// beyond the end is not searched for, and the search stops at the last match instead of going on to the oldest document.
func (s *Store) List(ctx context.Context, q store.ListQuery) (store.List, error) {
	l := store.List{Documents: []contract.Document{}}
	err := s.db.withSnapshot(ctx, func(r querier) (err error) {
		b := newBoxQuery(q)
		if l.Total, err = b.countRows(ctx, r); err != nil {
			return err
		}
		ids, err := b.readPage(ctx, r, q.Offset, min(q.Limit, l.Total-q.Offset))
		if err != nil {
			return err
		}
		l.Documents, err = readDocuments(ctx, r, ids)
		return err
	})
	return l, wrapf(err, "list %s of %s", q.Box, q.Person)
}

// boxQuery selects rows of a person's box, and their counts.
type boxQuery struct {
	condition        // over the columns that box and box_count share
	search    string // pattern over titles; empty: any
	none      bool   // nothing can match
}

func newBoxQuery(q store.ListQuery) boxQuery {
	var b boxQuery
	b.addTerm("b.person = %s", q.Person)
	b.addTerm("b.box = %s", q.Box)
	if q.State != "" {
		b.addTerm("b.state = %s", q.State)
	}
	if day, bounded := firstDay(q.Period, q.Now); bounded {
		b.addTerm("b.day >= %s", day)
	}
	if q.Search != "" {
		p, possible := likePattern(q.Search)
		b.search, b.none = p, !possible
	}
	return b
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

func (b boxQuery) countRows(ctx context.Context, r querier) (n int, err error) {
	switch {
	case b.none:
		return 0, nil
	case b.search == "":
		err = queryOne(ctx, r, []any{&n}, `SELECT CAST(COALESCE(SUM(b.amount), 0) AS BIGINT) FROM box_count b`+b.whereClause(), b.args...)
		return n, err
	}
	b.addTerm(`d.title_folded LIKE %s ESCAPE '\'`, b.search)
	where := b.whereClause() + ` LIMIT ` + b.addArg(store.SearchLimit)
	err = queryOne(ctx, r, []any{&n}, `SELECT COUNT(*) FROM (SELECT 1 FROM box b JOIN document d ON d.id = b.document`+where+`) found`, b.args...)
	return n, err
}

func (b boxQuery) readPage(ctx context.Context, r querier, offset, limit int) ([]contract.DocumentID, error) {
	if limit <= 0 {
		return nil, nil
	}
	from := `box b`
	if b.search != "" {
		from += ` JOIN document d ON d.id = b.document`
		b.addTerm(`d.title_folded LIKE %s ESCAPE '\'`, b.search)
	}
	return queryAll(ctx, r, column[contract.DocumentID], `SELECT b.document FROM `+from+b.pageClause("b.document DESC", offset, limit), b.args...)
}
