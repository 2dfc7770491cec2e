package fontfile

// parseCFF reads the first font of a compact font program (Technical Note 5176).
func parseCFF(file []byte) (*Font, error) {
	b := program(file)
	_, at, ok := readIndex(b, b.u8(2)) // names
	if !ok {
		return nil, ErrUnknown
	}
	tops, at, ok := readIndex(b, at)
	if !ok || len(tops) == 0 {
		return nil, ErrUnknown
	}
	strings, _, ok := readIndex(b, at)
	if !ok {
		return nil, ErrUnknown
	}
	top := readTopDict(tops[0])
	glyphs, _, ok := readIndex(b, top[17])
	if !ok {
		return nil, ErrUnknown
	}
	f := &Font{entries: len(glyphs), outlines: func(glyph int) []byte {
		if glyph < 0 || glyph >= len(glyphs) {
			return nil
		}
		return glyphs[glyph]
	}}
	set := readCharset(b, top[15], len(glyphs))
	if _, keyed := top[12<<8|30]; keyed {
		f.cids = map[uint32]int{}
		for glyph, cid := range set {
			f.cids[uint32(cid)] = glyph
		}
		return f, nil
	}
	f.names = make([]string, len(set))
	for glyph, sid := range set {
		switch {
		case sid >= 1 && sid <= 95: // the standard strings begin with those of ASCII
			f.names[glyph] = asciiName(rune(sid + 31))
		case sid >= 391 && sid-391 < len(strings):
			f.names[glyph] = string(strings[sid-391])
		}
	}
	f.codes = readEncoding(b, top[16], set)
	return f, nil
}

// readIndex reads an INDEX at an offset and returns its items and where it ends.
func readIndex(b program, at int) (items []program, end int, ok bool) {
	count, size := b.u16(at), b.u8(at+2)
	if at <= 0 || at+2 > len(b) {
		return nil, 0, false
	}
	if count == 0 {
		return nil, at + 2, true
	}
	data := at + 3 + (count+1)*size - 1
	if size < 1 || size > 4 || data > len(b) {
		return nil, 0, false
	}
	offset := func(i int) int {
		v := 0
		for k := range size {
			v = v<<8 | b.u8(at+3+i*size+k)
		}
		return v
	}
	items = make([]program, count)
	for i := range items {
		items[i] = b.part(data+offset(i), data+offset(i+1))
	}
	return items, data + offset(count), data+offset(count) <= len(b)
}

// readTopDict reads the operators of a DICT with their last integer operand. Operators of two bytes are 12<<8 and the second.
func readTopDict(b program) map[int]int {
	dict, last := map[int]int{}, 0
	for at := 0; at < len(b); {
		switch v := b.u8(at); {
		case v == 12:
			dict[12<<8|b.u8(at+1)] = last
			at += 2
		case v <= 21:
			dict[v] = last
			at++
		case v == 28:
			last = int(int16(b.u16(at + 1)))
			at += 3
		case v == 29:
			last = int(int32(b.u32(at + 1)))
			at += 5
		case v == 30: // a real number: two digits a byte, up to the nibble f
			for at++; at < len(b) && b.u8(at)&0xf != 0xf && b.u8(at)>>4 != 0xf; at++ {
			}
			at++
		case v >= 32 && v <= 246:
			last = v - 139
			at++
		case v >= 247 && v <= 250:
			last = (v-247)*256 + b.u8(at+1) + 108
			at += 2
		case v >= 251 && v <= 254:
			last = -(v-251)*256 - b.u8(at+1) - 108
			at += 2
		default:
			at++
		}
	}
	return dict
}

// readCharset returns the string or CID of each glyph. The only predefined one it supports is the first, ISOAdobe.
func readCharset(b program, at, glyphs int) []int {
	set := make([]int, 1, max(1, glyphs))
	if at <= 2 {
		for glyph := 1; glyph < glyphs && at == 0; glyph++ {
			set = append(set, glyph)
		}
		return set
	}
	format := b.u8(at)
	for at++; len(set) < glyphs && at < len(b); {
		first, more := b.u16(at), 0
		switch format {
		case 0:
			at += 2
		case 1:
			more = b.u8(at + 2)
			at += 3
		case 2:
			more = b.u16(at + 2)
			at += 4
		default:
			return set
		}
		for i := 0; i <= more && len(set) < glyphs; i++ {
			set = append(set, first+i)
		}
	}
	return set
}

// readEncoding returns the glyphs of codes. It supports the ASCII codes of the standard encoding.
func readEncoding(b program, at int, set []int) map[byte]int {
	codes := map[byte]int{}
	if at <= 1 {
		for glyph, sid := range set {
			if at == 0 && sid >= 1 && sid <= 95 {
				codes[byte(sid+31)] = glyph
			}
		}
		return codes
	}
	format, count := b.u8(at), b.u8(at+1)
	at += 2
	switch format & 0x7f {
	case 0:
		for i := range count {
			codes[byte(b.u8(at+i))] = i + 1
		}
		at += count
	case 1:
		glyph := 1
		for i := range count {
			for k := 0; k <= b.u8(at+2*i+1); k++ {
				codes[byte(b.u8(at+2*i)+k)] = glyph
				glyph++
			}
		}
		at += 2 * count
	}
	if format&0x80 == 0 {
		return codes
	}
	for i := range b.u8(at) {
		for glyph, sid := range set {
			if sid == b.u16(at+2+3*i) {
				codes[byte(b.u8(at+1+3*i))] = glyph
			}
		}
	}
	return codes
}
