package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/store"
)

func quotaCondition(q store.QuotaQuery) *condition {
	c := &condition{}
	if q.Organisation != "" {
		c.addTerm("organisation = %s", q.Organisation)
	}
	if q.Unit != "" {
		c.addTerm("unit = %s", q.Unit)
	}
	c.addPeriod("made_at", q.From, q.Until)
	return c
}

func quotaEntries(ctx context.Context, q querier, rest string, args ...any) ([]store.QuotaEntry, error) {
	all := []store.QuotaEntry{}
	return all, queryEach(ctx, q, func(scan func(...any) error) error {
		var e store.QuotaEntry
		err := scan(&e.Organisation, &e.Unit, &e.Number, &e.Op, &e.Count, &e.Document, &e.Reason, &e.By.ID, &e.By.Name, &e.By.Email, scanTime(&e.At))
		all = append(all, e)
		return err
	}, `SELECT organisation, unit, number, op, amount, document, reason, person, person_name, person_email, made_at FROM quota_entry`+rest, args...)
}

// QuotaEntries implements [store.Quotas].
func (s *Store) QuotaEntries(ctx context.Context, q store.QuotaQuery) (p store.QuotaPage, err error) {
	err = s.db.withSnapshot(ctx, func(r querier) error {
		c := quotaCondition(q)
		if p.Total, err = c.countRows(ctx, r, "quota_entry"); err != nil {
			return err
		}
		p.Entries, err = quotaEntries(ctx, r, c.pageClause("made_at DESC, organisation, unit, number DESC", q.Offset, q.Limit), c.args...)
		return err
	})
	return p, wrapf(err, "list the ledger of quota")
}

// EachQuotaEntry implements [store.Quotas].
func (s *Store) EachQuotaEntry(ctx context.Context, q store.QuotaQuery, yield func(store.QuotaEntry) bool) error {
	return wrapf(eachOf(ctx, s, func(r querier, last *store.QuotaEntry) ([]store.QuotaEntry, error) {
		c := quotaCondition(q)
		if last != nil {
			at, organisation, unit, number := c.addArg(toMicros(last.At)), c.addArg(last.Organisation), c.addArg(last.Unit), c.addArg(last.Number)
			c.terms = append(c.terms, fmt.Sprintf("(made_at, organisation, unit, number) > (%s, %s, %s, %s)", at, organisation, unit, number))
		}
		return quotaEntries(ctx, r, c.pageClause("made_at, organisation, unit, number", 0, eachBatch), c.args...)
	}, yield), "list the ledger of quota")
}
