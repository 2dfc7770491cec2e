package pdf

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Budget is the work that may be spent on one file, by all Documents that are opened with it: a file that is taken in is
// opened several times, and Limits.Work bounds each Document by itself. It also ends the work when a context does. It may
// be used by several goroutines.
//
// Work is counted, so what is refused does not depend on how fast the machine is: a byte that is decoded is one, a byte
// that is parsed several, and what costs something however short it is, such as an object, has a price of its own.
type Budget struct {
	ctx  context.Context
	all  int64
	used atomic.Int64
}

// NewBudget returns a budget of that much work, which ends with ctx too.
func NewBudget(ctx context.Context, work int64) *Budget { return &Budget{ctx: ctx, all: work} }

// FileWork is what all that is done with a file of that many bytes at a time, such as taking it in, may cost together.
func FileWork(size int64) int64 { return 1<<30 + 100*size }

// FileBudget is NewBudget with the work of a file of that many bytes.
func FileBudget(ctx context.Context, size int64) *Budget { return NewBudget(ctx, FileWork(size)) }

// Used is how much was spent so far.
func (b *Budget) Used() int64 { return b.used.Load() }

// Spend takes work off the budget. It returns the context's error if that has ended, which is no fault of the file, or
// ErrTooLarge if nothing is left. A nil budget has no end.
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

// What costs more than decoding a byte. Limits.Work counts objects and entries as they are here, and a byte that is parsed
// as one.
const (
	entryWork  = 8  // an entry of a cross-reference
	objectWork = 64 // an object, or the look whether it is where an entry says

	budgetObject = 256 // an object, in a Budget
	budgetParsed = 4   // a byte that is parsed, in a Budget
)

// entriesAtOnce is after how many entries their work is counted.
const entriesAtOnce = 1 << 12
