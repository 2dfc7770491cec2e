package pdf

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// reachWalk finds the objects that can be reached from the trailer.
type reachWalk struct {
	d         *Document
	marks     []uint64 // one bit per object number
	count     int
	highest   uint32
	pending   []uint32 // marked, not read yet
	signature Ref      // the first signature dictionary found
	here      Ref      // the object being read

	// replaced are objects that are not written as in the source: nodes of an inconsistent page tree, and pages that
	// were direct objects.
	replaced map[uint32]Object
	added    uint32 // the highest number given to a new object
	copies   int    // new nodes and pages
}

// keptTrailerKeys are the trailer entries that mean the same in a new file; /ID is built.
var keptTrailerKeys = []Name{"Root", "Info", "Encrypt"}

// markReachable reads wave after wave: all objects that the last wave referred to, in the order of the file, so that an
// object stream is decoded once per wave and not once per object.
func (r *reachWalk) markReachable() error {
	for _, k := range keptTrailerKeys {
		if err := r.visitObject(r.d.trailer[k]); err != nil {
			return err
		}
	}
	for len(r.pending) > 0 {
		wave := r.pending
		r.pending = nil
		r.d.sortByFilePlace(wave)
		for _, n := range wave {
			if err := r.visitNumber(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reachWalk) visitNumber(n uint32) error {
	ref, o, err := r.loadObject(n)
	if err != nil {
		return err
	}
	r.here = ref
	return r.visitObject(o)
}

// loadObject parses an object without caching it, so that it may be changed. Streams that are part of a cross-reference
// or contain other objects have no meaning in the new file, and become null.
func (r *reachWalk) loadObject(n uint32) (Ref, Object, error) {
	s := r.d.slots.get(n)
	ref := Ref{Number: n, Generation: s.generation()}
	if o, ok := r.replaced[n]; ok {
		return ref, o, nil
	}
	found, err := r.d.loadObject(ref, s)
	if err != nil {
		return ref, nil, fmt.Errorf("object %v: %w", ref, err)
	}
	o := found.value
	if st, ok := o.(*Stream); ok {
		if t := st.Dict["Type"]; t == Object(Name("XRef")) || t == Object(Name("ObjStm")) {
			o = Null{}
		}
		delete(st.Dict, "Length") // computed when the stream is written
	}
	return ref, o, nil
}

// visitObject marks what o refers to. Its nesting was bounded when it was parsed.
func (r *reachWalk) visitObject(o Object) error {
	switch o := o.(type) {
	case Ref:
		if r.isMissing(o) {
			return damaged(-1, "object %v is missing", o)
		}
		r.markRef(o)
	case Array:
		for _, v := range o {
			if err := r.visitObject(v); err != nil {
				return err
			}
		}
	case *Stream:
		return r.visitObject(o.Dict)
	case Dict:
		if isSignature(o) && o["Contents"] != nil && r.signature.IsZero() {
			r.signature = r.here
		}
		for _, k := range sortKeys(make([]Name, 0, fewKeys), o) {
			if err := r.visitObject(o[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// isMissing reports whether an object should be in the file and is not. In an undamaged file a reference to nothing is
// null. Where the cross-reference was rebuilt, it may be a page that was cut off, and dropping it silently would lose
// content.
func (r *reachWalk) isMissing(ref Ref) bool {
	return r.d.repaired && !r.d.isInFile(ref) && r.replaced[ref.Number] == nil
}

func (r *reachWalk) markRef(ref Ref) {
	if !r.d.isInFile(ref) && r.replaced[ref.Number] == nil || r.isMarked(ref.Number) {
		return
	}
	i := int(ref.Number / 64)
	if i >= len(r.marks) {
		r.marks = append(r.marks, make([]uint64, i+1-len(r.marks))...)
	}
	r.marks[i] |= 1 << (ref.Number % 64)
	r.count++
	r.highest = max(r.highest, ref.Number)
	r.pending = append(r.pending, ref.Number)
}

func (r *reachWalk) isMarked(n uint32) bool {
	i := int(n / 64)
	return i < len(r.marks) && r.marks[i]>>(n%64)&1 == 1
}

// isInFile reports whether the cross-reference leads to an object of that number
// and generation.
func (d *Document) isInFile(ref Ref) bool {
	s := d.slots.get(ref.Number)
	return s.kind() >= slotPlain && s.generation() == ref.Generation
}

// countDropped counts the objects of the source that the walk did not reach.
func (r *reachWalk) countDropped() int {
	n := 0
	_ = r.d.slots.eachInUse(func(number uint32, _ slot) error {
		if !r.isMarked(number) {
			n++
		}
		return nil
	})
	return n
}

// markedInFileOrder lists the marked numbers in the order of the source.
func (r *reachWalk) markedInFileOrder() []uint32 {
	numbers := make([]uint32, 0, r.count)
	for i, word := range r.marks {
		for ; word != 0; word &= word - 1 {
			numbers = append(numbers, uint32(i*64+bits.TrailingZeros64(word)))
		}
	}
	r.d.sortByFilePlace(numbers)
	return numbers
}

// sortByFilePlace sorts objects outside object streams first, by offset, and then those in object streams, one stream
// after the other.
func (d *Document) sortByFilePlace(numbers []uint32) {
	slices.SortFunc(numbers, func(a, b uint32) int {
		s, t := d.slots.get(a), d.slots.get(b)
		return cmp.Or(cmp.Compare(s.kind(), t.kind()), cmp.Compare(s, t), cmp.Compare(a, b))
	})
}

// numbering maps object numbers of the source to those of the new file.
type numbering struct {
	highest uint32
	marks   []uint64 // nil if numbers do not change
	before  []uint32 // marks set in the words before each word
}

// maxNumbersPerObject is the ratio of the highest number to the number of objects from which on all are renumbered.
const maxNumbersPerObject = 16

// planNumbering retains the numbers, since an encrypted object is bound to its number and programs that compare the
// files can follow them; but one reference to object 8,000,000 does not justify a table of 160 MB.
func (r *reachWalk) planNumbering() (numbering, error) {
	if int64(r.highest) <= 4096+maxNumbersPerObject*int64(r.count) {
		return numbering{highest: r.highest}, nil
	}
	if s := r.d.security; s != nil && s.bindsNumbers() {
		return numbering{}, tooLarge(-1, "%d objects numbered up to %d in an encrypted file", r.count, r.highest)
	}
	n := numbering{highest: uint32(r.count), marks: r.marks, before: make([]uint32, len(r.marks))}
	sum := uint32(0)
	for i, word := range r.marks {
		n.before[i] = sum
		sum += uint32(bits.OnesCount64(word))
	}
	return n, nil
}

// newRef returns the number and generation that an object of the source has in the new file. All renumbered objects
// have generation 0.
func (n numbering) newRef(ref Ref) Ref {
	if n.marks == nil {
		return ref
	}
	i := ref.Number / 64
	below := n.marks[i] & (1<<(ref.Number%64) - 1)
	return Ref{Number: n.before[i] + uint32(bits.OnesCount64(below)) + 1}
}

// bindsNumbers reports whether a key of the file depends on object numbers.
func (s *securityHandler) bindsNumbers() bool {
	binds := func(m cryptMethod) bool { return m == rc4Method || m == aes128Method }
	for _, m := range s.filters {
		if binds(m) {
			return true
		}
	}
	return binds(s.strings) || binds(s.streams) || binds(s.files)
}
