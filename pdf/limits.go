package pdf

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync/atomic"
)

// Options of Open. The zero value opens undamaged files that need no password.
type Options struct {
	Limits Limits
	// Password opens an encrypted file, as user or owner. Empty is the usual
	// one, and is always tried.
	Password string
	// Repair checks that every entry of the cross-reference leads to its object. If not, or if there is no
	// cross-reference, it rebuilds it by scanning the whole file. A repaired document can be read, but not updated.
	Repair bool
	// NextObject is what Document.NextObject returned for the original file, before updates of this package were
	// appended. It avoids reading the whole file to number the objects of the next update. 0 means not known.
	NextObject uint32
	// Budget is shared with other Documents of the same file; nil means no bound. The Document must not be used after
	// the budget's context has ended.
	Budget *Budget
	// Extends is an open document of which this file has all bytes, and perhaps more behind them. With NextObject, what that document has read is
	// not read again: its sections, and its objects that depend on nothing behind its end. The two must not be used at the same time.
	Extends *Document
	// Random supplies the second element of /ID and the initialization vectors; nil is crypto/rand. Tests pass a fixed
	// source.
	Random io.Reader
}

// Limits bound what a hostile file can make the reader do. A zero field has
// its default.
type Limits struct {
	Objects     int   // highest object number; default 8,388,607, 8 bytes of memory each
	Sections    int   // cross-reference sections along /Prev; default 65,536
	Depth       int   // nesting of arrays, dictionaries and trees; default 100
	Values      int   // values in one object; default 500,000
	ObjectBytes int64 // bytes of one object without stream data; default 64 MiB
	Decoded     int64 // bytes of one decoded stream; default 128 MiB
	Cache       int64 // bytes of parsed objects and object streams in the cache; default 32 MiB
	Work        int64 // bytes parsed and decoded by one Document, ever; default 256 MiB and 20 times the file
	Pages       int   // pages; default 500,000
	Fields      int   // form fields and widgets; default 100,000
}

// Defaults returns the limits with zero fields replaced by the defaults for a file of size bytes.
func (l Limits) Defaults(size int64) Limits {
	SetDefault(&l.Work, 256<<20+20*size)
	SetDefault(&l.Objects, 8_388_607)
	SetDefault(&l.Sections, 65_536)
	SetDefault(&l.Depth, 100)
	SetDefault(&l.Values, 500_000)
	SetDefault(&l.ObjectBytes, 64<<20)
	SetDefault(&l.Decoded, 128<<20)
	SetDefault(&l.Cache, 32<<20)
	SetDefault(&l.Pages, 500_000)
	SetDefault(&l.Fields, 100_000)
	return l
}

// reservedNumbers is how many object numbers a file must leave for updates when it is accepted. A signature needs about
// ten.
const reservedNumbers = 1 << 16

// maxUpdatable is the highest object number of a file that can still be updated several times.
func (l Limits) maxUpdatable() int64 { return int64(l.Objects - min(reservedNumbers, l.Objects/8)) }

// SetDefault sets a limit that is not positive to its default.
func SetDefault[T int | int64](limit *T, value T) {
	if *limit <= 0 {
		*limit = value
	}
}

func (o Options) withDefaults(size int64) Options {
	o.Limits = o.Limits.Defaults(size)
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o
}

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
