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
}

// maxStatements bounds the statements that a connection keeps. The program has a few hundred, and uses less than one hundred often.
const maxStatements = 128

// takeStatement returns a compiled statement, which putStatement returns. While it is in use, another use of the same text gets
// another one.
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
