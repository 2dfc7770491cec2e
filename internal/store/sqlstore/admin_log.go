package sqlstore

import (
	"context"

	"segel/internal/store"
)

// AuditLog implements [store.Administration].
//
// A page walks the log, or the part of it that is of one document or type, from its newest end; how many events there
// are is counted no further than a list's matches are.
func (s *Store) AuditLog(ctx context.Context, l store.LogQuery) (store.LogPage, error) {
	c := &condition{}
	if l.Document != 0 {
		c.and("document = %s", l.Document)
	}
	if l.Type != "" {
		c.and("type = %s", l.Type)
	}
	if l.Organisation != "" {
		c.and("EXISTS (SELECT 1 FROM document d WHERE d.id = event.document AND d.organisation = %s)", l.Organisation)
	}
	p := store.LogPage{Events: []store.Logged{}}
	err := s.db.read(ctx, func(q querier) error {
		count, args := `SELECT size FROM log_size WHERE id = 1`, []any(nil)
		if len(c.terms) > 0 {
			bounded := condition{terms: c.terms, args: append([]any{}, c.args...)}
			count = `SELECT COUNT(*) FROM (SELECT 1 FROM event` + bounded.where() + ` LIMIT ` + bounded.arg(store.SearchLimit) + `) found`
			args = bounded.args
		}
		if err := one(ctx, q, []any{&p.Total}, count, args...); err != nil {
			return err
		}
		return each(ctx, q, func(scan func(...any) error) error {
			leaf, e, _, err := scanEvent(scan)
			p.Events = append(p.Events, store.Logged{Event: e, Leaf: leaf})
			return err
		}, `SELECT `+eventColumns+` FROM event`+c.page("leaf DESC", l.Offset, l.Limit), c.args...)
	})
	return p, wrap(err, "read the audit log")
}
