package pdf

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Budget is the work that may be spent on one file by all Documents opened with it: an accepted file is opened several
// times, and Limits.Work bounds each Document separately. It also ends when a context does. Several goroutines may use
// it.
//
// Work is counted, so what is refused does not depend on the speed of the machine: a decoded byte counts one, a parsed
// byte several, and each object adds a fixed price.
type Budget struct {
	ctx  context.Context
	all  int64
	used atomic.Int64
}

// NewBudget returns a budget of work units, which also ends with ctx.
func NewBudget(ctx context.Context, work int64) *Budget { return &Budget{ctx: ctx, all: work} }

// FileWork is the work that one operation on a file of size bytes, such as accepting it, may cost in total.
func FileWork(size int64) int64 { return 1<<30 + 100*size }

// FileBudget is NewBudget with the FileWork of size bytes.
func FileBudget(ctx context.Context, size int64) *Budget { return NewBudget(ctx, FileWork(size)) }

// Used is the work spent so far.
func (b *Budget) Used() int64 { return b.used.Load() }

// Spend deducts work from the budget. It returns the context's error if that has ended, which is not the file's fault,
// or ErrTooLarge if nothing is left. A nil budget is unbounded.
func (b *Budget) Spend(work int64) error {
	if b == nil {
		return nil
	}
	if err := b.ctx.Err(); err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	if b.used.Add(work) > b.all {
		return tooLarge(-1, "more than %d bytes of work on one file", b.all)
	}
	return nil
}

// Costs above decoding one byte. Limits.Work counts objects and entries as stated here, and a parsed byte as one.
const (
	entryWork  = 8  // an entry of a cross-reference
	objectWork = 64 // an object, or the check whether it is where an entry says

	budgetObject = 256 // an object, in a Budget
	budgetParsed = 4   // a byte that is parsed, in a Budget
)

// entriesAtOnce is the number of entries after which their work is counted.
const entriesAtOnce = 1 << 12
