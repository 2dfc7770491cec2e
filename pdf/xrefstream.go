package pdf

import "fmt"

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
			return damaged(at, "/Index of cross-reference stream")
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
		return w, damaged(at, "/W of cross-reference stream")
	}
	for i := range w {
		n, ok := a[i].(Integer)
		if !ok || n < 0 || n > 8 {
			return w, damaged(at, "/W of cross-reference stream")
		}
		w[i] = int(n)
	}
	if w[1] == 0 {
		return w, damaged(at, "/W of cross-reference stream")
	}
	return w, nil
}

// decodeStreamSlot decodes one entry. Types this reader does not know, and places no
// file can have, stand for null objects.
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
