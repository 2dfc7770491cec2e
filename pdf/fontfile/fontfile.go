// Package fontfile reads from a font program that is embedded in a PDF file which character each of its glyphs is for:
// by the names of the glyphs, by the program's own character maps, and by outlines that two glyphs have in common. It
// draws nothing.
//
// It reads TrueType and OpenType (ISO/IEC 14496-22), bare CFF (Adobe Technical Note 5176) and Type 1. What it cannot
// read it knows nothing about, and it never panics. A program of a few bytes may map every character, so callers bound
// the sum of [Font.Memory].
package fontfile

import "errors"

// Font is a font program.
type Font struct {
	names    []string       // of glyphs; empty if not known
	numbers  map[string]int // the first glyph of each name
	runes    map[int][]rune // of glyphs, by Unicode character maps
	glyphs   map[rune]int   // the inverse of runes
	codes    map[byte]int   // glyphs of the built-in encoding, or of a symbol or Macintosh character map
	cids     map[uint32]int // glyphs of a font keyed by CID; nil: CIDs are glyphs
	outlines func(int) []byte
	entries  int // of the slices that outlines has

	truncated bool // there are more characters than maxRunes
}

// ErrUnknown is returned for what is not a supported font program.
var ErrUnknown = errors.New("not a supported font program")

// Bounds of what is read of one program.
const (
	maxGlyphs = 1 << 16
	maxRunes  = 1 << 18 // characters of all Unicode maps
	maxAlike  = 16      // characters of one glyph
)

// Parse reads a font program. It retains b.
func Parse(b []byte) (*Font, error) {
	f, err := parseProgram(b)
	if err != nil {
		return nil, err
	}
	f.numbers = make(map[string]int, len(f.names))
	for glyph, name := range f.names {
		if _, known := f.numbers[name]; !known {
			f.numbers[name] = glyph
		}
	}
	return f, nil
}

// parseProgram reads a font program in one of the formats.
func parseProgram(b []byte) (*Font, error) {
	switch {
	case len(b) < 4:
		return nil, ErrUnknown
	case b[0] == '%' && b[1] == '!' || b[0] == 0x80 && b[1] == 1:
		return parseType1(b)
	case string(b[:4]) == "OTTO" || string(b[:4]) == "true" || string(b[:4]) == "\x00\x01\x00\x00":
		return parseSFNT(b)
	case b[0] == 1 && b[1] == 0:
		return parseCFF(b)
	}
	return nil, ErrUnknown
}

// Memory returns about how many bytes the font takes besides the program.
func (f *Font) Memory() int64 {
	const each = 48
	return each * int64(f.entries+2*len(f.names)+2*len(f.glyphs)+len(f.cids))
}

// Truncated reports whether the program maps more characters than are read. Those that are left out seem to be in no map.
func (f *Font) Truncated() bool { return f.truncated }

// GlyphName returns the name of a glyph, or "". Formats omit predefined names; of these, only those of ASCII letters
// and digits are returned.
func (f *Font) GlyphName(glyph int) string {
	if glyph < 0 || glyph >= len(f.names) {
		return ""
	}
	return f.names[glyph]
}

// GlyphRunes returns the characters that the program's Unicode character maps assign to a glyph.
func (f *Font) GlyphRunes(glyph int) []rune { return f.runes[glyph] }

// GlyphByCode returns the glyph of a code by the program's built-in encoding.
func (f *Font) GlyphByCode(code byte) (int, bool) {
	g, ok := f.codes[code]
	return g, ok
}

// GlyphByName returns the first glyph of that name.
func (f *Font) GlyphByName(name string) (int, bool) {
	g, ok := f.numbers[name]
	return g, ok && name != ""
}

// GlyphByRune returns the glyph of a character by the program's Unicode character maps.
func (f *Font) GlyphByRune(r rune) (int, bool) {
	g, ok := f.glyphs[r]
	return g, ok
}

// GlyphByCID returns the glyph of a CID, in a program that is keyed by CID or where a CID is a glyph.
func (f *Font) GlyphByCID(cid uint32) (int, bool) {
	if f.cids == nil {
		return int(cid), cid < maxGlyphs
	}
	g, ok := f.cids[cid]
	return g, ok
}

// Outline returns the description of a glyph, which may be equal for two glyphs that look the same; nil if the glyph
// paints nothing.
func (f *Font) Outline(glyph int) []byte {
	if f.outlines == nil {
		return nil
	}
	return f.outlines(glyph)
}

// asciiName returns the glyph name of an ASCII letter or digit.
func asciiName(c rune) string {
	switch {
	case c >= '0' && c <= '9':
		return [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}[c-'0']
	case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		return string(c)
	}
	return ""
}

// program is the bytes of a program; bytes beyond the end read as zero.
type program []byte

func (b program) u8(at int) int {
	if at < 0 || at >= len(b) {
		return 0
	}
	return int(b[at])
}

func (b program) u16(at int) int { return b.u8(at)<<8 | b.u8(at+1) }

func (b program) u32(at int) int { return b.u16(at)<<16 | b.u16(at+2) }

// part returns bytes [from, to), or nil if not all are there.
func (b program) part(from, to int) program {
	if from < 0 || to < from || to > len(b) {
		return nil
	}
	return b[from:to]
}
