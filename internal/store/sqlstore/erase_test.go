package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

const (
	erasedPerson = "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"
	personalText = "zq7-personal" // lower case, as folded columns are
)

// personColumns are the columns that name a person by identifier: by column, or by table and column.
var personColumns = map[string]bool{
	"person": true, "holder": true, "inviter": true, "requester": true, "asked_by": true, "users.id": true, "answer.account": true, "folder.space": true, "folder_document.space": true, "claim.account": true,
}

// plantedInstead is what columns have in place of the text about the person, where rows belong together or the erasure asks for a state.
var plantedInstead = map[string]any{
	"organisation.id": "planted-org", "organisation.name": "Planted", "organisation_state.id": "org", "users.organisation": "org",
	// A person who owns documents is not erased.
	"document.owner": "other", "document.owner_name": "Other", "document.owner_email": "other@example.test",
	"notice.state": "sent", "erasure.done_at": 0, "event.leaf": 1_000_000, "log_hash.position": 1_000_000, "serial.former": 0,
}

// notPersonal are tables, and columns, that say nothing about a person with an account: they are about organisations, files, stamps, guests, or are
// random. A table or column that is missing here, and is neither erased nor named in the decision as what remains, fails the test.
var notPersonal = map[string]string{
	"account_policy":        "of an organisation",
	"api_key_token":         "random",
	"attempt":               "of a duty stamp",
	"backup_run":            "of the service",
	"blob_key":              "of an organisation",
	"box":                   "which documents are in a list; found through the documents",
	"branding":              "of an organisation",
	"collected_file":        "a file of no document",
	"consent_policy":        "of an organisation",
	"consent_text":          "of an organisation",
	"document_roles":        "capacities, by identifier",
	"embedding":             "of an organisation",
	"evidence":              "a file of a document",
	"installation":          "of the service",
	"key_file":              "of the service",
	"master_key":            "of the service",
	"derived_key":           "of the service",
	"office_entry":          "of a duty stamp",
	"tls_record":            "of the service",
	"office_record":         "of a duty stamp",
	"label":                 "of an organisation",
	"legal_hold":            "of an organisation",
	"retention":             "of an organisation",
	"removed_document":      "of a document",
	"document_label":        "of a document",
	"document_team":         "of a document",
	"document_template":     "of a document; placeholders are no people",
	"log_hash":              "hashes",
	"node":                  "a process of the service",
	"lease":                 "of a process of the service",
	"lease_wait":            "of a process of the service",
	"organisation":          "of an organisation",
	"organisation_locale":   "of an organisation",
	"organisation_state":    "of an organisation",
	"proved_mailbox":        "of a guest, deleted with their token",
	"quota":                 "of an organisation",
	"reconciliation":        "serials and orders",
	"reminder_schedule":     "of an organisation",
	"restoration":           "of the service",
	"resumable_part":        "a part of a file, deleted with its upload",
	"scim_group":            "of an organisation",
	"scim_token":            "of an organisation",
	"serial":                "of a duty stamp",
	"sso":                   "of an organisation",
	"sso_domain":            "of an organisation",
	"sso_grant":             "of an organisation",
	"sso_used":              "digests",
	"stamp":                 "of a duty stamp",
	"storage":               "of an organisation",
	"team":                  "of an organisation",
	"try_count":             "hashes, for as long as tries are counted",
	"used_challenge":        "random",
	"webhook":               "of an organisation",
	"document":              "of a document: its owner cannot be erased",
	"guest_link":            "hashes",
	"former_link":           "hashes",
	"mailed_link":           "hashes",
	"title_index":           "a count",
	"box_titles":            "titles of documents, by list",
	"box_index":             "the same",
	"box_gram":              "the same",
	"box_span":              "counts of a list",
	"box_leaf":              "the same",
	"resumable_upload.id":   "random",
	"users.id":              "the identifier of the account, which documents and the log name",
	"users.email":           "the identifier, as an address that receives no mail",
	"users.email_folded":    "the same",
	"erasure":               "that the person was erased, by identifier",
	"erased_guest":          "the same, of guests",
	"disabled_account":      "that the account cannot be used, by identifier",
	"login_report":          "of an organisation",
	"login.organisation":    "of an organisation",
	"placement":             "places of a document, by identifier",
	"revision":              "files of a document; who signed, by identifier",
	"passkey_use.passkey":   "random",
	"password_reset.id":     "random",
	"renewal":               "of a document",
	"guest_code":            "of a guest, erased with what they got about the document",
	"notice.id":             "random",
	"notice.kind":           "a type",
	"notice.channel":        "a type",
	"notice.account":        "empty in messages about documents",
	"notice.holder":         "a process",
	"certificate.assurance": "a type",
	"certificate.serial":    "random",
	"event.type":            "a type",
	"participant.field":     "of a document",
	"participant.role":      "a type",
	"quota_entry.op":        "a type",
	"quota_entry.unit":      "a type",

	"resumable_upload.announced": "of a file, until its parts are removed",
	"resumable_upload.digest":    "the same",
	"resumable_upload.midstate":  "the same",
	"webhook_delivery.holder":    "a process",
	"webhook_delivery.problem":   "what a server answered to the webhook",
	"webhook_delivery.response":  "the same",
	"webhook_delivery.state":     "a type",
	"webhook_delivery.type":      "a type",
	"webhook_delivery.url":       "of an organisation",
	"webhook_delivery.webhook":   "the same",
}

// plantedTable is a table of the schema.
type plantedTable struct {
	name    string
	columns []string
	types   []string
}

// ownTables reads the tables from the database, without those of the queue and of migrations.
func ownTables(t *testing.T, s *Store) []plantedTable {
	t.Helper()
	sql := `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`
	if s.db.embedded() {
		sql = `SELECT m.name, p.name, lower(p.type) FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, p.cid`
	}
	var all []plantedTable
	err := s.db.withSnapshot(t.Context(), func(q querier) error {
		return queryEach(t.Context(), q, func(scan scanFunc) error {
			var table, column, kind string
			err := scan(&table, &column, &kind)
			for _, foreign := range []string{"river_", "goose_", "schema_"} {
				if strings.HasPrefix(table, foreign) {
					return err
				}
			}
			if n := len(all); n == 0 || all[n-1].name != table {
				all = append(all, plantedTable{name: table})
			}
			last := &all[len(all)-1]
			last.columns, last.types = append(last.columns, column), append(last.types, kind)
			return err
		}, sql)
	})
	if err != nil || len(all) < 60 {
		t.Fatalf("%d tables: %v", len(all), err)
	}
	return all
}

// plantedValue is what a column of a row about the person has.
func plantedValue(table, column, kind string) any {
	if v, ok := plantedInstead[table+"."+column]; ok {
		return v
	}
	switch {
	case column == "organisation":
		return "org"
	case personColumns[column] || personColumns[table+"."+column]:
		return erasedPerson
	case kind == "text":
		return personalText
	case kind == "bytea" || kind == "blob":
		return []byte(personalText)
	case kind == "boolean":
		return false
	}
	return 1
}

// plantPerson adds a row about the person to every table. A row that refers to another is added after it.
func plantPerson(t *testing.T, s *Store, tables []plantedTable) {
	t.Helper()
	for left := slices.Clone(tables); len(left) > 0; {
		var next []plantedTable
		var failed []error
		for _, table := range left {
			args := make([]any, len(table.columns))
			for i, column := range table.columns {
				args[i] = plantedValue(table.name, column, table.types[i])
			}
			sql := `INSERT INTO ` + table.name + ` (` + strings.Join(table.columns, ", ") + `) VALUES (` + placeholders(1, len(args)) + `)`
			if slices.Contains([]string{"log_size", "document_number", "title_index", "storage", "quota"}, table.name) {
				sql += ` ON CONFLICT DO NOTHING` // one row, which is there
			}
			err := s.db.withTx(t.Context(), func(t tx) error { _, err := t.exec(context.Background(), sql, args...); return err })
			if err != nil {
				next, failed = append(next, table), append(failed, fmt.Errorf("%s: %w", table.name, err))
			}
		}
		if len(next) == len(left) {
			t.Fatalf("rows about a person were not added; extend plantedInstead or personColumns: %v", errors.Join(failed...))
		}
		left = next
	}
}

// columnsWith returns the columns, as table.column, in which a row has the text about the person, and those that have their identifier.
func columnsWith(t *testing.T, s *Store, tables []plantedTable) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, table := range tables {
		values, dest := anyColumns(len(table.columns))
		err := s.db.withSnapshot(t.Context(), func(q querier) error {
			return queryEach(t.Context(), q, func(scan scanFunc) error {
				err := scan(dest...)
				for i, v := range values {
					text, isText := v.(string)
					b, _ := v.([]byte)
					if isText {
						b = []byte(text)
					}
					if bytes.Contains(bytes.ToLower(b), []byte(personalText)) || bytes.Contains(b, []byte(erasedPerson)) {
						found[table.name+"."+table.columns[i]] = true
					}
				}
				return err
			}, `SELECT `+strings.Join(table.columns, ", ")+` FROM `+table.name)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// remaining reads from the decision page what remains of a person: the rows "| `table` | `column`, … | reason |".
func remaining(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../../../docs/decisions/0091-erasure.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		for column := range strings.SplitSeq(cells[2], ",") {
			all[strings.Trim(cells[1], " `")+"."+strings.Trim(column, " `")] = true
		}
	}
	if len(all) < 10 {
		t.Fatalf("the page names %d columns", len(all))
	}
	return all
}

// mortalDatabase commits some transactions and refuses those after them, as for a process that is killed.
type mortalDatabase struct {
	database
	left int
}

var errMortal = errors.New("the process was killed")

func (d *mortalDatabase) withTx(ctx context.Context, fn func(tx) error) error {
	if d.left == 0 {
		return errMortal
	}
	d.left--
	return d.database.withTx(ctx, fn)
}

// TestAnErasureLeavesWhatTheDecisionNames adds a row about a person to every table, with a text in each column that may hold one, erases the person,
// and requires that what is left is what the decision says. A table or column that is added later fails until it is decided what becomes of it.
func TestAnErasureLeavesWhatTheDecisionNames(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, ctx, now := openTest(t, dsn), t.Context(), time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
		if err := s.CreateOrganisation(ctx, store.Organisation{ID: "org", Name: "PT Contoh", CreatedAt: now}); err != nil {
			t.Fatal(err)
		}
		tables := ownTables(t, s)
		plantPerson(t, s, tables)
		before := columnsWith(t, s, tables)
		erase := func() error {
			return s.EraseRows(ctx, erasedPerson, contract.Event{Type: contract.EventPersonErased, At: now})
		}
		// Interrupted before each of its transactions, it is repeated.
		living, kills := s.db, 0
		for s.db = (&mortalDatabase{living, kills}); errors.Is(erase(), errMortal); s.db = (&mortalDatabase{living, kills}) {
			kills++
		}
		s.db = living
		if kills != len(manyRows)+1 {
			t.Errorf("it was interrupted %d times", kills)
		}
		for range 2 { // repeated, it changes nothing
			if err := erase(); err != nil {
				t.Fatal(err)
			}
		}
		after, remains := columnsWith(t, s, tables), remaining(t)
		for _, column := range slices.Sorted(maps.Keys(after)) {
			table, _, _ := strings.Cut(column, ".")
			if notPersonal[table] == "" && notPersonal[column] == "" && !remains[column] {
				t.Errorf("%s still has data of the person: erase them in erase.go, or name the column in decision 0091 with a reason; if it is not about people, add it to notPersonal", column)
			}
			if remains[column] && (notPersonal[table] != "" || notPersonal[column] != "") {
				t.Errorf("%s is in the decision and in notPersonal", column)
			}
		}
		for column := range remains {
			if !after[column] {
				t.Errorf("the decision says that %s remains, and it is erased", column)
			}
		}
		erased := 0
		for column := range before {
			if !after[column] {
				erased++
			}
		}
		if erased < 60 || before["users.name"] != true || after["users.name"] {
			t.Errorf("%d columns were erased", erased)
		}
		names := map[string]bool{}
		for _, table := range tables {
			names[table.name] = true
			for _, column := range table.columns {
				names[table.name+"."+column] = true
			}
		}
		for name := range notPersonal {
			if !names[name] {
				t.Errorf("notPersonal names %s, which does not exist", name)
			}
		}
	})
}
