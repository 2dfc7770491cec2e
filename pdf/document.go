package pdf

import (
	"fmt"
	"io"
	"slices"
)

// Document is an open file. It holds the cross-reference, eight bytes per object, and a bounded cache of parsed
// objects; all else stays in the file.
type Document struct {
	src      io.ReaderAt
	size     int64
	limits   Limits
	random   io.Reader
	shift    int64 // added to the offsets that the file states
	header   header
	sections []*section // newest first
	slots    slots
	trailer  Dict
	security *securityHandler // nil unless the file is encrypted
	facts    *FileProperties

	objects       cache[uint32, Object]
	objectStreams cache[uint32, *objectStream]
	shared        *sharedCache // with its states; nil if repaired
	nested        int          // loads in progress, see Object
	work          int64        // spent of Limits.Work
	lockedNames   int64        // spent of maxLockedNames
	budget        *Budget

	next            uint32          // Options.NextObject
	references      references      // that were parsed
	active          []ActiveContent // once references.current
	uniqueKeys      bool            // dictionaries must not state a key twice
	strictChecksums bool            // see DecodeStrict
	repaired        bool
	lengths         *lengthFinder // while the file is scanned; nil otherwise
	tolerated       []string
	pageCount       int      // 0 until counted
	fields          []*Field // nil until read
	ambiguousTree   bool     // readers disagree on the page tree; see treeWalk.countPages
}

// maxNested bounds loads that need other loads, such as a stream whose length is an object in a stream whose length is
// an object. Valid files need three.
const maxNested = 16

// Size is the length of the file in bytes.
func (d *Document) Size() int64 { return d.size }

// Trailer is the dictionary of the newest cross-reference section, without the
// entries that describe a cross-reference stream as a stream.
func (d *Document) Trailer() Dict { return d.trailer }

// Root returns the catalog and its reference.
func (d *Document) Root() (Ref, Dict, error) {
	ref := d.trailer.Ref("Root")
	if ref.IsZero() {
		return Ref{}, nil, damaged(-1, "trailer has no /Root")
	}
	root, err := d.Dict(d.trailer["Root"])
	if err != nil {
		return ref, nil, fmt.Errorf("read catalog: %w", err)
	}
	if root == nil {
		return ref, nil, damaged(-1, "catalog %v is missing", ref)
	}
	return ref, root, nil
}

// Object returns the object behind a reference; an object that is free or in no section is Null (ISO 32000-1 §7.3.10).
func (d *Document) Object(ref Ref) (Object, error) {
	s := d.slots.get(ref.Number)
	if s.kind() < slotPlain || s.generation() != ref.Generation {
		return Null{}, nil
	}
	if o, ok := d.objects.get(ref.Number); ok {
		return o, nil
	}
	if found, ok := d.findShared(ref.Number, s); ok {
		return found.value, nil
	}
	if d.nested >= maxNested {
		return nil, damaged(-1, "object %v depends on itself", ref)
	}
	d.nested++
	defer func() { d.nested-- }()

	found, err := d.loadObject(ref, s)
	if err != nil {
		return nil, fmt.Errorf("object %v: %w", ref, err)
	}
	d.cacheObject(ref.Number, s, found)
	return found.value, nil
}

// loadObject reads an object without caching it.
func (d *Document) loadObject(ref Ref, s slot) (indirect, error) {
	if s.kind() == slotCompressed {
		return d.loadMember(ref.Number, s)
	}
	return d.readObjectAt(s.fileOffset(), ref, true)
}

// indirect is an object as it stands in the file.
type indirect struct {
	ref   Ref
	value Object
	end   int64 // absolute offset behind endobj
	cost  int64 // rough bytes of memory

	closed     bool // by endobj
	uniqueKeys bool // no dictionary in it states a key twice
}

// readObjectAt reads "n g obj ... endobj" at an absolute offset. The object must be want unless want is zero. Without
// follow, an indirect /Length is an error: the cross-reference is not known yet.
func (d *Document) readObjectAt(at int64, want Ref, follow bool) (indirect, error) {
	if at < 0 || at >= d.size {
		return indirect{}, damaged(at, "object behind the end of the file")
	}
	end := d.size
	if d.limits.ObjectBytes < end-at {
		end = at + d.limits.ObjectBytes
	}
	p := d.borrowParser(lexer{src: d.src, base: at, end: end})
	p.lx.borrowBuffer()
	defer p.release()
	found, err := d.readObject(p, at, want, follow)
	if spent := d.spendObject(p.lx.offset() - at); spent != nil {
		return indirect{}, spent
	}
	if err == nil || end == d.size || p.lx.offset() < end {
		return found, err
	}
	return indirect{}, tooLarge(at, "object of more than %d bytes", d.limits.ObjectBytes)
}

func (d *Document) readObject(p *parser, at int64, want Ref, follow bool) (indirect, error) {
	ref, err := parseObjectHeader(p, at)
	if err != nil {
		return indirect{}, err
	}
	if !want.IsZero() && ref != want {
		return indirect{}, damaged(at, "found object %v instead", ref)
	}
	// An object may be empty; that is null.
	first, err := p.next()
	if err != nil {
		return indirect{}, err
	}
	if first.isKeyword("endobj") {
		return indirect{ref: ref, value: Null{}, end: first.end, cost: 64}, nil
	}
	value, err := p.parseObjectFrom(first)
	if err != nil {
		return indirect{}, err
	}
	tail, err := p.next()
	if err != nil {
		return indirect{}, err
	}
	found := indirect{ref: ref, value: value, end: tail.end, uniqueKeys: !p.repeated}
	found.cost = tail.end - at + 128*int64(d.limits.Values-p.values)
	dict, isDict := value.(Dict)
	switch {
	case isDict && tail.isKeyword("stream"):
		err = d.openStream(p, &found, dict, follow)
	case tail.isKeyword("endobj"):
		found.closed = true
	case tail.kind == tokInteger, tail.kind == tokEnd, tail.isKeyword("xref"), tail.isKeyword("startxref"):
		d.noteDefect("object without endobj")
		found.end = tail.start
	default:
		return indirect{}, damaged(tail.start, "no endobj behind object %v", ref)
	}
	if err != nil {
		return indirect{}, err
	}
	if d.security != nil {
		found.value = d.security.decryptStrings(ref, found.value)
	}
	return found, nil
}

func parseObjectHeader(p *parser, at int64) (Ref, error) {
	var t [3]token
	for i := range t {
		var err error
		if t[i], err = p.next(); err != nil {
			return Ref{}, err
		}
	}
	if t[0].kind != tokInteger || t[1].kind != tokInteger || !t[2].isKeyword("obj") ||
		t[0].num <= 0 || t[0].num > 1<<32-1 || t[1].num < 0 || t[1].num > 65535 {
		return Ref{}, damaged(at, "not the start of an object")
	}
	return Ref{Number: uint32(t[0].num), Generation: uint16(t[1].num)}, nil
}

// Resolve follows references until it meets something else. Missing objects
// are Null.
func (d *Document) Resolve(o Object) (Object, error) { return followRefs(o, d.Object) }

func followRefs(o Object, get func(Ref) (Object, error)) (Object, error) {
	for range maxNested {
		ref, ok := o.(Ref)
		if !ok {
			if o == nil {
				return Null{}, nil
			}
			return o, nil
		}
		var err error
		if o, err = get(ref); err != nil {
			return nil, err
		}
	}
	return nil, damaged(-1, "references form a loop")
}

// DropCache drops parsed objects that can be read again, for callers that turn to other files for a while. It retains
// what states of the file share.
func (d *Document) DropCache() {
	d.objects, d.objectStreams = newCache[uint32, Object](d.objects.budget), newCache[uint32, *objectStream](d.objectStreams.budget)
	d.fields = nil
}

// spendWork counts bytes that were parsed or decoded. Otherwise overlapping objects, or streams that many others need,
// could make a small file cost hours.
func (d *Document) spendWork(n int64) error {
	if d.work += n; d.work > d.limits.Work {
		return tooLarge(-1, "more than %d bytes of work", d.limits.Work)
	}
	return d.budget.Spend(n)
}

// spendObject counts an object of which parsed bytes were read.
func (d *Document) spendObject(parsed int64) error {
	if err := d.budget.Spend(budgetObject - objectWork + (budgetParsed-1)*parsed); err != nil {
		return err
	}
	return d.spendWork(objectWork + parsed)
}

// SpendBudget counts work that callers do with data of the document; see [Budget.Spend].
func (d *Document) SpendBudget(work int64) error { return d.budget.Spend(work) }

// noteDefect records a defect with only one interpretation.
func (d *Document) noteDefect(what string) {
	if !slices.Contains(d.tolerated, what) {
		d.tolerated = append(d.tolerated, what)
	}
}

// resolver is implemented by Document and Update.
type resolver interface {
	Resolve(Object) (Object, error)
}

// resolveAs resolves o and asserts its type. A null object is the zero value and no error, as a missing entry is.
func resolveAs[T Object](r resolver, o Object) (T, error) {
	var zero T
	v, err := r.Resolve(o)
	if err != nil {
		return zero, err
	}
	switch t := v.(type) {
	case Null:
		return zero, nil
	case T:
		return t, nil
	}
	at := int64(-1)
	if s, ok := v.(String); ok {
		at = s.start
	}
	return zero, damaged(at, "want %s, found %s", typeName(zero), typeName(v))
}

// Dict resolves o to a dictionary, or to the dictionary of a stream. This and the similar methods return the zero value
// and no error if o is missing or null, and ErrDamaged if it has another type.
func (d *Document) Dict(o Object) (Dict, error) { return resolveDict(d, o) }

func resolveDict(r resolver, o Object) (Dict, error) {
	v, err := r.Resolve(o)
	if err != nil {
		return nil, err
	}
	if s, ok := v.(*Stream); ok {
		return s.Dict, nil
	}
	return resolveAs[Dict](r, v)
}

// Array resolves o to an array.
func (d *Document) Array(o Object) (Array, error) { return resolveAs[Array](d, o) }

// Name resolves o to a name.
func (d *Document) Name(o Object) (Name, error) { return resolveAs[Name](d, o) }

// String resolves o to a string.
func (d *Document) String(o Object) (String, error) { return resolveAs[String](d, o) }

// Boolean resolves o to a boolean.
func (d *Document) Boolean(o Object) (bool, error) {
	b, err := resolveAs[Boolean](d, o)
	return bool(b), err
}

// Integer resolves o to an integer. A real number with no fraction is one.
func (d *Document) Integer(o Object) (int64, error) {
	v, err := d.Resolve(o)
	if r, ok := v.(Real); ok && err == nil && r == Real(int64(r)) {
		return int64(r), nil
	}
	if err != nil {
		return 0, err
	}
	i, err := resolveAs[Integer](d, v)
	return int64(i), err
}

// Number resolves o to a number.
func (d *Document) Number(o Object) (float64, error) {
	v, err := d.Resolve(o)
	if i, ok := v.(Integer); ok && err == nil {
		return float64(i), nil
	}
	if err != nil {
		return 0, err
	}
	r, err := resolveAs[Real](d, v)
	return float64(r), err
}

// Stream resolves o to a stream, or nil.
func (d *Document) Stream(o Object) (*Stream, error) { return resolveAs[*Stream](d, o) }
