package pdf

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// Update collects objects to add or replace, and builds one incremental tail of them. It never changes the file or its
// Document.
//
// The dictionaries it returns are those that will be written: change them in place, at any time before Build.
type Update struct {
	d       *Document
	pending map[uint32]pending
	trailer Dict
	next    uint32
	err     error // the first misuse, reported by Build
}

type pending struct {
	ref   Ref
	value Object // nil if reserved and not set yet
}

// NewUpdate begins an update of the file as opened. Its new objects have numbers from NextObject on, which parses the
// whole file unless Options.NextObject is set. Build reports an error of that.
func (d *Document) NewUpdate() *Update {
	u := &Update{d: d, pending: map[uint32]pending{}, trailer: d.copyTrailer()}
	next, err := d.NextObject()
	if err != nil {
		u.setError(err)
	}
	u.next = next
	// If /Size is beyond the highest number and were lowered, strict readers would take the numbers between for null.
	// So new numbers start at /Size, unless few would be left.
	if size, ok := d.trailer["Size"].(Integer); ok && size > Integer(u.next) && int64(size) <= d.limits.maxUpdatable() {
		u.next = uint32(size)
	}
	if d.repaired {
		u.setError(misuse("a repaired file cannot be updated"))
	}
	return u
}

// copyTrailer returns the trailer entries that a tail repeats: all except those that describe the section itself (ISO
// 32000-1 §7.5.6). /XRefStm of a hybrid file is not repeated either, since its stream would hide the update.
func (d *Document) copyTrailer() Dict {
	t := Dict{}
	for k, v := range d.trailer {
		switch k {
		case "Size", "Prev", "XRefStm", "ID":
		default:
			t[k] = Clone(v)
		}
	}
	return t
}

// Reserve reserves a new object number: one that no object of the file has and no reference in it names. Set must
// follow before Build.
func (u *Update) Reserve() Ref {
	ref := Ref{Number: u.next}
	if int64(u.next) > int64(u.d.limits.Objects) {
		u.setError(tooLarge(-1, "object number %d", u.next))
	}
	u.next++
	u.pending[ref.Number] = pending{ref: ref}
	return ref
}

// Add gives o a new number.
func (u *Update) Add(o Object) Ref {
	ref := u.Reserve()
	u.Set(ref, o)
	return ref
}

// Set defines a reserved object, or replaces one of the file under its number and generation. Build reports any other
// ref.
func (u *Update) Set(ref Ref, o Object) {
	if o == nil {
		o = Null{}
	}
	if _, isRef := o.(Ref); isRef {
		u.setError(misuse("object %v set to a reference", ref))
	}
	if p, ok := u.pending[ref.Number]; ok && p.ref != ref || !ok && !u.d.isInFile(ref) {
		u.setError(misuse("object %v is neither reserved nor in the file", ref))
		return
	}
	u.pending[ref.Number] = pending{ref, o}
}

func (u *Update) setError(err error) {
	if u.err == nil {
		u.err = err
	}
}

// Get returns an object as of this update: what was set, or a copy of the file's object. A changed copy has no effect
// until it is Set.
func (u *Update) Get(ref Ref) (Object, error) {
	if p, ok := u.pending[ref.Number]; ok && p.ref == ref {
		if p.value == nil {
			return Null{}, nil
		}
		return p.value, nil
	}
	o, err := u.d.Object(ref)
	if err != nil {
		return nil, err
	}
	return Clone(o), nil
}

// Resolve follows references as Document.Resolve does, through this update.
func (u *Update) Resolve(o Object) (Object, error) { return followRefs(o, u.Get) }

// Edit returns the dictionary, or the dictionary of the stream, behind ref and adds it to the update under its number.
func (u *Update) Edit(ref Ref) (Dict, error) {
	o, err := u.Get(ref)
	if err != nil {
		return nil, err
	}
	dict, err := resolveDict(u, o)
	if err != nil {
		return nil, fmt.Errorf("edit object %v: %w", ref, err)
	}
	if dict == nil {
		return nil, misuse("edit object %v, which is null", ref)
	}
	u.Set(ref, o)
	return dict, nil
}

// EditIn returns the dictionary under key of the dictionary owner. If it is indirect, it is updated under its number
// and owner does not change; if it is direct, owner is updated; if it is missing, a direct one is added.
func (u *Update) EditIn(owner Ref, key Name) (Dict, error) {
	o, err := u.readOwner(owner)
	if err != nil {
		return nil, err
	}
	if ref, ok := u.findTarget(o[key]); ok {
		return u.Edit(ref)
	}
	dict, err := u.Edit(owner)
	if err != nil {
		return nil, err
	}
	inner, err := resolveDict(u, dict[key])
	if err != nil {
		return nil, fmt.Errorf("edit /%s of object %v: %w", key, owner, err)
	}
	if inner == nil {
		inner = Dict{}
		dict[key] = inner
	}
	return inner, nil
}

// Append adds items to the array under key of the dictionary owner, in whichever object that array is, as EditIn does
// for dictionaries.
func (u *Update) Append(owner Ref, key Name, items ...Object) error {
	dict, err := u.readOwner(owner)
	if err != nil {
		return err
	}
	if _, indirect := u.findTarget(dict[key]); !indirect {
		if dict, err = u.Edit(owner); err != nil {
			return err
		}
	}
	if err := u.AppendTo(dict, key, items...); err != nil {
		return fmt.Errorf("object %v: %w", owner, err)
	}
	return nil
}

// AppendTo adds items to the array under key of a dictionary that is already part of the update, in whichever object
// that array is.
func (u *Update) AppendTo(dict Dict, key Name, items ...Object) error {
	ref, indirect := u.findTarget(dict[key])
	a, err := resolveAs[Array](u, dict[key])
	if err != nil {
		return fmt.Errorf("append to /%s: %w", key, err)
	}
	a = append(slices.Clip(a), items...)
	if indirect {
		u.Set(ref, a)
		return nil
	}
	dict[key] = a
	return nil
}

// readOwner resolves owner to its dictionary without adding it to the update.
func (u *Update) readOwner(owner Ref) (Dict, error) {
	dict, err := resolveDict(u, owner)
	if err != nil {
		return nil, fmt.Errorf("object %v: %w", owner, err)
	}
	if dict == nil {
		return nil, misuse("edit object %v, which is null", owner)
	}
	return dict, nil
}

// findTarget follows o to the last reference before a value that is not null. It returns false for direct objects and
// for references to nothing.
func (u *Update) findTarget(o Object) (Ref, bool) {
	ref, ok := o.(Ref)
	if !ok {
		return Ref{}, false
	}
	for range maxNested {
		v, err := u.Get(ref)
		if err != nil {
			return ref, true // the caller gets the error when it reads
		}
		next, isRef := v.(Ref)
		if !isRef {
			return ref, v != Object(Null{})
		}
		ref = next
	}
	return ref, true
}

// Tail is what an update appends to the file. Bytes may be written once all holes are filled.
type Tail struct {
	At    int64 // absolute offset of Bytes[0]: the size of the file before
	Bytes []byte

	holes map[*Hole]int // offsets into Bytes
}

// Hole returns the absolute offset and length of a hole in the file with the tail. For a hexadecimal hole that includes
// its angle brackets.
func (t *Tail) Hole(h *Hole) (at int64, length int, err error) {
	i, ok := t.holes[h]
	if !ok {
		return 0, 0, misuse("hole is not in this tail")
	}
	return t.At + int64(i), h.Len, nil
}

// Fill writes b into a hole: as hexadecimal digits padded with zeros, or unchanged, padded with spaces. A hole may be
// filled again.
func (t *Tail) Fill(h *Hole, b []byte) error {
	i, ok := t.holes[h]
	if !ok {
		return misuse("hole is not in this tail")
	}
	space := t.Bytes[i : i+h.Len]
	pad := byte(' ')
	if h.Hex {
		space, pad = space[1:len(space)-1], '0'
		if 2*len(b) > len(space) {
			return misuse("%d bytes for a hole of %d", len(b), len(space)/2)
		}
		space = space[hex.Encode(space, b):]
	} else {
		if len(b) > len(space) {
			return misuse("%d bytes for a hole of %d", len(b), len(space))
		}
		space = space[copy(space, b):]
	}
	for i := range space {
		space[i] = pad
	}
	return nil
}

// writtenObject is an object of the tail and its offset as the file states it.
type writtenObject struct {
	ref Ref
	at  int64
}

// Build writes the update as one tail: objects in order of number, none in an object stream, and a cross-reference
// section in the style of the file's newest one. A hybrid file gets a table. Build may be called again.
func (u *Update) Build() (*Tail, error) {
	if u.err != nil {
		return nil, u.err
	}
	w := &writer{base: u.d.size, holes: map[*Hole]int{}}
	if err := u.endLastLine(w); err != nil {
		return nil, err
	}
	entries, err := u.writeObjects(w)
	if err != nil {
		return nil, err
	}
	trailer, err := u.buildTrailer()
	if err != nil {
		return nil, err
	}
	at := w.offset()
	if u.d.xrefStyle() == XRefStream {
		err = u.writeStreamSection(w, entries, trailer)
	} else {
		err = u.writeTableSection(w, entries, trailer)
	}
	if err != nil {
		return nil, fmt.Errorf("write cross-reference: %w", err)
	}
	w.writeText("startxref\n")
	w.buf = strconv.AppendInt(w.buf, at-u.d.shift, 10)
	w.writeText("\n%%EOF\n")
	return &Tail{At: u.d.size, Bytes: w.buf, holes: w.holes}, nil
}

// endLastLine ends the last line of the file if it has no end of line.
func (u *Update) endLastLine(w *writer) error {
	last, _, err := u.d.readWindow(u.d.size-1, u.d.size)
	if err != nil {
		return err
	}
	if len(last) == 1 && last[0] != '\n' && last[0] != '\r' {
		w.writeText("\n")
	}
	return nil
}

func (u *Update) writeObjects(w *writer) ([]writtenObject, error) {
	var entries []writtenObject
	for _, n := range slices.Sorted(maps.Keys(u.pending)) {
		p := u.pending[n]
		if p.value == nil {
			return nil, misuse("object %v was reserved and never set", p.ref)
		}
		w.security, w.ref = u.d.security, p.ref
		at, err := w.writeIndirect(p.ref, p.value)
		if err != nil {
			return nil, fmt.Errorf("write object %v: %w", p.ref, err)
		}
		entries = append(entries, writtenObject{p.ref, at - u.d.shift})
	}
	w.security = nil // neither trailer nor cross-reference is encrypted
	return entries, nil
}

// buildTrailer builds the trailer without /Size. The first element of /ID does not change, the second identifies this
// revision (ISO 32000-1 §14.4).
func (u *Update) buildTrailer() (Dict, error) {
	t := cloneDict(u.trailer)
	t["Prev"] = Integer(u.d.sections[0].at - u.d.shift)
	id := make([]byte, 16)
	if _, err := io.ReadFull(u.d.random, id); err != nil {
		return nil, fmt.Errorf("read random file identifier: %w", err)
	}
	first, err := u.d.firstIDOr(id)
	if err != nil {
		return nil, err
	}
	t["ID"] = Array{String{Bytes: first, Hex: true}, String{Bytes: id, Hex: true}}
	return t, nil
}

// firstIDOr returns the first element of /ID for a new trailer: that of the file, or id if the file has none. In an
// encrypted file without one it is empty, since the key was derived from an empty one (ISO 32000-1 §7.6.3.3).
func (d *Document) firstIDOr(id []byte) ([]byte, error) {
	first, ok, err := d.readFirstID()
	switch {
	case err != nil:
		return nil, err
	case ok:
		return first, nil
	case d.security != nil:
		return nil, nil
	}
	return id, nil
}

// readFirstID returns the first element of /ID. Readers treat an /ID that is not an array of strings as missing; ok is
// false then. The error is the io.ReaderAt's.
func (d *Document) readFirstID() (first []byte, ok bool, err error) {
	id, err := d.Array(d.trailer["ID"])
	if isReadError(err) {
		return nil, false, fmt.Errorf("/ID: %w", err)
	}
	if err != nil || len(id) == 0 {
		return nil, false, nil
	}
	v, err := d.Resolve(id[0])
	if isReadError(err) {
		return nil, false, fmt.Errorf("/ID: %w", err)
	}
	s, ok := v.(String)
	return s.Bytes, ok, nil
}

// maxTableOffset is the largest number with ten digits.
const maxTableOffset = 9_999_999_999

// writeTableSection writes subsections of 20-byte entries and the trailer.
func (u *Update) writeTableSection(w *writer, entries []writtenObject, trailer Dict) error {
	trailer["Size"] = Integer(u.next)
	w.writeText("xref\n")
	if len(entries) == 0 {
		w.writeText("0 0\n")
	}
	for run := range consecutiveRuns(entries) {
		w.buf = strconv.AppendUint(w.buf, uint64(run[0].ref.Number), 10)
		w.buf = append(w.buf, ' ')
		w.buf = strconv.AppendInt(w.buf, int64(len(run)), 10)
		w.writeText("\n")
		for _, e := range run {
			if e.at > maxTableOffset {
				return tooLarge(e.at, "offset beyond the ten digits of a cross-reference table")
			}
			w.writeDigits(e.at, 10)
			w.writeText(" ")
			w.writeDigits(int64(e.ref.Generation), 5)
			w.writeText(" n\r\n")
		}
	}
	w.writeText("trailer\n")
	if err := w.writeDict(trailer); err != nil {
		return err
	}
	w.writeText("\n")
	return nil
}

// writeStreamSection writes a cross-reference stream, which lists itself.
func (u *Update) writeStreamSection(w *writer, entries []writtenObject, trailer Dict) error {
	self := Ref{Number: u.next}
	if int64(self.Number) > int64(u.d.limits.Objects) {
		return tooLarge(-1, "object number %d", self.Number)
	}
	entries = append(slices.Clip(entries), writtenObject{self, w.offset() - u.d.shift})
	width := 1
	for last := entries[len(entries)-1].at; last>>(8*width) > 0; {
		width++
	}
	var index Array
	var data []byte
	for run := range consecutiveRuns(entries) {
		index = append(index, Integer(run[0].ref.Number), Integer(len(run)))
		for _, e := range run {
			data = append(data, 1)
			for i := width - 1; i >= 0; i-- {
				data = append(data, byte(e.at>>(8*i)))
			}
			data = append(data, byte(e.ref.Generation>>8), byte(e.ref.Generation))
		}
	}
	trailer["Type"] = Name("XRef")
	trailer["Size"] = Integer(self.Number + 1)
	trailer["Index"] = index
	trailer["W"] = Array{Integer(1), Integer(width), Integer(2)}
	_, err := w.writeIndirect(self, &Stream{Dict: trailer, Data: data})
	return err
}

// consecutiveRuns yields runs of entries with consecutive numbers.
func consecutiveRuns(entries []writtenObject) func(yield func([]writtenObject) bool) {
	return func(yield func([]writtenObject) bool) {
		for len(entries) > 0 {
			n := 1
			for n < len(entries) && entries[n].ref.Number == entries[n-1].ref.Number+1 {
				n++
			}
			if !yield(entries[:n]) {
				return
			}
			entries = entries[n:]
		}
	}
}
