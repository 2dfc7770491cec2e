package sqlstore

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// TestDocumentsWaitForTheRightSignerWhileAFormerReleaseWrites changes a document by the statements of the release before the list of
// what waits, which knows only the columns of the first migration.
func TestDocumentsWaitForTheRightSignerWhileAFormerReleaseWrites(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 1)
		require := func(when string, want map[contract.PersonID]int) {
			t.Helper()
			for _, person := range []contract.PersonID{"owner", "first", "second"} {
				q := store.ListQuery{Person: person, Box: store.Inbox, Waiting: true, Limit: 9, Now: time.Unix(1_800_000_000, 0)}
				l, err := s.List(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				n, err := s.CountList(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if l.Total != want[person] || len(l.Documents) != want[person] || n.Waiting != want[person] {
					t.Errorf("%s: %d of %d wait for %s, counted as %d, want %d", when, len(l.Documents), l.Total, person, n.Waiting, want[person])
				}
			}
		}
		const (
			insert = `INSERT INTO box (person, box, document, state, day) SELECT person, 'in', document, 'processing', 20000 FROM participant WHERE person = `
			sign   = `UPDATE participant SET signed_at = 1800000000000000 WHERE person = `
		)
		require("a draft", nil)
		s.execute(t, `UPDATE document SET state = 'processing', mode = 'signing' WHERE id = 1`, `UPDATE box SET state = 'processing' WHERE document = 1`, insert+`'first'`)
		require("finalized", map[contract.PersonID]int{"first": 1})
		s.execute(t, sign+`'first'`, insert+`'second'`)
		require("signed by the first", map[contract.PersonID]int{"second": 1})
		s.execute(t, sign+`'second'`)
		require("signed by both", nil)
		s.execute(t, `UPDATE participant SET signed_at = 0 WHERE person = 'second'`, `UPDATE document SET state = 'canceled' WHERE id = 1`,
			`UPDATE box SET state = 'canceled' WHERE document = 1`)
		require("canceled", nil)
	})
}
