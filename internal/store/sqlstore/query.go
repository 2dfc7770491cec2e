package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// scanFunc scans the columns of a row.
type scanFunc = func(dest ...any) error

// queryOne scans the single row of a query; store.ErrNotFound if there is none.
func queryOne(ctx context.Context, q querier, dest []any, sql string, args ...any) error {
	err := store.ErrNotFound
	if e := queryEach(ctx, q, func(scan scanFunc) error {
		err = scan(dest...)
		return err
	}, sql, args...); e != nil {
		return e
	}
	return err
}

// queryEach calls fn for every row of a query.
func queryEach(ctx context.Context, q querier, fn func(scan scanFunc) error, sql string, args ...any) error {
	r, err := q.query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer r.Close()
	for r.Next() {
		if err := fn(r.Scan); err != nil {
			return err
		}
	}
	return r.Err()
}

// queryAll reads all rows of a query. Dest returns where the columns of a row go.
func queryAll[T any](ctx context.Context, q querier, dest func(*T) []any, sql string, args ...any) ([]T, error) {
	all := []T{}
	err := queryEach(ctx, q, func(scan scanFunc) error {
		var row T
		if err := scan(dest(&row)...); err != nil {
			return err
		}
		all = append(all, row)
		return nil
	}, sql, args...)
	return all, err
}

// column is the dest of a query with one column.
func column[T any](v *T) []any { return []any{v} }

// readAll is [queryAll] on a snapshot.
func readAll[T any](ctx context.Context, s *Store, dest func(*T) []any, sql string, args ...any) ([]T, error) {
	all := []T{}
	read := selectAll(&all, dest, sql, args...)
	read.long = true
	err := s.db.readTogether(ctx, read)
	return all, err
}

// selectAll returns a query for a batch that appends its rows to all. Dest returns where the columns of a row go.
func selectAll[T any](all *[]T, dest func(*T) []any, sql string, args ...any) statement {
	return statement{sql: sql, args: args, each: func(scan scanFunc) error {
		var row T
		if err := scan(dest(&row)...); err != nil {
			return err
		}
		*all = append(*all, row)
		return nil
	}}
}

// rowType is how the rows of a table are read into values.
type rowType[T any] struct {
	table   string
	columns string
	dest    func(*T) []any
}

// selectWhere returns a SELECT statement that ends in where.
func (r rowType[T]) selectWhere(where string) string {
	return `SELECT ` + r.columns + ` FROM ` + r.table + ` ` + where
}

// readOne reads the first row; store.ErrNotFound if there is none.
func (r rowType[T]) readOne(ctx context.Context, s *Store, where string, args ...any) (row T, err error) {
	err = s.readRow(ctx, r.dest(&row), r.selectWhere(where), args...)
	return row, err
}

// readPage reads one page of the rows that match and counts all of them.
func (r rowType[T]) readPage(ctx context.Context, s *Store, c *condition, order string, offset, limit int) (page []T, total int, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		if total, err = c.countRows(ctx, q, r.table); err != nil {
			return err
		}
		page, err = queryAll(ctx, q, r.dest, r.selectWhere(c.pageClause(order, offset, limit)), c.args...)
		return err
	})
	return page, total, err
}

// eachRow calls yield with each row that matches, in the order of the columns in key, which identify a row, until yield returns
// false. KeyOf returns their values.
func (r rowType[T]) eachRow(ctx context.Context, s *Store, c *condition, key string, keyOf func(*T) []any, yield func(T) bool) error {
	return eachOf(ctx, s, func(q querier, last *T) ([]T, error) {
		c := condition{terms: slices.Clone(c.terms), args: slices.Clone(c.args)}
		if last != nil {
			c.addAfter(key, keyOf(last))
		}
		return queryAll(ctx, q, r.dest, r.selectWhere(c.pageClause(key, 0, eachBatch)), c.args...)
	}, yield)
}

// eachBatch is the number of rows that are read at a time, so that no snapshot is open while the caller works on them.
const eachBatch = 500

// eachOf calls yield with each row that read returns, until yield returns false. Read returns up to eachBatch rows
// after last, or the first ones if last is nil.
func eachOf[T any](ctx context.Context, s *Store, read func(q querier, last *T) ([]T, error), yield func(T) bool) error {
	for last := (*T)(nil); ; {
		var batch []T
		err := s.db.withSnapshot(ctx, func(q querier) (err error) {
			batch, err = read(q, last)
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range batch {
			if !yield(row) {
				return nil
			}
		}
		if len(batch) < eachBatch {
			return nil
		}
		last = &batch[len(batch)-1]
	}
}

// insertWritten runs the INSERT ... ON CONFLICT DO NOTHING of the only row of a record and appends the entry with the record to the
// log, as the last step of a transaction. It returns store.ErrExists if the row exists already.
func insertWritten(ctx context.Context, t tx, r record, entry logEntry, sql string, args ...any) error {
	written := newWrittenRecord(r)
	insert, err := written.writeRow(sql, args...)
	if err != nil {
		return err
	}
	insert.done = requireNew
	if err := t.addStatements(ctx, insert); err != nil {
		return err
	}
	entry.written = []*writtenRecord{written}
	return entry.appendToLog(ctx, t)
}

// runStatement runs a statement in a transaction. It succeeds even if the statement affects no row.
func (s *Store) runStatement(ctx context.Context, sql string, args ...any) error {
	return s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, sql, args...)
		return err
	})
}

// purge selects rows that nothing needs any more. The condition has placeholders.
type purge struct {
	table string
	keys  string // columns that identify a row
	where string
	args  []any
}

// purgeBatch is how many rows one transaction of a purge deletes at most.
const purgeBatch = 5000

// runPurges deletes rows in short transactions. One that deletes all that have come together while nothing was purged may take longer than a transaction may, and would
// be rolled back at each try; on SQLite, all other writers would wait for it. The condition is stated twice: on PostgreSQL, only the outer one is checked again if another
// transaction changed a row meanwhile.
func (s *Store) runPurges(ctx context.Context, all ...purge) error {
	for _, p := range all {
		sql := fmt.Sprintf(`DELETE FROM %[1]s WHERE %[3]s AND (%[2]s) IN (SELECT %[2]s FROM %[1]s WHERE %[3]s LIMIT %[4]d)`, p.table, p.keys, p.where, purgeBatch)
		for n := int64(purgeBatch); n == purgeBatch; {
			err := s.db.withTx(ctx, func(t tx) (err error) {
				n, err = t.exec(ctx, sql, p.args...)
				return err
			})
			if err != nil {
				return fmt.Errorf("delete from %s: %w", p.table, err)
			}
		}
	}
	return nil
}

// readRow scans the only row of a query. It returns store.ErrNotFound if there is none.
func (s *Store) readRow(ctx context.Context, dest []any, sql string, args ...any) error {
	return s.db.readTogether(ctx, selectOne(dest, sql, args...))
}

// selectOne returns the query of a row, for a batch. Without a row the batch ends with store.ErrNotFound.
func selectOne(dest []any, sql string, args ...any) statement {
	return statement{sql: sql, args: args, each: func(scan scanFunc) error { return scan(dest...) }, done: requireRow}
}

// requireRow returns store.ErrNotFound if a statement met no row.
func requireRow(n int64) error {
	if n == 0 {
		return store.ErrNotFound
	}
	return nil
}

// requireNew returns store.ErrExists if an INSERT ... ON CONFLICT DO NOTHING added no row.
func requireNew(n int64) error {
	if n == 0 {
		return store.ErrExists
	}
	return nil
}

// requireChange returns store.ErrConflict if a compare-and-swap changed no row.
func requireChange(n int64) error {
	if n == 0 {
		return store.ErrConflict
	}
	return nil
}

// execRequired runs a statement that must meet a row. Require is requireRow, requireNew or requireChange, and says which error it is if it met none.
func execRequired(ctx context.Context, t tx, require func(int64) error, sql string, args ...any) error {
	n, err := t.exec(ctx, sql, args...)
	if err != nil {
		return err
	}
	return require(n)
}

// lockOrganisation locks the row of an organisation until the transaction ends. ErrNotFound: there is no such organisation.
func lockOrganisation(ctx context.Context, t tx, id contract.OrganisationID) error {
	return execRequired(ctx, t, requireRow, `UPDATE organisation SET name = name WHERE id = $1`, id)
}

// wrapf adds context to an error. It returns nil for a nil error.
func wrapf(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// condition collects the WHERE terms of a query with their arguments.
type condition struct {
	terms []string
	args  []any
}

// addArg adds an argument and returns its placeholder.
func (c *condition) addArg(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

// addTerm adds a term with one argument, whose placeholder replaces %s.
func (c *condition) addTerm(term string, v any) {
	c.terms = append(c.terms, fmt.Sprintf(term, c.addArg(v)))
}

// listArgs returns a list of placeholders, in parentheses, for the operator IN, and its arguments.
func listArgs[T any](values []T) (in string, args []any) { return listArgsFrom(1, values) }

// listArgsFrom is listArgs for placeholders from a number on. Numbers of documents are converted once, and not for each statement.
func listArgsFrom[T any](first int, values []T) (in string, args []any) {
	args = make([]any, len(values))
	for i, v := range values {
		if id, ok := any(v).(contract.DocumentID); ok {
			args[i] = int64(id)
		} else {
			args[i] = v
		}
	}
	return "(" + placeholders(first, len(args)) + ")", args
}

// addAfter adds the term that selects the rows after the one with these values of the columns.
func (c *condition) addAfter(columns string, values []any) {
	from := len(c.args) + 1
	c.args = append(c.args, values...)
	c.terms = append(c.terms, "("+columns+") > ("+placeholders(from, len(values))+")")
}

// addPeriod adds bounds on a time; a zero bound is skipped.
func (c *condition) addPeriod(column string, from, until time.Time) {
	if !from.IsZero() {
		c.addTerm(column+" >= %s", toMicros(from))
	}
	if !until.IsZero() {
		c.addTerm(column+" < %s", toMicros(until))
	}
}

func (c *condition) whereClause() string {
	if len(c.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.terms, " AND ")
}

// countRows counts the rows of a table that match.
func (c *condition) countRows(ctx context.Context, q querier, table string) (n int, err error) {
	return n, queryOne(ctx, q, []any{&n}, `SELECT COUNT(*) FROM `+table+c.whereClause(), c.args...)
}

// pageClause returns the WHERE, ORDER BY and LIMIT clauses for one page.
func (c *condition) pageClause(order string, offset, limit int) string {
	return c.whereClause() + ` ORDER BY ` + order + ` LIMIT ` + c.addLimit(limit) + ` OFFSET ` + c.addArg(offset)
}

// addLimit adds an argument for LIMIT. To SQLite it is an expression: where LIMIT has a placeholder, the plan depends on its value, and the
// statement is compiled again for each use.
func (c *condition) addLimit(limit int) string { return `CAST(` + c.addArg(limit) + ` AS BIGINT)` }
