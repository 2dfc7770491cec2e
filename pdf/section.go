package pdf

import (
	"fmt"
	"io"
)

// section is one cross-reference section: a table with its trailer, or a
// stream whose dictionary is the trailer.
type section struct {
	ref     Ref   // the object its stream is, or zero
	at      int64 // absolute offset of "xref" or of the stream's object
	end     int64 // absolute offset behind the trailer dictionary or endobj
	stream  bool
	xrefStm int64 // absolute offset of the stream of a hybrid section, or 0
	prev    int64 // absolute offset of the section before, or 0
	trailer Dict

	besidePrev int64 // what the stream of a hybrid section states as the section before, or 0
}

// entryVisitor receives the entries of a section in the order of the file.
type entryVisitor func(number uint32, s slot) error

// readSection reads the section at an absolute offset, with the entries that
// the stream of a hybrid section hides from older readers.
func (d *Document) readSection(at int64, visit entryVisitor) (*section, error) {
	return d.readSectionParts(at, visit, visit)
}

// readSectionParts is readSection with a visitor of its own for the entries of the stream of a hybrid section. They come behind
// the entries that the table has in use, and before those it has free.
func (d *Document) readSectionParts(at int64, visit, beside entryVisitor) (*section, error) {
	lx := newLexer(d.src, at, d.size)
	lx.borrowBuffer()
	defer lx.release()
	t, err := lx.next()
	if err != nil {
		return nil, err
	}
	if t.kind == tokInteger {
		return d.readStreamSection(t.start, visit)
	}
	if !t.isKeyword("xref") {
		return nil, damaged(at, "no cross-reference section")
	}
	s, err := d.readTableSection(lx, t.start, visit, beside)
	// Sections that overlap could make a small file cost as much as its square.
	if spent := d.spendWork(lx.offset() - at); spent != nil {
		return nil, spent
	}
	return s, err
}

func (d *Document) readTableSection(lx *lexer, at int64, visit, beside entryVisitor) (*section, error) {
	// Objects that only the stream of a hybrid section knows are marked free
	// in its table (ISO 32000-1 §7.5.8.4), so free entries wait until the
	// stream has spoken.
	var free []struct {
		n uint32
		s slot
	}
	err := d.readTable(lx, func(n uint32, s slot) error {
		if s.kind() == slotFree {
			free = append(free, struct {
				n uint32
				s slot
			}{n, s})
			return nil
		}
		return visit(n, s)
	})
	if err != nil {
		return nil, fmt.Errorf("read cross-reference table at %d: %w", at, err)
	}
	p := newParser(lx, d.limits)
	p.uniqueKeys, p.reader = d.uniqueKeys, d
	o, err := p.parseObject()
	if err != nil {
		return nil, fmt.Errorf("read trailer of section at %d: %w", at, err)
	}
	trailer, ok := o.(Dict)
	if !ok {
		return nil, damaged(at, "trailer is no dictionary")
	}
	s := &section{at: at, end: p.offset(), trailer: trailer}
	if s.prev, err = d.readSectionOffset(trailer, "Prev"); err != nil {
		return nil, err
	}
	if s.xrefStm, err = d.readSectionOffset(trailer, "XRefStm"); err != nil {
		return nil, err
	}
	if s.xrefStm != 0 {
		stream, err := d.readStreamSection(s.xrefStm, beside)
		if err != nil {
			return nil, fmt.Errorf("read stream of hybrid section at %d: %w", at, err)
		}
		s.ref, s.besidePrev = stream.ref, stream.prev
	}
	for _, f := range free {
		if err := visit(f.n, f.s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readSectionOffset reads /Prev or /XRefStm as an absolute offset. A value of zero
// is what some producers write for "none".
func (d *Document) readSectionOffset(trailer Dict, key Name) (int64, error) {
	v, ok := trailer[key]
	if !ok || v == Integer(0) {
		return 0, nil
	}
	n, ok := v.(Integer)
	if !ok || n < 0 || int64(n) >= d.size {
		return 0, damaged(-1, "/%s of trailer leads out of the file", key)
	}
	return int64(n) + d.shift, nil
}

// readTable reads the subsections behind the word xref, up to and including
// the word trailer.
func (d *Document) readTable(lx *lexer, visit entryVisitor) error {
	for {
		t, err := lx.next()
		if err != nil {
			return err
		}
		if t.isKeyword("trailer") {
			return nil
		}
		n, err := lx.next()
		if err != nil {
			return err
		}
		if t.kind != tokInteger || n.kind != tokInteger || t.num < 0 || n.num < 0 {
			return damaged(t.start, "no subsection header")
		}
		if t.num+n.num > int64(d.limits.Objects)+1 {
			return tooLarge(t.start, "object number %d", t.num+n.num-1)
		}
		if err := d.readSubsection(lx, t.num, n.num, visit); err != nil {
			return err
		}
	}
}

const entryLen = 20

// readSubsection reads count entries. Entries of exactly 20 bytes, which is
// what the standard asks for, are read by position; from the first odd one on
// the rest goes through the lexer.
func (d *Document) readSubsection(lx *lexer, first, count int64, visit entryVisitor) error {
	lx.skipSpace()
	at := lx.offset()
	chunk := make([]byte, min(count, 3000)*entryLen)
	var i int64
fixed:
	for i < count {
		b := chunk[:min(count-i, 3000)*entryLen]
		n, err := d.src.ReadAt(b, at+i*entryLen)
		if err != nil && err != io.EOF {
			return err
		}
		b = b[:n/entryLen*entryLen]
		if len(b) == 0 {
			break
		}
		for ; len(b) > 0; b = b[entryLen:] {
			s, ok := d.parseFixedEntry((*[entryLen]byte)(b))
			if !ok {
				break fixed
			}
			if err := visit(uint32(first+i), s); err != nil {
				return err
			}
			i++
		}
	}
	lx.seek(at + i*entryLen)
	for ; i < count; i++ {
		s, err := d.readLooseEntry(lx)
		if err != nil {
			return err
		}
		if err := visit(uint32(first+i), s); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) parseFixedEntry(b *[entryLen]byte) (slot, bool) {
	at, ok1 := parseDigits(b[:10])
	gen, ok2 := parseDigits(b[11:16])
	if !ok1 || !ok2 || b[10] != ' ' || b[16] != ' ' || charClasses[b[18]] != space || charClasses[b[19]] != space {
		return 0, false
	}
	return d.newEntrySlot(b[17], at, gen)
}

func parseDigits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// readLooseEntry reads an entry whose spacing is off, such as the 19 bytes some
// producers write.
func (d *Document) readLooseEntry(lx *lexer) (slot, error) {
	var t [3]token
	for i := range t {
		var err error
		if t[i], err = lx.next(); err != nil {
			return 0, err
		}
	}
	if t[0].kind != tokInteger || t[1].kind != tokInteger || t[2].kind != tokKeyword || len(t[2].text) != 1 ||
		t[0].num < 0 || t[1].num < 0 {
		return 0, damaged(t[0].start, "no cross-reference entry")
	}
	s, ok := d.newEntrySlot(t[2].text[0], t[0].num, t[1].num)
	if !ok {
		return 0, damaged(t[0].start, "no cross-reference entry")
	}
	return s, nil
}

func (d *Document) newEntrySlot(kind byte, at, gen int64) (slot, bool) {
	switch {
	case kind == 'f', kind == 'n' && at == 0:
		return freeSlot(uint16(min(gen, 65535))), true
	case kind == 'n' && gen <= 65535 && at+d.shift <= maxOffset:
		return plainSlot(at+d.shift, uint16(gen)), true
	}
	return 0, false
}
