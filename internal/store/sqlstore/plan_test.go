package sqlstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// TestFrequentQueriesScanNoTable requires that SQLite, which has no statistics here, uses the index made for each
// query. Otherwise each order would scan all serials of its organisation, each reconciliation all stamps, and each list of
// documents without progress all documents.
func TestFrequentQueriesScanNoTable(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	table, c, _ := waitingDocuments(store.WaitingQuery{Organisation: "org"})
	ofDocument := serialCondition(store.SerialQuery{Document: 1})
	for query, indexes := range map[string][]string{
		`SELECT serial FROM serial ` + whereFree:                                                         {"serial_free (state=? AND organisation=?)"},
		`SELECT number FROM quota_entry WHERE organisation = $1 AND made_at >= $2 ORDER BY made_at DESC`: {"quota_entry_organisation (organisation=? AND made_at>?)"},
		selectInDoubt: {"stamp_requested (state=?)"},
		endDraftPages: {"token_person (person=? AND document=?)"},
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
	waiting := all
	waiting.Waiting = true
	rows, drafts, waits := all.rowsIn(0, 1), draft.rowsIn(0, 1), waiting.condition()
	with := all.condition()
	with.terms = append(with.terms, fmt.Sprintf(`b.document IN (`+ofPerson+`)`, with.addArg("e"), maxSelected))
	view := store.FilingView{Organisation: "o", Space: "p"}
	labelled, filed, ofTeam := all, all, newBoxQuery(store.ListQuery{Person: "p", Team: "t", Folder: "f", View: store.FilingView{Organisation: "o", Space: "t"}}, defaultBlocks)
	labelled.Label, labelled.View, filed.Folder, filed.View = "l", view, "f", view
	inLabel, inFolder, ofLabel, ofFolder := all.condition(), all.condition(), all.condition(), all.condition()
	inLabel.terms = append(inLabel.terms, `b.document IN (`+labelled.filedAs(&inLabel)+`)`)
	inFolder.terms = append(inFolder.terms, `b.document IN (`+filed.filedAs(&inFolder)+`)`)
	inTeamFolder := boxQuery{ListQuery: store.ListQuery{Person: "t", Box: store.TeamBox}, blocks: defaultBlocks}.condition()
	inTeamFolder.terms = append(inTeamFolder.terms, `b.document IN (`+ofTeam.filedAs(&inTeamFolder)+`)`)
	labelled.addFiled(&ofLabel, "b.document")
	filed.addFiled(&ofFolder, "b.document")
	for query, index := range map[string]string{
		`SELECT b.document FROM box b` + inLabel.pageClause("b.document DESC", 0, 9):                                              "sqlite_autoindex_document_label_1 (label=?)",
		`SELECT b.document FROM box b` + inFolder.pageClause("b.document DESC", 0, 9):                                             "folder_document_folder (folder=?)",
		`SELECT b.document FROM box b` + inTeamFolder.pageClause("b.document DESC", 0, 8):                                         "folder_document_folder (folder=?)",
		`SELECT b.document FROM box b` + ofLabel.pageClause("b.document DESC", 0, 9):                                              "sqlite_autoindex_document_label_1 (label=? AND document=?)",
		`SELECT b.document FROM box b` + ofFolder.pageClause("b.document DESC", 0, 9):                                             "(document=? AND space=?)",
		strings.TrimSuffix(selectFiling(nil, view, []contract.DocumentID{1, 2}).sql, ` ORDER BY 1, 6`):                            "document_label_document (document=?)",
		`SELECT b.document FROM box b` + rows.pageClause("b.document DESC", 0, 9):                                                 "sqlite_autoindex_box_1 (person=? AND box=? AND document>? AND document<?)",
		`SELECT b.document FROM box b` + drafts.pageClause("b.document DESC", 0, 9):                                               "box_state (person=? AND box=? AND state=? AND document>? AND document<?)",
		`SELECT b.document FROM box b` + waits.pageClause("b.document DESC", 0, 9):                                                "USING INDEX participant_unsigned (person=?)",
		`SELECT COUNT(*) FROM (SELECT document FROM participant WHERE lower(email) = lower($1) ORDER BY document DESC LIMIT 9) p`: "participant_email (<expr>=?)",
		`SELECT COUNT(*) FROM (SELECT id FROM document WHERE lower(owner_email) = lower($1) ORDER BY id DESC LIMIT 9) o`:          "document_owner_email (<expr>=?)",
		`SELECT b.document FROM box b` + with.whereClause():                                                                       "sqlite_autoindex_box_1 (person=? AND box=? AND document=?)",
		summaryQueries[unionOfColumns][0] + `($1, $2)`:                                                                            "sqlite_autoindex_document_1 (id=?)",
		summaryQueries[unionOfColumns][1] + `($1, $2)`:                                                                            "sqlite_autoindex_participant_1 (document=?)",
		summaryQueries[unionOfColumns][2] + `($1, $2)`:                                                                            "SEARCH stamp USING INDEX sqlite_autoindex_stamp_3 (document=?)",
		`SELECT amount FROM box_span` + blockWhere:                                                                                "sqlite_autoindex_box_span_1 (person=? AND box=? AND start>? AND start<?)",
		`SELECT amount FROM box_leaf` + blockWhere:                                                                                "sqlite_autoindex_box_leaf_1 (person=? AND box=? AND start>? AND start<?)",
	} {
		if strings.Contains(query, "LIMIT $") {
			t.Errorf("%s\nis compiled again for each use", query)
		}
		plan := strings.Join(explain(t, s, query), "; ")
		plan = strings.NewReplacer("SCAN p;", "", "SCAN o;", "", "SCAN CONSTANT ROW;", "").Replace(plan + ";") // of the rows that the index has found
		if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") && !strings.Contains(query, " IN (SELECT") || strings.Contains(plan, "SCAN") {
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

// TestPagesOfAdministratorsReadTheirIndexesInOrder looks at what each page of the people and of the log asks, with each filter.
func TestPagesOfAdministratorsReadTheirIndexesInOrder(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	day := time.Unix(1, 0)
	for _, c := range []struct {
		q     store.LogQuery
		index string // empty: the log itself, from its newest end
	}{
		{store.LogQuery{}, ""}, {store.LogQuery{Organisation: "org"}, ""},
		{store.LogQuery{Document: 1}, "event_document (document=?)"},
		{store.LogQuery{Type: contract.EventSigned}, "event_type (type=?)"},
		{store.LogQuery{Person: "p"}, "event_person (person=?)"},
		{store.LogQuery{Person: "p", Organisation: "org"}, "event_person (person=?)"},
		{store.LogQuery{Email: "a@example.test"}, "event_email (<expr>=?)"},
		{store.LogQuery{From: day, Until: day}, "event_time (at>? AND at<?)"},
		{store.LogQuery{From: day}, "event_time (at>?)"},
		{store.LogQuery{Type: contract.EventSigned, From: day, Until: day}, "event_type_time (type=? AND at>? AND at<?)"},
		{store.LogQuery{Type: contract.EventSigned, Until: day}, "event_type_time (type=? AND at<?)"},
		{store.LogQuery{Until: day}, "event_time (at<?)"},
	} {
		selected, order := logCondition(c.q)
		plan := strings.Join(explain(t, s, `SELECT leaf FROM event`+selected.pageClause(order, 0, 9)), "; ")
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%+v\n%s\ndoes not use %s", c.q, plan, c.index)
		}
	}
	for _, c := range []struct {
		q     store.UserQuery
		index string
	}{
		{store.UserQuery{}, "users_all_by_name"},
		{store.UserQuery{Organisation: "org"}, "users_by_name (organisation=?)"},
		{store.UserQuery{Organisation: "org", Status: store.AccountActive, Search: "x"}, "users_by_name (organisation=?)"},
	} {
		selected, _ := userCondition(c.q)
		plan := strings.Join(explain(t, s, userRows.selectWhere(selected.pageClause(usersOrder, 0, 9))), "; ")
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%+v\n%s\ndoes not use %s", c.q, plan, c.index)
		}
	}
	for _, c := range []struct {
		q     store.NoticeQuery
		index string
	}{
		{store.NoticeQuery{Organisation: "org"}, "notice_organisation (organisation=?)"},
		{store.NoticeQuery{Organisation: "org", Document: 1}, "notice_document (document=?)"},
		{store.NoticeQuery{State: contract.NoticeOrdered}, "notice_state (state=?)"},
	} {
		selected := noticeCondition(c.q)
		plan := strings.Join(explain(t, s, noticeRows.selectWhere(selected.pageClause(noticeOrder, 0, 9))), "; ")
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%+v\n%s\ndoes not use %s", c.q, plan, c.index)
		}
	}
	plan := strings.Join(explain(t, s, selectOpenSignatures("($1,$2)")), "; ")
	if !strings.Contains(plan, "box_state (person=? AND box=? AND state=?)") || strings.Contains(plan, "SCAN") {
		t.Errorf("open signatures: %s", plan)
	}
}

func TestSQLiteReadsTheFeedAndDeliveriesByTheirIndexes(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	for _, c := range []struct {
		query   string
		indexes []string
	}{
		{`SELECT leaf FROM event` + feedCondition(store.FeedQuery{Organisation: "o"}).pageClause("leaf", 0, 9), []string{"event_organisation"}},
		{deliveryRows.selectWhere(dueNow(s.db.clockMicros()) + ` ORDER BY due_at, number LIMIT 9`), []string{"webhook_delivery_due", "webhook_delivery_order"}},
		{webhookRows.selectWhere(withWork(s.db.clockMicros())), []string{"event_organisation", "webhook_delivery_due"}},
	} {
		plan := strings.Join(explain(t, s, c.query), "; ")
		for _, index := range c.indexes {
			if !strings.Contains(plan, index) {
				t.Errorf("%s\n%s\ndoes not use %s", c.query, plan, index)
			}
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

// TestPostgreSQLReadsListsAndTheLogByTheirIndexes forbids PostgreSQL to scan or sort where it has another way, because it scans small
// tables. What is left says which query has no index.
func TestPostgreSQLReadsListsAndTheLogByTheirIndexes(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["PostgreSQL"](t))
	waiting := boxQuery{ListQuery: store.ListQuery{Person: "p", Box: store.Inbox, Waiting: true}, blocks: defaultBlocks}
	all := boxQuery{ListQuery: store.ListQuery{Person: "p", Box: store.Inbox}, blocks: defaultBlocks}
	with := all.condition()
	with.terms = append(with.terms, fmt.Sprintf(`b.document IN (`+ofPerson+`)`, with.addArg("e"), maxSelected))
	rows, waits := all.condition(), waiting.condition()
	type question struct {
		name, query string
		args        []any
		indexes     []string
	}
	questions := []question{
		{"waiting", `SELECT b.document FROM box b` + waits.pageClause("b.document DESC", 0, 9), nil, []string{"participant_unsigned"}},
		{"person", `SELECT b.document FROM box b` + with.pageClause("b.document DESC", 0, 9), nil, []string{"participant_email", "document_owner_email"}},
		{"title", `SELECT b.document FROM box b` + rows.pageClause("b.document DESC", 0, 9), nil, []string{"box_pkey"}},
		{"embedded pages of a draft", endDraftPages, []any{"p", 1}, []string{"token_person"}},
		{"titles of matches", `SELECT id, expires_at, title_folded FROM document WHERE id IN ($1, $2)`, []any{1, 2}, []string{"document_pkey"}},
	}
	for name, filed := range map[string]store.ListQuery{"document_label_pkey": {Label: "l"}, "folder_document_folder": {Folder: "f"}} {
		b := all
		b.Label, b.Folder, b.View = filed.Label, filed.Folder, store.FilingView{Organisation: "o", Space: "p"}
		c, of := all.condition(), all.condition()
		c.terms = append(c.terms, `b.document IN (`+b.filedAs(&c)+`)`)
		b.addFiled(&of, "b.document")
		looked, each := c.pageClause("b.document DESC", 0, 9), of.pageClause("b.document DESC", 0, 9)
		questions = append(questions, question{name, `SELECT b.document FROM box b` + looked, c.args, []string{name}}, question{"rows of " + name, `SELECT b.document FROM box b` + each, of.args, []string{"box_pkey"}})
	}
	filing := selectFiling(nil, store.FilingView{Organisation: "o", Space: "p"}, []contract.DocumentID{1, 2})
	questions = append(questions, question{"where documents are filed", filing.sql, filing.args, []string{"document_label_document", "folder_document_pkey"}})
	feed := feedCondition(store.FeedQuery{Organisation: "o", From: 7})
	questions = append(questions,
		question{"feed", `SELECT leaf FROM event` + feed.pageClause("leaf", 0, 9), nil, []string{"event_organisation"}},
		question{"deliveries in time", deliveryRows.selectWhere(dueNow(s.db.clockMicros()) + ` ORDER BY due_at LIMIT 9`), []any{"w", 1}, []string{"webhook_delivery_due", "webhook_delivery_order"}},
	)
	questions[len(questions)-2].args = feed.args
	questions[0].args, questions[1].args, questions[2].args = waits.args, with.args, rows.args
	day := time.Unix(1, 0)
	for index, q := range map[string]store.LogQuery{
		"event_document": {Document: 1}, "event_type": {Type: contract.EventSigned}, "event_person": {Person: "p"}, "event_email": {Email: "a@example.test"},
		"event_time": {From: day, Until: day}, "event_type_time": {Type: contract.EventSigned, From: day, Until: day},
	} {
		selected, order := logCondition(q)
		page := selected.pageClause(order, 0, 9)
		questions = append(questions, question{"log by " + index, `SELECT leaf FROM event` + page, selected.args, []string{index}})
	}
	for _, q := range questions {
		plan := s.explainIndexed(t, q.query, q.args)
		for _, index := range q.indexes {
			if !strings.Contains(plan, index) {
				t.Errorf("%s: %s\n%s\ndoes not use %s", q.name, q.query, plan, index)
			}
		}
		if strings.Contains(plan, "Seq Scan") || strings.Contains(q.name, "time") && strings.Contains(plan, "Sort") {
			t.Errorf("%s: %s\n%s", q.name, q.query, plan)
		}
	}
}

// explainIndexed returns how PostgreSQL answers a query if it scans and sorts only where it has no other way.
func (s *Store) explainIndexed(t *testing.T, query string, args []any) string {
	t.Helper()
	var plan []string
	err := s.db.withTx(t.Context(), func(x tx) error {
		for _, step := range []string{"seqscan", "bitmapscan", "sort"} {
			if _, err := x.exec(t.Context(), `SET LOCAL enable_`+step+` = off`); err != nil {
				return err
			}
		}
		return queryEach(t.Context(), x, func(scan scanFunc) error {
			var step string
			err := scan(&step)
			plan = append(plan, step)
			return err
		}, `EXPLAIN (COSTS OFF) `+query, args...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}
