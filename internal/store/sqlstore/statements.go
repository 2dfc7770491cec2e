package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"sync"

	modernc "modernc.org/sqlite"
)

// sqliteConnector opens connections that keep their compiled statements: SQLite takes longer to compile most of ours, and those of
// the job queue, than to run them.
type sqliteConnector struct {
	driver.Connector
	begin string // the statement that begins a transaction
}

func newSQLiteConnector(dsn, begin string) (*sqliteConnector, error) {
	c, err := modernc.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return &sqliteConnector{c, begin}, nil
}

// Connect implements [driver.Connector].
func (c *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := conn.(fullConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a connection of type %T lacks a method", conn), conn.Close())
	}
	return &sqliteConn{fullConn: full, begin: c.begin, idle: map[string]fullStatement{}}, nil
}

type (
	fullConn interface {
		driver.Conn
		driver.ConnPrepareContext
		driver.Pinger
		driver.SessionResetter
		driver.Validator
	}
	fullStatement interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
)

// sqliteConn is a connection. Package database/sql uses it for one call at a time.
type sqliteConn struct {
	fullConn
	begin string
	idle  map[string]fullStatement // compiled and not in use, by their text

	args   []driver.NamedValue // of run, for the next call
	values []driver.Value      // the same
}

// maxStatements bounds the statements that a connection keeps. The program has a few hundred, and uses less than one hundred often.
const maxStatements = 128

// run runs a statement of ours, with placeholders $1, $2 and so on, without package database/sql, which takes longer than most of
// them. It calls each for every row, and returns the number of rows that were returned or, without each, changed. The statement does
// not end with a context. The caller has the connection to itself.
func (c *sqliteConn) run(text string, args []any, each func(scanFunc) error) (n int64, err error) {
	s, err := c.takeStatement(context.Background(), text, spellPlaceholders)
	if err != nil {
		return 0, err
	}
	named, err := c.nameArgs(args)
	if err != nil {
		return 0, errors.Join(err, c.putStatement(text, s))
	}
	if each == nil {
		r, err := s.ExecContext(context.Background(), named)
		if err != nil {
			_ = s.Close() // it returns the same error again
			return 0, err
		}
		if n, err = r.RowsAffected(); err != nil {
			return 0, errors.Join(err, s.Close())
		}
		return n, c.putStatement(text, s)
	}
	r, err := s.QueryContext(context.Background(), named)
	if err != nil {
		_ = s.Close() // it returns the same error again
		return 0, err
	}
	rows := sqliteRowsOf{r, c, text, s}
	if n, err = c.eachRow(r, each); err != nil {
		_ = rows.Close() // it returns the same error again
		return n, err
	}
	return n, rows.Close()
}

// eachRow calls each for every row.
func (c *sqliteConn) eachRow(r driver.Rows, each func(scanFunc) error) (n int64, err error) {
	values := slices.Grow(c.values[:0], len(r.Columns()))[:len(r.Columns())]
	c.values = nil // each may run another statement on this connection
	scan := func(dest ...any) error { return scanColumns(values, dest) }
	for ; err == nil; n++ {
		if err = r.Next(values); err == nil {
			err = each(scan)
		}
	}
	clear(values)
	c.values = values
	if errors.Is(err, io.EOF) {
		return n - 1, nil
	}
	return n - 1, err
}

// nameArgs returns arguments as the driver takes them, until the next call.
func (c *sqliteConn) nameArgs(args []any) ([]driver.NamedValue, error) {
	c.args = c.args[:0]
	for i, a := range args {
		v, err := sqliteValue(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args, nil
}

// sqliteValue returns an argument as the column that it becomes. Text is cleaned.
func sqliteValue(arg any) (driver.Value, error) {
	switch a := arg.(type) {
	case nil, int64, bool, float64, []byte:
		return a, nil
	case string:
		return cleanValue(arg, a), nil
	case int:
		return int64(a), nil
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		return cleanText(v.String()), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(arg)
}

// scanColumns scans the first columns of a row, as [sql.Rows] does. Columns whose destination is nil are left out.
func scanColumns(columns []driver.Value, dest []any) error {
	if len(dest) > len(columns) {
		return fmt.Errorf("%d destinations for %d columns", len(dest), len(columns))
	}
	for i, to := range dest {
		if err := scanColumn(columns[i], to); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func scanColumn(column driver.Value, to any) error {
	switch to := to.(type) {
	case nil:
		return nil
	case scanner:
		return to(column)
	case *any:
		*to = column
		return nil
	case *string:
		if v, ok := column.(string); ok {
			*to = v
			return nil
		}
	case *int64:
		if v, ok := column.(int64); ok {
			*to = v
			return nil
		}
	case *int:
		if v, ok := column.(int64); ok && int64(int(v)) == v {
			*to = int(v)
			return nil
		}
	case *float64:
		if v, ok := column.(float64); ok {
			*to = v
			return nil
		}
	case *bool:
		switch v := column.(type) {
		case bool:
			*to = v
			return nil
		case int64:
			if v == 0 || v == 1 {
				*to = v == 1
				return nil
			}
		}
	case sql.Scanner:
		return to.Scan(column)
	}
	// A named type, such as a state or the number of a document.
	if v := reflect.ValueOf(to); v.Kind() == reflect.Pointer && !v.IsNil() {
		e := v.Elem()
		switch c := column.(type) {
		case string:
			if e.Kind() == reflect.String {
				e.SetString(c)
				return nil
			}
		case int64:
			switch {
			case e.CanInt() && !e.OverflowInt(c):
				e.SetInt(c)
				return nil
			case e.CanUint() && c >= 0 && !e.OverflowUint(uint64(c)):
				e.SetUint(uint64(c))
				return nil
			}
		}
	}
	return fmt.Errorf("a value of type %T cannot be scanned into %T", column, to)
}

// limitPlaceholder is how the job queue writes its limits.
var limitPlaceholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bLIMIT (\?\d+)`) })

// castLimits makes expressions of the placeholders after LIMIT, for the reason that [condition.addLimit] has.
func castLimits(text string) string {
	return limitPlaceholder().ReplaceAllString(text, `LIMIT CAST($1 AS BIGINT)`)
}

// takeStatement returns a compiled statement, which putStatement returns. While it is in use, another use of the same text gets
// another one. Spell returns the text as SQLite reads it; nil: as it is.
func (c *sqliteConn) takeStatement(ctx context.Context, text string, spell func(string) string) (fullStatement, error) {
	if s, ok := c.idle[text]; ok {
		delete(c.idle, text)
		return s, nil
	}
	spelt := text
	if spell != nil {
		spelt = spell(text)
	}
	compiled, err := c.PrepareContext(ctx, spelt)
	if err != nil {
		return nil, err
	}
	s, ok := compiled.(fullStatement)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a statement of type %T lacks a method", compiled), compiled.Close())
	}
	return s, nil
}

func (c *sqliteConn) putStatement(text string, s fullStatement) error {
	if _, ok := c.idle[text]; ok {
		return s.Close()
	}
	var err error
	if len(c.idle) == maxStatements {
		for dropped, other := range c.idle { // any one
			delete(c.idle, dropped)
			err = other.Close()
			break
		}
	}
	c.idle[text] = s
	return err
}

// Close implements [driver.Conn].
func (c *sqliteConn) Close() error {
	var all []error
	for _, s := range c.idle {
		all = append(all, s.Close())
	}
	clear(c.idle)
	return errors.Join(append(all, c.fullConn.Close())...)
}

// ExecContext implements [driver.ExecerContext].
func (c *sqliteConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.takeStatement(ctx, text, castLimits)
	if err != nil {
		return nil, err
	}
	r, err := s.ExecContext(ctx, args)
	if err != nil {
		_ = s.Close() // it returns the same error again
		return nil, err
	}
	return r, c.putStatement(text, s)
}

// QueryContext implements [driver.QueryerContext].
func (c *sqliteConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.takeStatement(ctx, text, castLimits)
	if err != nil {
		return nil, err
	}
	r, err := s.QueryContext(ctx, args)
	if err != nil {
		_ = s.Close() // it returns the same error again
		return nil, err
	}
	return &sqliteRowsOf{r, c, text, s}, nil
}

// sqliteRowsOf are the rows of a statement that is kept afterwards.
type sqliteRowsOf struct {
	driver.Rows
	conn      *sqliteConn
	text      string
	statement fullStatement
}

// Close implements [driver.Rows].
func (r *sqliteRowsOf) Close() error {
	if err := r.Rows.Close(); err != nil {
		return errors.Join(err, r.statement.Close())
	}
	return r.conn.putStatement(r.text, r.statement)
}

// BeginTx implements [driver.ConnBeginTx]. It ignores the options: the connector decides how transactions begin.
func (c *sqliteConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if _, err := c.ExecContext(ctx, c.begin, nil); err != nil {
		return nil, err
	}
	return sqliteConnTx{c}, nil
}

type sqliteConnTx struct{ conn *sqliteConn }

// Commit implements [driver.Tx]. After an error the connection is not in a transaction either.
func (t sqliteConnTx) Commit() error {
	_, err := t.conn.ExecContext(context.Background(), "COMMIT", nil)
	if err != nil {
		_ = t.Rollback() // it fails if SQLite has rolled back already
	}
	return err
}

// Rollback implements [driver.Tx].
func (t sqliteConnTx) Rollback() error {
	_, err := t.conn.ExecContext(context.Background(), "ROLLBACK", nil)
	return err
}
