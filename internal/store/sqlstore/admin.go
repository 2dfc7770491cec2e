package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// Organisations implements [store.Administration].
func (s *Store) Organisations(ctx context.Context) ([]store.Organisation, error) {
	all := []store.Organisation{}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan func(...any) error) error {
			var o store.Organisation
			err := scan(&o.ID, &o.Name, scanTime(&o.CreatedAt))
			all = append(all, o)
			return err
		}, `SELECT id, name, created_at FROM organisation ORDER BY created_at, id`)
	})
	return all, wrapf(err, "read organisations")
}

// waitingOrder stops SQLite from scanning all documents by identifier to avoid a sort.
const waitingOrder = "id + 0"

// waitingDocuments returns the table of documents without progress, and the condition that selects from it. The two halves
// use different indexes; a single condition would use neither.
func waitingDocuments(w store.WaitingQuery) (table string, c *condition) {
	c = &condition{}
	// Every attempt updates waits_since, but not the columns that record progress.
	table = fmt.Sprintf(`(SELECT id, organisation FROM document WHERE state = 'failed' UNION ALL SELECT id, organisation FROM document
		WHERE waits_since <> 0 AND state <> 'failed' AND created_at <= %[1]s AND finalized_at <= %[1]s AND last_signed_at <= %[1]s) waiting`, c.addArg(toMicros(w.Before)))
	if w.Organisation != "" {
		c.addTerm("organisation = %s", w.Organisation)
	}
	return table, c
}

// Waiting implements [store.Administration].
func (s *Store) Waiting(ctx context.Context, w store.WaitingQuery) (store.List, error) {
	table, c := waitingDocuments(w)
	l := store.List{Documents: []contract.Document{}}
	err := s.db.withSnapshot(ctx, func(q querier) (err error) {
		if l.Total, err = c.countRows(ctx, q, table); err != nil {
			return err
		}
		var ids []contract.DocumentID
		err = queryEach(ctx, q, func(scan func(...any) error) error {
			var id contract.DocumentID
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT id FROM `+table+c.pageClause(waitingOrder, w.Offset, w.Limit), c.args...)
		if err != nil || len(ids) == 0 {
			return err
		}
		l.Documents, err = readDocuments(ctx, q, ids)
		return err
	})
	return l, wrapf(err, "read documents that wait")
}

// Titles implements [store.Administration].
func (s *Store) Titles(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]store.Title, error) {
	found := map[contract.DocumentID]store.Title{}
	if len(ids) == 0 {
		return found, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	in := `(` + placeholders(1, len(ids)) + `)`
	err := s.db.withSnapshot(ctx, func(q querier) error {
		err := queryEach(ctx, q, func(scan func(...any) error) error {
			var id contract.DocumentID
			t := store.Title{Pages: map[int]int{}}
			err := scan(&id, &t.Name, &t.Title)
			found[id] = t
			return err
		}, `SELECT id, name, title FROM document WHERE id IN `+in, args...)
		if err != nil {
			return err
		}
		return queryEach(ctx, q, func(scan func(...any) error) error {
			var id contract.DocumentID
			var stamp, page int
			err := scan(&id, &stamp, &page)
			if t, known := found[id]; known {
				t.Pages[stamp] = page
			}
			return err
		}, `SELECT s.document, s.position, p.page FROM stamp s JOIN placement p ON p.document = s.document AND p.position = s.placement WHERE s.document IN `+in, args...)
	})
	return found, wrapf(err, "read the names of documents")
}

// SerialStates implements [store.Administration].
func (s *Store) SerialStates(ctx context.Context, serials []string) (map[string]contract.SerialState, error) {
	found := map[string]contract.SerialState{}
	if len(serials) == 0 {
		return found, nil
	}
	args := make([]any, len(serials))
	for i, serial := range serials {
		args[i] = serial
	}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan func(...any) error) error {
			var serial string
			var state contract.SerialState
			err := scan(&serial, &state)
			found[serial] = state
			return err
		}, `SELECT serial, state FROM serial WHERE serial IN (`+placeholders(1, len(serials))+`)`, args...)
	})
	return found, wrapf(err, "read the states of serials")
}
