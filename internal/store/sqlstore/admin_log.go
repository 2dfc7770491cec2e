package sqlstore

import (
	"context"

	"segel/internal/store"
)

// AuditLog implements [store.Administration].
//
// A page reads the log, or the part about one document or type, from its newest end. The count of events stops at the same
// limit as the count of a list's matches.
func (s *Store) AuditLog(ctx context.Context, l store.LogQuery) (store.LogPage, error) {
	c := &condition{}
	if l.Document != 0 {
		c.addTerm("document = %s", l.Document)
	}
	if l.Type != "" {
		c.addTerm("type = %s", l.Type)
	}
	if l.Organisation != "" {
		c.addTerm("EXISTS (SELECT 1 FROM document d WHERE d.id = event.document AND d.organisation = %s)", l.Organisation)
	}
	p := store.LogPage{Events: []store.Logged{}}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		count, args := `SELECT size FROM log_size WHERE id = 1`, []any(nil)
		if len(c.terms) > 0 {
			bounded := condition{terms: c.terms, args: append([]any{}, c.args...)}
			count = `SELECT COUNT(*) FROM (SELECT 1 FROM event` + bounded.whereClause() + ` LIMIT ` + bounded.addArg(store.SearchLimit) + `) found`
			args = bounded.args
		}
		if err := queryOne(ctx, q, []any{&p.Total}, count, args...); err != nil {
			return err
		}
		return queryEach(ctx, q, func(scan func(...any) error) error {
			leaf, e, _, err := scanEvent(scan)
			p.Events = append(p.Events, store.Logged{Event: e, Leaf: leaf})
			return err
		}, `SELECT `+eventColumns+` FROM event`+c.pageClause("leaf DESC", l.Offset, l.Limit), c.args...)
	})
	return p, wrapf(err, "read the audit log")
}
