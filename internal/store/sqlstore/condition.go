package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"time"
)

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
	return c.whereClause() + ` ORDER BY ` + order + ` LIMIT ` + c.addArg(limit) + ` OFFSET ` + c.addArg(offset)
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
