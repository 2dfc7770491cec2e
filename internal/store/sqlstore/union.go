package sqlstore

import (
	"errors"
	"fmt"
	"strings"
)

// unionForm is how one statement reads rows of several tables.
type unionForm uint8

const (
	// unionOfColumns: on SQLite, where the columns of a union need not have one type.
	unionOfColumns unionForm = iota
	// unionOfRows: on PostgreSQL, each row is one column of type record, whose binary form says of which types its fields are.
	unionOfRows
)

// unionArm is one table of a union.
type unionArm struct {
	columns string
	width   int // number of columns
	from    string
	where   string // a condition on its rows
}

// selectArms returns a query for the rows of all arms for which a condition holds too. The first column says of which arm a row is.
func (f unionForm) selectArms(arms []unionArm, condition string) string {
	width := 0
	for _, a := range arms {
		width = max(width, a.width)
	}
	selects := make([]string, len(arms))
	for i, a := range arms {
		selects[i] = f.selectArm(i, a, width) + condition
	}
	return f.omitNames(width+1) + strings.Join(selects, ` UNION ALL `)
}

// omitNames returns what precedes a query whose names of columns are not used. SQLite takes the names and the declared types from the first SELECT
// of a union. The driver copies the names for each query, and converts by the types: this SELECT has neither, and no rows.
func (f unionForm) omitNames(columns int) string {
	if f == unionOfRows {
		return ""
	}
	return `SELECT NULL AS ""` + strings.Repeat(`, NULL AS ""`, columns-1) + ` WHERE FALSE UNION ALL `
}

// selectArm returns the query for one arm of a union with that many columns.
func (f unionForm) selectArm(i int, a unionArm, width int) string {
	if f == unionOfRows {
		return fmt.Sprintf(`SELECT %d, ROW(%s) FROM %s WHERE %s`, i, a.columns, a.from, a.where)
	}
	return fmt.Sprintf(`SELECT %d, %s%s FROM %s WHERE %s`, i, a.columns, strings.Repeat(`, NULL`, width-a.width), a.from, a.where)
}

// scanArms scans the rows of selectArms with the functions of their arms.
func (f unionForm) scanArms(arms []func(scanFunc) error) func(scanFunc) error {
	return func(scan scanFunc) error {
		var arm int
		which, row := []any{&arm}, func(dest ...any) error { return scan(append([]any{nil}, dest...)...) }
		if f == unionOfRows {
			which, row = []any{&arm, nil}, func(dest ...any) error { return scan(nil, unionRow(dest)) }
		}
		if err := scan(which...); err != nil {
			return err
		}
		return arms[arm](row)
	}
}

// unionRow implements [pgtype.CompositeIndexScanner]: where the fields of a row go.
type unionRow []any

// ScanNull implements [pgtype.CompositeIndexScanner].
func (r unionRow) ScanNull() error { return errors.New("a row of a union is NULL") }

// ScanIndex implements [pgtype.CompositeIndexScanner]. Fields beyond the destinations are left out.
func (r unionRow) ScanIndex(i int) any {
	if i < len(r) {
		return r[i]
	}
	return nil
}

// selectTables is selectArms for tables of documents.
func (f unionForm) selectTables(tables []documentTable, condition string) string {
	arms := make([]unionArm, len(tables))
	for i, t := range tables {
		arms[i] = t.unionArm
	}
	return f.selectArms(arms, condition)
}

// scanTables scans the rows of selectTables.
func (f unionForm) scanTables(tables []documentTable) func(scanFunc) error {
	arms := make([]func(scanFunc) error, len(tables))
	for i, t := range tables {
		arms[i] = t.scan
	}
	return f.scanArms(arms)
}
