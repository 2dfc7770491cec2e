package sqlstore

import (
	"context"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

func serialCondition(q store.SerialQuery) *condition {
	c := &condition{}
	switch {
	case q.Nobodys:
		c.and("organisation = %s", "")
	case q.Organisation != "":
		c.and("organisation = %s", q.Organisation)
	}
	if len(q.States) > 0 {
		in := make([]string, len(q.States))
		for i, state := range q.States {
			in[i] = c.arg(state)
		}
		c.terms = append(c.terms, "state IN ("+strings.Join(in, ",")+")")
	}
	if q.Document != 0 {
		d := c.arg(q.Document)
		// Both indexes leave out what no document has, and are used only where that is said.
		c.terms = append(c.terms, "(document = "+d+" AND document <> 0 OR former = "+d+" AND former <> 0)")
	}
	return c
}

// Serials implements [store.Serials].
func (s *Store) Serials(ctx context.Context, q store.SerialQuery) (p store.SerialPage, err error) {
	err = s.db.read(ctx, func(r querier) error {
		c := serialCondition(q)
		if p.Total, err = c.total(ctx, r, "serial"); err != nil {
			return err
		}
		p.Serials, err = serials(ctx, r, c.page("changed_at DESC, serial", q.Offset, q.Limit), c.args...)
		return err
	})
	return p, wrap(err, "list serials")
}

// EachSerial implements [store.Serials].
func (s *Store) EachSerial(ctx context.Context, q store.SerialQuery, yield func(contract.StampSerial) bool) error {
	return wrap(eachOf(ctx, s, func(r querier, last *contract.StampSerial) ([]contract.StampSerial, error) {
		c := serialCondition(q)
		if last != nil {
			c.and("serial > %s", last.Serial)
		}
		return serials(ctx, r, c.page("serial", 0, eachBatch), c.args...)
	}, yield), "list serials")
}
