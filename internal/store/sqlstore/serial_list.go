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
	case q.Unassigned:
		c.addTerm("organisation = %s", "")
	case q.Organisation != "":
		c.addTerm("organisation = %s", q.Organisation)
	}
	if len(q.States) > 0 {
		in := make([]string, len(q.States))
		for i, state := range q.States {
			in[i] = c.addArg(state)
		}
		c.terms = append(c.terms, "state IN ("+strings.Join(in, ",")+")")
	}
	if q.Document != 0 {
		d := c.addArg(q.Document)
		// Both indexes exclude serials without a document, and are used only if the query does so too.
		c.terms = append(c.terms, "(document = "+d+" AND document <> 0 OR former = "+d+" AND former <> 0)")
	}
	return c
}

// Serials implements [store.Serials].
func (s *Store) Serials(ctx context.Context, q store.SerialQuery) (p store.SerialPage, err error) {
	err = s.db.withSnapshot(ctx, func(r querier) error {
		c := serialCondition(q)
		if p.Total, err = c.countRows(ctx, r, "serial"); err != nil {
			return err
		}
		p.Serials, err = readSerials(ctx, r, c.pageClause("changed_at DESC, serial", q.Offset, q.Limit), c.args...)
		return err
	})
	return p, wrapf(err, "list serials")
}

// EachSerial implements [store.Serials].
func (s *Store) EachSerial(ctx context.Context, q store.SerialQuery, yield func(contract.StampSerial) bool) error {
	return wrapf(eachOf(ctx, s, func(r querier, last *contract.StampSerial) ([]contract.StampSerial, error) {
		c := serialCondition(q)
		if last != nil {
			c.addTerm("serial > %s", last.Serial)
		}
		return readSerials(ctx, r, c.pageClause("serial", 0, eachBatch), c.args...)
	}, yield), "list serials")
}
