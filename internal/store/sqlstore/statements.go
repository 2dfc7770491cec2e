package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

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
	handle, err := handleOf(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if c.begin == beginWrite {
		if err := handle.keepPlans(); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return &sqliteConn{fullConn: full, begin: c.begin, idle: map[string]fullStatement{}, handle: handle, compiled: map[string]*compiledStatement{}}, nil
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
	idle  map[string]fullStatement // of package database/sql, compiled and not in use, by their text

	handle   sqliteHandle
	compiled map[string]*compiledStatement // of run, the same
}

// maxStatements bounds the statements of each kind that a connection keeps. The program has a few hundred, and uses less than one hundred often.
const maxStatements = 128

// run runs a statement of ours, with placeholders $1, $2 and so on, without package database/sql and the driver, which take longer than
// most of them. It calls each for every row, and returns the number of rows that were returned or, without each, changed. The statement
// does not end with a context. The caller has the connection to itself.
func (c *sqliteConn) run(text string, args []any, each func(scanFunc) error) (n int64, err error) {
	s, ok := c.compiled[text]
	if ok {
		delete(c.compiled, text) // each may run the same text
	} else if s, err = c.handle.compile(sqlitePlaceholders(text)); err != nil {
		return 0, err
	}
	defer c.keepCompiled(text, s) // even if each panics
	return s.run(args, each)
}

func (c *sqliteConn) keepCompiled(text string, s *compiledStatement) {
	if _, ok := c.compiled[text]; ok {
		s.finalize()
		return
	}
	if len(c.compiled) == maxStatements {
		for dropped, other := range c.compiled { // any one
			delete(c.compiled, dropped)
			other.finalize()
			break
		}
	}
	c.compiled[text] = s
}

// takeStatement returns a compiled statement of the driver, which putStatement returns. While it is in use, another use of the same text
// gets another one.
func (c *sqliteConn) takeStatement(ctx context.Context, text string) (fullStatement, error) {
	if s, ok := c.idle[text]; ok {
		delete(c.idle, text)
		return s, nil
	}
	compiled, err := c.PrepareContext(ctx, text)
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
	for _, s := range c.compiled {
		s.finalize()
	}
	clear(c.compiled)
	c.handle.close()
	return errors.Join(append(all, c.fullConn.Close())...)
}

// ExecContext implements [driver.ExecerContext].
func (c *sqliteConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.takeStatement(ctx, text)
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
	s, err := c.takeStatement(ctx, text)
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
