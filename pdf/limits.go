package pdf

import (
	"crypto/rand"
	"io"
)

// Options of Open. The zero value opens sound files that need no password.
type Options struct {
	Limits Limits
	// Password opens an encrypted file, as user or owner. Empty is the usual
	// one, and is always tried.
	Password string
	// Repair checks that every entry of the cross-reference leads to its
	// object, and if not, or if there is no cross-reference, rebuilds it by
	// scanning the whole file. A repaired document can be read, not updated.
	Repair bool
	// NextObject is what Document.NextObject returned for the file as it came
	// in, before updates of this package were added to it. It spares reading
	// all of the file to number the objects of the next update. 0 is not known.
	NextObject uint32
	// Budget is shared with other Documents of the same file; nil is without end. The Document must not be used after
	// the budget's context has ended.
	Budget *Budget
	// Random feeds the second element of /ID and encryption; nil is
	// crypto/rand. Tests give a fixed source.
	Random io.Reader
}

// Limits bound what a hostile file can make the reader do. A zero field takes
// its default.
type Limits struct {
	Objects     int   // highest object number; default 8,388,607, 8 bytes of memory each
	Sections    int   // cross-reference sections along /Prev; default 65,536
	Depth       int   // nesting of arrays, dictionaries and trees; default 100
	Values      int   // values in one object; default 500,000
	ObjectBytes int64 // bytes of one object without stream data; default 64 MiB
	Decoded     int64 // bytes of one decoded stream; default 128 MiB
	Cache       int64 // bytes kept of parsed objects and object streams; default 32 MiB
	Work        int64 // bytes parsed and decoded by one Document, ever; default 256 MiB and 20 times the file
	Pages       int   // pages; default 500,000
	Fields      int   // form fields and widgets; default 100,000
}

// Defaults returns the limits with those that are zero set to what they are for a file of that many bytes.
func (l Limits) Defaults(size int64) Limits { return l.withDefaults(size) }

func (l Limits) withDefaults(size int64) Limits {
	setDefault(&l.Work, 256<<20+20*size)
	setDefault(&l.Objects, 8_388_607)
	setDefault(&l.Sections, 65_536)
	setDefault(&l.Depth, 100)
	setDefault(&l.Values, 500_000)
	setDefault(&l.ObjectBytes, 64<<20)
	setDefault(&l.Decoded, 128<<20)
	setDefault(&l.Cache, 32<<20)
	setDefault(&l.Pages, 500_000)
	setDefault(&l.Fields, 100_000)
	return l
}

// reservedNumbers is how many numbers a file that is taken in has to leave for updates. A
// signature takes some ten.
const reservedNumbers = 1 << 16

// maxUpdatable is the highest object number of a file that updates may still be
// added to, one after the other.
func (l Limits) maxUpdatable() int64 { return int64(l.Objects - min(reservedNumbers, l.Objects/8)) }

func setDefault[T int | int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

func (o Options) withDefaults(size int64) Options {
	o.Limits = o.Limits.withDefaults(size)
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o
}
