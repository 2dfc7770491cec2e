package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// condition gathers what rows have to be.
type condition struct {
	terms []string
	args  []any
}

// addArg adds an argument and returns its placeholder.
func (c *condition) addArg(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

// addTerm adds a term with one argument, which stands where %s is.
func (c *condition) addTerm(term string, v any) {
	c.terms = append(c.terms, fmt.Sprintf(term, c.addArg(v)))
}

// addPeriod adds bounds of a time, each unless it is zero.
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

// countRows counts the rows of a table that are so.
func (c *condition) countRows(ctx context.Context, q querier, table string) (n int, err error) {
	return n, queryOne(ctx, q, []any{&n}, `SELECT COUNT(*) FROM `+table+c.whereClause(), c.args...)
}

// pageClause writes the rest of a query for one page, in that order.
func (c *condition) pageClause(order string, offset, limit int) string {
	return c.whereClause() + ` ORDER BY ` + order + ` LIMIT ` + c.addArg(limit) + ` OFFSET ` + c.addArg(offset)
}

// eachBatch is how many rows are read at a time, so that no snapshot is held while the caller works on them.
const eachBatch = 500

// eachOf calls yield with every row that read returns, until it returns false. Read returns up to eachBatch of those
// behind last, or the first ones where last is nil.
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
