package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// openKept opens a database with one connection and a table of the numbers 1 to 5.
func openKept(t *testing.T) (db *sql.DB, conn *sqliteConn) {
	t.Helper()
	db, err := openFile(filepath.Join(t.TempDir(), "x.db"), makeFile, "BEGIN IMMEDIATE")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE n (v INTEGER PRIMARY KEY); INSERT INTO n VALUES (1), (2), (3), (4), (5)`); err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Raw(func(raw any) error { conn = raw.(*sqliteConn); return nil }); err != nil {
		t.Fatal(err)
	}
	return db, conn
}

func TestAStatementThatIsInUseServesTheSameQueryAgain(t *testing.T) {
	t.Parallel()
	db, conn := openKept(t)
	const above = `SELECT v FROM n WHERE v > ?1 ORDER BY v`
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	outer, err := tx.Query(above, 0)
	if err != nil {
		t.Fatal(err)
	}
	for outer.Next() {
		var v int
		if err := outer.Scan(&v); err != nil {
			t.Fatal(err)
		}
		inner, err := tx.Query(above, v)
		if err != nil {
			t.Fatal(err)
		}
		for inner.Next() {
			pairs++
		}
		if err := inner.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := outer.Err(); err != nil || pairs != 10 {
		t.Errorf("%d pairs, %v", pairs, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, ok := conn.idle[above]; !ok {
		t.Errorf("the statement is not kept; %d others are", len(conn.idle))
	}
}

func TestRowsThatAreNotReadToTheEndDoNotHoldTheTransaction(t *testing.T) {
	t.Parallel()
	db, _ := openKept(t)
	for range 3 {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tx.Query(`SELECT v FROM n`)
		if err != nil || !r.Next() || r.Close() != nil {
			t.Fatal(err, r.Err())
		}
		if _, err := tx.Exec(`DELETE FROM n WHERE v = 9`); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFailedStatementAndAnEndedContextLeaveAUsableConnection(t *testing.T) {
	t.Parallel()
	db, conn := openKept(t)
	insert := func(ctx context.Context, v int) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(ctx, `INSERT INTO n VALUES (?1)`, v); err != nil {
			return err
		}
		return tx.Commit()
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for range 3 {
		if err := insert(t.Context(), 1); err == nil {
			t.Error("a number was inserted twice")
		}
		if err := insert(ended, 7); err == nil {
			t.Error("inserted after the context ended")
		}
	}
	if err := insert(t.Context(), 6); err != nil {
		t.Error(err)
	}
	var n int
	if err := db.QueryRow(`SELECT COUNT(*) FROM n`).Scan(&n); err != nil || n != 6 {
		t.Errorf("%d numbers, %v", n, err)
	}
	for i := range 2 * maxStatements {
		if err := db.QueryRow(fmt.Sprintf(`SELECT %d`, i)).Scan(&n); err != nil || n != i {
			t.Fatalf("%d, not %d: %v", n, i, err)
		}
	}
	if len(conn.idle) > maxStatements {
		t.Errorf("%d statements are kept", len(conn.idle))
	}
}

func TestPlaceholdersLoseTheirNumbersWhereEachIsUsedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"SELECT 1": "SELECT 1",
		"INSERT INTO x VALUES (" + placeholders(1, 12) + ")": "INSERT INTO x VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
		"SELECT $1, $1":          "SELECT ?1, ?1",
		"SELECT $2, $1":          "SELECT ?2, ?1",
		"SELECT $1, $12":         "SELECT ?1, ?12",
		"SELECT $10 WHERE $1":    "SELECT ?10 WHERE ?1",
		"SELECT $1 WHERE $2 = x": "SELECT ? WHERE ? = x",
	} {
		if got := spellPlaceholders(statement); got != want {
			t.Errorf("%s becomes %s, want %s", statement, got, want)
		}
	}
	for from := 1; from < 300; from += 7 {
		for n := range 40 {
			var all []string
			for i := range n {
				all = append(all, "$"+strconv.Itoa(from+i))
			}
			if got, want := placeholders(from, n), strings.Join(all, ","); got != want {
				t.Fatalf("%d from %d: %s, want %s", n, from, got, want)
			}
		}
	}
}

func TestLimitsOfTheJobQueueAreExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT id FROM river_job WHERE kind = ?1\n        LIMIT ?4\n) RETURNING id": "SELECT id FROM river_job WHERE kind = ?1\n        LIMIT CAST(?4 AS BIGINT)\n) RETURNING id",
		"SELECT 1 LIMIT ?12 OFFSET ?3": "SELECT 1 LIMIT CAST(?12 AS BIGINT) OFFSET ?3",
		"SELECT 1 LIMIT 1":             "SELECT 1 LIMIT 1",
	} {
		if got := castLimits(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
