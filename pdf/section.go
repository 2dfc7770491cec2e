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

// entryVisitor receives the entries of a section in file order.
type entryVisitor func(number uint32, s slot) error

// readSection reads the section at an absolute offset, with the entries that the stream of a hybrid section hides from
// older readers.
func (d *Document) readSection(at int64, visit entryVisitor) (*section, error) {
	return d.readSectionParts(at, visit, visit)
}

// readSectionParts is readSection with a separate visitor for the entries of the stream of a hybrid section. They
// follow the entries that the table has in use, and precede those it has free.
func (d *Document) readSectionParts(at int64, visit, beside entryVisitor) (*section, error) {
	p := d.borrowParser(lexer{src: d.src, base: at, end: d.size})
	p.lx.borrowBuffer()
	defer p.release()
	t, err := p.next()
	if err != nil {
		return nil, err
	}
	if t.kind == tokInteger {
		return d.readStreamSection(t.start, visit)
	}
	if !t.isKeyword("xref") {
		return nil, damaged(at, "no cross-reference section")
	}
	s, err := d.readTableSection(p, t.start, visit, beside)
	// Sections that overlap could make a small file cost as much as its square.
	if spent := d.spendWork(p.lx.offset() - at); spent != nil {
		return nil, spent
	}
	return s, err
}

func (d *Document) readTableSection(p *parser, at int64, visit, beside entryVisitor) (*section, error) {
	// Objects that only the stream of a hybrid section has are marked free in its table (ISO 32000-1 §7.5.8.4), so free
	// entries are visited after the stream.
	var free []filePlace
	err := d.readTable(p.lx, func(n uint32, s slot) error {
		if s.kind() == slotFree {
			free = append(free, filePlace{n, s})
			return nil
		}
		return visit(n, s)
	})
	if err != nil {
		return nil, fmt.Errorf("read cross-reference table at %d: %w", at, err)
	}
	o, err := p.parseObject()
	if err != nil {
		return nil, fmt.Errorf("read trailer of section at %d: %w", at, err)
	}
	trailer, ok := o.(Dict)
	if !ok {
		return nil, damaged(at, "trailer is not a dictionary")
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
		if err := visit(f.number, f.slot); err != nil {
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

// readTable reads the subsections after the keyword xref, up to and including the keyword trailer.
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

// readSubsection reads count entries. Entries of exactly 20 bytes, as the standard requires, are read by position; from
// the first malformed one on, the rest goes through the lexer.
func (d *Document) readSubsection(lx *lexer, first, count int64, visit entryVisitor) error {
	lx.skipSpace()
	at := lx.offset()
	lent := lexerBuffers.Get().(*[]byte)
	defer lexerBuffers.Put(lent)
	chunk := *lent
	var i int64
fixed:
	for i < count {
		b := chunk[:min(count-i, int64(len(chunk)/entryLen))*entryLen]
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

// readLooseEntry reads an entry with wrong spacing, such as the 19 bytes that some producers write.
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

// readStreamSection reads a cross-reference stream (ISO 32000-1 §7.5.8).
func (d *Document) readStreamSection(at int64, visit entryVisitor) (*section, error) {
	o, err := d.readObjectAt(at, Ref{}, false)
	if err != nil {
		return nil, fmt.Errorf("read cross-reference stream at %d: %w", at, err)
	}
	st, ok := o.value.(*Stream)
	if !ok || st.Dict["Type"] != Name("XRef") {
		return nil, damaged(at, "no cross-reference section")
	}
	data, err := d.Decode(st)
	if err != nil {
		return nil, fmt.Errorf("decode cross-reference stream at %d: %w", at, err)
	}
	if err := d.readStreamEntries(at, st.Dict, data, visit); err != nil {
		return nil, err
	}
	s := &section{ref: o.ref, at: at, end: o.end, stream: true, trailer: st.Dict}
	if s.prev, err = d.readSectionOffset(st.Dict, "Prev"); err != nil {
		return nil, err
	}
	return s, nil
}

func (d *Document) readStreamEntries(at int64, dict Dict, data []byte, visit entryVisitor) error {
	w, err := parseFieldWidths(at, dict)
	if err != nil {
		return err
	}
	index, ok := dict["Index"].(Array)
	if !ok {
		index = Array{Integer(0), dict["Size"]}
	}
	width := w[0] + w[1] + w[2]
	for i := 0; i+1 < len(index); i += 2 {
		first, ok1 := index[i].(Integer)
		count, ok2 := index[i+1].(Integer)
		if !ok1 || !ok2 || first < 0 || count < 0 {
			return damaged(at, "invalid /Index of cross-reference stream")
		}
		if int64(first) > int64(d.limits.Objects) || int64(count) > int64(d.limits.Objects)+1-int64(first) {
			return tooLarge(at, "object number %d", int64(first)+int64(count)-1)
		}
		for n := int64(first); n < int64(first+count); n++ {
			if len(data) < width {
				return damaged(at, "cross-reference stream ends early")
			}
			s := d.decodeStreamSlot(data[:width], w)
			data = data[width:]
			if err := visit(uint32(n), s); err != nil {
				return err
			}
		}
	}
	return nil
}

func parseFieldWidths(at int64, dict Dict) (w [3]int, err error) {
	a, _ := dict["W"].(Array)
	if len(a) < 3 {
		return w, damaged(at, "invalid /W of cross-reference stream")
	}
	for i := range w {
		n, ok := a[i].(Integer)
		if !ok || n < 0 || n > 8 {
			return w, damaged(at, "invalid /W of cross-reference stream")
		}
		w[i] = int(n)
	}
	if w[1] == 0 {
		return w, damaged(at, "invalid /W of cross-reference stream")
	}
	return w, nil
}

// decodeStreamSlot decodes one entry. Types that this reader does not know, and impossible offsets, stand for null
// objects.
func (d *Document) decodeStreamSlot(b []byte, w [3]int) slot {
	kind := uint64(1)
	if w[0] > 0 {
		kind = bigEndian(b[:w[0]])
	}
	second := bigEndian(b[w[0] : w[0]+w[1]])
	third := bigEndian(b[w[0]+w[1]:])
	switch {
	case kind == 1 && second > 0 && second <= uint64(maxOffset-d.shift) && third <= 65535:
		return plainSlot(int64(second)+d.shift, uint16(third))
	case kind == 2 && second <= uint64(d.limits.Objects) && third <= maxIndex:
		return compressedSlot(uint32(second), uint32(third))
	case kind == 0 && third <= 65535:
		return freeSlot(uint16(third))
	}
	return slotUnknown
}

func bigEndian(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}
