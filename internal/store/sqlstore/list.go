package sqlstore

import (
	"context"
	"fmt"
	"strings"
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
	if err != nil {
		return store.List{}, fmt.Errorf("list %s of %s: %w", q.Box, q.Person, err)
	}
	return l, nil
}

// boxQuery selects rows of a person's box, and their counts.
type boxQuery struct {
	where  string // over the columns that box and box_count share
	args   []any
	search string // pattern over titles; empty: any
	none   bool   // nothing can match
}

func newBoxQuery(q store.ListQuery) boxQuery {
	b := boxQuery{where: `b.person = $1 AND b.box = $2`, args: []any{q.Person, q.Box}}
	if q.State != "" {
		b.where += ` AND b.state = ` + b.addArg(q.State)
	}
	if day, bounded := firstDay(q.Period, q.Now); bounded {
		b.where += ` AND b.day >= ` + b.addArg(day)
	}
	if q.Search != "" {
		p, possible := likePattern(q.Search)
		b.search, b.none = p, !possible
	}
	return b
}

func (b *boxQuery) addArg(v any) string {
	b.args = append(b.args, v)
	return fmt.Sprintf("$%d", len(b.args))
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
		return n, queryOne(ctx, r, []any{&n}, `SELECT CAST(COALESCE(SUM(b.amount), 0) AS BIGINT) FROM box_count b WHERE `+b.where, b.args...)
	}
	like, limit := b.addArg(b.search), b.addArg(store.SearchLimit)
	return n, queryOne(ctx, r, []any{&n}, `SELECT COUNT(*) FROM (
		SELECT 1 FROM box b JOIN document d ON d.id = b.document
		WHERE `+b.where+` AND d.title_folded LIKE `+like+` ESCAPE '\' LIMIT `+limit+`) found`, b.args...)
}

func (b boxQuery) readPage(ctx context.Context, r querier, offset, limit int) ([]contract.DocumentID, error) {
	if limit <= 0 {
		return nil, nil
	}
	sql := strings.Builder{}
	sql.WriteString(`SELECT b.document FROM box b`)
	if b.search != "" {
		sql.WriteString(` JOIN document d ON d.id = b.document`)
	}
	sql.WriteString(` WHERE ` + b.where)
	if b.search != "" {
		sql.WriteString(` AND d.title_folded LIKE ` + b.addArg(b.search) + ` ESCAPE '\'`)
	}
	sql.WriteString(` ORDER BY b.document DESC LIMIT ` + b.addArg(limit) + ` OFFSET ` + b.addArg(offset))
	var ids []contract.DocumentID
	err := queryEach(ctx, r, func(scan func(...any) error) error {
		var id contract.DocumentID
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, sql.String(), b.args...)
	return ids, err
}
