package fontfile

import "slices"

// Bounds of the tables of a program, and of its character maps.
const (
	maxTables = 200
	maxMaps   = 16
)

func parseSFNT(file []byte) (*Font, error) {
	b := program(file)
	tables := map[string]program{}
	for i := range min(b.u16(4), maxTables) {
		at := 12 + 16*i
		if entry := b.part(at, at+16); entry != nil {
			from := b.u32(at + 8)
			tables[string(entry[:4])] = b.part(min(from, len(b)), min(from+b.u32(at+12), len(b)))
		}
	}
	f := &Font{}
	if cff := tables["CFF "]; cff != nil {
		inner, err := parseCFF(cff)
		if err != nil {
			return nil, err
		}
		f = inner
	}
	f.readCharacterMaps(tables["cmap"])
	if f.names == nil {
		f.names = readPostNames(tables["post"])
	}
	if glyphs := tables["glyf"]; glyphs != nil {
		location, long := tables["loca"], tables["head"].u16(50) != 0
		f.outlines = func(glyph int) []byte { return findOutline(glyphs, location, long, glyph) }
	}
	return f, nil
}

func findOutline(glyphs, location program, long bool, glyph int) []byte {
	if glyph < 0 || glyph >= maxGlyphs {
		return nil
	}
	from, to := 2*location.u16(2*glyph), 2*location.u16(2*glyph+2)
	if long {
		from, to = location.u32(4*glyph), location.u32(4*glyph+4)
	}
	return glyphs.part(from, to)
}

// readPostNames reads the names of glyphs in formats 1 and 2; other formats have none.
func readPostNames(b program) []string {
	// The first 258 names of format 2 are those of the Macintosh; from its index 3 on they follow ASCII.
	standard := func(i int) string {
		if i < 3 || i > 97 {
			return ""
		}
		return asciiName(rune(i + 29))
	}
	switch b.u32(0) {
	case 0x00010000:
		names := make([]string, 258)
		for i := range names {
			names[i] = standard(i)
		}
		return names
	case 0x00020000:
		n := b.u16(32)
		var own []string
		for at := 34 + 2*n; at < len(b) && len(own) < maxGlyphs; at += 1 + b.u8(at) {
			own = append(own, string(b.part(at+1, min(len(b), at+1+b.u8(at)))))
		}
		names := make([]string, n)
		for i := range names {
			switch index := b.u16(34 + 2*i); {
			case index < 258:
				names[i] = standard(index)
			case index-258 < len(own):
				names[i] = own[index-258]
			}
		}
		return names
	}
	return nil
}

// readCharacterMaps reads the Unicode character maps, and one of a symbol font or of the Macintosh for codes.
func (f *Font) readCharacterMaps(b program) {
	f.runes, f.glyphs = map[int][]rune{}, map[rune]int{}
	var symbol, macintosh []mapping
	left := maxRunes          // of all Unicode maps, which become maps
	unicode := map[int]bool{} // offsets of the Unicode maps so far: most programs state one of them twice
	for i := range min(b.u16(2), maxMaps) {
		at := 4 + 8*i
		platform, encoding, from := b.u16(at), b.u16(at+2), b.u32(at+4)
		sub := b.part(min(from, len(b)), len(b))
		switch {
		case platform == 0 || platform == 3 && (encoding == 1 || encoding == 10):
			if unicode[from] {
				continue
			}
			unicode[from] = true
			for _, m := range readSubtable(sub, &left) {
				f.glyphs[m.char] = m.glyph
				if alike := f.runes[m.glyph]; len(alike) < maxAlike && !slices.Contains(alike, m.char) {
					f.runes[m.glyph] = append(alike, m.char)
				}
			}
		case platform == 3 && encoding == 0:
			own := maxRunes
			symbol = readSubtable(sub, &own)
		case platform == 1 && encoding == 0:
			own := maxRunes
			macintosh = readSubtable(sub, &own)
		}
	}
	f.truncated = left < 0
	codes := map[byte]int{}
	for _, m := range macintosh {
		if m.char < 256 {
			codes[byte(m.char)] = m.glyph
		}
	}
	// A symbol font has its codes in one row of the private use area (ISO 32000-2 §9.6.5.4).
	for _, m := range symbol {
		if row := m.char >> 8; row == 0xf0 || row == 0xf1 || row == 0xf2 || row == 0 {
			codes[byte(m.char)] = m.glyph
		}
	}
	if len(codes) > 0 {
		f.codes = codes
	}
}

// mapping is an entry of a character map.
type mapping struct {
	char  rune
	glyph int
}

// readSubtable reads a subtable in one of the formats that fonts in PDF files use. Left is how many more characters may
// be looked up.
func readSubtable(b program, left *int) []mapping {
	var m []mapping
	add := func(r rune, glyph int) bool {
		if *left--; *left < 0 {
			return false
		}
		if glyph != 0 {
			m = append(m, mapping{r, glyph})
		}
		return true
	}
	switch b.u16(0) {
	case 0:
		for c := range 256 {
			add(rune(c), b.u8(6+c))
		}
	case 4:
		segments := b.u16(6) / 2
		ends, starts, deltas, offsets := 14, 16+2*segments, 16+4*segments, 16+6*segments
		for s := range segments {
			from, to, offset := b.u16(starts+2*s), b.u16(ends+2*s), b.u16(offsets+2*s)
			for c := from; c <= to && c != 0xffff; c++ {
				glyph, missing := c, false
				if offset != 0 {
					glyph = b.u16(offsets + 2*s + offset + 2*(c-from))
					missing = glyph == 0
				}
				if glyph = (glyph + b.u16(deltas+2*s)) & 0xffff; missing {
					glyph = 0
				}
				if !add(rune(c), glyph) {
					return m
				}
			}
		}
	case 6:
		for i := range b.u16(8) {
			add(rune(b.u16(6)+i), b.u16(10+2*i))
		}
	case 12:
		for g := range min(b.u32(12), maxRunes) {
			from, to, glyph := b.u32(16+12*g), b.u32(20+12*g), b.u32(24+12*g)
			for c := from; c <= to && c <= 0x10ffff; c++ {
				if !add(rune(c), glyph+c-from) {
					return m
				}
			}
		}
	}
	return m
}
