package sqlstore

import (
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// TestFrequentQueriesScanNoTable requires that SQLite, which has no statistics here, uses the index made for each
// query. Otherwise each order would scan all serials of its organisation, each reconciliation all stamps, and each list of
// documents without progress all documents.
func TestFrequentQueriesScanNoTable(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	table, c := waitingDocuments(store.WaitingQuery{Organisation: "org"})
	ofDocument := serialCondition(store.SerialQuery{Document: 1})
	for query, indexes := range map[string][]string{
		`SELECT serial FROM serial ` + whereFree:                                                         {"serial_free (state=? AND organisation=?)"},
		`SELECT number FROM quota_entry WHERE organisation = $1 AND made_at >= $2 ORDER BY made_at DESC`: {"quota_entry_organisation (organisation=? AND made_at>?)"},
		selectInDoubt: {"stamp_requested (state=?)"},
		`SELECT COUNT(*) FROM ` + table + c.whereClause():            {"INDEX document_failed", "INDEX document_waits"},
		`SELECT id FROM ` + table + c.pageClause(waitingOrder, 0, 9): {"INDEX document_failed", "INDEX document_waits"},
		`SELECT COUNT(*) FROM serial` + ofDocument.whereClause():     {"serial_document (document=?)", "serial_former (former=?)"},
	} {
		plan := explain(t, s, query)
		got := strings.Join(plan, "; ")
		for _, index := range indexes {
			if !strings.Contains(got, index) {
				t.Errorf("%s\n%s\ndoes not use %s", query, got, index)
			}
		}
		if strings.Contains(got, "TEMP B-TREE") && !strings.Contains(query, waitingOrder) {
			t.Errorf("%s\n%s", query, got)
		}
		for _, step := range plan {
			if strings.HasPrefix(step, "SCAN ") && step != "SCAN waiting" && !strings.Contains(step, "INDEX document_") {
				t.Errorf("%s\n%s", query, got)
			}
		}
	}
}

// TestPagesOfListsReadTheirIndexesInOrder looks at what each page of a list and each search asks.
func TestPagesOfListsReadTheirIndexesInOrder(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	all := boxQuery{ListQuery: store.ListQuery{Person: "p", Box: store.Outbox}, blocks: defaultBlocks}
	draft := boxQuery{ListQuery: store.ListQuery{Person: "p", Box: store.Outbox, State: contract.Draft}, blocks: defaultBlocks, firstDay: 1, bounded: true}
	rows, drafts := all.rowsIn(0, 1), draft.rowsIn(0, 1)
	for query, index := range map[string]string{
		`SELECT b.document FROM box b` + rows.pageClause("b.document DESC", 0, 9):   "sqlite_autoindex_box_1 (person=? AND box=? AND document>? AND document<?)",
		`SELECT b.document FROM box b` + drafts.pageClause("b.document DESC", 0, 9): "box_state (person=? AND box=? AND state=? AND document>? AND document<?)",
		`SELECT amount FROM box_span` + blockWhere:                                  "sqlite_autoindex_box_span_1 (person=? AND box=? AND start>? AND start<?)",
		`SELECT amount FROM box_leaf` + blockWhere:                                  "sqlite_autoindex_box_leaf_1 (person=? AND box=? AND start>? AND start<?)",
	} {
		plan := strings.Join(explain(t, s, query), "; ")
		if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN") {
			t.Errorf("%s\n%s", query, plan)
		}
	}
}

// TestAccountsOfAnAddressAreFoundByTheIndexOfTheirConstraint looks at what each login asks.
func TestAccountsOfAnAddressAreFoundByTheIndexOfTheirConstraint(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	for _, query := range []string{`SELECT ` + userRows.columns + selectByEmails(2), selectKnownAccounts(2)} {
		plan := strings.Join(explain(t, s, query), "; ")
		if !strings.Contains(plan, "SEARCH u USING INDEX sqlite_autoindex_users_2 (email_folded=?)") || strings.Contains(plan, "SCAN u") {
			t.Errorf("%s\n%s", query, plan)
		}
	}
}

// explain returns the steps by which SQLite would answer a query.
func explain(t *testing.T, s *Store, query string) (plan []string) {
	t.Helper()
	err := s.db.withSnapshot(t.Context(), func(q querier) error {
		return queryEach(t.Context(), q, func(scan func(...any) error) error {
			var id, parent, unused int
			var step string
			err := scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		}, `EXPLAIN QUERY PLAN `+query, make([]any, strings.Count(query, "$"))...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
