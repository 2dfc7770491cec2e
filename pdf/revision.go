package pdf

import (
	"bytes"
	"fmt"
	"slices"
)

// Revision is one state of the file, which ends in %%EOF. A prefix of the file up to End opens as that state.
type Revision struct {
	StartXref int64 // absolute offset of its newest section
	EOF       int64 // offset just after its %%EOF, or 0 if there is none
	End       int64 // the same, after the end of line that follows, if any

	sections []int64 // absolute offsets, newest first
}

// Entry is an entry of a cross-reference section.
type Entry struct {
	Ref          Ref
	Free         bool
	Unknown      bool   // of an undefined type, or with an impossible offset; it counts as free
	Offset       int64  // absolute, of an object that is not in an object stream
	ObjectStream uint32 // number of the object stream that contains it, or 0
}

// Revisions lists the revisions of the file, oldest first. The two sections of
// a linearized file are one revision. It is empty for repaired files.
func (d *Document) Revisions() ([]Revision, error) {
	var all []Revision
	for i := 0; i < len(d.sections); i++ {
		s := d.sections[i]
		r := Revision{StartXref: s.at, sections: []int64{s.at}}
		last := s
		// The first-page section of a linearized file precedes the main one, which it names as /Prev, and the %%EOF of
		// the file follows that.
		for last.prev > last.at && i+1 < len(d.sections) {
			i++
			last = d.sections[i]
			r.sections = append(r.sections, last.at)
		}
		var err error
		if r.EOF, r.End, err = d.findEOF(last.end); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.Reverse(all)
	return all, nil
}

// findEOF finds the %%EOF that closes a section ending at an offset: with nothing but startxref and its number between.
// A looser rule could take the %%EOF of a later revision for this one's.
func (d *Document) findEOF(from int64) (eof, end int64, err error) {
	lent := lexerBuffers.Get().(*[]byte)
	defer lexerBuffers.Put(lent)
	b, at, err := d.readWindowInto(*lent, from, from+headerWindow)
	if err != nil {
		return 0, 0, err
	}
	lx := newBytesLexer(b, at)
	word, err1 := lx.next()
	number, err2 := lx.next()
	if err1 != nil || err2 != nil || !word.isKeyword("startxref") || number.kind != tokInteger {
		return 0, 0, nil
	}
	i := int(number.end - at)
	for i < len(b) && charClasses[b[i]] == space {
		i++
	}
	if !bytes.HasPrefix(b[i:], []byte("%%EOF")) {
		return 0, 0, nil
	}
	i += len("%%EOF")
	eof = at + int64(i)
	switch rest := b[i:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		i += 2
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		i++
	}
	return eof, at + int64(i), nil
}

// RevisionEntries lists the entries of the sections of a revision, in file order within each section. It reads the
// sections again and caches nothing.
func (d *Document) RevisionEntries(r Revision) ([]Entry, error) {
	var all []Entry
	for _, at := range r.sections {
		_, err := d.readSection(at, func(n uint32, s slot) error {
			all = append(all, newEntry(n, s))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read section at %d again: %w", at, err)
		}
	}
	return all, nil
}

func newEntry(n uint32, s slot) Entry {
	e := Entry{Ref: Ref{Number: n, Generation: s.generation()}}
	switch s.kind() {
	case slotPlain:
		e.Offset = s.fileOffset()
	case slotCompressed:
		e.ObjectStream = s.streamNumber()
	default:
		e.Free, e.Unknown = true, s == slotUnknown
	}
	return e
}
