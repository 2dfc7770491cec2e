package sqlstore

import (
	"context"
	"slices"

	"segel/internal/contract"
	"segel/internal/store"
)

// The columns delivery and delegations of a document are later than its kind of records, and in no digest. The events of the document state what decides about
// access to it.

// addStatements indexes what an event states of delivery and delegations.
func (x *logIndex) addStatements(ctx context.Context, leaf int64, e contract.Event) (err error) {
	switch e.Type {
	case contract.EventFinalized:
		if statement := contract.StatedDelivery(e); statement != "" {
			_, err = x.tx.ExecContext(ctx, `INSERT INTO delivery (document, statement) VALUES (?, ?) ON CONFLICT (document) DO UPDATE SET statement = excluded.statement`, e.Document, statement)
		}
	case contract.EventDelegated:
		_, err = x.tx.ExecContext(ctx, `INSERT INTO delegation (document, leaf, stored) VALUES (?, ?, ?)`, e.Document, leaf, encodeDelegations([]contract.Delegation{contract.StatedDelegation(e)}))
	}
	return err
}

// findDelivery returns the statement about the delivery of a document; empty: the default.
func (x *logIndex) findDelivery(ctx context.Context, id contract.DocumentID) (statement string, err error) {
	err = x.tx.QueryRowContext(ctx, `SELECT COALESCE((SELECT statement FROM delivery WHERE document = ?), '')`, id).Scan(&statement)
	return statement, err
}

// findDelegations returns the delegations of a document, in their order.
func (x *logIndex) findDelegations(ctx context.Context, id contract.DocumentID) (all []contract.Delegation, err error) {
	rows, err := x.tx.QueryContext(ctx, `SELECT stored FROM delegation WHERE document = ? ORDER BY leaf`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var stored string
		var some []contract.Delegation
		if err := rows.Scan(&stored); err != nil {
			return nil, err
		}
		if err := scanDelegations(&some).Scan(stored); err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, rows.Err()
}

// checkDeliveries compares how the people of documents are reached, and which parts were passed on, with the events.
func (c *Checker) checkDeliveries(ctx context.Context, q querier, keys []string) error {
	ids := make([]contract.DocumentID, len(keys))
	for i, key := range keys {
		ids[i] = documentKey(record{"document", key})
	}
	type row struct {
		id                    contract.DocumentID
		finalizedAt           int64
		delivery, delegations string
	}
	in, args := listArgs(ids)
	rows, err := queryAll(ctx, q, func(r *row) []any { return []any{&r.id, &r.finalizedAt, &r.delivery, &r.delegations} },
		`SELECT id, finalized_at, delivery, delegations FROM document WHERE id IN `+in+` ORDER BY id`, args...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		tell := func(text string) {
			c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "records", About: recordOf("document", r.id).String(), Text: text, Remedy: restoreDatabase})
		}
		statement, err := c.index.findDelivery(ctx, r.id)
		if err != nil {
			return err
		}
		var delivery contract.Delivery
		if err := scanDelivery(&delivery).Scan(r.delivery); err != nil || r.finalizedAt != 0 && delivery.Statement() != statement {
			tell("when its guests enter a code, whether parts may be passed on, or what it says about messages and addresses differs from the event of its finalization")
		}
		stated, err := c.index.findDelegations(ctx, r.id)
		if err != nil {
			return err
		}
		var delegations []contract.Delegation
		if err := scanDelegations(&delegations).Scan(r.delegations); err != nil || !slices.Equal(delegations, stated) {
			tell("the parts that its signers passed on differ from the events about them")
		}
	}
	return nil
}
