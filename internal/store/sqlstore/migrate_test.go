package sqlstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// before returns the migrations before the one with that number.
func before(t *testing.T, number string) fs.FS {
	t.Helper()
	old := fstest.MapFS{}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if base := path.Base(name); base < number {
			b, err := fs.ReadFile(migrations, name)
			if err != nil {
				t.Fatal(err)
			}
			old[base] = &fstest.MapFile{Data: b}
		}
	}
	if len(old) == 0 {
		t.Fatalf("no migration before %s", number)
	}
	return old
}

// aged creates a database as it was before the migration with that number, and runs statements on it.
func aged(t *testing.T, dsn, number string, statements ...string) {
	t.Helper()
	// The tests' databases come with the newest tables.
	if path, embedded := SQLitePath(dsn); embedded {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	db, err := openDatabase(t.Context(), dsn, Options{}, new(counters))
	if err != nil {
		t.Fatal(err)
	}
	run := func(statements ...string) error {
		return db.withTx(t.Context(), func(x tx) error {
			for _, s := range statements {
				if _, err := x.exec(t.Context(), s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if _, isPostgres := db.(*postgres); isPostgres {
		err = run(`DROP SCHEMA public CASCADE`, `CREATE SCHEMA public`)
	}
	err = errors.Join(err, db.migrate(t.Context(), before(t, number), func(context.Context) error { return nil }), run(statements...), db.close())
	if err != nil {
		t.Fatal(err)
	}
}

// oldDocument inserts a document from before there was a register, with one stamp.
func oldDocument(id, state, stamp, serial, affixed string) []string {
	bytes := "(SELECT hash FROM log_hash WHERE position = 1000000)" // a way to write bytes that both databases understand
	return []string{
		`INSERT INTO document (id, version, organisation, owner, owner_name, owner_email, name, title, title_folded, filename, state, mode, parallel, pages,
			original_key, original_size, original_digest, original_sums, created_at, finalized_at, ended_at, expires_at, last_signed_at, reminded_at,
			restamping, specimen, reason, due_at, waits_since)
			VALUES (` + id + `, 1, 'org', 'owner', '', '', 'name` + id + `', '', '', '', '` + state + `', 'stamping', FALSE, 1, 'key` + id + `', 1, ` + bytes + `, ` + bytes + `,
			1000000, 2000000, 4000000, 0, 0, 0, FALSE, FALSE, '', 0, 0)`,
		`INSERT INTO stamp (document, position, placement, state, order_id, serial, source, attempts, problem, affixed_at)
			VALUES (` + id + `, 0, 3, '` + stamp + `', 'order` + id + `', ` + serial + `, ` + bytes + `, 2, 'said', ` + affixed + `)`,
	}
}

func TestEarlierSerialsAreAddedToTheRegister(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		statements := []string{`INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1)`}
		if strings.HasPrefix(dsn, "postgres") {
			statements = append(statements, `INSERT INTO log_hash (position, hash) VALUES (1000000, decode(repeat('07', 32), 'hex'))`)
		} else {
			statements = append(statements, `INSERT INTO log_hash (position, hash) VALUES (1000000, CAST(replace(hex(zeroblob(16)), '00', char(7, 7)) AS BLOB))`)
		}
		for _, d := range [][]string{
			oldDocument("1", "completed", "affixed", "'AFFIXED'", "3000000"),
			oldDocument("2", "processing", "bound", "'BOUND'", "0"),
			oldDocument("3", "failed", "refused", "'REFUSED'", "0"),
			oldDocument("4", "canceled", "refused", "'CANCELED'", "0"),
			oldDocument("5", "processing", "requested", "NULL", "0"),
		} {
			statements = append(statements, d...)
		}
		aged(t, dsn, "0005", statements...)
		s := openTest(t, dsn)
		ctx := context.Background()
		source := [32]byte{}
		for i := range source {
			source[i] = 7
		}
		at := func(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
		for _, want := range []contract.StampSerial{
			{Serial: "AFFIXED", State: contract.SerialAffixed, Document: 1, Placement: 3, RegisteredAt: at(3), ChangedAt: at(3)},
			{Serial: "BOUND", State: contract.SerialBound, Document: 2, Placement: 3, RegisteredAt: at(2), ChangedAt: at(4)},
			{Serial: "REFUSED", State: contract.SerialBound, Document: 3, Placement: 3, RegisteredAt: at(2), ChangedAt: at(4)},
			{Serial: "CANCELED", State: contract.SerialBought, FormerDocument: 4, ReleaseCount: 1, RegisteredAt: at(2), ChangedAt: at(4)},
		} {
			want.Organisation, want.Source, want.Problem = "org", source, "said"
			got, err := s.Serial(ctx, want.Serial)
			if err != nil {
				t.Fatal(err)
			}
			if got.Evidence.Key != "" || got.Evidence.Sums != nil {
				t.Errorf("%s has evidence: %+v", want.Serial, got.Evidence)
			}
			got.Evidence = contract.File{}
			if got.Serial != want.Serial || got.State != want.State || got.Document != want.Document || got.Placement != want.Placement || got.Source != want.Source ||
				got.FormerDocument != want.FormerDocument || got.ReleaseCount != want.ReleaseCount || got.Problem != want.Problem || !got.RegisteredAt.Equal(want.RegisteredAt) || !got.ChangedAt.Equal(want.ChangedAt) ||
				got.Organisation != want.Organisation {
				t.Errorf("%s:\n got %+v\nwant %+v", want.Serial, got, want)
			}
		}
		page, err := s.Serials(ctx, store.SerialQuery{Limit: 10})
		if err != nil || page.Total != 4 {
			t.Errorf("%d serials, %v", page.Total, err)
		}
		// The cancelled document has released it, so that another may use it.
		if _, err := s.DocumentWithSerial(ctx, "CANCELED"); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		d, err := s.Document(ctx, 4)
		if err != nil || d.Stamps[0].Serial != "" {
			t.Errorf("%+v, %v", d.Stamps, err)
		}
		doubt, err := s.OrdersInDoubt(ctx)
		if err != nil || len(doubt) != 1 || doubt[0].Order != "order5" {
			t.Errorf("%+v, %v", doubt, err)
		}
		// Work continues from its earlier state.
		d, err = s.Document(ctx, 2)
		if err != nil {
			t.Fatal(err)
		}
		c, err := contract.ReopenAttempt(&d, 0, at(10))
		if err != nil {
			t.Fatal(err)
		}
		if d, err = s.Commit(ctx, c); err != nil || d.Stamps[0].Attempts != 3 {
			t.Errorf("%+v, %v", d.Stamps, err)
		}
	})
}

func TestFilesFromBeforeFindingsCountAsNotExamined(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		statements := []string{`INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1)`}
		if strings.HasPrefix(dsn, "postgres") {
			statements = append(statements, `INSERT INTO log_hash (position, hash) VALUES (1000000, decode(repeat('07', 32), 'hex'))`)
		} else {
			statements = append(statements, `INSERT INTO log_hash (position, hash) VALUES (1000000, CAST(replace(hex(zeroblob(16)), '00', char(7, 7)) AS BLOB))`)
		}
		aged(t, dsn, "0010", append(statements, oldDocument("1", "draft", "ordered", "NULL", "0")...)...)
		d, err := openTest(t, dsn).Document(t.Context(), 1)
		if err != nil || d.Examined || d.Findings != nil {
			t.Errorf("examined %v, %+v, %v", d.Examined, d.Findings, err)
		}
	})
}

func TestUserWithAPasswordFromAnAdminMustChooseTheirOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		statements := []string{`INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1)`}
		for id, mustReset := range map[string]string{"1": "TRUE", "2": "TRUE", "3": "FALSE"} {
			statements = append(statements, `INSERT INTO users (id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, created_at)
				VALUES ('`+id+`', 'org', '', '', '`+id+`', '`+id+`', FALSE, '', `+mustReset+`, `+id+`)`)
		}
		aged(t, dsn, "0009", statements...)
		s := openTest(t, dsn)
		for id, want := range map[contract.PersonID]bool{"1": false, "2": true, "3": false} { // an admin did not choose the first user's password
			u, err := s.User(t.Context(), id)
			if err != nil || u.Given != want || u.MustReset != (id != "3") {
				t.Errorf("%+v, %v", u, err)
			}
		}
	})
}

func TestWhatEarlierDocumentsTakeIsCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		statements := []string{`INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1)`}
		if strings.HasPrefix(dsn, "postgres") {
			statements = append(statements, `INSERT INTO log_hash (position, hash) VALUES (1000000, decode(repeat('07', 32), 'hex'))`)
		} else {
			statements = append(statements, `INSERT INTO log_hash (position, hash) VALUES (1000000, CAST(replace(hex(zeroblob(16)), '00', char(7, 7)) AS BLOB))`)
		}
		for id, state := range map[string]string{"1": "draft", "2": "completed", "3": "draft"} {
			statements = append(statements, oldDocument(id, state, "ordered", "NULL", "0")...)
		}
		aged(t, dsn, "0010", statements...)
		s := openTest(t, dsn)
		var want contract.Storage
		for id := range 3 {
			d, err := s.Document(t.Context(), contract.DocumentID(id+1))
			if err != nil {
				t.Fatal(err)
			}
			want.Drafts, want.Bytes = want.Drafts+d.Storage().Drafts, want.Bytes+d.Storage().Bytes
		}
		if got, err := s.Storage(t.Context(), "org"); err != nil || got != want || want.Drafts != 2 || want.Bytes == 0 {
			t.Errorf("counted %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestEarlierAccountsAreKeptAndTheirAddressesAreFreeInOtherOrganisations(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		aged(t, dsn, "0019", `INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1), ('other', 'Other', 2)`,
			`INSERT INTO users (id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, created_at, given)
				VALUES ('u1', 'org', 'Siti', 'siti', 'Siti@segel.test', 'siti@segel.test', TRUE, 'encoded', TRUE, 3000000, TRUE),
				('u2', 'other', 'Budi', 'budi', 'budi@segel.test', 'budi@segel.test', FALSE, 'encoded too', FALSE, 4000000, FALSE)`)
		s := openTest(t, dsn)
		want := []store.User{
			{Person: contract.Person{ID: "u1", Name: "Siti", Email: "Siti@segel.test"}, Organisation: "org", Admin: true, Password: "encoded", MustReset: true, Given: true, CreatedAt: time.Unix(3, 0).UTC()},
			{Person: contract.Person{ID: "u2", Name: "Budi", Email: "budi@segel.test"}, Organisation: "other", Password: "encoded too", CreatedAt: time.Unix(4, 0).UTC()},
		}
		for _, u := range want {
			got, err := s.UsersByEmail(t.Context(), u.Email)
			if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], u) {
				t.Errorf("%+v, %v, want %+v", got, err, u)
			}
		}
		again := want[0]
		again.ID = "u3"
		if err := s.CreateUser(t.Context(), again); !errors.Is(err, store.ErrExists) {
			t.Errorf("a second account in the organisation: %v", err)
		}
		again.Organisation = "other"
		if err := s.CreateUser(t.Context(), again); err != nil {
			t.Error(err)
		}
		again.ID, again.Email, again.Organisation = "u4", "ani@segel.test", "unknown"
		if err := s.CreateUser(t.Context(), again); err == nil {
			t.Error("an account of no organisation is stored")
		}
	})
}

func TestEarlierListsAreCountedByBlockAndTheirTitlesAreStored(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		bytes := `zeroblob(32)`
		if strings.HasPrefix(dsn, "postgres") {
			bytes = `decode(repeat('00', 32), 'hex')`
		}
		const documents = 9000 // more than two leaves
		aged(t, dsn, "0020", `INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1)`,
			`INSERT INTO document (id, version, organisation, owner, owner_name, owner_email, name, title, title_folded, filename, state, mode, parallel, pages,
				original_key, original_size, original_digest, original_sums, created_at, finalized_at, ended_at, expires_at, last_signed_at, reminded_at,
				restamping, specimen, reason, due_at, waits_since)
				SELECT i, 1, 'org', CASE WHEN i % 200 = 0 THEN 'few' ELSE 'many' END, '', '', 'name' || CAST(i AS TEXT), 'Sewa ' || CAST(i AS TEXT), 'sewa ' || CAST(i AS TEXT), '',
					CASE WHEN i % 3 = 0 THEN 'draft' ELSE 'completed' END, 'signing', FALSE, 1, 'key' || CAST(i AS TEXT), 1, `+bytes+`, `+bytes+`,
					86400000000 * (i / 10), 0, 0, 0, 0, 0, FALSE, FALSE, '', 0, 0
				FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i FROM n) numbers`,
			`INSERT INTO box (person, box, document, state, day) SELECT owner, 'out', id, state, created_at / 86400000000 FROM document`,
			`INSERT INTO box_count (person, box, state, day, amount) SELECT person, box, state, day, COUNT(*) FROM box GROUP BY 1, 2, 3, 4`,
			`UPDATE document_number SET last = 9000`)
		s := openTest(t, dsn)
		for range 2 {
			if err := s.IndexTitles(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, q := range []struct {
				store.ListQuery
				total int
				first contract.DocumentID
			}{
				{store.ListQuery{Person: "many"}, documents - documents/200, 8999},
				{store.ListQuery{Person: "many", Offset: 8950}, documents - documents/200, 5},
				{store.ListQuery{Person: "many", State: contract.Draft, Offset: 2950}, 2985, 105},
				{store.ListQuery{Person: "many", Search: "SEWA 40"}, 109, 4099},
				{store.ListQuery{Person: "many", Search: "a 4001"}, 1, 4001},
				{store.ListQuery{Person: "few", Search: "8"}, 13, 8800},
			} {
				q.Box, q.Limit, q.Now = store.Outbox, 20, time.Unix(1_800_000_000, 0)
				l, err := s.List(t.Context(), q.ListQuery)
				if err != nil || l.Total != q.total || len(l.Documents) == 0 || l.Documents[0].ID != q.first {
					t.Errorf("%+v: %d documents, %+v, %v", q.ListQuery, l.Total, l.Documents, err)
				}
			}
		}
		c, found := newChecker(t, s)
		if err := c.CheckDerived(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, d := range *found {
			if d.Check == "lists" {
				t.Error(d)
			}
		}
		var leaves int
		if err := s.readRow(t.Context(), []any{&leaves}, `SELECT COUNT(*) FROM box_titles WHERE person = 'many'`); err != nil || leaves != 2 {
			t.Errorf("the titles of %d leaves are stored, %v", leaves, err)
		}
	})
}

func TestAdminsAndAuditorsOfEarlierReleasesLoseTheRoleOfTheirGroups(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		none := `x''`
		if strings.HasPrefix(dsn, "postgres") {
			none = `''`
		}
		statements := []string{
			`INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1), ('other', 'Other', 2)`,
			`INSERT INTO sso (organisation, settings, secret, changed_at, edits) VALUES ('org', '{"version":1,"groups_claim":"groups","groups":[{"group":"bos","role":"admin"}]}', ` + none + `, 1, 1),
				('other', '{"version":1,"groups_claim":"groups"}', ` + none + `, 1, 1)`,
			`INSERT INTO scim_group (id, organisation, name, name_folded, external_id, created_at, changed_at, edits) VALUES ('g', 'org', 'Audit', 'audit', '', 1, 1, 1)`,
		}
		for _, u := range []struct{ id, of, admin string }{{"by hand", "org", "TRUE"}, {"admin", "org", "TRUE"}, {"auditor", "org", "FALSE"}, {"sender", "org", "FALSE"}, {"no groups", "other", "TRUE"}} {
			statements = append(statements, `INSERT INTO users (id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, created_at, given)
				VALUES ('`+u.id+`', '`+u.of+`', '', '', '`+u.id+`', '`+u.id+`', `+u.admin+`, '', FALSE, 1, FALSE)`)
			if u.id != "by hand" && u.id != "auditor" {
				statements = append(statements, `INSERT INTO sso_identity (organisation, issuer, subject, person, linked_at) VALUES ('`+u.of+`', 'i', '`+u.id+`', '`+u.id+`', 1)`)
			}
		}
		aged(t, dsn, "0145", append(statements, `INSERT INTO account_role (person, role, changed_at) VALUES ('auditor', 'auditor', 1)`, `INSERT INTO scim_member (scim_group, person) VALUES ('g', 'auditor')`)...)
		s := openTest(t, dsn)
		for id, want := range map[contract.PersonID]contract.AccountRole{
			"by hand": contract.RoleAdmin, "admin": contract.RoleMember, "auditor": contract.RoleMember, "sender": contract.RoleSender, "no groups": contract.RoleAdmin,
		} {
			err := s.TakeGroupRole(t.Context(), id, contract.Event{Type: contract.EventRoleChanged, At: time.Unix(1, 0)})
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", id, err)
			}
			if u, err := s.User(t.Context(), id); err != nil || u.Role() != want {
				t.Errorf("%s is %s, %v; want %s", id, u.Role(), err, want)
			}
		}
	})
}
